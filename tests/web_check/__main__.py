"""The command line: `python -m tests.web_check [NAME ...] --share S --index DIR --out FOLDER`."""

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from recsys.errors import RecsysError
from tests.built_index import ROOT
from tests.harness import chosen, keep, parser_of, show
from tests.web_check.agents import agents
from tests.web_check.findings import Check, Report, Setting
from tests.web_check.forms import forms
from tests.web_check.hostile import hostile
from tests.web_check.load import load
from tests.web_check.looks import use
from tests.web_check.schema import schema

BLOCK = "web"
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
        ("agents", "the conformance suite and the inspector on `recsys mcp`, 1,000 calls by stdio",
         "calls and scenarios", agents),
    )
}  # fmt: skip
"""In the order in which they run."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the checks that are named, all without a name; 1 when anything was found."""
    meanings, out = {n: row.meaning for n, row in CHECKS.items()}, Path("benchmarks/out/web")
    parser = parser_of("tests.web_check", __doc__, meanings, block=BLOCK, seed=17, out=out)
    parser.add_argument("--index", type=Path, help="What is served; else it is built from --data.")
    parser.add_argument("--data", type=Path, help="Folder that holds vis/papers.jsonl.gz.")
    parser.add_argument("--drafts", type=Path, help="JSON lines: title and abstract, for load.")
    asked = parser.parse_args(words)
    checks = chosen(asked.names, CHECKS, "check")
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


def write_page(folder: Path, results: Path, name: str, report: Report) -> None:
    """Keep what a check found, and put all that are kept into the table of the results.

    Raises:
        InputError: no page has the marks of the block.
    """
    found = {
        "cases": report.cases,
        "findings": len(report.findings),
        "seconds": round(report.seconds),
        "counts": dict(sorted(report.counts.items())),
        "figures": report.figures,
    }
    rows = [
        (
            f"`{name}`: {CHECKS[name].meaning}",
            f"{each['cases']:,} {CHECKS[name].unit}",
            str(each["findings"]),
            f"{each['seconds']:,}",
        )
        for name, each in keep(results, [*CHECKS], name, found).items()
    ]
    show(folder, BLOCK, ("check", "cases", "findings", "seconds"), rows)


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
