import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from recsys.errors import InputError
from recsys.pipelines.online.fetch import (
    Desk,
    fetch,
    fetch_library,
    library_plan,
    library_question,
    update,
    update_plan,
)
from recsys.pipelines.online.fetch_plan import FetchQuestion, plan_of
from recsys.pipelines.online.fetch_report import FetchRecord, read_record, record_path
from recsys.records import Reference
from tests.online.memory_source import MemorySource, facts
from tests.online.small_world import small_world

WORLD = small_world(150)
QUESTION = FetchQuestion("Graph drawing layout", papers=40)
NEW = (
    Reference(
        id="W9000",
        ids=("openalex:W9000",),
        title="Layout of a graph, drawing anew",
        year=2027,
        cited_ids=("W1135", "W1138", "W1141", "W1144", "W1147"),
    ),
    Reference(id="W9001", ids=("openalex:W9001",), title="Graph of nobody's concern", year=2027),
)


def desk(out: Path, source: MemorySource, day: date) -> Desk:
    return Desk(out, lambda: day, lambda name: source.requests)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    out = tmp_path / "field.jsonl"
    source = MemorySource(WORLD)
    fetch(plan_of(QUESTION, [source]), desk(out, source, date(2026, 11, 22)))
    return out


def ids(out: Path) -> list[str]:
    return [json.loads(line)["id"] for line in out.read_text().splitlines()]


def test_an_update_adds_what_is_new_and_cites_what_is_there(file: Path) -> None:
    before = ids(file)
    assert {"W1135", "W1138", "W1141", "W1144", "W1147"} & set(before)
    source = MemorySource([*WORLD, *NEW])
    report = update(file, update_plan(file, [source]), desk(file, source, date(2027, 2, 1)))
    assert ids(file) == [*before, "W9000"]
    assert report.before == len(before)
    assert read_record(file).cursor == date(2027, 2, 1)
    assert read_record(file).question == QUESTION
    assert "1 of them new" in "\n".join(report.lines())
    assert not list(file.parent.glob("*.fetching"))


def test_an_update_asks_no_more_than_planned(file: Path) -> None:
    source = MemorySource([*WORLD, *NEW], facts(page=3))
    plan = update_plan(file, [source])
    update(file, plan, desk(file, source, date(2027, 2, 1)))
    assert 0 < source.requests <= plan.calls


def test_a_corpus_as_of_a_year_is_not_updated(tmp_path: Path) -> None:
    out = tmp_path / "old.jsonl"
    out.write_text("")
    FetchRecord(FetchQuestion("x", as_of=2010), date(2026, 1, 1)).write(out)
    source = MemorySource(WORLD)
    with pytest.raises(InputError, match="as of 2010"):
        update(out, update_plan(out, [source]), desk(out, source, date(2027, 2, 1)))


def test_a_file_that_was_not_fetched_cannot_be_updated(tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    out.write_text("{}")
    with pytest.raises(InputError, match="it is unknown how"):
        update_plan(out, [MemorySource(WORLD)])
    record_path(out).write_text('{"question": 3}')
    with pytest.raises(InputError, match="is damaged"):
        update_plan(out, [MemorySource(WORLD)])


def test_a_library_is_fetched_whole(tmp_path: Path) -> None:
    class Library(MemorySource):
        """Gives all that it has where no words are asked for."""

        def search(
            self, words: str, *, most: int, since: int | None = None, until: int | None = None
        ) -> Iterator[Reference]:
            assert words == ""
            return iter(WORLD)

    out = tmp_path / "library.jsonl"
    source = Library(WORLD, facts(name="zotero", schemes=("openalex",)))
    plan = library_plan(source, library_question("zotero", "users/0"))
    report = fetch_library(plan, desk(out, source, date(2026, 11, 22)))
    assert report.papers.papers == len(ids(out)) == len(WORLD)
    assert read_record(out).question.library == "users/0"
