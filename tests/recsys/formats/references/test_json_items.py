import json

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


@each_row(
    "issued",
    [{"raw": "May 2020"}, {"literal": "2020?"}, {"date-parts": [[2020]]}, "2020-05", 2020],
)
def test_dates_have_many_forms(issued: object) -> None:
    assert reference({"title": "T", "issued": issued}).year == 2020


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
    *(None, True, 7, 1e400, "x", "\ud800", [], [[]], [{}], [None], {}, {"x": []})
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


def test_fields_of_a_list_that_are_not_read_are_told_in_detail() -> None:
    for text in ('[{"title": "T", "type": "book", "ISBN": "1"}]', "Title,Year,ISBN\nT,2019,1\n"):
        found = read(text, "refs")
        assert [each.title for each in found.references] == ["T"]
        assert found.problems == ()
        assert found.details == ("fields ignored: ISBN: 1.",)
