"""Kill a build at every step that it takes on the disk, and run it again: what was kept?

`python -m tests.pipelines.index.kill_builds PAPERS STATE OUT` copies an interrupted build, STATE,
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
from functools import partial
from pathlib import Path

from recsys.app.cache import cache_folder
from recsys.pipelines.index.build import BuildOptions, build
from recsys.pipelines.jobs.index_writer import UNFINISHED
from recsys.store.artifacts import fingerprint, verify
from recsys.store.generations import in_force, pin

BEGIN = "os.link"
STEPS = {"open", BEGIN, "os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"}


def main() -> None:
    papers, state, out = map(Path, sys.argv[1:4])
    steps = set(sys.argv[4:]) or STEPS
    killed, again = out.parent.with_name("killed.txt"), out.parent.with_name("again.json")
    vectors = out / UNFINISHED / "build" / "finished" / "vectors"
    begin, step = BEGIN, 0
    vars(os)["fsync"] = lambda descriptor: None  # A kill loses nothing that the system has.
    while True:
        shutil.rmtree(out.parent, ignore_errors=True)
        shutil.copytree(state, out.parent)
        step += 1
        if not forked(partial(until_killed, papers, out, (begin, step), steps, killed)):
            return
        if begin and vectors.exists():  # From here on, every build starts from there: quicker.
            state = Path(shutil.copytree(out.parent, out.parent.with_name("sealing")))
            begin, step = "", 0
            continue
        there = pin(out).manifest().config["source"]
        assert not forked(partial(continued, papers, out, again))
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
    papers: Path, out: Path, when: tuple[str, int], steps: set[str], killed: Path
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
    build([papers], out, BuildOptions(force=True), cache=cache_folder())


def continued(papers: Path, out: Path, again: Path) -> None:
    """Run the same build; once the new index stands, without --force: it would begin anew."""
    shown: set[str] = set()
    report = build(
        [papers],
        out,
        BuildOptions(force=not stands(papers, out)),
        cache=cache_folder(),
        progress=lambda stage, done, total: shown.add(stage),
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


def stands(papers: Path, out: Path) -> bool:
    """Tell the new index from the old one, which is of another file."""
    return bool(pin(out).manifest().config["source"] == papers.name)


if __name__ == "__main__":
    main()
