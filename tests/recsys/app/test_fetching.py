"""`recsys fetch` and `recommend --fetch`, against a server of the project."""

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.pipelines.online.http_exchange import Clock
from tests.online.catalogue import Catalogue
from tests.online.loopback import Fault, Served, serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.small_world import papers_of, small_world

if TYPE_CHECKING:
    from tests.conftest import CliResult, RunCli

WORLD = small_world(120)
DRAFT = {
    "title": "Bundling edges of a graph drawing",
    "abstract": "We study the layout of a graph, its edges and their readability.",
    "references": [
        {"title": WORLD[each].title, "year": WORLD[each].year, "doi": WORLD[each].doi}
        for each in (60, 72, 81)
    ],
}
KEY = "a-key-that-nobody-may-see"


@pytest.fixture(scope="module")
def _served() -> Iterator[Served]:
    with serving(OpenAlexSite(Catalogue(papers_of(WORLD)))) as served:
        yield served


@pytest.fixture
def served(
    _served: Served, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    for folder in ("online", "fetched"):
        shutil.rmtree(own_cache / folder, ignore_errors=True)
    monkeypatch.setenv("RECSYS_OPENALEX_URL", _served.address)
    monkeypatch.setenv("RECSYS_OPENALEX_KEY", KEY)
    monkeypatch.setenv("RECSYS_KEYS", str(tmp_path / "no-keys"))
    monkeypatch.setattr(Clock, "sleep", lambda clock, seconds: None)
    yield _served
    _served.reset()


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.json"
    path.write_text(json.dumps(DRAFT), encoding="utf-8")
    return path


def fetched(run_cli: "RunCli", draft: Path, out: Path, *more: object) -> "CliResult":
    return run_cli("fetch", draft, "--out", out, "--papers", 30, *more)


def test_nothing_is_asked_before_the_plan_is_agreed_to(
    served: Served, draft: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    done = fetched(run_cli, draft, tmp_path / "field.jsonl")
    assert done.code == 2
    assert "Confirm the plan above with --yes" in done.err
    assert "at most" in done.err and "will be sent to these sources" in done.err
    assert served.asked == []


def test_a_dry_run_shows_the_plan_as_data(
    served: Served, draft: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    done = run_cli("fetch", draft, "--dry-run")
    assert (done.code, served.asked, list(tmp_path.glob("*.jsonl*"))) == (0, [], [])
    assert "OpenAlex: at most" in done.out and "credits" in done.out


def test_a_terminal_is_asked(
    served: Served,
    draft: Path,
    tmp_path: Path,
    run_cli: "RunCli",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recsys.app.fetch_wiring._on_terminal", lambda: True)
    words = ("fetch", draft, "--out", tmp_path / "field.jsonl", "--papers", 30)
    done = run_cli(*words, stdin=b"n\n")
    assert (done.code, served.asked) == (1, [])
    assert run_cli(*words, stdin=b"y\n").code == 0


def test_a_corpus_is_fetched_by_no_more_requests_than_planned(
    served: Served, draft: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "field.jsonl.gz"
    done = fetched(run_cli, draft, out, "--yes")
    assert (done.code, done.out) == (0, "")
    assert "Of 3 references of the draft, 2 were found by their identifiers, 1 by" in done.err
    assert "30 papers (" in done.err and f"Saved in {out}." in done.err
    record = json.loads(out.with_name("field.jsonl.gz.fetch.json").read_text())
    asked = record["counts"]["requests"]["openalex"]
    assert asked == len(served.asked)
    assert f"Requests made: {asked:,} to openalex." in done.err
    again = fetched(run_cli, draft, out, "--yes")
    assert (again.code, len(served.asked)) == (0, asked)
    assert "already has the answer to this question" in again.err


def test_a_key_is_in_no_file_and_no_message(
    served: Served, draft: Path, tmp_path: Path, own_cache: Path, run_cli: "RunCli"
) -> None:
    done = fetched(run_cli, draft, tmp_path / "field.jsonl", "--yes")
    assert any(asked.parameters.get("api_key") == KEY for asked in served.asked)
    assert KEY not in done.err
    written = [*tmp_path.rglob("*"), *(own_cache / "online").rglob("*")]
    contents = [path.read_bytes() for path in written if path.is_file()]
    opened = [gzip.decompress(each) for each in contents if each.startswith(b"\x1f\x8b")]
    assert opened and not any(KEY.encode() in each for each in (*contents, *opened))


def test_a_fetch_that_failed_goes_on_where_it_was(
    served: Served, draft: Path, tmp_path: Path, own_cache: Path, run_cli: "RunCli"
) -> None:
    whole, out = tmp_path / "whole.jsonl", tmp_path / "field.jsonl"
    assert fetched(run_cli, draft, whole, "--yes").code == 0
    requests = len(served.asked)
    served.reset()
    shutil.rmtree(own_cache / "online")
    served.order(None, None, None, Fault.SPENT)
    failed = fetched(run_cli, draft, out, "--yes")
    assert failed.code == 1 and "Give the same command again" in failed.err
    assert not out.exists()
    done = fetched(run_cli, draft, out, "--yes")
    assert done.code == 0 and "3 were made by an earlier run" in done.err
    assert out.read_bytes() == whole.read_bytes()
    assert len(served.asked) == requests + 1


def test_a_fetch_is_brought_up_to_date(
    served: Served, draft: Path, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "field.jsonl"
    assert fetched(run_cli, draft, out, "--yes").code == 0
    before = out.read_bytes()
    done = run_cli("fetch", "--update", out, "--yes")
    assert done.code == 0 and "0 of them new" in done.err
    assert out.read_bytes() == before


def test_a_query_needs_no_draft(served: Served, tmp_path: Path, run_cli: "RunCli") -> None:
    out = tmp_path / "field.jsonl"
    words = ("--query", "volume rendering", "--from", 2010, "--papers", 9, "--yes", "--out", out)
    done = run_cli("fetch", *words)
    assert done.code == 0
    years = [json.loads(line)["year"] for line in out.read_text().splitlines()]
    assert len(years) == 9 and min(years) >= 2010


def test_a_draft_is_answered_out_of_what_is_around_it(
    served: Served, draft: Path, run_cli: "RunCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recsys.app.fetch_wiring.PAPERS", 40)
    words = ("recommend", draft, "--fetch", "-k", 5, "--format", "jsonl")
    refused = run_cli(*words)
    assert refused.code == 2 and served.asked == []
    done = run_cli(*words, "--yes")
    assert done.code == 0, done.err
    found = [json.loads(line) for line in done.out.splitlines()]
    assert len(found) == 5
    assert "3 references: 3 matched" in done.err
    requests = len(served.asked)
    again = run_cli(*words)  # Nothing has to be agreed to: the index is there.
    assert (again.code, again.out) == (0, done.out)
    assert len(served.asked) == requests
