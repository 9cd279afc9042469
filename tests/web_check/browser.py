"""Use the page in a real browser as people do, with its script and without."""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from recsys.errors import RecsysError
from tests.web_check import flows
from tests.web_check.browsing import Visit, browser, window
from tests.web_check.findings import Check, Report, Setting
from tests.web_check.looks import look
from tests.web_check.missing import missing
from tests.web_check.odd_papers import build_odd
from tests.web_check.server import serving

CITED = 4
WORDS = ("data", "survey", "analysis", "method", "rivers")
"""What papers are found by that are given as drafts."""


def use(setting: Setting) -> Report:
    """Go through all flows, then look at all pages.

    Raises:
        RecsysError: Chromium, Playwright or axe is not installed.
    """
    if not setting.axe.is_file():
        raise missing("axe-core")
    report = Report()
    with (
        tempfile.TemporaryDirectory(prefix="odd-") as folder,
        serving(setting.index, build_odd(Path(folder))) as server,
        browser() as started,
    ):
        papers = server.papers(WORDS)
        if len(papers) < CITED + 2:
            raise RecsysError(f"{setting.index} has too few papers.", "Give an --index of more.")
        for script in (True, False):
            label = "script" if script else "without"
            for number, flow in enumerate(_flows(papers)):
                with window(
                    started, server.address, report, setting.out, f"{label}-{number}",
                    java_script_enabled=script, accept_downloads=True,
                ) as visit:  # fmt: skip
                    # Go through a flow; one that breaks off is a finding, and the others go on.
                    try:
                        flow(visit)
                    except Exception as error:
                        visit.expect(False, f"{type(error).__name__}: {str(error)[:600]}")
                ended = server.process.poll()
                if not report.expect(ended is None, f"{label}-{number}: it ended with {ended}"):
                    return report
        look(started, server.address, report, setting.out, papers[0], setting.axe)
        report.expect(not server.complaints(), f"the server said: {server.complaints()[:2000]}")
    return report


def _flows(papers: Sequence[dict[str, Any]]) -> Sequence[Callable[[Visit], None]]:
    first, second, cited = papers[0], papers[1], papers[2 : 2 + CITED]
    return (
        partial(_from_draft_to_file, first=first, second=second),
        partial(flows.upload, paper=first, cited=cited),
        partial(flows.cite_here, paper=first),
        partial(flows.go_through, paper=first, cited=cited),
        partial(flows.mark_library, paper=first),
        partial(flows.look_around, paper=second),
        partial(flows.draw, paper=first),
        partial(flows.by_keyboard, paper=first),
    )


def _from_draft_to_file(visit: Visit, *, first: dict[str, Any], second: dict[str, Any]) -> None:
    flows.ask(visit, first)
    flows.correct(visit, second)
    flows.like(visit)
    flows.turn(visit)
    flows.download(visit)


BROWSER = Check(
    name="browser",
    meaning="the page in Chromium, with its script and without, every width, light and dark, axe",
    unit="steps, pictures, judgements",
    run=use,
)
