import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError, NothingFound
from recsys.pipelines.online.fetch import Desk, answered, fetch, unfinished
from recsys.pipelines.online.fetch_plan import FetchQuestion, plan_of
from recsys.pipelines.online.fetch_report import read_record, record_path
from recsys.pipelines.online.sources import Kind
from recsys.records import Reference
from tests.online.memory_source import MemorySource, facts
from tests.online.small_world import known_of, small_world

WORLD = small_world(180)
QUESTION = FetchQuestion(
    "Volume rendering by ray casting",
    "A transfer function is found.",
    (*known_of([WORLD[91], WORLD[121]]), Reference(title="A book that nobody has", year=1999)),
    papers=50,
)
DAY = date(2026, 11, 22)
SMALL = facts(page=5, batch=5)
"""Many small answers: there are more points at which to be killed."""


class Killed(BaseException):
    """Stands for the end of the process."""


class DyingSource(MemorySource):
    """Is killed before or after its n-th answer."""

    def __init__(self, works: Sequence[Reference], dies_at: int, *, late: bool) -> None:
        super().__init__(works, SMALL)
        self._left, self._late = dies_at, late

    def _count(self, kind: Kind, requests: int) -> None:
        if self._left == 0 and not self._late:
            raise Killed
        super()._count(kind, requests)
        if self._left == 0:
            raise Killed
        self._left -= 1


def desk(out: Path, source: MemorySource, today: Callable[[], date] = lambda: DAY) -> Desk:
    return Desk(out, today, lambda name: source.requests)


def fetched(out: Path, source: MemorySource, question: FetchQuestion = QUESTION) -> None:
    fetch(plan_of(question, [source]), desk(out, source))


def papers(out: Path) -> list[dict[str, object]]:
    text = gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()
    return [json.loads(line) for line in text.splitlines()]


def test_a_corpus_is_written_with_its_record_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "field.jsonl.gz"
    source = MemorySource(WORLD, SMALL)
    plan = plan_of(QUESTION, [source])
    report = fetch(plan, desk(out, source))
    assert {each.name for each in tmp_path.iterdir()} == {out.name, record_path(out).name}
    assert len(papers(out)) == report.papers.papers == 50
    record = read_record(out)
    assert record.question == QUESTION
    assert record.cursor == DAY
    assert record.counts["requests"] == {"openalex": source.requests}
    assert record.missing == ("A book that nobody has (1999)",)
    assert any("1 not" in line for line in report.lines())


def test_each_paper_tells_where_it_came_from_and_keeps_abstract_and_references(
    tmp_path: Path,
) -> None:
    out = tmp_path / "field.jsonl"
    fetched(out, MemorySource(WORLD, SMALL))
    by_id = {str(work.id): work for work in WORLD}
    for paper in papers(out):
        work = by_id[str(paper["id"])]
        labels = paper["labels"]
        assert isinstance(labels, dict)
        assert labels["fetched from openalex"] == f"openalex:{work.id} on 2026-11-22"
        assert paper.get("abstract") == work.abstract
        assert paper.get("references", []) == list(work.cited_ids)


def points() -> Iterator[tuple[int, bool]]:
    rng = np.random.default_rng(24)
    for dies_at in rng.choice(21, 20, replace=False).tolist():
        yield dies_at, bool(rng.integers(2))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Fetch without being killed; return the file, and how many requests that took."""
    out = tmp_path_factory.mktemp("whole") / "whole.jsonl"
    source = MemorySource(WORLD, SMALL)
    fetched(out, source)
    return out, source.requests


@pytest.mark.parametrize(("dies_at", "late"), list(points()))
def test_a_killed_fetch_comes_to_the_same_bytes(
    tmp_path: Path, whole: tuple[Path, int], dies_at: int, late: bool
) -> None:
    out, (uninterrupted, requests) = tmp_path / "killed.jsonl", whole
    with pytest.raises(Killed):
        fetched(out, DyingSource(WORLD, dies_at, late=late))
    assert not out.exists()
    journal = out.with_name(f"{out.name}.fetching") / "answers.jsonl"
    with journal.open("ab") as file:  # The kill came in the middle of a line.
        file.write(b'["99 openalex 0", {"on": "2026-')
    heard = unfinished(out, QUESTION.fingerprint)
    again = MemorySource(WORLD, SMALL)
    fetched(out, again)
    assert out.read_bytes() == uninterrupted.read_bytes()
    assert again.requests + heard == requests
    assert read_record(out).counts == read_record(uninterrupted).counts


def test_papers_keep_the_day_on_which_they_came_when_the_fetch_goes_on_later(
    tmp_path: Path,
) -> None:
    out = tmp_path / "field.jsonl"
    with pytest.raises(Killed):
        fetched(out, DyingSource(WORLD, 6, late=False))
    source = MemorySource(WORLD, SMALL)
    later = desk(out, source, lambda: DAY + timedelta(days=3))
    fetch(plan_of(QUESTION, [source]), later)
    days = {str(paper["labels"]).rpartition(" on ")[2][:10] for paper in papers(out)}
    assert days == {"2026-11-22", "2026-11-25"}
    assert read_record(out).cursor == DAY  # From then on, nothing is known for certain.


def test_a_fetch_killed_after_the_file_was_written_is_finished(tmp_path: Path) -> None:
    out = tmp_path / "field.jsonl"
    fetched(out, MemorySource(WORLD, SMALL))
    bytes_before = out.read_bytes()
    assert answered(out, QUESTION)
    # As if the record, and the end of the folder, had not come about.
    other = tmp_path / "other.jsonl"
    with pytest.raises(Killed):
        fetched(other, DyingSource(WORLD, 19, late=False))
    other.write_bytes(bytes_before)
    assert not answered(other, QUESTION)
    fetched(other, MemorySource(WORLD, SMALL))
    assert other.read_bytes() == bytes_before
    assert answered(other, QUESTION)


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "field.jsonl"
    out.write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        fetched(out, MemorySource(WORLD, SMALL))
    assert out.read_text() == "mine"


def test_answers_to_another_question_are_not_thrown_away(tmp_path: Path) -> None:
    out = tmp_path / "field.jsonl"
    with pytest.raises(Killed):
        fetched(out, DyingSource(WORLD, 3, late=False))
    other = FetchQuestion("Graph drawing", papers=10)
    with pytest.raises(InputError, match="another question"):
        fetched(out, MemorySource(WORLD, SMALL), other)
    assert unfinished(out, QUESTION.fingerprint)


def test_nothing_found_says_so(tmp_path: Path) -> None:
    with pytest.raises(NothingFound, match="no paper"):
        fetched(tmp_path / "field.jsonl", MemorySource([], SMALL))


def test_a_second_source_adds_what_it_knows_of_the_same_papers(tmp_path: Path) -> None:
    told = [
        replace(
            work,
            id=f"S{n}",
            ids=(f"s2:S{n}",),
            abstract=f"{work.abstract or 'An abstract.'} And more is told here.",
            cited_ids=(),
        )
        for n, work in enumerate(WORLD)
        if work.doi
    ]
    leading = MemorySource(WORLD)
    other = MemorySource(told, facts(name="semanticscholar", schemes=("s2", "doi")))
    question = FetchQuestion("Graph drawing", papers=50, sources=("openalex", "semanticscholar"))
    out = tmp_path / "field.jsonl"
    requests = {"openalex": leading, "semanticscholar": other}
    both = Desk(out, lambda: DAY, lambda name: requests[name].requests)
    report = fetch(plan_of(question, [leading, other]), both)
    found = papers(out)
    assert len(found) == 50
    with_doi = [paper for paper in found if paper.get("doi")]
    assert report.ways["added"] == len(with_doi) > 40
    assert all(str(paper["abstract"]).endswith("told here.") for paper in with_doi)
    assert all("fetched from semanticscholar" in str(paper["labels"]) for paper in with_doi)
    assert all(paper.get("references") for paper in with_doi if int(str(paper["id"])[1:]) > 1003)
