import json
from pathlib import Path
from typing import Any

import pytest

from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME, FORMATS, OWN, recognise
from recsys.records import Paper
from tests.rows import each_row

_ROWS = json.loads(Path(__file__).with_name("paper_records.json").read_text(encoding="utf-8"))
NATIVE, OPENCORPUS, S2_API, S2AG, OPENALEX, AMINER_10, AMINER_12, AMINER_13 = (
    row["record"] for row in _ROWS.values()
)
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    (row["format"], row["record"]) for row in _ROWS.values()
]
JUNK: list[object] = [None, "", "text", 5, -1.5, True, [], [None], [[1]], {}, {"x": {"y": 1}}]


def parse(record: dict[str, Any]) -> Paper:
    known = recognise([record])
    assert known is not None
    return paper_from(known, record)


def paper_from(form: PaperFormat, record: dict[str, Any]) -> Paper:
    return paper_of(form.reference_of(record), own=form.name == OWN)


@each_row(("name", "record"), EXAMPLES)
def test_records_are_recognised_by_their_keys(name: str, record: dict[str, Any]) -> None:
    known = recognise([record])
    assert known is not None
    assert known.name == name


@each_row(("name", "record"), EXAMPLES)
def test_every_format_gives_the_same_paper(name: str, record: dict[str, Any]) -> None:
    paper = parse(record)
    assert paper.title == "A Graph Story"
    assert paper.year == 2019
    assert paper.authors == ("Ann Lee", "Bo Li")
    assert paper.venue == "GraphConf"
    assert len(paper.references) == (3 if record is S2AG else 2)
    assert paper.abstract == (None if record is S2AG else "We tell it.")


def test_a_native_record_keeps_every_field() -> None:
    assert parse(NATIVE) == Paper(
        id="p1",
        title="A Graph Story",
        abstract="We tell it.",
        year=2019,
        authors=("Ann Lee", "Bo Li"),
        venue="GraphConf",
        references=("p2", "p3"),
        keyphrases=("graph",),
        doi="10.1/p1",
        url="https://example.org/p1",
        labels={"area": ["graphs"]},
    )


def test_a_native_record_needs_only_id_and_title() -> None:
    assert parse({"id": "x", "title": "T"}) == Paper("x", "T")


def test_opencorpus_fields() -> None:
    paper = parse(OPENCORPUS)
    assert (paper.id, paper.references) == ("0f" * 20, ("aa", "bb"))
    assert (paper.keyphrases, paper.doi) == (("graph",), "10.1/p1")
    assert paper.url == "https://semanticscholar.org/paper/0f"
    assert paper.labels == {"fields": ["Computer Science"]}


def test_semantic_scholar_references_name_papers_as_their_ids_do() -> None:
    by_paper, by_corpus = parse(S2_API), parse(S2AG)
    assert (by_paper.id, by_paper.references) == ("abc", ("p2", "p3"))
    assert (by_corpus.id, by_corpus.references) == ("17", ("18", "19", "20"))
    assert by_paper.doi == by_corpus.doi == "10.1/p1"
    assert by_corpus.labels == {"fields": ["Computer Science"]}


def test_semantic_scholar_types_become_labels() -> None:
    types = ["JournalArticle", "Review"]
    assert parse(S2_API | {"publicationTypes": types}).labels["type"] == types
    assert parse(S2AG | {"publicationtypes": types}).labels["type"] == types
    assert "type" not in parse(S2_API | {"publicationTypes": None}).labels


def test_openalex_ids_are_shortened_everywhere() -> None:
    paper = parse(OPENALEX)
    assert (paper.id, paper.references) == ("W1", ("W2", "W3"))
    assert paper.url == "https://openalex.org/W1"
    assert paper.doi == "10.1/p1"
    assert paper.keyphrases == ("graph",)
    assert paper.labels == {"topic": "Graph theory", "type": "article"}


def test_openalex_titles_fall_back_to_the_display_name() -> None:
    assert parse(OPENALEX | {"title": None, "display_name": "Other"}).title == "Other"


def test_openalex_short_ids_get_an_address() -> None:
    assert parse(OPENALEX | {"id": "W1"}).url == "https://openalex.org/W1"


def test_aminer_versions_differ_in_ids_venues_and_topics() -> None:
    ten, twelve, thirteen = parse(AMINER_10), parse(AMINER_12), parse(AMINER_13)
    assert (ten.id, twelve.id, thirteen.id) == ("uuid-1", "1091", "53e9")
    assert twelve.references == ("2018", "2019")
    assert twelve.keyphrases == thirteen.keyphrases == ("graph",)
    assert twelve.labels == {"type": "Conference"}
    assert thirteen.url == "https://example.org/p1"


def test_most_records_decide() -> None:
    known = recognise([NATIVE, AMINER_12, {"x": 1}, AMINER_10])
    assert known is not None
    assert known.name == "AMiner DBLP"


def test_unknown_keys_are_of_no_format() -> None:
    assert recognise([{"ID": 1, "Title": "x"}, {}]) is None
    assert recognise([]) is None


def test_format_names_are_distinct() -> None:
    assert len(BY_NAME) == len(FORMATS)


@each_row(("name", "record"), EXAMPLES)
def test_optional_fields_of_a_wrong_type_cost_no_paper(name: str, record: dict[str, Any]) -> None:
    known = BY_NAME[name]
    needed = {"id", "_id", "paperId", "corpusid", "title"}
    for key in record.keys() - needed:
        for junk in JUNK:
            paper = paper_from(known, record | {key: junk})
            assert paper.title == "A Graph Story"
            assert all(isinstance(found, str) for found in paper.references + paper.authors)
            assert isinstance(paper.year, int | None)


@each_row(("name", "record"), EXAMPLES)
def test_optional_fields_may_be_absent(name: str, record: dict[str, Any]) -> None:
    ids = {"id", "_id", "paperId", "corpusid"} & record.keys()
    paper = paper_from(BY_NAME[name], {key: record[key] for key in ids} | {"title": "T"})
    assert (paper.title, paper.year, paper.abstract, paper.references) == ("T", None, None, ())


STRICT = [
    *("OpenAlex works", "Semantic Scholar OpenCorpus", "Semantic Scholar API or S2AG"),
    *("AMiner DBLP", "Lens", "recsys"),
]
"""Formats whose every record names its own id and title."""


@each_row("name", STRICT)
def test_formats_of_whole_records_are_strict_on_id_and_title(name: str) -> None:
    row = BY_NAME[name]
    with pytest.raises(FieldError, match="missing id"):
        paper_from(row, {"title": "T"})
    identified = {"id": "x", "paperId": "x", "lens_id": "x"}
    with pytest.raises(FieldError, match="missing title"):
        paper_from(row, identified)
    with pytest.raises(FieldError, match="empty title"):
        paper_from(row, identified | {"title": " "})


@each_row("row", FORMATS)
def test_no_format_makes_a_paper_of_nothing(row: PaperFormat) -> None:
    for nothing in ({}, {"title": " "}, {"id": "", "paper_id": None, "DOI": "", "corpusid": True}):
        with pytest.raises(FieldError):
            paper_from(row, nothing)
