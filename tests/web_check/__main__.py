"""The command line: `python -m tests.web_check [NAME ...] --share S --index DIR --out FOLDER`."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.result_tables import table
from docs.made.marked_pages import rewrite_page
from recsys.errors import RecsysError
from recsys.store.artifacts import CREATED_BY, write_json
from tests.built_index import ROOT
from tests.web_check.findings import Check, Report, Setting
from tests.web_check.forms import forms
from tests.web_check.hostile import hostile
from tests.web_check.load import load
from tests.web_check.looks import use
from tests.web_check.schema import schema

TOLD = 20
"""Findings of a check that are printed; all are in its file below --out."""

CHECKS: Mapping[str, Check] = {
    name: Check(name, meaning, unit, run)
    for name, meaning, unit, run in (
        ("hostile", "wrong and harmful requests: refused, no memory kept, still answering",
         "attacks", hostile),
        ("forms", "every field of the pages filled with anything, by Hypothesis", "forms", forms),
        ("schema", "what the description of the API allows and forbids, by Schemathesis",
         "requests", schema),
        ("browser",
         "the page in Chromium, with its script and without, every width, light and dark, axe",
         "steps, pictures, judgements", use),
        ("load", "wrk with four connections: speed, the index swapped meanwhile, 10,000 requests",
         "requests", load),
    )
}  # fmt: skip
"""In the order in which they run."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the checks that are named, all without a name; 1 when anything was found."""
    asked = _parser().parse_args(words)
    unknown = [name for name in asked.names if name not in CHECKS]
    if unknown:
        sys.exit(f"There is no check {unknown[0]!r}; there are {', '.join(CHECKS)}.")
    checks = [CHECKS[name] for name in asked.names or CHECKS]
    failed = False
    with _index(asked) as index:
        asked.out.mkdir(parents=True, exist_ok=True)
        setting = Setting(
            index=index.resolve(),
            out=asked.out.resolve(),
            share=asked.share,
            seed=asked.seed,
            drafts=asked.drafts,
        )
        for check in checks:
            report = run(check, setting)
            _tell(check, report, setting)
            failed |= bool(report.findings)
            if asked.docs:
                write_page(asked.docs, asked.results, check.name, report)
    return int(failed)


def run(check: Check, setting: Setting) -> Report:
    """Run one check in a folder of its own; what it lacks, and how it breaks, is a finding."""
    begun = time.monotonic()
    out = setting.out / check.name
    out.mkdir(exist_ok=True)
    try:
        report = check.run(replace(setting, out=out))
    except RecsysError as error:
        report = Report(findings=[str(error)])
    except Exception as error:  # Told with the others: the rest of an hour is worth having.
        report = Report(findings=["".join(traceback.format_exception(error))[-4000:]])
    report.seconds = time.monotonic() - begun
    (out / "findings.txt").write_text("\n".join([*report.findings, ""]), encoding="utf-8")
    return report


def _tell(check: Check, report: Report, setting: Setting) -> None:
    counts = [f"{count:,} {kind}" for kind, count in sorted(report.counts.items())]
    sys.stdout.write(
        f"{check.name}: {report.cases:,} {check.unit}, {len(report.findings)} findings; "
        f"{', '.join([*counts, *report.figures]) or 'nothing else'}; {report.seconds:.0f} s\n"
    )
    sys.stdout.flush()
    for finding in report.findings[:TOLD]:
        sys.stderr.write(f"  {finding[:600]}\n")
    if len(report.findings) > TOLD:
        sys.stderr.write(f"  and more: {setting.out / check.name / 'findings.txt'}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.web_check", description=__doc__)
    names = ", ".join(f"{name} ({row.meaning})" for name, row in CHECKS.items())
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"Some of: {names}.")
    parser.add_argument("--share", type=float, default=1.0, help="Of the usual cases; 0.1: 10 %%.")
    parser.add_argument("--seed", type=int, default=17, help="What chooses random cases.")
    parser.add_argument("--index", type=Path, help="What is served; else it is built from --data.")
    parser.add_argument("--data", type=Path, help="Folder that holds vis/papers.jsonl.gz.")
    parser.add_argument("--drafts", type=Path, help="JSON lines: title and abstract, for load.")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/web"), help="Pictures.")
    parser.add_argument("--docs", type=Path, help="Folder whose page web.md gets the table.")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("benchmarks/web.json"),
        help="What earlier runs found, which the table keeps.",
    )
    return parser


def write_page(folder: Path, results: Path, name: str, report: Report) -> None:
    """Keep what a check found, and put all that are kept into the table of their page.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    every = json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}
    every[name] = {
        "cases": report.cases,
        "findings": len(report.findings),
        "seconds": round(report.seconds),
        "counts": dict(sorted(report.counts.items())),
        "figures": report.figures,
    }
    results.parent.mkdir(parents=True, exist_ok=True)
    kept = {each: every[each] for each in CHECKS if each in every}
    write_json(results, kept)
    rows = [
        (
            f"{name}: {CHECKS[name].meaning}",
            f"{found['cases']:,} {CHECKS[name].unit}",
            str(found["findings"]),
            f"{found['seconds']:,}",
        )
        for name, found in kept.items()
    ]
    more = []
    for name, found in kept.items():
        counts = [f"{n:,} {kind}" for kind, n in found["counts"].items()]
        more.append(f"- {name}: {', '.join([*counts, *found['figures']])}.")
    shown = table(("check", "cases", "findings", "seconds"), rows)
    lines = [f"Of {CREATED_BY}.\n", shown, "\nWhat came of them:\n", *more]
    rewrite_page(folder, "web", "\n".join(lines))


@contextmanager
def _index(asked: argparse.Namespace) -> Iterator[Path]:
    """Give the index that is named, or build one."""
    if asked.index:
        yield asked.index
        return
    if not asked.data:
        sys.exit("Give --index, or --data with the corpora.")
    with tempfile.TemporaryDirectory(prefix="web-check-") as folder:
        index = Path(folder) / "vis.index"
        papers = asked.data.resolve() / "vis" / "papers.jsonl.gz"
        command = [sys.executable, "-m", "tests.run_recsys", "build", papers, "--out", index]
        subprocess.run(list(map(str, command)), cwd=ROOT, check=True)
        yield index


if __name__ == "__main__":
    sys.exit(main())
