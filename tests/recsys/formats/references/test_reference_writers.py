import json
import re
import time
from dataclasses import replace
from pathlib import Path

import rispy
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.reference_writers import WRITERS, bibtex, markdown, markdown_item
from recsys.formats.references.shown_facts import paper_link
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
    ("venue", "types", "kind", "field"),
    [
        ("NeurIPS", None, "inproceedings", "booktitle"),
        ("NAACL-HLT", None, "inproceedings", "booktitle"),
        ("Proceedings of the Journal Club", None, "inproceedings", "booktitle"),
        ("Proceedings of the 3rd Meeting of a Society", None, "inproceedings", "booktitle"),
        ("Workshop on Scholarly Documents", None, "inproceedings", "booktitle"),
        ("IEEE Visualization", None, "inproceedings", "booktitle"),
        ("TVCG", None, "article", "journal"),
        ("IEEE TVCG (VIS special issue)", "conference", "article", "journal"),
        ("Journal of the ACM", None, "article", "journal"),
        ("Proceedings of the National Academy of Sciences of USA", None, "article", "journal"),
        ("Proceedings of the ACM on Human-Computer Interaction", None, "article", "journal"),
        ("Theor. Appl. Genet.", None, "article", "journal"),
        ("IEEE Transactions on Conference Calls", None, "article", "journal"),
        ("Nature", None, "article", "journal"),
        ("Plants of the Andes", "Article", "article", "journal"),
        ("EMNLP", "article", "inproceedings", "booktitle"),
        ("University of Somewhere", "phd-thesis", "phdthesis", "school"),
        ("University of Somewhere", "masters thesis", "mastersthesis", "school"),
        ("Springer", "book", "book", "publisher"),
        ("Handbook of Things", "book-chapter", "incollection", "booktitle"),
        ("Somewhere", "Technical Report", "techreport", "institution"),
        ("arXiv", None, "misc", "howpublished"),
        ("Zenodo", "dataset", "misc", "howpublished"),
        ("Plants of the Andes", None, "misc", "howpublished"),
        ("Some New Thing", "essay", "misc", "howpublished"),
    ],
)  # fmt: skip
def test_the_entry_is_of_what_the_paper_is_and_never_a_guess(
    venue: str, types: str | None, kind: str, field: str
) -> None:
    entry = bibtex([paper(venue=venue, labels={"type": types} if types else {})])
    assert entry.startswith(f"@{kind}{{")
    assert f"  {field} = {{{venue}}},\n" in entry


@each_row(
    ("facts", "kind"),
    [
        ({"doi": "10.1007/s00122-019-03310-y"}, "article"),
        ({"doi": "10.18653/v1/2020.acl-main.207"}, "inproceedings"),
        ({"id": "J93-2004"}, "article"),
        ({"id": "P18-1001"}, "inproceedings"),
        ({"doi": "10.5281/zenodo.1"}, "misc"),
    ],
)
def test_an_identifier_tells_where_the_venue_does_not(facts: dict[str, str], kind: str) -> None:
    assert bibtex([paper(venue="Unheard of", **facts)]).startswith(f"@{kind}{{")


@each_row(
    ("types", "csl", "ris"),
    [
        ("article", "article-journal", "JOUR"),
        ("conference-paper", "paper-conference", "CONF"),
        ("preprint", "article", "GEN"),
        ("book", "book", "BOOK"),
        ("book-chapter", "chapter", "CHAP"),
        ("dissertation", "thesis", "THES"),
        ("tech-report", "report", "RPRT"),
        ("dataset", "dataset", "DATA"),
        ("software", "software", "COMP"),
        ("essay", "document", "GEN"),
    ],
)
def test_types_are_those_of_csl_and_of_ris(types: str, csl: str, ris: str) -> None:
    work = paper("On rivers", authors=("Ann Lee",), year=2001, labels={"type": types})
    [item] = json.loads(WRITERS["csl-json"]([work]))
    assert item["type"] == csl
    [record] = rispy.loads(WRITERS["ris"]([work]))
    assert (record["type_of_reference"], record["title"]) == (ris, "On rivers")


def test_a_thesis_of_no_degree_is_called_a_thesis_and_a_preprint_has_its_number() -> None:
    assert "  type = {Thesis},\n" in bibtex([paper(labels={"type": "thesis"})])
    entry = bibtex([paper(venue="arXiv", url="https://arxiv.org/abs/2004.07180")])
    assert "  eprint = {2004.07180},\n  archiveprefix = {arXiv},\n" in entry


@each_row(
    ("title", "written"),
    [
        ("McNee and the citing of papers", "{McNee} and the citing of papers"),
        ("BERT: Pre-training of Deep Transformers", "{BERT}: Pre-training of Deep Transformers"),
        ("Reading (DNA), slowly", "Reading ({DNA}), slowly"),
        ("The Bayesian view of Wikipedia articles", "The {Bayesian} view of {Wikipedia} articles"),
        ("Citation graphs: The case of vitamin C", "Citation graphs: The case of vitamin {C}"),
        ("A Study of a Thing That Nobody Read", "A Study of a Thing That Nobody Read"),
        ("Coin Hoards in the Roman Empire", "Coin Hoards in the {Roman} Empire"),
        ("Who cites? A study", "Who cites? {A} study"),
        ("Cats", "Cats"),
    ],
)  # fmt: skip
def test_titles_keep_the_capitals_that_styles_would_lose(title: str, written: str) -> None:
    assert f"  title = {{{written}}},\n" in bibtex([paper(title)])


def test_an_abstract_that_somebody_else_wrote_is_no_abstract_of_the_paper() -> None:
    own = paper(abstract="We do things.")
    summary = replace(own, labels={"abstract_by": "the recsys project"})
    assert summary.abstract_note.startswith("Summary written by the recsys project")
    for name in ("bibtex", "ris", "csl-json"):
        assert "We do things." in WRITERS[name]([own])
        assert "We do things." not in WRITERS[name]([summary])


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
