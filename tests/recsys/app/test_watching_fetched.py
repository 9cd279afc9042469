"""Watches that fetch, against a server of the project."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.app import watch_wiring
from recsys.pipelines.online.fetch_report import read_record
from recsys.pipelines.online.http_exchange import Clock
from recsys.records import Paper
from tests.online.catalogue import Catalogue
from tests.online.loopback import Fault, Served, serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.small_world import papers_of, small_world

if TYPE_CHECKING:
    from tests.conftest import RunCli

WORLD = papers_of(small_world(120))
DRAFT = {
    "title": "Bundling edges of a graph drawing",
    "abstract": "We study the layout of a graph, its edges and their readability.",
    "references": [{"title": WORLD[each].title, "year": WORLD[each].year} for each in (60, 72, 81)],
}


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for name in ("cache", "state"):
        monkeypatch.setenv(f"RECSYS_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECSYS_KEYS", str(tmp_path / "no-keys"))
    monkeypatch.setattr(Clock, "sleep", lambda clock, seconds: None)
    monkeypatch.setattr(watch_wiring, "CHECKED_AT", ("openalex",))
    with serving(OpenAlexSite(Catalogue(WORLD))) as site:
        monkeypatch.setenv("RECSYS_OPENALEX_URL", site.address)
        yield site


@pytest.mark.usefixtures("one_process")
def test_new_works_of_a_source_are_told_and_a_source_that_fails_is_asked_from_the_same_day(
    served: Served, tmp_path: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = tmp_path / "draft.json"
    draft.write_text(json.dumps(DRAFT), encoding="utf-8")
    add = ("watch", "add", draft, "--fetch", "--at-least", "0%")
    refused = run_cli(*add)
    assert (refused.code, served.asked) == (2, []) and "Confirm the plan" in refused.err
    assert run_cli("watch", "list").out == ""
    added = run_cli(*add, "--yes")
    assert added.code == 0, added.err
    assert (nothing := run_cli("watch", "run")).code == 0 and nothing.out + nothing.err == ""
    corpus = next((tmp_path / "cache" / "watched").glob("*/papers.jsonl.gz"))
    papers = [json.loads(line) for line in _unpacked(corpus)]
    new = Paper(
        "W9000",
        "Layout of a graph, drawing edges anew",
        year=2027,
        references=tuple(paper["id"] for paper in papers[:5]),
        aliases=("openalex:W9000",),
    )
    monkeypatch.setattr(served, "site", OpenAlexSite(Catalogue([*WORLD, new])))
    before = read_record(corpus)
    served.order(*[Fault.BROKEN] * 40)
    failed = run_cli("watch", "run")
    assert failed.code == 1 and failed.err.startswith("error: draft: ") and failed.out == ""
    assert read_record(corpus) == before
    served.reset()
    done = run_cli("watch", "run", "--format", "json")
    assert done.code == 0, done.err
    entries = json.loads(done.out)["watches"][0]["entries"]
    assert [entry["title"] for entry in entries] == [new.title]
    assert run_cli("watch", "run").out == ""
    assert run_cli("watch", "remove", "draft").code == 0
    assert list((tmp_path / "cache" / "watched").iterdir()) == []


def _unpacked(path: Path) -> list[str]:
    import gzip

    return gzip.decompress(path.read_bytes()).decode().splitlines()
