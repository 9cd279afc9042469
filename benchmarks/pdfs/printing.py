"""Print invented papers with pdflatex and BibTeX, Chromium and LibreOffice, as people do.

How each way looks is said in `prints.toml`.
"""

import os
import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from html import escape
from pathlib import Path
from string import Template
from threading import Lock
from typing import Any

from markupsafe import Markup

from benchmarks.pdfs.invented_papers import Invented, Work
from benchmarks.result_tables import templates
from recsys.errors import RecsysError
from recsys.formats.references.people import Name
from recsys.protocols import Progress, silent

SECONDS = 180
"""A document takes two; more is a prompt that nobody answers."""
PACKAGES = {
    "pdflatex": "texlive-latex-extra texlive-publishers",
    "bibtex": "texlive-latex-extra texlive-publishers",
    "chromium": "chromium",
    "soffice": "libreoffice-writer-nogui",
}
PRINTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("prints.toml").read_text(encoding="utf-8")
)
STYLES = PRINTS["styles"]
WAYS = (
    *(f"LaTeX: {name}" for name in PRINTS["layouts"]),
    *(f"Chromium: {sheet}, {style}" for sheet in PRINTS["web_sheets"] for style in STYLES),
    *(f"LibreOffice: {name}, {sheet['style']}" for name, sheet in PRINTS["office_sheets"].items()),
)
"""How papers are printed; paper i of a folder is printed the way i modulo their number."""
_TEMPLATES = templates(Path(__file__).parent, markup=True)
_ONE_AT_A_TIME = Lock()
"""Two LibreOffices would fight for one profile."""


def make_folder(
    papers: Sequence[Invented], folder: Path, *, jobs: int = 2, progress: Progress = silent
) -> list[Path]:
    """Print papers, each in its way; those that are there stay.

    Raises:
        RecsysError: a program is missing, or fails.
    """
    work = folder.resolve() / ".made"  # Hidden: no source of papers.
    work.mkdir(parents=True, exist_ok=True)
    made = [folder / f"{paper.work.key}.pdf" for paper in papers]
    missing = [place for place, path in enumerate(made) if not path.is_file()]

    def printed(place: int) -> None:
        print_paper(papers[place], WAYS[place % len(WAYS)], work).rename(made[place])

    with ThreadPoolExecutor(jobs) as crew:
        for done, _ in enumerate(crew.map(printed, missing), start=1):
            progress("printing", done, len(missing))
    return made


def print_paper(paper: Invented, way: str, folder: Path) -> Path:
    """Print a paper in one of WAYS to `folder`/KEY.pdf.

    Raises:
        RecsysError: the program is not installed, or makes no PDF of it.
    """
    program, _, name = way.partition(": ")
    sheet, _, style = name.rpartition(", ")
    key, made = paper.work.key, folder / f"{paper.work.key}.pdf"
    run = partial(_run, folder=folder)
    if program == "LaTeX":
        bibliography = "".join(map(bibtex_entry, paper.cites))
        (folder / f"{key}.bib").write_text(bibliography, encoding="utf-8")
        (folder / f"{key}.tex").write_text(latex_document(paper, name), encoding="utf-8")
        # As in May of its year: a PDF tells when it was made.
        then = int(datetime(paper.work.year, 5, 3, tzinfo=UTC).timestamp())
        for command in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
            options = ["-interaction=batchmode"] if command == "pdflatex" else []
            run([command, *options, key], SOURCE_DATE_EPOCH=str(then), FORCE_SOURCE_DATE="1")
    elif program == "Chromium":
        source = folder / f"{key}.html"
        source.write_text(page_document(paper, sheet, style, "html"), encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        run(["chromium", *options, f"--print-to-pdf={made}", source.as_uri()])
    else:
        source = folder / f"{key}.fodt"
        source.write_text(page_document(paper, sheet, style, "fodt"), encoding="utf-8")
        profile = f"-env:UserInstallation={(folder / '.office').as_uri()}"
        with _ONE_AT_A_TIME:
            options = [profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder)]
            run(["soffice", *options, str(source)], SAL_USE_VCLPLUGIN="svp")
    if not made.is_file():
        raise RecsysError(f"{program} made no {made.name}.", f"Open its source in {folder}.")
    return made


def _run(command: Sequence[str], folder: Path, **variables: str) -> None:
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except OSError as error:
        raise RecsysError(
            f"{command[0]} could not be started: {error.strerror}.",
            f"apt-get install {PACKAGES[command[0]]}",
        ) from error


def latex_document(paper: Invented, name: str) -> str:
    """Write a paper in one of the layouts of LaTeX."""
    work, layout = paper.work, PRINTS["layouts"][name]
    front = PRINTS["fronts"][layout["front"]]
    people = (Template(front["name"]).substitute(name=each.natural) for each in work.authors)
    filled = Template(front["text"]).substitute(
        title=_escaped(work.title),
        authors=front["between"].join(people),
        abstract=_escaped(paper.abstract),
        year=work.year,
        place=f"{work.venue} {work.volume}, {work.page} ({work.year})",
    )
    body = "\n\n".join(
        f"\\section{{{heading}}}\n" + re.sub(r"\{\{(\w+)\}\}", r"\\cite{\1}", _escaped(text))
        for heading, text in paper.text
    )
    end = f"\\nocite{{*}}\\bibliographystyle{{{layout['style']}}}\\bibliography{{{work.key}}}"
    return f"{layout['head']}{filled}{body}\n{end}\n\\end{{document}}\n"


def bibtex_entry(work: Work) -> str:
    """Write a BibTeX entry, its title protected as people do with proper names."""
    kind = "article" if work.kind == "preprint" else work.kind
    fields = {
        "author": " and ".join(each.inverted for each in work.authors),
        "title": re.sub(r"\b(\w*[a-z]?[A-Z]\w*)", r"{\1}", work.title),
        "booktitle" if kind == "inproceedings" else "journal": (
            f"arXiv preprint arXiv:{work.arxiv}" if work.arxiv else work.venue
        ),
        "year": str(work.year),
        "doi": work.doi,
        "volume": str(work.volume) if work.kind == "article" else "",
        "number": str(work.number) if work.kind == "article" else "",
        "pages": "" if work.arxiv else f"{work.page}--{work.page + 11}",
    }
    lines = (f"  {key} = {{{_escaped(value)}}},\n" for key, value in fields.items() if value)
    return f"@{kind}{{{work.key},\n{''.join(lines)}}}\n"


def _escaped(text: str) -> str:
    return re.sub(r"([%&#])", r"\\\1", text).replace("\u2013", "--")


def page_document(paper: Invented, sheet: str, style: str, kind: str) -> str:
    """Write a paper as a web page (html) or as flat OpenDocument text (fodt)."""
    label = STYLES[style]["label"]
    ordered = list(paper.cites)
    if not label:
        ordered.sort(key=lambda each: (each.authors[0].surname, each.year, each.title))
    marks = {
        work.key: f"[{place}]" if label else f"({work.authors[0].surname} et al., {work.year})"
        for place, work in enumerate(ordered, start=1)
    }
    return _TEMPLATES.get_template(f"paper.{kind}.jinja").render(
        paper=paper,
        work=paper.work,
        sheet=PRINTS["web_sheets" if kind == "html" else "office_sheets"][sheet],
        names=", ".join(each.natural for each in paper.work.authors),
        sections=[
            (heading, re.sub(r"\{\{(.+?)\}\}", lambda mark: marks[mark[1]], text))
            for heading, text in paper.text
        ],
        entries=[
            Markup(label.format(place) + styled_entry(work, style))
            for place, work in enumerate(ordered, start=1)
        ],
    )


def styled_entry(work: Work, style: str) -> str:
    """Write an entry of a list in the style of a journal, as HTML."""
    shape, asked = STYLES[style], work.title.endswith("?")
    entry: str = shape[work.kind].format(
        names=_names(work.authors, style),
        year=work.year,
        sentence=escape(work.title, quote=False) + ("" if work.title[-1] in "?!." else "."),
        quoted=f"\u201c{work.title}\u201d" if asked else f"\u201c{work.title},\u201d",
        venue=work.venue,
        volume=work.volume,
        number=work.number,
        pages=f"{work.page}\u2013{work.page + 11}",
        doi=f"{shape['doi']}{work.doi}" if work.doi and "doi" in shape else "",
        arxiv=work.arxiv,
    )
    return entry


def _names(authors: Sequence[Name], style: str) -> str:
    initials = [re.findall(r"([^\W\d_])[^\W\d_]*", each.given) for each in authors]
    dotted = [" ".join(f"{letter}." for letter in letters) for letters in initials]
    first, *others = authors
    if style == "Chicago":
        names = [first.inverted, *(each.natural for each in others)]
        return _listed(names, ", and ").rstrip(".")
    if style == "Vancouver":
        names = [f"{a.surname} {''.join(b)}" for a, b in zip(authors, initials, strict=True)]
        return ", ".join(names[:6]) + (", et al." if others[5:] else ".")
    if style == "IEEE":
        names = [f"{b} {a.surname}" for a, b in zip(authors, dotted, strict=True)]
        return _listed(names, ", and " if others[1:] else " and ", 6)
    names = [f"{a.surname}, {b}" for a, b in zip(authors, dotted, strict=True)]
    return _listed(names, ", & ") if style == "APA" else _listed(names, " &amp; ", 5)


def _listed(names: Sequence[str], last: str, most: int = 99) -> str:
    if len(names) > most:
        return f"{names[0]} et al."
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + last + names[-1]
