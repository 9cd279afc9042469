"""Use the page in a real browser as people do, with its script and without."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from recsys.errors import RecsysError
from tests.web_check import flows
from tests.web_check.findings import Check, Report, Setting, missing, program
from tests.web_check.looks import build_odd, look
from tests.web_check.server import serving

# A real browser: Debian's Chromium, told by Playwright, and what must not happen in it.

WAIT = 60_000
"""Milliseconds in which a page must be there: the machine may be busy."""
_REFUSED = "Failed to load resource: the server responded with a status of 4"
"""What Chromium writes to its console of a page that is answered with 4xx: those are asked for."""
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")

Page: TypeAlias = Any
"""What Playwright makes; it ships its types, but is no dependency of the tests."""


@dataclass(slots=True)
class Visit:
    """One window with its own settings. base: the address of the server."""

    page: Page
    base: str
    report: Report
    out: Path
    label: str
    script: bool
    asked: set[str] = field(default_factory=set)

    def go(self, path: str) -> None:
        """Open a page of the server."""
        self.page.goto(self.base + path, wait_until="load")

    def expect(self, held: object, finding: str) -> bool:
        """Note a finding of this window unless something held."""
        if not held:
            self.shoot(f"finding-{len(self.report.findings)}")
        return self.report.expect(held, f"{self.label}: {finding}")

    def step(self, name: str) -> None:
        """Note that a step was taken, and keep its picture."""
        self.report.counts["steps"] += 1
        self.shoot(name)

    def shoot(self, name: str) -> None:
        """Keep a picture of the whole page."""
        self.page.screenshot(path=self.out / f"{self.label}-{name}.png", full_page=True)
        self.report.counts["pictures"] += 1

    def texts(self, selector: str) -> list[str]:
        """Read the texts of all elements that match."""
        return [each.strip() for each in self.page.locator(selector).all_inner_texts()]


@contextmanager
def browser() -> Iterator[Any]:
    """Start Chromium.

    Raises:
        RecsysError: it or Playwright is not installed.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise missing("playwright") from error
    path = program("chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        try:
            yield started
        finally:
            started.close()


@contextmanager
def window(
    started: Page, base: str, report: Report, out: Path, label: str, **options: Page
) -> Iterator[Visit]:
    """Open a window of its own, and note what it writes, loads and refuses.

    options: as Playwright's `new_context` takes them.
    """
    given: Mapping[str, Any] = {"viewport": {"width": 1280, "height": 900}, **options}
    context = started.new_context(**given)
    context.set_default_timeout(WAIT)
    try:
        page = context.new_page()
        script = bool(options.get("java_script_enabled", True))
        visit = Visit(page, base, report, out, label, script)
        page.on("console", lambda message: _console(visit, message))
        page.on("pageerror", lambda error: report.findings.append(f"{label}: script: {error}"))
        page.on("request", lambda request: _asks(visit, request.url))
        yield visit
    finally:
        context.close()


def _console(visit: Visit, message: Page) -> None:
    if message.type in ("error", "warning") and not message.text.startswith(_REFUSED):
        visit.report.findings.append(f"{visit.label}: console: {message.text[:500]}")


def _asks(visit: Visit, address: str) -> None:
    if not address.startswith((visit.base + "/", "data:", "blob:", "about:")):
        visit.report.findings.append(f"{visit.label}: asks another origin: {address[:200]}")


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
