import re
import time
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references.reference_writers import WRITERS, bibtex, markdown, markdown_item
from recsys.formats.references.shown_facts import (
    citation_keys,
    paper_link,
)
from recsys.records import Paper
from tests.recsys.formats.references.invented_papers import RAW_PAPERS
from tests.rows import each_row


def paper(title: str = "A title", **facts: object) -> Paper:
    return replace(Paper(id="p", title=title), **facts)  # type: ignore[arg-type]  # Test data.


@each_row("name", WRITERS)
def test_papers_are_written_as_the_golden_file_has_them(
    name: str, specter: Paper, bare: Paper
) -> None:
    file = Path(__file__).parent / "files" / f"written.{name}"
    assert WRITERS[name]([specter, bare]) == file.read_bytes().decode()
    assert isinstance(WRITERS[name]([]), str)


def test_special_characters_are_escaped() -> None:
    entry = bibtex([paper("100% of {x} & y_1 at $5 #2 ~ ^ \\end")])
    assert (
        r"title = {100\% of \textbraceleft{}x\textbraceright{} \& y\_1 at \$5 \#2 "
        r"\textasciitilde{} \textasciicircum{} \textbackslash{}end}" in entry
    )


@each_row(
    ("venue", "kind", "field"),
    [
        ("NeurIPS", "inproceedings", "booktitle"),
        ("NAACL-HLT", "inproceedings", "booktitle"),
        ("Proceedings of the Journal Club", "inproceedings", "booktitle"),
        ("Workshop on Scholarly Documents", "inproceedings", "booktitle"),
        ("Journal of the ACM", "article", "journal"),
        ("IEEE Transactions on Conference Calls", "article", "journal"),
        ("Nature", "article", "journal"),
    ],
)
def test_the_entry_type_is_guessed_from_the_venue(venue: str, kind: str, field: str) -> None:
    entry = bibtex([paper(venue=venue)])
    assert entry.startswith(f"@{kind}{{")
    assert f"  {field} = {{{venue}}},\n" in entry


@each_row(
    ("authors", "year", "title", "key"),
    [
        (("Cohan, Arman",), 2020, "The SPECTER model", "Cohan2020Specter"),
        (("René Noël",), 1999, "On the Été", "Noel1999Ete"),
        (("Martin Luther King Jr.",), 1963, "A letter", "King1963Letter"),
        (("王小明",), 2021, "深度学习", "2021"),
        ((), None, "123 things", "Anonymous123"),
        (("王",), None, "???", "Paper"),
    ],
)
def test_keys_are_surname_year_and_first_word(
    authors: tuple[str, ...], year: int | None, title: str, key: str
) -> None:
    assert citation_keys([paper(title, authors=authors, year=year)]) == [key]


def test_colliding_keys_are_numbered_ignoring_case() -> None:
    same = paper("Word", authors=("Ann Lee",), year=2000)
    other = paper("word two", authors=("Ann LEE",), year=2000)
    assert citation_keys([same, other, same]) == ["Lee2000Word", "Lee2000Word-2", "Lee2000Word-3"]


@each_row(
    ("doi", "url", "link"),
    [
        ("10.1/x", "http://a.org", "https://doi.org/10.1/x"),
        ("https://doi.org/10.1/x", None, "https://doi.org/10.1/x"),
        ("doi: 10.1/x", None, "https://doi.org/10.1/x"),
        (
            "10.1002/(SICI)9:6<430::a>3.0;2",
            None,
            "https://doi.org/10.1002/(SICI)9:6%3C430::a%3E3.0;2",
        ),
        ("nonsense", "http://a.org/y", "http://a.org/y"),
        (None, "javascript:alert(1)", None),
        (None, "http://a.org/<b> c", "http://a.org/bc"),
        (None, None, None),
    ],
)
def test_links_are_web_addresses_or_nothing(
    doi: str | None, url: str | None, link: str | None
) -> None:
    assert paper_link(paper(doi=doi, url=url)) == link


def test_markdown_marks_are_escaped() -> None:
    assert r"a\*b\_c \[d\] \<e\>" in markdown_item(paper("a*b_c [d] <e>"))


def test_names_of_groups_and_of_several_words_are_kept_together() -> None:
    entry = bibtex([paper(authors=("Laurens van der Maaten", "King, Jr., Martin", "Plato"))])
    assert "author = {van der Maaten, Laurens and King, Jr., Martin and Plato}" in entry


def test_a_spreadsheet_shows_formulas_as_text() -> None:
    text = WRITERS["csv"]([paper("=HYPERLINK(1)", authors=("A; B", "C \\ D"), venue="'+1")])
    assert text == (
        '"id","title","authors","year","venue","doi","url"\n'
        '"p","\'=HYPERLINK(1)","A\\; B; C \\\\ D","","\'\'+1","",""\n'
    )


@given(st.lists(RAW_PAPERS, max_size=4))
def test_entries_are_balanced_and_keys_distinct(papers: list[Paper]) -> None:
    text = bibtex(papers)
    depth = 0
    for brace in re.findall(r"[{}]", text):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    keys = citation_keys(papers)
    assert len({key.casefold() for key in keys}) == len(papers)
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", key) for key in keys)


@given(st.lists(RAW_PAPERS, max_size=4))
def test_markdown_has_one_line_per_paper(papers: list[Paper]) -> None:
    assert markdown(papers).count("\n") == len(papers)


def test_a_title_of_one_endless_word_is_no_trap() -> None:
    endless = "A" * 200_000
    begun = time.process_time()
    bibtex([paper(endless, venue=endless, authors=(endless,))])
    assert time.process_time() - begun < 2


def test_many_papers_alike_have_keys_of_their_own_in_time() -> None:
    begun = time.process_time()
    keys = citation_keys([paper("Word", authors=("Ann Lee",))] * 20_000)
    assert len(set(keys)) == 20_000
    assert time.process_time() - begun < 5
