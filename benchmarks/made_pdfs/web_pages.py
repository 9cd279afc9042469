"""Print invented papers as web pages with Chromium; their lists are written in styles of journals.

The styles follow what their guides ask for: APA, Nature, Chicago (author-date), Vancouver, IEEE.
"""

import html
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.made_pdfs.invented_papers import Author, Invented, Work
from recsys.errors import RecsysError

SECONDS = 120
_SHEETS: Mapping[str, str] = {
    "one column": "body{font:11pt serif} li,.entry{margin-bottom:4pt}",
    "two columns": (
        "body{font:9.5pt 'DejaVu Serif',serif;text-align:justify;hyphens:auto}"
        "main{column-count:2;column-gap:18pt} .entry{padding-left:12pt;text-indent:-12pt}"
    ),
}
_COMMON = (
    "@page{margin:2cm;size:A4} h1{font-size:20pt;text-align:center;line-height:1.2}"
    ".by{text-align:center;font-size:12pt} h2{font-size:13pt} .entry{margin:2pt 0}"
)


def _initials(author: Author, between: str = " ", dot: str = ".") -> str:
    parts = re.findall(r"[^\W\d_]+", author.given)
    return between.join(f"{part[0]}{dot}" for part in parts)


def _inverted(author: Author) -> str:
    return f"{author.family}, {_initials(author)}"


def _listed(names: Sequence[str], last: str, most: int = 99) -> str:
    if len(names) > most:
        return f"{names[0]} et al."
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + last + names[-1]


def _pages(work: Work) -> str:
    return f"{work.page}\u2013{work.page + 11}"


def _doi(work: Work, before: str) -> str:
    return f" {before}{work.doi}" if work.doi else ""


def apa(work: Work) -> str:
    """Write an entry in the manner of APA, seventh edition."""
    names = _listed([_inverted(each) for each in work.authors], ", & ")
    head = f"{names} ({work.year}). "
    if work.arxiv:
        return (
            f"{head}<i>{_mark(work.title)}</i> arXiv. https://doi.org/10.48550/arXiv.{work.arxiv}"
        )
    if work.kind == "inproceedings":
        rest = f"In <i>{work.venue}</i> (pp. {_pages(work)})."
    else:
        rest = f"<i>{work.venue}, {work.volume}</i>({work.number}), {_pages(work)}."
    return f"{head}{_mark(work.title)} {rest}{_doi(work, 'https://doi.org/')}"


def nature(work: Work) -> str:
    """Write an entry in the manner of Nature."""
    names = _listed([_inverted(each) for each in work.authors], " &amp; ", 5)
    if work.arxiv:
        place = f"Preprint at https://arxiv.org/abs/{work.arxiv} ({work.year})."
        return f"{names} {_mark(work.title)} {place}"
    if work.kind == "inproceedings":
        return f"{names} {_mark(work.title)} In <i>{work.venue}</i>, {_pages(work)} ({work.year})."
    place = f"<i>{work.venue}</i> <b>{work.volume}</b>, {_pages(work)} ({work.year})."
    return f"{names} {_mark(work.title)} {place}"


def chicago(work: Work) -> str:
    """Write an entry in the manner of Chicago's author-date system."""
    first, *others = work.authors
    names = [f"{first.family}, {first.given}", *(f"{a.given} {a.family}" for a in others)]
    listed = _listed(names, ", and ").rstrip(".")
    head = f"{listed}. {work.year}. \u201c{_mark(work.title)}\u201d"
    if work.arxiv:
        return f"{head} arXiv preprint arXiv:{work.arxiv}."
    if work.kind == "inproceedings":
        return f"{head} In <i>{work.venue}</i>, {_pages(work)}."
    end = _doi(work, "https://doi.org/")
    return f"{head} <i>{work.venue}</i> {work.volume} ({work.number}): {_pages(work)}.{end}"


def vancouver(work: Work) -> str:
    """Write an entry in the manner of Vancouver."""
    names = [f"{each.family} {_initials(each, '', '')}" for each in work.authors]
    listed = ", ".join(names[:6]) + (", et al." if len(names) > 6 else ".")
    if work.arxiv:
        return f"{listed} {_mark(work.title)} arXiv:{work.arxiv} [Preprint]. {work.year}."
    if work.kind == "inproceedings":
        return f"{listed} {_mark(work.title)} In: {work.venue}; {work.year}. p. {_pages(work)}."
    place = f"{work.venue}. {work.year};{work.volume}({work.number}):{_pages(work)}."
    return f"{listed} {_mark(work.title)} {place}{_doi(work, 'doi:')}"


def ieee(work: Work) -> str:
    """Write an entry in the manner of IEEE."""
    names = [f"{_initials(each)} {each.family}" for each in work.authors]
    listed = _listed(names, ", and " if len(names) > 2 else " and ", 6)
    title = f"\u201c{work.title},\u201d" if work.title[-1] != "?" else f"\u201c{work.title}\u201d"
    if work.arxiv:
        return f"{listed}, {title} arXiv preprint arXiv:{work.arxiv}, {work.year}."
    if work.kind == "inproceedings":
        return f"{listed}, {title} in <i>{work.venue}</i>, {work.year}, pp. {_pages(work)}."
    place = f"<i>{work.venue}</i>, vol. {work.volume}, no. {work.number}, pp. {_pages(work)}"
    return f"{listed}, {title} {place}, {work.year}{_doi(work, ', doi: ')}."


def _mark(title: str) -> str:
    return html.escape(title, quote=False) + ("" if title[-1] in "?!." else ".")


STYLES: Mapping[str, tuple[Callable[[Work], str], str]] = {
    "APA": (apa, ""),
    "Nature": (nature, "{}. "),
    "Chicago": (chicago, ""),
    "Vancouver": (vancouver, "{}. "),
    "IEEE": (ieee, "[{}] "),
}
"""How an entry is written, and what its number looks like."""
SHEETS = tuple(_SHEETS)


def print_web_page(paper: Invented, sheet: str, style: str, folder: Path) -> Path:
    """Print a paper to `folder`/KEY.pdf.

    Raises:
        RecsysError: Chromium is not installed, or makes no PDF of it.
    """
    program = shutil.which("chromium")
    if program is None:
        raise RecsysError("There is no program chromium.", "apt-get install chromium")
    page, made = folder / f"{paper.work.key}.html", folder / f"{paper.work.key}.pdf"
    page.write_text(_document(paper, sheet, style), encoding="utf-8")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    subprocess.run(
        [*command, f"--print-to-pdf={made}", page.as_uri()], capture_output=True, timeout=SECONDS
    )
    if not made.is_file():
        raise RecsysError(f"Chromium made no {made.name}.", f"Open {page} in it.")
    return made


def cited_in_order(
    paper: Invented, style: str
) -> tuple[list[Work], Callable[[re.Match[str]], str]]:
    """Order what a paper cites as a style lists it; and write the mark of `{{key}}`."""
    number = STYLES[style][1]
    ordered = list(paper.cites)
    if not number:
        ordered.sort(key=lambda each: (each.authors[0].family, each.year, each.title))
    places = {each.key: place for place, each in enumerate(ordered, start=1)}
    named = {each.key: each for each in ordered}

    def cited(mark: re.Match[str]) -> str:
        one = named[mark[1]]
        said = f"({one.authors[0].family} et al., {one.year})"
        return f"[{places[one.key]}]" if number else said

    return ordered, cited


def _document(paper: Invented, sheet: str, style: str) -> str:
    work, (write, number) = paper.work, STYLES[style]
    ordered, cited = cited_in_order(paper, style)
    sections = "".join(
        f"<h2>{place}. {heading}</h2><p>{re.sub(r'{{(.+?)}}', cited, html.escape(text))}</p>"
        for place, (heading, text) in enumerate(paper.text, start=1)
    )
    entries = "".join(
        f'<p class="entry">{number.format(place)}{write(each)}</p>'
        for place, each in enumerate(ordered, start=1)
    )
    byline = ", ".join(f"{each.given} {each.family}" for each in work.authors)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(work.title)}'
        f"</title><style>{_COMMON}{_SHEETS[sheet]}</style>"
        f'<h1>{html.escape(work.title)}</h1><p class="by">{byline}</p>'
        f'<p class="by">{work.venue}, {work.year}</p>'
        f"<main><h2>Abstract</h2><p>{html.escape(paper.abstract)}</p>{sections}"
        f"<h2>References</h2>{entries}</main></html>"
    )
