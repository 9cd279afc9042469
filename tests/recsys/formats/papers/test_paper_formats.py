from typing import Any

import pytest

from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.field_maps import PaperFormat
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME, FORMATS, OWN, recognise
from recsys.records import Paper
from tests.rows import each_row

NATIVE = {
    "id": "p1",
    "title": "A Graph Story",
    "abstract": "We tell it.",
    "year": 2019,
    "authors": ["Ann Lee", "Bo Li"],
    "venue": "GraphConf",
    "references": ["p2", "p3"],
    "keyphrases": ["graph"],
    "doi": "10.1/p1",
    "url": "https://example.org/p1",
    "labels": {"area": ["graphs"]},
}
OPENCORPUS = {
    "id": "0f" * 20,
    "title": "A Graph Story",
    "paperAbstract": "We tell it.",
    "year": 2019,
    "authors": [{"name": "Ann Lee", "ids": ["1"]}, {"name": "Bo Li", "ids": []}],
    "venue": "",
    "journalName": "GraphConf",
    "outCitations": ["aa", "bb"],
    "inCitations": ["cc"],
    "keyPhrases": ["graph"],
    "fieldsOfStudy": ["Computer Science"],
    "doi": "10.1/p1",
    "s2Url": "https://semanticscholar.org/paper/0f",
}
S2_API = {
    "paperId": "abc",
    "corpusId": 7,
    "externalIds": {"DOI": "10.1/p1", "CorpusId": 7},
    "url": "https://www.semanticscholar.org/paper/abc",
    "title": "A Graph Story",
    "abstract": "We tell it.",
    "venue": "",
    "journal": {"name": "GraphConf"},
    "year": 2019,
    "authors": [{"authorId": "1", "name": "Ann Lee"}, {"authorId": None, "name": "Bo Li"}],
    "references": [
        {"paperId": "p2", "title": "Two"},
        {"paperId": None, "title": "Unresolved"},
        {"citedPaper": {"paperId": "p3"}},
    ],
    "s2FieldsOfStudy": [],
    "fieldsOfStudy": ["Computer Science"],
}
S2AG = {
    "corpusid": 17,
    "externalids": {"DOI": "10.1/p1", "MAG": None},
    "url": "https://www.semanticscholar.org/paper/x",
    "title": "A Graph Story",
    "authors": [{"authorId": "1", "name": "Ann Lee"}, {"authorId": "2", "name": "Bo Li"}],
    "venue": "GraphConf",
    "year": 2019,
    "referencecount": 2,
    "s2fieldsofstudy": [
        {"category": "Computer Science", "source": "external"},
        {"category": "Computer Science", "source": "model"},
    ],
    "references": [18, "19", {"corpusid": 20}],
    "journal": None,
}
OPENALEX = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1/p1",
    "title": "A Graph Story",
    "display_name": "A Graph Story",
    "publication_year": 2019,
    "type": "article",
    "primary_location": {"source": {"display_name": "GraphConf"}},
    "authorships": [
        {"author": {"id": "https://openalex.org/A1", "display_name": "Ann Lee"}},
        {"author": None, "raw_author_name": "Bo Li"},
    ],
    "keywords": [{"id": "k", "display_name": "graph", "score": 0.5}],
    "primary_topic": {"display_name": "Graph theory"},
    "referenced_works": ["https://openalex.org/W2", "https://openalex.org/W3"],
    "abstract_inverted_index": {"tell": [1], "We": [0], "it.": [2]},
}
AMINER_10 = {
    "id": "uuid-1",
    "title": "A Graph Story",
    "abstract": "We tell it.",
    "authors": ["Ann Lee", "Bo Li"],
    "venue": "GraphConf",
    "year": 2019,
    "n_citation": 3,
    "references": ["uuid-2", "uuid-3"],
}
AMINER_12 = {
    "id": 1091,
    "title": "A Graph Story",
    "authors": [{"name": "Ann Lee", "id": 5}, {"name": "Bo Li", "id": 6, "org": "X"}],
    "venue": {"raw": "GraphConf", "id": 8, "type": "C"},
    "year": 2019,
    "n_citation": 1,
    "doc_type": "Conference",
    "doi": "10.1/p1",
    "references": [2018, 2019],
    "indexed_abstract": {"IndexLength": 3, "InvertedIndex": {"We": [0], "it.": [2], "tell": [1]}},
    "fos": [{"name": "graph", "w": 0.4}],
}
AMINER_13 = {
    "_id": "53e9",
    "title": "A Graph Story",
    "authors": [{"_id": "1", "name": "Ann Lee"}, {"_id": "2", "name": "Bo Li"}],
    "venue": {"_id": "3", "name_d": "GraphConf", "type": 0},
    "year": 2019,
    "keywords": ["graph"],
    "fos": ["Computer science"],
    "references": ["53ea", "53eb"],
    "url": ["//db/x", "https://example.org/p1"],
    "abstract": "We tell it.",
}
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("recsys", NATIVE),
    ("Semantic Scholar OpenCorpus", OPENCORPUS),
    ("Semantic Scholar API or S2AG", S2_API),
    ("Semantic Scholar API or S2AG", S2AG),
    ("OpenAlex works", OPENALEX),
    ("AMiner DBLP", AMINER_10),
    ("AMiner DBLP", AMINER_12),
    ("AMiner DBLP", AMINER_13),
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
