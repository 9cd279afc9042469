import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references import bibtex, citation_keys, markdown, markdown_item, paper_link
from recsys.records import Paper


def paper(title: str = "A title", **facts: object) -> Paper:
    return replace(Paper(id="p", title=title), **facts)  # type: ignore[arg-type]  # Test data.


def test_a_paper_becomes_a_bibtex_entry(specter: Paper) -> None:
    assert bibtex([specter]) == (
        "@inproceedings{Cohan2020Specter,\n"
        "  title = {{SPECTER:} Document-level Representation Learning using Citation-informed"
        " Transformers},\n"
        "  author = {Arman Cohan and Sergey Feldman and Iz Beltagy and Doug Downey and"
        " Daniel S. Weld},\n"
        "  year = {2020},\n"
        "  booktitle = {ACL},\n"
        "  doi = {10.18653/v1/2020.acl-main.207},\n"
        "}\n"
    )


def test_unknown_fields_are_left_out(bare: Paper) -> None:
    assert bibtex([bare]) == ("@misc{AnonymousNothing,\n  title = {On nothing in particular},\n}\n")


def test_special_characters_are_escaped() -> None:
    entry = bibtex([paper("100% of {x} & y_1 at $5 #2 ~ ^ \\end")])
    assert (
        r"title = {100\% of \textbraceleft{}x\textbraceright{} \& y\_1 at \$5 \#2 "
        r"\textasciitilde{} \textasciicircum{} \textbackslash{}end}" in entry
    )


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


def test_a_group_name_stays_one_author() -> None:
    entry = bibtex([paper(authors=("Centre for Research and Development", "A, B, C, D"))])
    assert "author = {{Centre for Research and Development} and {A, B, C, D}}" in entry


@pytest.mark.parametrize(
    ("doi", "url", "link"),
    [
        ("10.1/x", "http://a.org", "https://doi.org/10.1/x"),
        ("https://doi.org/10.1/x", None, "https://doi.org/10.1/x"),
        ("doi: 10.1/x", None, "https://doi.org/10.1/x"),
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


def test_markdown_is_a_numbered_list(specter: Paper, bare: Paper) -> None:
    first, second = markdown([specter, bare]).splitlines()
    assert first == (
        "1. Arman Cohan, Sergey Feldman, Iz Beltagy, Doug Downey, Daniel S. Weld (2020). "
        "[SPECTER: Document-level Representation Learning using Citation-informed Transformers]"
        "(<https://doi.org/10.18653/v1/2020.acl-main.207>). *ACL*."
    )
    assert second == "2. Unknown authors (n.d.). On nothing in particular."


def test_markdown_marks_are_escaped() -> None:
    assert r"a\*b\_c \[d\] \<e\>" in markdown_item(paper("a*b_c [d] <e>"))


WORDS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
PAPERS = st.builds(
    Paper,
    id=WORDS,
    title=WORDS,
    year=st.none() | st.integers(1900, 2030),
    authors=st.lists(WORDS, max_size=3).map(tuple),
    venue=st.none() | WORDS,
    url=st.none() | WORDS.map("http://{}".format),
)


@given(st.lists(PAPERS, max_size=5))
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


@given(st.lists(PAPERS, max_size=5))
def test_markdown_has_one_line_per_paper(papers: list[Paper]) -> None:
    assert markdown(papers).count("\n") == len(papers)


def test_a_title_of_one_endless_word_is_no_trap() -> None:
    endless = "A" * 200_000
    begun = time.process_time()
    bibtex([paper(endless, venue=endless, authors=(endless,))])
    assert time.process_time() - begun < 2
