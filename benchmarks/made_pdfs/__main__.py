"""Print 240 invented papers, read them as a corpus and as drafts, and write the tables.

Run as `python -m benchmarks.made_pdfs --work DIR --docs docs/results`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.made_pdfs.draft_reading import (
    cited_index,
    drafts_table,
    measure_drafts,
)
from benchmarks.made_pdfs.invented_papers import invent
from benchmarks.made_pdfs.pdf_links import links_table, make_folder, measure_links
from recsys.eval.report.marked_pages import check_page, rewrite_page
from recsys.indexes.opening import open_collection
from recsys.pipelines.jobs.programs import ending

PAPERS, SEED, PAGE, DRAFTS = 240, 7, "pdfs", "pdf-drafts"


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.made_pdfs", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path("benchmarks/out/pdfs"))
    parser.add_argument(
        "--docs", type=Path, required=True, help="folder of pdfs.md and pdf-drafts.md"
    )
    parser.add_argument("--papers", type=int, default=PAPERS)
    given = parser.parse_args(arguments)
    check_page(given.docs, PAGE)
    check_page(given.docs, DRAFTS)
    papers = invent(given.papers, np.random.default_rng(SEED))
    make_folder(papers, given.work, progress=_told)
    figures = measure_links(papers, given.work, progress=_told)
    rewrite_page(given.docs, PAGE, links_table(figures))
    cited = open_collection(cited_index(papers, given.work / ".cited.index"))
    drafts = measure_drafts(papers, given.work, cited, progress=_told)
    rewrite_page(given.docs, DRAFTS, drafts_table(drafts))


def _told(stage: str, done: int, total: int) -> None:
    if done % 20 == 0 or done == total:
        sys.stderr.write(f"{stage}: {done} of {total}\n")


if __name__ == "__main__":
    sys.exit(main())
