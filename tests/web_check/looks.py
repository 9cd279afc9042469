"""Every page at every width, light and dark, with and without its script; judged by axe."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from tests.web_check.browsing import Page, Visit, window
from tests.web_check.findings import Report
from tests.web_check.here_pages import here_pages
from tests.web_check.odd_papers import ARABIC, NAME, WORD, odd_papers

WIDTHS = (320, 390, 768, 1280)
SCHEMES = ("light", "dark")
JUDGED = (320, 1280)
"""Widths at which axe looks."""
_WIDE = "() => document.scrollingElement.scrollWidth - innerWidth"
_JUDGE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
_OWN_SCRIPT = "**/static/script.js*"


def pages_of(paper: dict[str, Any]) -> dict[str, str]:
    """Name every page, and every state of one, with the address that shows it."""
    asked = {"title": paper["title"], "abstract": paper["abstract"][:1200]}
    unknown = {**asked, "references": "N. N. (1901) Unknown work"}
    rtl = {"title": ARABIC}
    sifted = {**asked, "authors": "A. Author", "venues": "*", "as_of": "2100", "more": paper["id"]}
    return {
        "ask": "/",
        "answer": f"/answer?{urlencode(asked)}",
        "answer-filtered": f"/answer?{urlencode(sifted)}",
        "answer-nothing": f"/answer?{urlencode({**asked, 'min_year': 2998})}",
        "answer-missing": f"/answer?{urlencode(unknown)}",
        "answer-wrong": f"/answer?{urlencode({**asked, 'min_year': 'soon'})}",
        "answer-to-the-left": f"/answer?{urlencode(rtl)}",
        "paper": f"/paper?id={quote(paper['id'], safe='')}",
        "search": f"/search?q={quote(paper['title'].split()[-1])}",
        "search-nothing": "/search?q=qqqqxyzzy",
        "search-empty": "/search",
        "map": f"/map?{urlencode(asked)}",
        "api": "/api",
        "failure": "/paper?id=no-such-paper",
        "odd-ask": f"/?index={NAME}",
        "odd-answer": f"/answer?{urlencode({'index': NAME, 'title': f'Rivers {ARABIC} {WORD}'})}",
        "odd-map": f"/map?{urlencode({'index': NAME, 'title': 'Rivers'})}",
        "odd-search": f"/search?{urlencode({'index': NAME, 'q': 'rivers'})}",
        **here_pages(paper),
        **{
            f"odd-paper-{number}": f"/paper?{urlencode({'index': NAME, 'id': odd['id']})}"
            for number, odd in enumerate(odd_papers())
        },
    }


def look(
    started: Page, base: str, report: Report, out: Path, paper: dict[str, Any], axe: Path
) -> None:
    """Look at every page."""
    source = axe.read_text(encoding="utf-8")
    for scheme, width, script in _settings():
        label = f"look-{scheme}-{width}" + ("" if script else "-without")
        size = {"width": width, "height": 900}
        with window(started, base, report, out, label, viewport=size, color_scheme=scheme) as visit:
            if not script:
                # Without the page's own script, but with that of axe: scripts stay allowed.
                visit.page.route(_OWN_SCRIPT, lambda route: route.fulfill(body=""))
            for name, path in pages_of(paper).items():
                visit.go(path)
                _check(visit, name, source if width in JUDGED else "")


def _settings() -> Iterator[tuple[str, int, bool]]:
    for scheme in SCHEMES:
        for width in WIDTHS:
            yield scheme, width, True
        for width in JUDGED:
            yield scheme, width, False


def _check(visit: Visit, name: str, source: str) -> None:
    wide = visit.page.evaluate(_WIDE)
    unsafe = visit.page.locator("a[href^='javascript' i]").count()
    visit.expect(not unsafe, f"{name} links to a script")
    visit.expect(wide <= 0, f"{name} is {wide} pixels too wide")
    visit.step(name)
    if not source:
        return
    visit.page.evaluate(source)
    for found in visit.page.evaluate(_JUDGE):
        places = "; ".join(node["html"][:150] for node in found["nodes"][:3])
        visit.expect(False, f"{name}: axe {found['id']} ({len(found['nodes'])}): {places}")
    visit.report.counts["judged by axe"] += 1
