"""Use the pages in a browser as people do, then look at each of them at every width, with axe."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from recsys.app.web.upload_reader import DraftText
from recsys.app.web.uploads import pack
from recsys.errors import RecsysError
from recsys.records import Body, Mark, Sentence, Span
from tests.built_index import ROOT
from tests.web_check import flows
from tests.web_check.browser import Page, Visit, browser, window
from tests.web_check.findings import Report, Setting, missing
from tests.web_check.server import serving

# A small corpus of papers that no page was made for: long, bare, from the right to the left.

NAME = "odd"
ARABIC = "\u062a\u0635\u0648\u0631 \u0627\u0644\u0628\u064a\u0627\u0646\u0627\u062a"
WORD = "Donaudampfschifffahrt" * 12
"""Letters without a place to break the line."""
_ODD: dict[str, dict[str, Any]] = {
    "crowd": {"title": "Rivers, by a crowd", "authors": [f"Nobody{n}, Ann B." for n in range(300)]},
    "right-to-left": {"title": ARABIC, "authors": [ARABIC], "venue": ARABIC, "abstract": ARABIC},
    "one-word": {"title": WORD, "authors": [WORD], "venue": WORD, "abstract": WORD},
    "bare": {"title": "Rivers", "year": None},
    "marked-up": {"title": "<b>Rivers</b> & <script>alert(1)</script> $x^2$ {\\em y}"},
    "long": {"title": "Rivers and " * 120, "abstract": "We measure rivers. " * 900},
    "hostile-link": {"title": "Rivers that link", "url": "javascript:alert(1)"},
    "id/with ?&#=+%": {"title": "Rivers with an id of signs"},
}
"""Papers by id; what is not said of one is that of a plain paper."""


def odd_papers() -> list[dict[str, Any]]:
    """List the papers; each cites the one before it."""
    ids = list(_ODD)
    return [
        {"id": key, "year": 2001 + at, "references": ids[max(0, at - 1) : at], **_ODD[key]}
        for at, key in enumerate(ids)
    ]


def build_odd(folder: Path) -> Path:
    """Build their index."""
    papers, index = folder / "odd.jsonl", folder / f"{NAME}.index"
    lines = [json.dumps(paper) for paper in odd_papers()]
    papers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "tests.run_recsys", "build", str(papers), "--out", str(index)]
    subprocess.run([*command, "--quiet"], cwd=ROOT, check=True)
    return index


# Places of passages and of drafts: every state of their pages, by the address that shows it.


def here_pages(paper: dict[str, Any]) -> dict[str, str]:
    """Name the pages; paper: one of the corpus that is asked, with an abstract."""
    words = f"{paper['title']} | was said before."
    passage, draft = {"passage": words}, {"text": _text(paper["title"])}
    odd = {"index": NAME, "passage": f"Rivers {ARABIC} {WORD} | and Crowd."}
    return {
        "here": _cite({**passage, "title": paper["title"], "references": "N. N. (1901) Unknown"}),
        "here-bare": _cite(passage),
        "here-nothing": _cite({**passage, "as_of": "1000"}),
        "here-wrong": _cite({"passage": f"{words} And | again."}),
        "here-empty": _cite({"passage": "..."}),
        "here-to-the-left": _cite({"passage": f"{ARABIC} {ARABIC} | {ARABIC}."}),
        "here-draft": _cite({**draft, "title": paper["title"]}),
        "here-draft-without": _cite({"text": _text(paper["title"], gap=False), "title": "Rivers"}),
        "answer-draft": f"/answer?{urlencode({**draft, 'title': paper['title']})}",
        "odd-here": _cite(odd),
        "odd-here-draft": _cite({"index": NAME, "text": _text(WORD), "title": "Rivers"}),
    }


def _cite(fields: dict[str, str]) -> str:
    return f"/cite?{urlencode(fields)}"


def _text(topic: str, *, gap: bool = True) -> str:
    """Write a draft of some sentences; gap: whether some of them lack a citation."""
    said = (topic, f"{ARABIC} {topic} {ARABIC}", "We measure rivers and glaciers", WORD)
    sentences = [
        Sentence(
            text=f"{words}.",
            marks=(Mark(len(words), (), True, "[CITE]"),) if gap else (),
            section="Related work" if number else WORD,
            file=f"{WORD}.tex" if number == 3 else "",
            span=Span(10 + number, 1, 10 + number, 80),
        )
        for number, words in enumerate(said)
    ]
    return pack(DraftText("draft.tex", Body(tuple(sentences), notes=("A note.",))))


WIDTHS = (320, 390, 768, 1280)
SCHEMES = ("light", "dark")
JUDGED = (320, 1280)
"""Widths at which axe looks."""
_WIDE = "() => document.scrollingElement.scrollWidth - innerWidth"
_JUDGE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
_OVERLAPS = Path(__file__).with_name("map_overlaps.js")
_OWN_SCRIPT = "**/static/*.js*"


def listed_of(paper: dict[str, Any]) -> str:
    """Write a bibliography of a paper, of another year, and of one that nobody knows."""
    title, year = paper["title"].translate(str.maketrans("", "", "{}@")), paper.get("year") or 2000
    return (
        f"@article{{a, title={{{title}}}, year={{{year - 9}}}}}\n"
        f"@article{{b, title={{{WORD} and {ARABIC} in autumn}}, author={{N}}, year={{{year}}}}}\n"
    )


def pages_of(paper: dict[str, Any]) -> dict[str, str]:
    """Name every page, and every state of one, with the address that shows it."""
    asked = {"title": paper["title"], "abstract": paper["abstract"][:1200]}
    unknown = {**asked, "references": "N. N. (1901) Unknown work"}
    rtl = {"title": ARABIC}
    sifted = {**asked, "authors": "A. Author", "venues": "*", "as_of": "2100", "more": paper["id"]}
    return {
        "ask": "/",
        "ask-sentence": "/sentence",
        "ask-map": "/map",
        "ask-check": "/check",
        "checked": f"/check?{urlencode({'pasted': listed_of(paper)})}",
        "checked-nothing": "/check?pasted=nothing",
        "ask-filled": f"/?{urlencode({**unknown, 'min_year': 2001})}",
        "watch": "/watch",
        "help": "/help",
        "gone": "/answers/none?min_year=2001",
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
    settings = [(scheme, width, True) for scheme in SCHEMES for width in WIDTHS]
    settings += [(scheme, width, False) for scheme in SCHEMES for width in JUDGED]
    for scheme, width, script in settings:
        label = f"look-{scheme}-{width}" + ("" if script else "-without")
        size = {"width": width, "height": 900}
        with window(started, base, report, out, label, viewport=size, color_scheme=scheme) as visit:
            if not script:
                # Without the page's own script, but with that of axe: scripts stay allowed.
                visit.page.route(_OWN_SCRIPT, lambda route: route.fulfill(body=""))
            for name, path in pages_of(paper).items():
                visit.go(path)
                _check(visit, name, source if width in JUDGED else "")


def _check(visit: Visit, name: str, source: str) -> None:
    wide = visit.page.evaluate(_WIDE)
    unsafe = visit.page.locator("a[href^='javascript' i]").count()
    visit.expect(not unsafe, f"{name} links to a script")
    visit.expect(wide <= 0, f"{name} is {wide} pixels too wide")
    covered = visit.page.evaluate(_OVERLAPS.read_text(encoding="utf-8"))
    visit.expect(not covered, f"{name}: {'; '.join(covered[:5])}")
    visit.step(name)
    if not source:
        return
    visit.page.evaluate(source)
    for found in visit.page.evaluate(_JUDGE):
        places = "; ".join(node["html"][:150] for node in found["nodes"][:3])
        visit.expect(False, f"{name}: axe {found['id']} ({len(found['nodes'])}): {places}")
    visit.report.counts["judged by axe"] += 1


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
        partial(flows.back_and_forward, paper=first, cited=cited),
        partial(flows.upload, paper=first, cited=cited),
        partial(flows.cite_here, paper=first),
        partial(flows.go_through, paper=first, cited=cited),
        partial(flows.mark_library, paper=first),
        partial(flows.look_around, paper=second),
        partial(flows.draw, paper=first),
        partial(flows.check_list, paper=first),
        partial(flows.by_keyboard, paper=first),
        partial(flows.read_map, paper=first),
    )


def _from_draft_to_file(visit: Visit, *, first: dict[str, Any], second: dict[str, Any]) -> None:
    flows.ask(visit, first)
    flows.correct(visit, second)
    flows.like(visit)
    flows.sift(visit)
    flows.turn(visit)
    flows.download(visit)
