"""Print invented papers with pdflatex and BibTeX, in the classes and styles that people use."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.made_pdfs.invented_papers import Invented, Work
from recsys.errors import RecsysError

SECONDS = 120
"""A document takes two; more is a prompt that nobody answers."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a paper is set. head: from the class on; front: `{title}`, `{authors}`, `{abstract}`."""

    head: str
    front: str
    style: str


_PLAIN_FRONT = (
    "\\title{{{title}}}\\author{{{authors}}}\\date{{{date}}}\n\\begin{{document}}\\maketitle\n"
    "\\begin{{abstract}}{abstract}\\end{{abstract}}\n"
)
_ACM_FRONT = (
    "\\title{{{title}}}\n{acm_authors}\n\\begin{{document}}\n"
    "\\begin{{abstract}}{abstract}\\end{{abstract}}\n"
    "\\ccsdesc[500]{{Computing methodologies~Field work}}\n"
    "\\keywords{{harvests, rivers, records}}\n\\maketitle\n"
)
_IEEE_FRONT = (
    "\\title{{{title}}}\\author{{{listed}\\thanks{{The authors are with the Institute of "
    "Orchards, Riga, Latvia. Manuscript received May 3, 2021.}}}}\n"
    "\\markboth{{Annals of Field Work, Vol. 7, No. 3, May 2021}}{{Ashdown: Records}}\n"
    "\\begin{{document}}\\maketitle\n\\begin{{abstract}}{abstract}\\end{{abstract}}\n"
    "\\begin{{IEEEkeywords}}Harvests, rivers, records.\\end{{IEEEkeywords}}\n"
)
_ELSEVIER_FRONT = (
    "\\begin{{document}}\\begin{{frontmatter}}\\title{{{title}}}\n{acm_authors}\n"
    "\\begin{{abstract}}{abstract}\\end{{abstract}}\\end{{frontmatter}}\n"
)
_REVTEX_FRONT = (
    "\\begin{{document}}\\title{{{title}}}\n{acm_authors}\n\\date{{Published in {place}}}\n"
    "\\begin{{abstract}}{abstract}\\end{{abstract}}\\maketitle\n"
)
_FONTS = "\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}\\usepackage{lmodern}\n"
_NATBIB = "\\usepackage[round]{natbib}\n"
_LINKS = "\\usepackage{url}\\usepackage[hidelinks]{hyperref}\n"
LAYOUTS: Mapping[str, Layout] = {
    "article, two columns, plain": Layout(
        "\\documentclass[twocolumn]{article}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}"
        "\\usepackage{url}\n", _PLAIN_FRONT, "plain"),
    "article, two columns, plainnat": Layout(
        f"\\documentclass[twocolumn]{{article}}{_FONTS}{_NATBIB}{_LINKS}", _PLAIN_FRONT,
        "plainnat"),
    "article, one column, apalike": Layout(
        f"\\documentclass[11pt]{{article}}{_FONTS}\\usepackage{{url}}\n", _PLAIN_FRONT, "apalike"),
    "article, one column, abbrvnat numbers": Layout(
        f"\\documentclass{{article}}{_FONTS}\\usepackage[numbers]{{natbib}}{_LINKS}", _PLAIN_FRONT,
        "abbrvnat"),
    "IEEEtran": Layout(
        "\\documentclass[conference]{IEEEtran}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}"
        "\\usepackage{url}\n", _PLAIN_FRONT, "IEEEtran"),
    "acmart, sigconf": Layout(
        "\\documentclass[sigconf]{acmart}\n\\acmConference[FIELD '26]{Field Days}{May 2026}{Riga}"
        "\n\\copyrightyear{2026}\\acmYear{2026}\n",
        _ACM_FRONT, "ACM-Reference-Format"),
    "acmart, journal": Layout(
        "\\documentclass[acmsmall]{acmart}\n\\acmJournal{TOCHI}\\acmVolume{7}\\acmNumber{3}"
        "\\acmArticle{12}\\copyrightyear{2026}\\acmYear{2026}\\acmMonth{5}\n",
        _ACM_FRONT, "ACM-Reference-Format"),
    "IEEEtran, journal": Layout(
        "\\documentclass[journal]{IEEEtran}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}"
        "\\usepackage{url}\n", _IEEE_FRONT, "IEEEtran"),
    "elsarticle": Layout(
        f"\\documentclass[5p,twocolumn]{{elsarticle}}{_FONTS}\\usepackage{{url}}\n",
        _ELSEVIER_FRONT, "elsarticle-num"),
    "llncs": Layout(
        "\\documentclass{llncs}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}"
        "\\usepackage{url}\n", _PLAIN_FRONT, "splncs04"),
    "revtex": Layout(
        "\\documentclass[aps,twocolumn,longbibliography]{revtex4-2}\\usepackage[utf8]{inputenc}"
        "\\usepackage{url}\n", _REVTEX_FRONT, "apsrev4-2"),
    "elsarticle, author-year": Layout(
        f"\\documentclass[5p,twocolumn,authoryear]{{elsarticle}}{_FONTS}\\usepackage{{url}}\n",
        _ELSEVIER_FRONT, "elsarticle-harv"),
}  # fmt: skip


def print_latex(paper: Invented, layout: Layout, folder: Path) -> Path:
    """Print a paper to `folder`/KEY.pdf.

    Raises:
        RecsysError: pdflatex is not installed, or makes no PDF of it.
    """
    name = paper.work.key
    (folder / f"{name}.bib").write_text("".join(map(_entry, paper.cites)), encoding="utf-8")
    (folder / f"{name}.tex").write_text(_document(paper, layout), encoding="utf-8")
    made = folder / f"{name}.pdf"
    for command in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=batchmode"] if command == "pdflatex" else []
        _run([command, *options, name], folder, paper.work.year)
    if not made.is_file():
        raise RecsysError(f"pdflatex made no {made.name}.", f"Read {made.with_suffix('.log')}.")
    return made


def _run(command: Sequence[str], folder: Path, year: int) -> None:
    """Run a program as in May of a year: a PDF tells when it was made."""
    then = int(datetime(year, 5, 3, tzinfo=UTC).timestamp())
    clock = {"SOURCE_DATE_EPOCH": str(then), "FORCE_SOURCE_DATE": "1"}
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=os.environ | clock,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except OSError as error:
        raise RecsysError(
            f"{command[0]} could not be started: {error.strerror}.",
            "apt-get install texlive-latex-extra texlive-publishers",
        ) from error


def _document(paper: Invented, layout: Layout) -> str:
    work = paper.work
    names = [f"{author.given} {author.family}" for author in work.authors]
    front = layout.front.format(
        title=_escaped(work.title),
        authors=" \\and ".join(names),
        listed=", ".join(names),
        acm_authors="\n".join(_author(name, layout) for name in names),
        abstract=_escaped(paper.abstract),
        date=f"May {work.year}",
        place=f"{work.venue} {work.volume}, {work.page} ({work.year})",
    )
    body = "\n\n".join(
        f"\\section{{{heading}}}\n" + re.sub(r"\{\{(\w+)\}\}", r"\\cite{\1}", _escaped(text))
        for heading, text in paper.text
    )
    end = f"\\nocite{{*}}\\bibliographystyle{{{layout.style}}}\\bibliography{{{work.key}}}"
    return f"{layout.head}{front}{body}\n{end}\n\\end{{document}}\n"


def _author(name: str, layout: Layout) -> str:
    if "acmart" in layout.head:
        place = "\\affiliation{\\institution{Institute of Orchards}\\city{Riga}\\country{Latvia}}"
        return f"\\author{{{name}}}{place}\\email{{x@example.org}}"
    if "revtex" in layout.head:
        return f"\\author{{{name}}}\\affiliation{{Institute of Orchards, Riga, Latvia}}"
    return f"\\author{{{name}}}\\address{{Institute of Orchards, Riga, Latvia}}"


def _entry(work: Work) -> str:
    """Write a BibTeX entry, its title protected as people do with proper names."""
    kind = "article" if work.kind == "preprint" else work.kind
    place = "booktitle" if kind == "inproceedings" else "journal"
    venue = f"arXiv preprint arXiv:{work.arxiv}" if work.arxiv else work.venue
    fields = {
        "author": " and ".join(f"{each.family}, {each.given}" for each in work.authors),
        "title": re.sub(r"\b(\w*[a-z]?[A-Z]\w*)", r"{\1}", work.title),
        place: venue,
        "year": str(work.year),
        "doi": work.doi,
    }
    if work.kind == "article":
        fields |= {"volume": str(work.volume), "number": str(work.number)}
    if not work.arxiv:
        fields["pages"] = f"{work.page}--{work.page + 11}"
    lines = (f"  {key} = {{{_escaped(value)}}},\n" for key, value in fields.items() if value)
    return f"@{kind}{{{work.key},\n{''.join(lines)}}}\n"


def _escaped(text: str) -> str:
    return re.sub(r"([%&#])", r"\\\1", text).replace("\u2013", "--")
