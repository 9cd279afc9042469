import copy
import json
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.formats.papers.json_records import records_in
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME, format_of
from recsys.formats.references.bibliography import work_of
from recsys.records import Reference
from tests.recsys.formats.papers.service_records import (
    ARXIV,
    BETTER_BIBTEX,
    BY_RECORD,
    CSL,
    DBLP,
    EUROPE_PMC,
    LENS,
    OPENALEX,
    RECORDS,
    S2_API,
    S2AG_PAPER,
    S2ORC_METADATA,
    S2ORC_PARSED,
    Example,
)
from tests.rows import each_row

DOI = "10.5555/meadow.2019.17"
WORKS = json.loads(Path(__file__).with_name("service_works.json").read_text(encoding="utf-8"))
"""What the records hold, or why they are refused; `record_of` wrote the works."""


class Watched(dict[str, Any]):
    """A record that notes which of its keys are looked at."""

    def __init__(self, record: Example) -> None:
        super().__init__(record)
        self.seen: set[str] = set()

    def get(self, key: str, default: object = None) -> Any:  # noqa: ANN401 - Whatever is there.
        self.seen.add(key)
        return super().get(key, default)


JUNK: list[object] = [
    *(None, "", "text", 5, -1.5, 1e400, True, "\ud800", 10**30),
    *([], [None], [[1]], [[[]]], {}, {"x": {"y": 1}}, [{}], [{"a": []}]),
]


def read(record: Example) -> Reference:
    form = format_of(record)
    assert form is not None
    return form.reference_of(record)


@each_row(("name", "record"), RECORDS)
def test_records_are_known_by_their_keys(name: str, record: Example) -> None:
    form = format_of(record)
    assert form is not None
    assert form.name == name


@each_row(
    "record",
    [S2_API, S2AG_PAPER, S2ORC_METADATA, S2ORC_PARSED, ARXIV, LENS, EUROPE_PMC, DBLP, OPENALEX,
     BETTER_BIBTEX["items"][0], CSL],
)  # fmt: skip
def test_every_service_tells_the_same_work(record: Example) -> None:
    found = read(record)
    assert (found.title, found.doi) == ("Hedgerow ecology", DOI)
    assert found.authors[0] in ("Rosa Fields", "Rosa M. Fields")
    assert found.year == (None if record is S2ORC_PARSED else 2018 if record is ARXIV else 2019)
    told = {None, "We walk. We see.", "BACKGROUND We walk. RESULTS We see."}
    assert found.abstract in told


@each_row("row", WORKS)
def test_records_are_read_whole_or_refused(row: Example) -> None:
    """Each as a service gives it, and changed in what the row says."""
    record = BY_RECORD.get(row["record"], {}) | row["change"]
    if "error" in row:
        with pytest.raises(FieldError, match=f"^{row['error']}$"):
            read(record)
    else:
        assert read(record) == work_of(row["work"])


@each_row(("name", "record"), RECORDS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_damage_inside_a_record_is_unknown_or_refused(
    name: str, record: Example, data: st.DataObject
) -> None:
    damaged: Any = copy.deepcopy(record)
    place: Any = damaged
    for _ in range(data.draw(st.integers(0, 4))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key]:
            place[key] = data.draw(st.sampled_from(JUNK))
            break
        place = place[key]
    checked(name, damaged)


def checked(name: str, record: Example) -> None:
    """Read a record that may be damaged; what is read has the types that it should."""
    try:
        found = BY_NAME[name].reference_of(record)
    except FieldError:
        return
    for field in fields(Reference):
        value = getattr(found, field.name)
        if field.name in ("year",):
            assert value is None or type(value) is int
        elif field.name in ("authors", "ids", "keyphrases", "cited_ids"):
            assert all(isinstance(each, str) and each for each in value)
        elif field.name == "cites":
            assert all(isinstance(each, Reference) for each in value)
        elif field.name == "labels":
            json.dumps(value)
        elif field.name == "others":
            assert isinstance(value, bool)
        else:
            assert value is None or isinstance(value, str)


@each_row(("name", "record"), RECORDS)
def test_a_format_tells_every_key_at_which_its_function_looks(name: str, record: Example) -> None:
    """What is not among them is said to be unread."""
    form = BY_NAME[name]
    watched = Watched(record | record.get(form.inside, {}))
    if form.more:
        with suppress(FieldError):
            form.more(watched)
    assert watched.seen <= form.known()


@each_row(
    ("record", "form", "unread"),
    [
        ({"id": "a", "title": "T"}, "recsys", []),
        ({"id": "a", "title": "T", "year": 2019, "isbn": "1", "note": ""}, "recsys", ["isbn"]),
        ({"id": "a", "title": "T", "year": "soon", "venue": "V"}, "recsys", ["year"]),
        ({"id": "a", "title": "T", "authors": [{"key": 7}]}, "recsys", ["authors"]),
        ({"id": "a", "title": "T", "creators": ["Fields, Rosa"]}, None, []),
        ({"id": "a", "title": "T", "published": "2019"}, None, []),
        (CSL | {"references": "Erratum of 2020"}, "CSL-JSON", ["references"]),
        (CSL | {"references": ["b"], "year": 2019}, "recsys", ["author", "type"]),
        ({"id": "a", "title": "T", "type": "paper", "references": ["b"]}, "recsys", ["type"]),
    ],
)
def test_id_and_title_do_not_make_a_record_ours(
    record: Example, form: str | None, unread: list[str]
) -> None:
    found = format_of(record)
    assert (found.name if found else None) == form
    if found:
        assert set(unread) <= set(found.unread(record, found.reference_of(record)))
        assert unread or not found.unread(record, found.reference_of(record))


@each_row("name", ["ZENODO", "INVENIO"])
def test_records_of_archives_are_found_on_their_pages(name: str) -> None:
    record = BY_RECORD[name]
    page = {"hits": {"hits": [record], "total": 1}, "links": {}}
    assert records_in(page) == records_in(record) == [record]
