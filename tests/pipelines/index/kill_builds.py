"""Kill a build at every step that it takes on the disk, and run it again: what was kept?

`python -m tests.pipelines.index.kill_builds WORLD STATE OUT` copies an interrupted build, STATE,
to where OUT is written, and kills the build that continues it just before the first step of its end
(from giving the vectors their place), then before the second, and so on until it ends by itself. It
writes a JSON line for each: where it was killed, of which papers the index in force was then, and
what the next build did. Events behind OUT are the only steps then: `os.rename` for one.

Processes are forked: a kill costs milliseconds instead of the imports. Nothing here computes before
it forks, so there are no threads to lose.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from recsys.pipelines.index.build import BuildOptions, BuildReport, build
from recsys.pipelines.jobs.index_writer import UNFINISHED
from recsys.protocols import Progress, silent
from recsys.store.artifacts import fingerprint, verify
from recsys.store.generations import in_force, pin
from tests.torture.small_world import CACHE, ENCODER, PAPERS

BEGIN = "os.link"
STEPS = {"open", BEGIN, "os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"}


def main() -> None:
    world, state, out = map(Path, sys.argv[1:4])
    steps = set(sys.argv[4:]) or STEPS
    killed, again = out.parent.with_name("killed.txt"), out.parent.with_name("again.json")
    vectors = out / UNFINISHED / "build" / "finished" / "vectors"
    begin, step = BEGIN, 0
    vars(os)["fsync"] = lambda descriptor: None  # A kill loses nothing that the system has.
    while True:
        shutil.rmtree(out.parent, ignore_errors=True)
        shutil.copytree(state, out.parent)
        step += 1
        if not forked(partial(until_killed, world, out, (begin, step), steps, killed)):
            return
        if begin and vectors.exists():  # From here on, every build starts from there: quicker.
            state = Path(shutil.copytree(out.parent, out.parent.with_name("sealing")))
            begin, step = "", 0
            continue
        there = pin(out).manifest().config["source"]
        assert not forked(partial(continued, world, out, again))
        shown = {"killed": killed.read_text(), "there": there}
        sys.stdout.write(json.dumps(shown | json.loads(again.read_text())) + "\n")
        sys.stdout.flush()  # Before the next fork, which would inherit it.


def forked(work: Callable[[], None]) -> bool:
    """Do it in another process; True: it was killed."""
    pid = os.fork()
    if not pid:
        try:
            work()
        except BaseException as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, -signal.SIGKILL), code
    return code != 0


def until_killed(
    world: Path, out: Path, when: tuple[str, int], steps: set[str], killed: Path
) -> None:
    """Build, and die before the n-th step below the folder, counted from an event on."""
    begin, step = when
    below, seen = f"{out.parent}{os.sep}", 0

    def die(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal begin, seen
        if event == "open" and arguments[1] is None:
            return  # What waits for the disk opens by `os.open`; the tortures kill there, too.
        paths = [str(each) for each in arguments if isinstance(each, str | Path)]
        if event not in STEPS or not any(each.startswith(below) for each in paths):
            return
        begin = "" if event == begin else begin
        seen += not begin and event in steps
        if seen == step:
            killed.write_text(" ".join([event, *paths]).replace(below, ""))
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(die)
    build_in(out, world, options=replace(options_of(world), force=True))


def continued(world: Path, out: Path, again: Path) -> None:
    """Run the same build; once the new index stands, without --force: it would begin anew."""
    shown: set[str] = set()
    stands = pin(out).manifest().config["source"] == PAPERS  # The old one is of another file.
    options = replace(options_of(world), force=not stands)
    report = build_in(
        out, world, options=options, progress=lambda stage, done, total: shown.add(stage)
    )
    manifest = pin(out).manifest()
    verify(in_force(out), manifest)
    facts = {
        "kept": report.kept,
        "unchanged": report.unchanged,
        "shown": sorted(shown),
        "files": fingerprint(manifest.files),
        "left": sorted(
            path.relative_to(out.parent).as_posix()
            for pattern in ("*", "*/*", "*/generations/*")
            for path in out.parent.glob(pattern)
        ),
    }
    again.write_text(json.dumps(facts))


def options_of(world: Path) -> BuildOptions:
    """Name the tiny encoder of a world."""
    return BuildOptions(encoder=str(world / ENCODER), precision="f32")


def build_in(
    out: Path,
    world: Path,
    papers: str = PAPERS,
    *,
    options: BuildOptions | None = None,
    progress: Progress = silent,
) -> BuildReport:
    """Build an index of papers of a tiny world."""
    chosen = options or options_of(world)
    return build([world / papers], out, chosen, cache=world / CACHE, progress=progress)


if __name__ == "__main__":
    main()
