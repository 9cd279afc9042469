"""Read small drafts, written in the ways in which people write them, and fill the page.

Run as `python -m benchmarks.drafts --docs docs/results`. With `--before DIR` the reader of another
checkout is tried as well, and what it gets wrong is kept beside today's verdict.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.bench import ending
from benchmarks.drafts.cases import Draft, put_down, read_cases
from benchmarks.result_tables import table
from docs.made.marked_pages import check_page, rewrite_page
from recsys.errors import RecsysError
from recsys.formats.drafts.draft_formats import read_manuscript
from recsys.records import Manuscript
from recsys.store.artifacts import write_json

PAGE, RIGHT = "drafts", "right"


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drafts", description=__doc__)
    parser.add_argument("--docs", type=Path, help="folder of drafts.md; else verdicts are printed")
    parser.add_argument(
        "--before", type=Path, metavar="DIR", help="another checkout to compare with"
    )
    parser.add_argument("--results", type=Path, default=Path("benchmarks/drafts.json"))
    given = parser.parse_args(arguments)
    if given.docs is None:
        sys.stdout.write(json.dumps(verdicts(read_cases())) + "\n")
        return
    check_page(given.docs, PAGE)
    kept = json.loads(given.results.read_text("utf-8")) if given.results.is_file() else {}
    before = verdicts_of_checkout(given.before) if given.before else kept.get("before", {})
    now = verdicts(read_cases())
    write_json(given.results, {"before": before, "now": now})
    rewrite_page(given.docs, PAGE, verdict_tables(before, now))


def verdicts_of_checkout(folder: Path) -> Mapping[str, str]:
    """Read today's drafts with the reader of another checkout, first in the path."""
    here = Path(__file__).parents[2]
    program = (
        f"import sys; sys.path.insert(0, {str(folder.resolve())!r}); import recsys;"
        f"sys.path.insert(0, {str(here.resolve())!r}); from benchmarks.drafts.__main__ import main;"
        "sys.exit(main([]))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def verdicts(drafts: Iterable[Draft]) -> Mapping[str, str]:
    """Read each draft: "part: name" -> what was wrong, or `RIGHT`."""
    return {f"{draft.part}: {draft.name}": verdict(draft) for draft in drafts}


def verdict(draft: Draft) -> str:
    """Read a draft, and say what of it is wrong, or `RIGHT`."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read_manuscript(put_down(draft, Path(folder)))
        except RecsysError as error:
            return f"error: {error.what.replace(folder, '')[:80]}"
    return ", ".join(_wrong(draft, found)) or RIGHT


def _wrong(draft: Draft, found: Manuscript) -> Iterator[str]:
    for field in ("title", "abstract", "authors"):
        if getattr(draft, field) not in (None, getattr(found, field)):
            yield field
    expected = draft.keys if draft.keys is not None else draft.cited
    if expected is not None:
        keyed = draft.keys is not None
        got = sorted((work.key if keyed else work.title) or "" for work in found.references)
        if sorted(expected) != got:
            right = sum(each in expected for each in got)
            yield f"references ({right} of {len(expected)}, {len(got) - right} wrong)"
    if any(all(piece not in note for note in found.notes) for piece in draft.told):
        yield "not said"


def verdict_tables(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Write how many drafts of each part are read right, and what is wrong with which."""
    parts = [name.partition(": ")[0] for name in now]
    counts = []
    for part in (*dict.fromkeys(parts), "all"):
        names = [name for name, own in zip(now, parts, strict=True) if part in ("all", own)]
        then = str(sum(before.get(name) == RIGHT for name in names)) if before else "-"
        right = sum(now[name] == RIGHT for name in names)
        counts.append((part, str(len(names)), then, str(right)))
    lines = [
        table(("part", "drafts", "read right before", "read right now"), counts),
        "\n| part | how it is written | wrong before | wrong now |",
        "| --- | --- | --- | --- |",
    ]
    for name, verdict_now in now.items():
        part, _, how = name.partition(": ")
        told = (_shown(before.get(name, "-")), _shown(verdict_now))
        lines.append(f"| {part} | `{how}` | {told[0]} | {told[1]} |")
    return "\n".join(lines)


def _shown(verdict: str) -> str:
    return "" if verdict == RIGHT else verdict.replace("|", "/").replace("`", "'")


if __name__ == "__main__":
    sys.exit(main())
