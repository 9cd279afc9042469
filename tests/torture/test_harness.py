"""The harness itself: it would notice, and can repeat what it notices; and a slice of each torture.

The whole of it is `make torture`.
"""

import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from recsys.formats.drafts.draft_formats import read_draft
from tests.built_index import ROOT
from tests.harness import chosen
from tests.rows import THOROUGH, each_row
from tests.torture import environments, kills
from tests.torture.children import CRASH, FOREIGN, HANGS, KILLED, OK, REFUSED, in_child
from tests.torture.damage import DAMAGES, WRONG, damaged, files_of
from tests.torture.faults import AFTER, BEFORE, WITHIN, Steps, inject
from tests.torture.kills import Job
from tests.torture.readers import READERS, samples_of
from tests.torture.runner import FAILURES, Case, Failure, Tally, Torture, Verdict, repeat, run
from tests.torture.table import TORTURES, write_page


@each_row(
    ("work", "kind", "said"),
    [
        (lambda: [1, "two"], OK, ""),
        (lambda: read_draft(Path("none.tex")), REFUSED, "none.tex"),
        (lambda: [][9], FOREIGN, "IndexError: list index"),
        (lambda: len(bytearray(1 << 30)), FOREIGN, "MemoryError"),
        (lambda: os.kill(os.getpid(), signal.SIGUSR1), CRASH, "exit code -10"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), KILLED, ""),
        (partial(os._exit, 3), CRASH, "exit code 3"),
        (partial(sum, itertools.count()), HANGS, "no answer in time"),
    ],
)
def test_what_becomes_of_a_child_is_told(work: Callable[[], object], kind: str, said: str) -> None:
    found = in_child(work, seconds=1, memory=1 << 28)
    assert (found.kind, said in found.said) == (kind, True), found
    assert found.value == ([1, "two"] if kind == OK else found.value)


def test_a_child_that_leaves_a_process_ends_all_the_same() -> None:
    begun = time.monotonic()
    found = in_child(lambda: subprocess.Popen(["sleep", "30"]).pid)
    assert found.kind == OK and time.monotonic() - begun < 10
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(found.value, 0)
            time.sleep(0.05)


def _write(folder: Path) -> None:
    """Write in every way that is counted."""
    (folder / "text").write_text("x" * 10, encoding="utf-8")
    np.save(folder / "array.npy", np.arange(4))
    shutil.copyfile(folder / "text", folder / "copy")
    (folder / "new").mkdir()
    (folder / "text").rename(folder / "new" / "text")
    shutil.rmtree(folder / "new")


def _stepped(folder: Path, at: int | None = None, mode: str = BEFORE) -> list[str]:
    """Write, and die at a step; the steps that were taken."""
    steps = Steps(folder, at, mode)
    inject(steps)
    _write(folder)
    return [name for name, _ in steps.seen]


STEPS = ["open w", "write", "close", "save", "copyfile", "mkdir", "rename", "unlink", "rmdir"]


@each_row(
    ("step", "mode", "there"),
    [
        ("open w", BEFORE, {}),
        ("open w", AFTER, {"text": 0}),
        ("write", WITHIN, {"text": 5}),
        ("save", BEFORE, {"text": 10}),
        ("save", WITHIN, {"text": 10, "array.npy": 80}),
        ("save", AFTER, {"text": 10, "array.npy": 160}),
        ("copyfile", WITHIN, {"text": 10, "array.npy": 160, "copy": 5}),
        ("rename", AFTER, {"array.npy": 160, "copy": 10, "new/text": 10}),
        ("unlink", AFTER, {"array.npy": 160, "copy": 10}),
    ],
)
def test_a_process_dies_before_within_or_after_a_step(
    step: str, mode: str, there: dict[str, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole, folder = (tmp_path_factory.mktemp(name) for name in ("whole", "killed"))
    assert in_child(partial(_stepped, whole)).value == STEPS
    assert in_child(partial(_stepped, folder, STEPS.index(step), mode)).kind == KILLED
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.relative_to(folder).as_posix(): path.stat().st_size for path in files} == there


@each_row("what", DAMAGES)
def test_damage_is_mended(what: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(1, 200)))
    with damaged(tmp_path, {"file": "a", "what": what, "seed": 3}) as changed:
        assert changed
        assert not path.is_file() or path.read_bytes() != bytes(range(1, 200))
    assert path.read_bytes() == bytes(range(1, 200))
    assert files_of(tmp_path) == ["a"]
    for array in (np.arange(5, dtype=np.int32), np.ones((3, 2), np.float32), np.zeros(0, np.int32)):
        for wrong in WRONG.values():  # A stranger's arrays can be written.
            np.save(io.BytesIO(), wrong(array, 3), allow_pickle=False)


def test_the_samples_are_valid(tmp_path: Path) -> None:
    for name, samples in samples_of(tmp_path).items():
        reader = READERS[name]
        if name not in ("split", "parameters"):
            for number, raw in enumerate(samples):
                folder = tmp_path / f"{name}-{number}"
                folder.mkdir()
                path = folder / ("manifest.json" if name == "manifest" else f"x{reader.suffix}")
                path.write_bytes(raw)
                reader.read(path, tmp_path)


def _replace_both(place: Path) -> None:
    """Replace two files that belong together, through others whose names are never the same."""
    for name in ("one", "two"):
        own = place / f"{name}-{os.getpid()}.tmp"
        own.write_text("new")
        own.replace(place / name)


def test_kills_show_what_is_not_written_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(place: Path) -> list[str]:
        return [(place / name).read_text() for name in ("one", "two")]

    job, kinds = Job("both", "begin", _replace_both, look), {"whole", "mixed", "left behind"}
    monkeypatch.setattr(kills, "JOBS", (job,))
    monkeypatch.setattr(kills, "_BY_NAME", {job.name: job})
    (tmp_path / "begin").mkdir()
    for name in ("one", "two"):
        (tmp_path / "begin" / name).write_text("old")
    plan = {job.name: kills.undisturbed(tmp_path, job)}
    (tmp_path / kills.PLAN).write_text(json.dumps(plan))
    found: Counter[str] = Counter()
    for number, case in enumerate(kills.cases(tmp_path, 40 if THOROUGH else 12, 0)):
        own = tmp_path / f"own-{number}"
        own.mkdir()
        found.update(kills.trial(tmp_path, own, case).counts)
    assert kinds <= found.keys() <= kinds | {"ended before the kill"}


@each_row(
    ("code", "out", "err", "kind"),
    [
        (0, '{"recommendations": [1]}', "Understood.", "answered"),
        (0, '{"recommendations": [2]}', "", "silent"),
        (0, "", "", "silent"),
        (1, "", "error: It is full. Make room.\n", "refused"),
        (1, "", "", "silent"),
        (1, "", "error: internal error: KeyError: 'x'.", "foreign"),
        (1, "", "Traceback (most recent call last):\nKeyError", "foreign"),
        (139, "", "Segmentation fault", "crash"),
        (-9, "", "", "crash"),
    ],
)
def test_what_a_process_says_is_judged(
    code: int, out: str, err: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / environments.EXPECTED).write_text('{"recommendations": [1]}')
    done = subprocess.CompletedProcess(["x"], code, out, err)
    case, place = {"command": "recommend"}, environments.Place("here")
    judged = partial(environments.judged, tmp_path, tmp_path, case)
    assert judged(place, done)[0] == kind
    must = environments.Place("here", must=True)
    assert judged(must, done)[0] == (
        "lost" if kind == "refused" or (code == 1 and not err) else kind
    )


def _always_bad(shared: Path, own: Path, case: Case) -> Verdict:
    if case["n"] == 4:
        raise KeyError("a slip")
    failure = Failure(case, "crash", "it broke", {"input": b"x"})
    return Verdict({"crash": 1, "answered": 2}, (failure,), ("a note",))


BAD = Torture(
    "bad",
    "always fails",
    "trials",
    2,
    prepare=lambda shared, count: None,
    cases=lambda shared, count, seed: iter([{"n": n} for n in range(count)]),
    trial=_always_bad,
)


def test_failures_are_kept_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally = run(BAD, count=2, seed=5, out=tmp_path)
    assert (tally.trials, tally.failed) == (6, 2)
    assert tally.line().startswith("bad: 6 trials, seed 5: 0 lost, 0 mixed, 0 silent, 0 foreign, 2")
    assert "4 answered, a note" in tally.line()
    assert f"--repeat {tmp_path / 'bad-5-001'}" in capsys.readouterr().err
    assert (tmp_path / "bad-5-002" / "input").read_bytes() == b"x"
    assert '"n": 1' in (tmp_path / "bad-5-002" / "case.json").read_text()
    again = repeat(BAD, tmp_path / "bad-5-002")
    assert again.failures[0].case["n"] == 1


def test_processes_that_share_the_trials_find_the_same(tmp_path: Path) -> None:
    alone = run(BAD, count=5, seed=5, out=tmp_path / "one")
    shared = run(BAD, count=5, seed=5, out=tmp_path / "two", jobs=3)
    assert alone.counts["broken"] == 1, "it goes on where it fails itself"
    assert (shared.counts, shared.notes) == (alone.counts, alone.notes)
    kept = [
        sorted(path.read_text() for path in (tmp_path / name).rglob("case.json"))
        for name in ("one", "two")
    ]
    assert kept[0] == kept[1] and len(kept[0]) == 5


def test_the_table_keeps_what_earlier_runs_found(tmp_path: Path) -> None:
    page, results = tmp_path / "torture.md", tmp_path / "torture.json"
    page.write_text("Before.\n<!-- torture -->\n<!-- /torture -->\n", encoding="utf-8")
    kills = Tally("kills", "kills", 3, Counter({"answered": 40, "lost": 1}), 9.0)
    fuzz = Tally("fuzz", "inputs", 4, Counter({"refused": 1_234}), 8.0, notes=("quick",))
    for tally in (fuzz, kills, replace(kills, counts=Counter({"answered": 41}))):
        write_page(tmp_path, results, tally)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    rows = [line for line in text.splitlines() if line.startswith(("| `kills`", "| `fuzz`"))]
    assert rows[0].endswith("| 41 kills | 0 | 9 |")
    assert rows[1].endswith("| 1,234 inputs | 0 | 8 |")
    assert json.loads(results.read_text())["fuzz"]["notes"] == ["quick"]


SHARE = 0.001 if THOROUGH else 0.0001
"""Of the trials of the whole."""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Run a slice of each torture, and take its line."""
    out = tmp_path_factory.mktemp("failures")
    # Tortures fork, and the process of the tests has threads by now.
    command = [sys.executable, "-m", "tests.torture", "--share", str(SHARE), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert bool(list(out.iterdir())) == bool(done.returncode), done.stderr
    return {line.partition(":")[0]: line for line in done.stdout.splitlines()}


@each_row("name", TORTURES)
@pytest.mark.slow  # It makes the worlds of them all.
def test_a_slice_of_a_torture_does_no_harm(name: str, lines: dict[str, str]) -> None:
    line = lines[name]
    found = {kind: int(re.findall(rf"(\d+) {kind}\b", line)[0]) for kind in FAILURES}
    assert {kind: n for kind, n in found.items() if n} == {}, line
    with pytest.raises(SystemExit, match="no torture 'tickle'; there are kills, corruptions"):
        chosen(["tickle"], TORTURES, "torture")
    trials = int(re.findall(r": ([\d,]+) ", line)[0].replace(",", ""))
    assert trials >= max(1, round(SHARE * TORTURES[name].count)), line
