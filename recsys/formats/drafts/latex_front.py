"""Find the title, the authors and the abstract of a LaTeX source."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from recsys.formats.drafts.latex_citations import without_citations
from recsys.formats.drafts.latex_commands import (
    MOST_COMMANDS,
    Definition,
    commands,
    definitions,
    expand,
    group,
)
from recsys.formats.drafts.latex_text import LONGEST_PIECE, plain
from recsys.formats.drafts.wording import opening, paragraphs

MOST_NAME_WORDS = 7
MOST_LOOKED_AT = 4 * LONGEST_PIECE
"""Characters among which a title, an abstract or names are looked for."""

_TITLES = "title|Title|icmltitle|aistatstitle|papertitle"
_AUTHORS = "author|Author|icmlauthor|aistatsauthor|IEEEauthorblockN|authorblockN|authorname"
_ABSTRACTS = "abstract|Abstract|abst"
_ENVIRONMENT = re.compile(r"\\begin\s*\{((?:onecol|sci)?abstract\*?|Abstract|quickabstract)\}")
_HEADING = re.compile(
    r"\\(?:chapter|(?:sub)*section|(?:sub)?paragraph)\*?\s*\{\s*(?:\\\w+\s*)*(?i:abstract|summary)\s*\}"
)
_NEXT_HEADING = re.compile(
    r"\\(?:part|chapter|(?:sub)*section|tableofcontents|bibliography|printbibliography|appendix)"
    r"(?![A-Za-z@])"
)
_BODY = re.compile(r"\\(?:maketitle|begin\s*\{document\})(?![A-Za-z@])")
_ENVIRONMENTS = re.compile(
    r"\\begin\s*\{(figure\*?|table\*?|tabular\*?|equation\*?|align\*?|thebibliography|algorithm\*?|"
    r"tikzpicture|CCSXML|IEEEkeywords|keywords?)\}"
)
_SECTIONING = re.compile(r"\\(?:chapter|(?:sub)*section|(?:sub)?paragraph)\*?\s*(?=\{|\[)")
_SEPARATOR = re.compile(r"\\(?:and|And|AND|quad|qquad|hfill)(?![A-Za-z@])|(?<!\\)&")
_LINE_END = re.compile(r"\\\\(?:\s*\[[^\]\n]{0,20}\])?|\\(?:newline|par)(?![A-Za-z@])|\n\s*\n")
_MARK = re.compile(
    r"\$[^$]{0,50}\$|\\(?:textsuperscript|textsubscript)\s*\{[^{}]{0,50}\}|[*\u2020\u2021]"
)
_TRAILING = re.compile(r"[\d\s.*]+\Z")
_NAMES = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+")
_NO_NAME = re.compile(
    r"(?i)[\d@/:]|\b(?:anonymous|universit|institut|department|school of|et al|authors?)"
)


@dataclass(frozen=True, slots=True)
class Front:
    """What a draft says of itself. opening: its first words, where there is no abstract."""

    title: str
    abstract: str | None
    authors: tuple[str, ...]
    opening: str | None = None


def front_matter(source: str) -> Front:
    """Read title, abstract and authors from a source without comments."""
    macros = definitions(source)
    abstract = _first(_abstracts(source), macros)
    return Front(
        title=_title(source, macros),
        abstract=abstract,
        authors=_authors(source, macros),
        opening=None if abstract else _opening(source, macros),
    )


def _title(source: str, macros: Mapping[str, Definition]) -> str:
    title = _first(_arguments(source, _TITLES), macros) or ""
    subtitle = _first(_arguments(source, "subtitle"), macros)
    return f"{title}: {subtitle}" if title and subtitle else title


def _text(latex: str, macros: Mapping[str, Definition]) -> str:
    return plain(without_citations(expand(latex, macros)))


def _first(pieces: Iterable[str], macros: Mapping[str, Definition]) -> str | None:
    """Return the first of some pieces of LaTeX that has a letter in it as text."""
    texts = (_text(piece, macros) for piece in _looked_at(pieces) if "#" not in piece)
    return next((text for text in texts if any(map(str.isalpha, text))), None)


def _looked_at(pieces: Iterable[str]) -> Iterator[str]:
    """Yield pieces until they are `MOST_LOOKED_AT` long: those within one another count again."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MOST_LOOKED_AT:
            return
        yield piece


def _arguments(source: str, names: str) -> Iterator[str]:
    for _, arguments in commands(source, names):
        yield arguments[0]


def _abstracts(source: str) -> Iterator[str]:
    for match in islice(_ENVIRONMENT.finditer(source), MOST_COMMANDS):
        end = source.find(f"\\end{{{match[1]}}}", match.end(), match.end() + LONGEST_PIECE)
        if end >= 0:
            yield source[match.end() : end]
    for _, arguments in commands(source, _ABSTRACTS, most=6):
        # Astronomy & Astrophysics: context, aims, methods, results, conclusions.
        yield " ".join(arguments) if len(arguments) == 5 else arguments[0]
    for match in islice(_HEADING.finditer(source), MOST_COMMANDS):
        rest = source[match.end() : match.end() + LONGEST_PIECE]
        yield _NEXT_HEADING.split(rest, maxsplit=1)[0]


def _opening(source: str, macros: Mapping[str, Definition]) -> str | None:
    """Return the first words of the text, without headings, figures and displayed formulas."""
    starts = [match.end() for match in _BODY.finditer(source)]
    text = source[starts[-1] if starts else 0 :][:LONGEST_PIECE]
    kept = (part for part in paragraphs(_without_floats(text)) if not _is_setup(part))
    return opening(_text(part, macros) for part in kept)


def _without_floats(text: str) -> str:
    """Remove what interrupts the text, and put a blank line in place of each heading."""
    pieces, at = [], 0
    while match := _ENVIRONMENTS.search(text, at):
        pieces.append(text[at : match.start()])
        end = text.find(f"\\end{{{match[1]}}}", match.end())
        at = len(text) if end < 0 else end + len(match[1]) + 6
    text = "".join(pieces) + text[at:]
    pieces, at = [], 0
    for heading in _SECTIONING.finditer(text):
        name = group(text, heading.end())
        if name is not None and heading.start() >= at:
            pieces += [text[at : heading.start()], "\n\n"]
            at = heading.end() + len(name) + 2
    return "".join(pieces) + text[at:]


def _is_setup(part: str) -> bool:
    """Whether a paragraph is commands rather than text, as a preamble is."""
    return bool(
        re.match(r"\\(?:documentclass|usepackage|(?:re)?newcommand|def|author|title)\b", part)
    )


def _authors(source: str, macros: Mapping[str, Definition]) -> tuple[str, ...]:
    """Read the names of all commands for authors; blocks of IEEE go before what holds them."""
    found = list(commands(source, _AUTHORS))
    blocks = [arguments[0] for name, arguments in found if name.endswith("blockN")]
    pieces = blocks or [arguments[0] for _, arguments in found if "#" not in arguments[0]]
    names = (name for piece in _looked_at(pieces) for name in _names(piece, macros))
    return tuple(dict.fromkeys(names))


def _names(piece: str, macros: Mapping[str, Definition]) -> Iterator[str]:
    """Yield the names in one argument: the first line of each part, and lines that go on."""
    for part in _SEPARATOR.split(expand(piece, macros)):
        names = [_TRAILING.sub("", name) for name in _NAMES.split(_name_lines(part))]
        for name in names:
            words = len(name.split())  # One word among others is a degree or a membership.
            if (1 if len(names) == 1 else 2) <= words <= MOST_NAME_WORDS:
                yield from () if _NO_NAME.search(name) else (name,)


def _name_lines(part: str) -> str:
    """Return the first line of a part that has text, and those that it goes on into."""
    taken = ""
    for line in _LINE_END.split(part):
        text = plain(_MARK.sub(" ", line)).strip()
        if not text and not taken:
            continue
        taken = f"{taken} {text}"
        if not text.endswith((",", " and")):
            break
    return taken.strip(" ,;")
