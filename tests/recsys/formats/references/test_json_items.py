import json
from dataclasses import replace

import pytest

from recsys.errors import InputError
from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.records import Reference
from tests.recsys.formats.papers.service_records import (
    BETTER_BIBTEX,
    CROSSREF,
    DBLP,
    EUROPE_PMC,
    LENS,
    OPENALEX,
    S2_API,
)
from tests.rows import each_row


def reference(item: object) -> Reference:
    (found,) = read(json.dumps([item]), "x.json").references
    return found


def test_a_csl_item_becomes_a_reference() -> None:
    assert reference(
        {
            "id": "cohan2020",
            "type": "paper-conference",
            "title": "SPECTER: <i>a</i> model",
            "author": [
                {"family": "Cohan", "given": "Arman"},
                {"family": "Maaten", "given": "L.", "non-dropping-particle": "van der"},
                {"family": "King", "given": "M.", "suffix": "Jr."},
                {"literal": "The Group, Inc."},
            ],
            "issued": {"date-parts": [["2020", 5]]},
            "container-title": "ACL",
            "DOI": "10.1234/AB",
            "URL": "https://arxiv.org/abs/2004.07180",
            "abstract": "We present.",
        }
    ) == Reference(
        key="cohan2020",
        title="SPECTER: a model",
        authors=("Arman Cohan", "L. van der Maaten", "M. King Jr.", "The Group, Inc."),
        year=2020,
        venue="ACL",
        abstract="We present.",
        doi="10.1234/ab",
        arxiv="2004.07180",
        url="https://arxiv.org/abs/2004.07180",
        kind="paper-conference",
        labels={"type": "paper-conference"},
    )


@each_row(
    "issued",
    [{"raw": "May 2020"}, {"literal": "2020?"}, {"date-parts": [[2020]]}, "2020-05", 2020],
)
def test_dates_have_many_forms(issued: object) -> None:
    assert reference({"title": "T", "issued": issued}).year == 2020


def test_zotero_items_are_read_as_the_api_and_better_bibtex_have_them() -> None:
    item = {
        "itemType": "journalArticle",
        "title": "T",
        "creators": [
            {"creatorType": "author", "firstName": "Ann", "lastName": "Lee"},
            {"creatorType": "editor", "firstName": "Bo", "lastName": "Li"},
            {"creatorType": "author", "name": "The Group"},
        ],
        "date": "2020-05-01",
        "publicationTitle": "J. Things",
        "DOI": "10.1234/AB",
        "url": "https://a.org",
        "abstractNote": "We present.",
        "extra": "Citation Key: lee2020\narXiv: 2004.07180 [cs]",
    }
    expected = Reference(
        key="lee2020",
        title="T",
        authors=("Ann Lee", "The Group"),
        year=2020,
        venue="J. Things",
        abstract="We present.",
        doi="10.1234/ab",
        arxiv="2004.07180",
        url="https://a.org",
        kind="article-journal",
        labels={"type": "article-journal"},
    )
    assert reference(item) == expected
    of_the_api = reference({"key": "AB12", "version": 3, "data": item})
    assert of_the_api == replace(expected, ids=("zotero:AB12",))
    export = {"config": {"id": "x"}, "items": [item, {"itemType": "attachment", "title": "PDF"}]}
    assert read(json.dumps(export), "x.json").references == (expected,)


def test_an_answer_of_this_program_is_read_back() -> None:
    paper = {"id": "p1", "title": "T", "authors": ["Ann Lee"], "year": 2020, "venue": "J",
             "doi": None, "url": None}  # fmt: skip
    expected = (Reference(title="T", authors=("Ann Lee",), year=2020, venue="J", id="p1"),)
    assert read(json.dumps({"recommendations": [paper]}), "x.json").references == expected
    lines = f"{json.dumps(paper)}\n\n{json.dumps(paper)}\n"
    assert read(lines, "standard input").references == expected * 2


@each_row(
    "answer",
    [
        CROSSREF,
        {"status": "ok", "message-type": "work", "message": CROSSREF},
        {"status": "ok", "message-type": "work-list", "message": {"items": [CROSSREF]}},
        {"total": 1, "token": None, "data": [S2_API]},
        {"recommendedPapers": [S2_API]},
        {"offset": 0, "data": [{"contexts": [], "citedPaper": S2_API}]},
        [None, S2_API],
        S2_API,
        {"total": 1, "data": [LENS], "results": 1},
        {"hitCount": 1, "resultList": {"result": [EUROPE_PMC]}},
        {"result": {"hits": {"@total": "1", "hit": [{"@id": "1", "info": DBLP}]}}},
        {"result": {"hits": {"@total": "1", "hit": {"@id": "1", "info": DBLP}}}},
        {"meta": {"count": 1}, "results": [OPENALEX], "group_by": []},
        BETTER_BIBTEX,
    ],
)
def test_answers_of_services_are_reading_lists(answer: object) -> None:
    for text in (json.dumps(answer), json.dumps(answer, indent=2)):
        (found,) = read(text, "x.json").references
        assert found.doi == "10.5555/meadow.2019.17"


def test_a_record_is_none_of_the_lists_within_it() -> None:
    paper = {"id": "p1", "title": "T", "references": ["p2", "p3"]}
    (found,) = read(json.dumps(paper), "x.json").references
    assert (found.id, found.cited_ids) == ("p1", ("p2", "p3"))


def test_less_than_a_corpus_asks_for_finds_a_work() -> None:
    own = {"id": "p1", "title": None, "authors": ["Ann Lee"], "doi": "10.1234/AB"}
    (found,) = read(json.dumps([own]), "x.json").references
    assert (found.id, found.doi) == ("p1", "10.1234/ab")


def test_a_list_of_identifiers_is_read() -> None:
    first, second = read('["p1", "10.1234/AB"]', "x.json").references
    assert (first.id, second.id, second.doi) == ("p1", "10.1234/AB", "10.1234/ab")


def test_an_item_that_is_none_is_reported() -> None:
    found = read('[{"title": "T"}, 7, null]', "x.json")
    assert [each.title for each in found.references] == ["T"]
    assert found.problems == ("item 2 is neither an object nor an identifier, and 1 more like it.",)
    assert found.details == (
        "item 2 is neither an object nor an identifier.",
        "item 3 is neither an object nor an identifier.",
    )


@each_row(
    ("text", "reason"),
    [
        ("{", "is not JSON: .* at line 1"),
        ("7", "neither a list nor an object"),
        ("[" * 10_000 + "]" * 10_000, "nested too deeply"),
        ("[" + "9" * 10_000 + "]", "cannot be read as JSON"),
    ],
)
def test_what_is_no_list_is_an_error(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read(text, "x.json")


JSON_OF_ANY_TYPE: list[object] = [
    None,
    True,
    7,
    1e400,
    "x",
    [],
    {},
    [[]],
    [{}],
    {"x": []},
    [None],
    "\ud800",
]


@each_row("value", JSON_OF_ANY_TYPE)
@each_row("wrapped", [False, True])
def test_fields_of_a_wrong_type_are_unknown(value: object, wrapped: bool) -> None:
    names = "id key author authors issued container-title DOI URL note abstract type number"
    item: dict[str, object] = {"title": "T", **dict.fromkeys(names.split(), value)}
    zotero = "creators date extra url itemType publicationTitle citationKey abstractNote"
    if wrapped:
        item = {"data": {"title": "T", **dict.fromkeys(zotero.split(), value)}}
    found = read(json.dumps([item]), "x.json")
    assert len(found.references) <= 1
