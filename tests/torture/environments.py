"""Run the program where streams are closed, disks are full and memory is short.

These are real processes. Where an answer is possible it must come; else one line says what
happened. A note that cannot be written never costs the answer.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from tests.built_index import ROOT
from tests.torture.runner import Case, Torture, Verdict
from tests.torture.small_world import (
    CACHE,
    DRAFTS,
    ENCODER,
    INDEX,
    PAPERS,
    copy_small_world,
)

DRAFT, EXPECTED, ODD = "draft.txt", "expected.json", "odd"
WAIT = 60
"""Seconds by the clock for a whole process, imports included."""
ANSWER = f"recommend {DRAFT} --index {INDEX} --format json"
BUILD = f"build {PAPERS} --encoder {ENCODER} --precision f32 --out"
COMMANDS: Mapping[str, str] = {
    "recommend": ANSWER,
    "recommend --out": f"{ANSWER} --out answer.json",
    "inspect": f"inspect {INDEX} --verify",
    "build": f"{BUILD} new.index",
}
"""Each is run in a copy of the shared folder."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command is run.

    shell: what bash does around `recsys ...`, which stands for {}. settings: of the environment;
    None removes one. must: whether there must be an answer. out, err: whether they are to be read.
    left: whether the reader of stdout goes away, and so wants no answer.
    """

    name: str
    shell: str = "{}"
    settings: Mapping[str, str | None] = field(default_factory=dict)
    must: bool = False
    out: bool = True
    err: bool = True
    left: bool = False


_BARE = {"HOME": None, "XDG_CACHE_HOME": None, "LOGNAME": None, "USER": None}
PLACES = (
    *(
        Place(
            f"closed:{''.join(closed).replace('&-', '')}" if any(closed) else "nothing special",
            f"{{}}{''.join(closed)}",
            must=not closed[1],
            out=not closed[1],
            err=not closed[2],
        )
        for closed in product(("", " <&-"), ("", " >&-"), ("", " 2>&-"))
    ),
    Place("stderr is full", "{} 2>/dev/full", must=True, err=False),
    Place("stdout is full", "{} >/dev/full", out=False),
    Place("both are full", "{} >/dev/full 2>/dev/full", out=False, err=False),
    Place("stdout's reader is gone", "{} | true; exit ${{PIPESTATUS[0]}}", left=True),
    Place("no HOME", settings=_BARE, must=True),
    Place("no HOME, no cache", settings=_BARE | {"RECSYS_CACHE": None}),
    Place("the cache of an unknown user", settings={"RECSYS_CACHE": "~nobody-at-all/cache"}),
    Place("LANG=C", settings={"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, must=True),
    Place(
        "POSIX, no coercion", settings={"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}, must=True
    ),
    Place("ASCII streams", settings={"PYTHONIOENCODING": "ascii"}, must=True),
    Place("a folder without permissions to write", "chmod a-w .; {}"),
    Place("no descriptors", "ulimit -n 12; {}"),
    Place("few descriptors", "ulimit -n 40; {}"),
    Place("files of nothing", "ulimit -f 0; {}"),
    Place("files of 8 KiB", "ulimit -f 8; {}"),
    Place("names that are no UTF-8", must=True),
)
_BY_NAME = {place.name: place for place in PLACES}
NO_UTF_8 = "names that are no UTF-8"
MEMORY, DISK = "memory", "disk"


def prepare(shared: Path, count: int) -> None:
    """Build an index and note its answer."""
    copy_small_world(shared)
    (shared / DRAFT).write_text(DRAFTS[0], encoding="utf-8")
    usual = _process(shared, shared, COMMANDS["recommend"], Place("as usual"))
    (shared / EXPECTED).write_text(usual.stdout, encoding="utf-8")


def cases(shared: Path, count: int, seed: int) -> Iterator[Case]:
    """Give every command in every place; what is left of the count are limits drawn at random."""
    fixed = [{"place": place.name, "command": name} for place in PLACES for name in COMMANDS]
    rng = np.random.default_rng(seed)
    if count < len(fixed):
        fixed = [fixed[at] for at in sorted(rng.choice(len(fixed), count, replace=False).tolist())]
    yield from fixed
    mounts = subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0
    for number in range(count - len(fixed)):
        name = list(COMMANDS)[int(rng.integers(len(COMMANDS)))]
        if mounts and number % 2:
            yield {"place": DISK, "command": "build", "KiB": int(rng.integers(1, 500))}
        else:
            yield {"place": MEMORY, "command": name, "KiB": int(rng.integers(250_000, 2_500_000))}


def trial(shared: Path, own: Path, case: Case) -> Verdict:
    """Run one command in one place, and look at all that it said."""
    place, words = _BY_NAME.get(case["place"], Place("")), COMMANDS[case["command"]]
    if case["place"] == MEMORY:
        place = Place("little memory", f"ulimit -v {case['KiB']}; {{}}")
    if case["place"] == DISK:
        mount = f"mkdir disk && mount -t tmpfs -o size={case['KiB']}k none disk"
        place = Place("a small disk", f"unshare -rm bash -c '{mount} && {{}}'")
    folder = own / "place"
    shutil.copytree(shared, folder, ignore=shutil.ignore_patterns(CACHE, EXPECTED))
    if case["place"] == DISK:
        words = f"{BUILD} disk/new.index"
    if case["place"] == NO_UTF_8:
        for name in (DRAFT, INDEX, PAPERS):
            odd = name.replace(".", "\udcff.")
            (folder / name).rename(folder / odd)
            words = words.replace(name, f"'{odd}'")
    try:
        ended = _process(shared, folder, words, place)
    except subprocess.TimeoutExpired:
        return Verdict.of(case, "hang", f"no end within {WAIT} s")
    return Verdict.of(case, *judged(shared, folder, case, place, ended))


def _process(
    shared: Path, folder: Path, words: str, place: Place
) -> subprocess.CompletedProcess[str]:
    settings = os.environ | {"RECSYS_CACHE": str(shared / CACHE), "PYTHONPATH": str(ROOT)}
    settings |= {"PYTHONUNBUFFERED": ""}
    known = {name: value for name, value in {**settings, **place.settings}.items() if value}
    script = place.shell.format(f"{sys.executable} -m tests.run_recsys {words}")
    return subprocess.run(
        ["bash", "-c", os.fsencode(script)],
        cwd=folder,
        env=known,
        stdin=None if "<&-" in script else subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=WAIT,
    )


def judged(
    shared: Path,
    folder: Path,
    case: Case,
    place: Place,
    ended: subprocess.CompletedProcess[str],
) -> tuple[str, str]:
    """Name what came of a process: a kind of verdict, and why."""
    code, lines = ended.returncode, ended.stderr.splitlines()
    said = f"exit code {code}; {ended.stderr[-1500:]}"
    if not 0 <= code < 128 or "Segmentation" in ended.stderr or "core dumped" in ended.stderr:
        return "crash", said
    if "Traceback" in ended.stderr or "internal error" in ended.stderr:
        return "foreign", said
    if code and place.must:
        return "lost", said
    if code:
        told = not place.err or (lines and lines[-1].startswith("error: "))
        return ("refused", "") if told else ("silent", f"no line tells why: {said}")
    return _answered(shared, folder, case, place, ended.stdout)


def _answered(shared: Path, folder: Path, case: Case, place: Place, out: str) -> tuple[str, str]:
    """Look whether what should be there is there."""
    name = case["command"]
    if place.left:
        return "answered", ""
    if name == "recommend --out":
        out = (folder / "answer.json").read_text(encoding="utf-8")
    elif name != "build" and not place.out:
        return "silent", "exit code 0, though nobody can have read the answer"
    if name == "inspect" and "checksums match" not in out:
        return "silent", f"it says {out[:900]}"
    if name.startswith("recommend"):
        # The name of the draft is another where files are renamed.
        expected = json.loads((shared / EXPECTED).read_text(encoding="utf-8"))
        try:
            same = json.loads(out)["recommendations"] == expected["recommendations"]
        except ValueError:
            same = False
        return ("answered", "") if same else ("silent", f"another answer: {out[:900]}")
    return "answered", ""


ENVIRONMENTS = Torture(
    name="environments",
    meaning="the program with closed streams, full disks and little memory",
    unit="processes",
    count=200,
    prepare=prepare,
    cases=cases,
    trial=trial,
)
