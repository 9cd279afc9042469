"""`recsys watch` as a user sees it."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from recsys.app import watch_wiring
from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.index.update import UpdateOptions, update
from recsys.store.artifacts import write_json
from recsys.watching import state
from tests.built_index import DRAFT
from tests.pipelines.small_index import invented_papers

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import CliResult, RunCli

ATOM = "{http://www.w3.org/2005/Atom}"
CITED = invented_papers()[0]
Watched = Callable[..., "CliResult"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the watches of a test lie."""
    monkeypatch.setenv("RECSYS_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "watches"


@pytest.fixture
def index(built: "Built", tmp_path: Path) -> Path:
    return built.copy(tmp_path)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    return drafted(tmp_path / "paper.json")


def drafted(path: Path, **more: object) -> Path:
    cited = {"title": CITED["title"], "year": CITED["year"]}
    write_json(path, DRAFT | {"references": [cited]} | more)
    return path


@pytest.fixture
def watch(folder: Path, run_cli: "RunCli") -> Watched:
    return lambda *words: run_cli("watch", *words)


@pytest.fixture
def watched(watch: Watched, index: Path, draft: Path) -> Path:
    """The index of a watched draft, whose papers are told whatever their probability is."""
    done = watch("add", draft, "--index", index, "--at-least", "0%")
    assert (done.code, done.out) == (0, ""), done.err
    return index


def came(index: Path, *papers: dict[str, object]) -> None:
    """Update an index by some papers."""
    path = index.parent / "more.jsonl"
    path.write_text("".join(json.dumps(paper) + "\n" for paper in papers), encoding="utf-8")
    update(index, [path], UpdateOptions())


def river(name: str = "new", **more: object) -> dict[str, object]:
    """A paper that the draft should cite."""
    title = f"Rivers and glaciers, measured by {name}"
    return {"id": name, "title": title, "year": 2012, "authors": ["Bo Brook"], **more}


def told(done: "CliResult") -> list[str]:
    """Name the papers that a run told of, as JSON."""
    assert done.code == 0, done.err
    watches = json.loads(done.out)["watches"] if done.out else []
    return [entry["paper"] for each in watches for entry in each["entries"]]


def stored(folder: Path, name: str = "paper") -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return value


def test_what_an_update_brings_is_told_once(watched: Path, watch: Watched, folder: Path) -> None:
    nothing = watch("run")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "")
    came(watched, river(), {"id": "late", "title": "On deserts, later", "year": 2012})
    done = watch("run", "--format", "json")
    assert set(told(done)) == {"new", "late"}
    assert told(watch("run", "--format", "json")) == []
    came(watched, river(abstract="Another abstract."), river("next"))
    assert told(watch("run", "--format", "json")) == ["next"]


def test_the_draft_is_read_as_it_is_now(watched: Path, watch: Watched, draft: Path) -> None:
    drafted(draft, references=[{"title": river()["title"], "year": 2012}])
    came(watched, river(), river("other"))
    assert told(watch("run", "--format", "json")) == ["other"]


def test_a_dated_draft_is_told_what_is_newer(watched: Path, watch: Watched, draft: Path) -> None:
    drafted(draft, as_of=2005)
    came(watched, river())
    assert told(watch("run", "--format", "json")) == ["new"]


def test_only_likely_papers_are_told_no_more_at_once_than_asked_and_the_rest_later(
    watch: Watched, index: Path, draft: Path, tmp_path: Path
) -> None:
    assert watch("add", draft, "--index", index, "--at-least", "100%").code == 0
    other = drafted(tmp_path / "other.json")
    assert watch("add", other, "--index", index, "--at-least", 0, "-k", 1).code == 0
    came(index, river(), river("second"))
    done = watch("run", "--format", "json")
    assert [each["name"] for each in json.loads(done.out)["watches"]] == ["other"]
    rest = [told(watch("run", "--format", "json")) for _ in range(2)]
    assert sorted([*told(done), *rest[0]]) == ["new", "second"] and rest[1] == []


def test_no_word_of_the_draft_is_stored(watched: Path, watch: Watched, folder: Path) -> None:
    came(watched, river("new", title="A hydrological note on rivers"))
    assert told(watch("run", "--format", "json")) == ["new"]
    text = (folder / "paper.json").read_text()
    for words in (DRAFT["title"], DRAFT["abstract"], "shares the term"):
        assert words not in text
    assert (folder.stat().st_mode & 0o077) == 0
    assert len(text) < 3000


def test_a_feed_keeps_what_it_told_and_is_valid(
    watched: Path, watch: Watched, tmp_path: Path
) -> None:
    feed = tmp_path / "feed.xml"
    came(watched, river("one", doi="10.1000/one"))
    assert watch("run", "--out", feed).code == 0
    first = ElementTree.fromstring(feed.read_bytes())
    before = feed.read_bytes()
    assert watch("run", "--out", feed).code == 0 and feed.read_bytes() == before
    came(watched, river("two & <three>"))
    assert watch("run", "--out", feed).code == 0
    second = ElementTree.fromstring(feed.read_bytes())
    ids = [[each.text for each in tree.iter(f"{ATOM}id")] for tree in (first, second)]
    assert ids[1][0] == ids[0][0] and ids[1][2:] == ids[0][1:] and len(set(ids[1])) == 3
    link = second.find(f"{ATOM}link[@rel='self']")
    assert link is not None and link.get("href") == feed.as_uri()


def test_a_mail_opens_in_the_standard_library(
    watched: Path, watch: Watched, tmp_path: Path
) -> None:
    eml = tmp_path / "me.eml"
    came(watched, river("Žluťoučký", doi="10.1000/one"))
    done = watch("run", "--mail", eml)
    assert (done.code, done.out) == (0, "")
    mail = message_from_bytes(eml.read_bytes(), policy=policy.default)
    assert not mail.defects
    assert mail["Subject"] == "recsys: 1 new paper for paper.json"
    assert all(mail[name] for name in ("From", "To", "Date", "Message-ID"))
    assert mail.get_content_type() == "multipart/alternative"
    for kind in ("plain", "html"):
        part = mail.get_body((kind,))
        assert part is not None and "measured by Žluťoučký" in part.get_content()
        assert "https://doi.org/10.1000/one" in part.get_content()


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_people_read_title_probability_and_reason(form: str, watched: Path, watch: Watched) -> None:
    came(watched, river())
    text = watch("run", "--format", form).out
    assert "Rivers and glaciers, measured by new" in text
    assert "probability of being cited" in text and "similar" in text


def test_what_became_of_cited_papers_is_told(watched: Path, watch: Watched) -> None:
    came(watched, CITED | {"labels": {"retracted": "faked data"}})
    done = watch("run", "--format", "json")
    assert told(done) == [str(CITED["title"]).casefold()]
    entry = json.loads(done.out)["watches"][0]["entries"][0]
    assert (entry["kind"], entry["text"]) == ("retracted", "It was retracted: faked data.")
    assert entry["title"] == CITED["title"]
    assert told(watch("run", "--format", "json")) == []


def test_what_is_known_when_a_watch_begins_is_said_then(
    watch: Watched, index: Path, draft: Path
) -> None:
    came(index, CITED | {"labels": {"retracted": True}})
    done = watch("add", draft, "--index", index)
    assert f"Retracted: {CITED['title']}. It was retracted." in done.err
    assert watch("run").out == ""


def test_a_draft_that_is_gone_keeps_no_other_one_from_its_news(
    watched: Path, watch: Watched, draft: Path, tmp_path: Path
) -> None:
    other = drafted(tmp_path / "other.json")
    assert watch("add", other, "--index", watched, "--at-least", "0%").code == 0
    draft.unlink()
    came(watched, river())
    done = watch("run", "--format", "json")
    assert done.code == 1 and [each["name"] for each in json.loads(done.out)["watches"]] == [
        "other"
    ]
    assert f"paper: There is no file {draft}." in done.err
    assert "there is no such file now" in watch("list").out
    drafted(draft)  # What came meanwhile is not lost.
    assert told(watch("run", "--format", "json")) == ["new"]


def test_an_index_that_was_built_again_is_named(watched: Path, watch: Watched) -> None:
    papers = watched.parent / "all.jsonl"
    lines = (json.dumps(paper) + "\n" for paper in [*invented_papers(), river()])
    papers.write_text("".join(lines), encoding="utf-8")
    build([papers], watched, BuildOptions(force=True), cache=cache_folder())
    done = watch("run")
    assert (done.code, done.out) == (0, "")
    assert f"paper: {watched} was built again since the last run" in done.err
    came(watched, river("next"))
    assert told(watch("run", "--format", "json")) == ["next"]


def test_a_watch_that_is_not_due_is_left_out_unless_it_is_named(
    watch: Watched, index: Path, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("add", draft, "--index", index, "--every", "week", "--at-least", "0%")
    assert watch(*words).code == 0
    came(index, river())
    run = ("run", "--format", "json")
    assert told(watch(*run)) == []
    began = state.now()
    for days, expected in ((6, []), (7, ["new"])):
        monkeypatch.setattr(watch_wiring, "now", lambda days=days: began + timedelta(days))
        assert told(watch(*run)) == expected
    came(index, river("next"))
    assert told(watch(*run)) == []
    assert told(watch(*run, "paper")) == ["next"]


@pytest.mark.parametrize("moment", ["before it is written", "after it is written"])
def test_a_kill_loses_nothing_and_a_feed_shows_nothing_twice(
    moment: str,
    watched: Path,
    watch: Watched,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    feed = tmp_path / "feed.xml"
    came(watched, river())

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    name = "recsys.app.cli.watching.emit" if moment.startswith("before") else None
    with monkeypatch.context() as patch:
        patch.setattr(name, killed) if name else patch.setattr(watch_wiring, "written", killed)
        assert watch("run", "--out", feed).code == 130
    assert feed.exists() == (name is None)
    assert watch("run", "--out", feed).code == 0
    entries = ElementTree.fromstring(feed.read_bytes()).findall(f"{ATOM}entry")
    assert [each.findtext(f"{ATOM}title") for each in entries] == [river()["title"]]
    assert watch("run").out == ""


def test_a_run_waits_for_another(watched: Path, watch: Watched, folder: Path) -> None:
    came(watched, river())
    code = "import sys, filelock; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); "
    code += "print(flush=True); sys.stdin.read(); lock.release()"
    words = [sys.executable, "-c", code, str(folder / "lock")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None and other.stdout is not None
        other.stdout.readline()
        began, stdin = time.monotonic(), other.stdin
        threading.Timer(0.3, stdin.close).start()
        assert told(watch("run", "--format", "json")) == ["new"]
        assert time.monotonic() - began >= 0.3


def test_watches_are_listed_and_removed(
    watched: Path, watch: Watched, folder: Path, draft: Path, tmp_path: Path
) -> None:
    books = tmp_path / "refs.bib"
    books.write_text("@article{a, title={On glaciers in survey 3}, year=2003}\n")
    other = drafted(tmp_path / "other paper.json")
    assert watch("add", other, books, "--index", watched, "--every", "month").code == 0
    listed = json.loads(watch("list", "--format", "json").out)["watches"]
    assert [each["name"] for each in listed] == ["other-paper", "paper"]
    assert listed[0]["references"] == [str(books)] and listed[0]["every"] == "month"
    text = watch("list").out
    assert f"draft: {draft}" in text and "every month" in text
    assert watch("remove", "paper").err == "Removed paper.\n"
    assert watch("remove", other).err == "Removed other-paper.\n"
    assert watch("list").out == "" and list(folder.glob("*.json")) == []


def test_what_makes_no_sense_is_refused(
    watched: Path, watch: Watched, folder: Path, draft: Path, tmp_path: Path
) -> None:
    other = drafted(tmp_path / "other.json")
    rows: Sequence[tuple[Sequence[object], int, str]] = (
        (("add", draft, "--index", watched), 1, "is watched already, as paper"),
        (("add", other), 2, "give either --index or --fetch"),
        (("add", other, "--index", watched, "--fetch"), 2, "give either --index or --fetch"),
        (("add", other, "--index", watched, "--at-least", "120%"), 2, "between 0% and 100%"),
        (("add", tmp_path / "none.tex", "--index", watched), 1, "There is no file"),
        (("add", other, "--index", tmp_path / "none.index"), 1, "There is no index"),
        (("run", "papre"), 1, "Did you mean 'paper'"),
        (("remove", "x"), 1, "No watch is named 'x'"),
    )
    wrong = {
        " ".join(map(str, words)): done.err
        for words, code, said in rows
        if (done := watch(*words)).code != code or said not in done.err
    }
    assert wrong == {}
    assert [path.name for path in folder.glob("*.json")] == ["paper.json"]


@pytest.mark.parametrize("damage", ['{"schema": 1}', "{", '{"schema": 9, "created_by": "x"}'])
def test_a_damaged_watch_is_named_and_can_be_removed(
    damage: str, watched: Path, watch: Watched, folder: Path
) -> None:
    (folder / "broken.json").write_text(damage)
    came(watched, river())
    done = watch("run", "--format", "json")
    assert done.code == 1 and "broken" in done.err and '"paper": "new"' in done.out
    assert "broken" in watch("list").out
    assert watch("remove", "broken").code == 0
    assert watch("run").code == 0
