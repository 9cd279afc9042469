"""The command line: `python -m tests.web_check [NAME ...] --share S --index DIR --out FOLDER`."""

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from recsys.errors import RecsysError
from tests.built_index import ROOT
from tests.web_check.findings import Check, Report, Setting
from tests.web_check.page import CHECKS

TOLD = 20
"""Findings of a check that are printed; all are in its file below --out."""


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
                from tests.web_check.page import write_page

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
