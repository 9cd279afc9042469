"""Find the title of a LaTeX draft: by its command, else as a guess by its first page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recsys.formats.latex.latex_authors import names_in_piece
from recsys.formats.latex.latex_commands import after_group, commands, first_text, group
from recsys.formats.latex.latex_words import Words

LONGEST_PAGE = 5_000
"""Characters of the first page among which a title is guessed."""
FEWEST_WORDS, MOST_WORDS = 2, 40

_TITLES = "title|Title|icmltitle|aistatstitle|papertitle"
# A line below the title in small letters is a note.
_SMALL = re.compile(
    r"\\\\\s*(?:\[[^\[\]]{0,20}\]\s*)?(?=\{\s*\\(?:tiny|scriptsize|footnotesize)(?![A-Za-z@]))"
)
_INFORMATION = re.compile(r"\\(?:hypersetup|pdfinfo)\s*(?=\{)")
_OF_FILE = re.compile(r"\b(?:pdftitle\s*=|/Title)\s*(?=[{(])")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_FRONT_ENDS = re.compile(
    r"\\(?:begin\s*\{(?:abstract|thebibliography)|(?:chapter|section|addchap|tableofcontents|maketitle)"
    r"(?![A-Za-z@])|end\s*\{titlepage)"
)
_SIZES = ("Huge", "huge", "LARGE", "Large")
_SIZED = re.compile(
    r"(?:\{\s*)\\(Huge|huge|LARGE|Large)(?![A-Za-z@])|\\(Huge|huge|LARGE|Large)\s*(?=\{)"
)
_NO_TITLE = re.compile(r"(?i)\b(?:universit|institut|department|faculty|school|college|thesis\b)")


@dataclass(frozen=True, slots=True)
class Title:
    """A title, empty where none was found. sure: no guess. authors: guessed together with it."""

    text: str
    sure: bool = True
    authors: tuple[str, ...] = ()


def title_of(source: str, words: Words) -> Title:
    """Return the title with its subtitle, else that of the file, else the largest words."""
    whole = (arguments[0] for _, arguments in commands(source, _TITLES))
    given = (title for each in whole for title in (_without_small(each), each))
    title = first_text(given, words.text)
    if title:
        below = (arguments[0] for _, arguments in commands(source, "subtitle"))
        subtitle = first_text(below, words.text)
        return Title(f"{title}: {subtitle}" if subtitle else title)
    guessed = first_text(_of_file(source), words.text)
    return Title(guessed, sure=False) if guessed else _printed(source, words)


def _without_small(title: str) -> str:
    """Remove lines in small letters from a title."""
    while small := _SMALL.search(title):
        inside = group(title, small.end())
        if inside is None:
            break
        title = title[: small.start()] + title[after_group(title, small.end(), inside) :]
    return title


def _of_file(source: str) -> Iterator[str]:
    """Yield what the source tells readers of the PDF as its title."""
    for match in _INFORMATION.finditer(source):
        inside = group(source, match.end()) or ""
        for title in _OF_FILE.finditer(inside):
            yield group(inside, title.end()) or inside[title.end() + 1 :].partition(")")[0]


def _printed(source: str, words: Words) -> Title:
    """Guess the title by the size of its letters, and the authors by the line below it."""
    begin = _BEGIN.search(source)
    page = source[begin.end() : begin.end() + LONGEST_PAGE] if begin else ""
    end = _FRONT_ENDS.search(page)
    page = page[: end.start()] if end else page
    found = [(_SIZES.index(size), at, inside) for size, at, inside in _sized(page)]
    for _, at, inside in sorted(found, key=lambda each: each[:2]):
        text = words.text(inside)
        if FEWEST_WORDS <= len(text.split()) <= MOST_WORDS and not _NO_TITLE.search(text):
            return Title(text, sure=False, authors=tuple(names_in_piece(page[at:], words)))
    return Title("")


def _sized(page: str) -> Iterator[tuple[str, int, str]]:
    """Yield what is set in large letters: (the size, where it ends, what it is)."""
    for match in _SIZED.finditer(page):
        start = match.start() if match[1] else match.end()
        inside = group(page, start)
        if inside is not None:
            yield match[1] or match[2], after_group(page, start, inside), inside
