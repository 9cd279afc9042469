"""A real browser: Debian's Chromium, told by Playwright, and what must not happen in it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tests.web_check.findings import Report, missing, program

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

    def go(self, path: str) -> None:
        """Open a page of the server."""
        self.page.goto(self.base + path, wait_until="load")

    def press(self, selector: str, *, shows: str = "") -> None:
        """Click, and wait for the page that follows, or for what it shows."""
        self.page.click(selector)
        if shows:
            self.page.wait_for_selector(shows)
        else:
            self.page.wait_for_load_state("load")

    def give(self, selector: str, files: Sequence[tuple[str, bytes]]) -> None:
        """Choose files by their names and contents."""
        kind = "application/octet-stream"
        held = [{"name": name, "mimeType": kind, "buffer": content} for name, content in files]
        self.page.set_input_files(selector, held)

    def download(self, form: str, which: str) -> str:
        """Follow the link of a format, and read the file that comes."""
        link = self.page.locator(f"a[download][href*='format={form}']").first
        link.evaluate("each => each.closest('details')?.setAttribute('open', '')")
        with self.page.expect_download() as coming:
            link.click()
        path = self.out / f"{self.label}-{which}-{coming.value.suggested_filename}"
        coming.value.save_as(path)
        return path.read_text(encoding="utf-8")

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
    context = started.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(WAIT)
    try:
        page = context.new_page()
        visit = Visit(page, base, report, out, label)

        def console(message: Page) -> None:
            if message.type in ("error", "warning") and not message.text.startswith(_REFUSED):
                report.findings.append(f"{label}: console: {message.text[:500]}")

        def asks(request: Page) -> None:
            if not request.url.startswith((base + "/", "data:", "blob:", "about:")):
                report.findings.append(f"{label}: asks another origin: {request.url[:200]}")

        page.on("console", console)
        page.on("pageerror", lambda error: report.findings.append(f"{label}: script: {error}"))
        page.on("request", asks)
        yield visit
    finally:
        context.close()
