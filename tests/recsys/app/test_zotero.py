"""A running Zotero as a source of papers and as the place where they go, by the commands."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recsys.pipelines.online.http_exchange import Clock
from tests.online.loopback import Given, Served, serving
from tests.online.zotero_desktop import ZoteroDesktop

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

RIVERS = {"title": "Rivers, measured again", "abstract": "We measure rivers with an instrument."}


@pytest.fixture
def desk() -> ZoteroDesktop:
    """A collection with enough papers for an index."""
    desk = ZoteroDesktop(says=["Always Allow"])
    thesis = desk.add_collection("Thesis")
    for number in range(12):
        facts = {"date": str(2000 + number), "abstractNote": f"We count {number} leaves of elms."}
        desk.add(thesis, title=f"Leaves of the elm number {number}", **facts)
    desk.add(title="Something else entirely")
    return desk


@pytest.fixture
def served(
    desk: ZoteroDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    monkeypatch.setenv("RECSYS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RECSYS_KEYS", str(tmp_path / "settings" / "keys"))
    monkeypatch.setattr(Clock, "sleep", lambda clock, seconds: None)
    with serving(desk) as served:
        monkeypatch.setenv("RECSYS_ZOTERO_URL", served.address)
        yield served


@pytest.fixture
def recommended(
    built: "Built", served: Served, tmp_path: Path, run_cli: "RunCli"
) -> "Callable[..., CliResult]":
    draft = tmp_path / "draft.json"
    draft.write_text(json.dumps(RIVERS), encoding="utf-8")

    def run(*more: object, to: str = "zotero:Rivers", stdin: bytes = b"") -> "CliResult":
        words = ("recommend", draft, "--index", built.index, "-k", 3, "--to", to, *more)
        return run_cli(*words, stdin=stdin)

    return run


def test_a_collection_is_built_into_an_index_and_updated_by_what_is_new(
    desk: ZoteroDesktop, served: Served, tmp_path: Path, run_cli: "RunCli"
) -> None:
    index = tmp_path / "thesis.index"
    done = run_cli("build", "zotero://Thesis", "--out", index, "--encoder", "minilm")
    assert done.code == 0, done.err
    assert "Zotero: 13 items read." in done.err
    assert "12 papers" in done.err
    unchanged = run_cli("update", index, "zotero://Thesis")
    assert (
        "13 items; 0 new or changed, 0 gone" in unchanged.err
        and "nothing was changed" in unchanged.err
    )
    desk.add(next(iter(desk.collections)), title="A new elm", date="2020")
    served.reset()
    done = run_cli("update", index, "zotero://Thesis")
    assert done.code == 0 and "14 items; 1 new or changed, 0 gone" in done.err, done.err
    assert "1 added" in done.err, done.err
    asked = [a for a in served.asked if a.path.endswith("/items") and "since" in a.parameters]
    assert [int(a.parameters["since"]) for a in asked] == [desk.version - 1]


def test_a_library_that_is_described_or_written_as_a_corpus(
    served: Served, tmp_path: Path, run_cli: "RunCli"
) -> None:
    out = tmp_path / "library.jsonl"
    done = run_cli("corpus", "zotero://", "--out", out)
    assert done.code == 0 and len(out.read_text().splitlines()) == 13, done.err
    done = run_cli("corpus", "zotero://Theses", "--describe")
    assert done.code == 1 and "Did you mean 'Thesis'?" in done.err


def test_the_plan_is_shown_and_nothing_is_written_until_it_is_agreed_to(
    desk: ZoteroDesktop, recommended: "Callable[..., CliResult]", monkeypatch: pytest.MonkeyPatch
) -> None:
    done = recommended()
    assert done.code == 2 and "New items: 3." in done.err and done.out
    assert "Nothing was written to Zotero. Confirm the plan above with --yes." in done.err
    monkeypatch.setattr("recsys.app.fetch_wiring._on_terminal", lambda: True)
    assert recommended(stdin=b"n\n").code == 1
    assert len(desk.items) == 13 and desk.dialogs == 0
    assert recommended(stdin=b"y\n").code == 0
    assert len(desk.items) == 16


def test_what_is_recommended_goes_into_the_collection_once(
    desk: ZoteroDesktop, recommended: "Callable[..., CliResult]", tmp_path: Path
) -> None:
    done = recommended("--yes")
    assert done.code == 0, done.err
    assert "Added to Zotero: 3 new, 0 put into the collection." in done.err
    made = list(desk.collections.values())[-1]
    assert made["name"] == "Rivers" and len(desk.titles(made["key"])) == 3
    again = recommended("--yes")
    assert again.code == 0 and "There is nothing to write." in again.err
    assert len(desk.items) == 16


def test_a_key_for_good_is_kept_for_its_owner_and_shown_to_nobody(
    desk: ZoteroDesktop, recommended: "Callable[..., CliResult]", tmp_path: Path
) -> None:
    done = recommended("--yes")
    keys = tmp_path / "settings" / "keys"
    line = keys.read_text()
    assert line.startswith("RECSYS_ZOTERO_LOCAL_KEY = 0000")
    assert keys.stat().st_mode & 0o077 == 0
    assert line.split()[-1] not in done.err + done.out
    keys.write_text(f"# Mine.\nRECSYS_MAIL = ann@forest.example\n{line}")
    assert recommended("--yes", to="zotero:Other").code == 0 and desk.dialogs == 1
    desk.says, desk._keys = ["Always Allow"], {}  # Its authorisations were cleared.
    assert recommended("--yes", to="zotero:Third").code == 0 and desk.dialogs == 2
    assert keys.read_text().splitlines()[:2] == ["# Mine.", "RECSYS_MAIL = ann@forest.example"]
    assert len(keys.read_text().splitlines()) == 3


def test_a_refusal_is_told_after_the_answer(
    desk: ZoteroDesktop, recommended: "Callable[..., CliResult]"
) -> None:
    desk.says = ["Deny"]
    done = recommended("--yes", "--format", "bibtex")
    assert done.code == 1 and done.out.startswith("@")
    assert "denied in Zotero's dialog: nothing was written." in done.err
    desk.failing, desk.says = [None, Given(b"it broke", 500)], ["Always Allow"]
    done = recommended("--yes")
    assert done.code == 1 and "500: it broke" in done.err


def test_accepted_papers_of_sentences_and_corrected_works_go_there_too(
    built: "Built", desk: ZoteroDesktop, served: Served, tmp_path: Path, run_cli: "RunCli"
) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("# Rivers\n\nRivers were measured with an instrument [CITE].\n")
    words = ("cite", draft, "--index", built.index, "--fill", tmp_path / "new.bib", "--least", 0)
    done = run_cli(*words, "--to", "zotero:Cited", "--yes")
    assert done.code == 0 and "Added to Zotero: 1 new" in done.err, done.err
    assert run_cli(*words, "--to", "zotero:Cited", "--dry-run").code == 0
    paper = json.loads(built.papers.read_text().splitlines()[0])
    book = tmp_path / "refs.bib"
    people = " and ".join(paper["authors"])
    facts = f"title = {{{paper['title']}}}, author = {{{people}}}, year = {{1993}}"
    book.write_text(f"@article{{a, {facts}}}\n")
    fixing = ("check", book, "--index", built.index, "--fix", tmp_path / "fixed.bib")
    done = run_cli(*fixing, "--to", "zotero", "--yes")
    assert done.code == 0 and "Added to Zotero: 1 new" in done.err, done.err
    item = list(desk.items.values())[-1]
    assert (item["title"], item["date"]) == (paper["title"], str(paper["year"]))


def test_other_places_are_refused_before_any_work(run_cli: "RunCli", tmp_path: Path) -> None:
    for to in ("mendeley", "zotero:", "zotero:A?tag=b", "Zotero"):
        done = run_cli("recommend", "--title", "Rivers", "--to", to)
        assert done.code == 2 and "--to" in done.err, to
    book = tmp_path / "refs.bib"
    book.write_text("@article{a, title = {A}}\n")
    assert run_cli("check", book, "--to", "zotero").code == 2
