"""Print 200 invented papers with pdflatex and Chromium, read them back, and write the table.

Run as `python -m pipelines.benchmarks.made_pdfs --work DIR --docs docs/results`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eval.report.marked_pages import check_page, rewrite_page
from pipelines.benchmarks.made_pdfs.invented_papers import invent
from pipelines.benchmarks.made_pdfs.pdf_links import links_table, make_folder, measure_links
from recsys.errors import RecsysError

PAPERS, SEED, PAGE = 240, 7, "pdfs"


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and run; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.benchmarks.made_pdfs", description=__doc__
    )
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out/pdfs"))
    parser.add_argument("--docs", type=Path, required=True, help="folder of pdfs.md")
    parser.add_argument("--papers", type=int, default=PAPERS)
    given = parser.parse_args(arguments)
    try:
        check_page(given.docs, PAGE)
        papers = invent(given.papers, np.random.default_rng(SEED))
        make_folder(papers, given.work, progress=_told)
        figures = measure_links(papers, given.work, progress=_told)
        rewrite_page(given.docs, PAGE, links_table(figures))
    except RecsysError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 0


def _told(stage: str, done: int, total: int) -> None:
    if done % 20 == 0 or done == total:
        sys.stderr.write(f"{stage}: {done} of {total}\n")


if __name__ == "__main__":
    sys.exit(main())
