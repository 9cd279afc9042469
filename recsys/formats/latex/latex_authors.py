"""Find the authors of a LaTeX draft, as the classes of publishers have them written."""

import re
from collections.abc import Iterator

from recsys.formats.latex.latex_commands import (
    after_group,
    after_options,
    commands,
    group,
    is_template,
    looked_at,
)
from recsys.formats.latex.latex_text import plain
from recsys.formats.latex.latex_words import Words

MOST_NAME_WORDS = 7
MOST_CUT = 500
"""Commands within one list of authors that are looked at."""

_AUTHORS = (
    "author|Author|icmlauthor|aistatsauthor|IEEEauthorblockN|authorblockN|authorname|authorsnames"
)
_SEPARATOR = re.compile(r"\\(?:and|And|AND|quad|qquad|hfill|alignauthor)(?![A-Za-z@])|(?<!\\)&")
_LINE_END = re.compile(r"\\\\(?:\s*\[[^\]\n]{0,20}\])?|\\(?:newline|par)(?![A-Za-z@])|\n\s*\n")
_MARK = re.compile(
    r"\$[^$]{0,50}\$|\\(?:textsuperscript|textsubscript)\s*\{[^{}]{0,50}\}|[*\u2020\u2021]"
)
# What stands beside a name, with its argument; its own "\and" and line ends separate no authors.
_BESIDE = re.compile(
    r"\\(?:institute|institution|affil(?:iation)?s?|address|addr|affaddr|email|Email|ead|thanks|"
    r"footnote|titlenote|authornote|authormark|funding|orcid(?:ID|link)?|url|texttt)(?![A-Za-z@])"
)
_NAMED = re.compile(
    r"\\(?:name|Name)(?![A-Za-z@])(.*?)"
    r"(?=\\(?:name|Name|email|Email|addr|AND|And|and)(?![A-Za-z@])|\\\\|\Z)",
    re.DOTALL,
)
_COLUMNS = re.compile(r"\\multicolumn\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,50}\}\s*(?=\{)")
_LEADING, _TRAILING = re.compile(r"\A[\d\s.,*]+"), re.compile(r"[\d\s.*]+\Z")
_DEGREES = re.compile(r"\A(?:(?:Prof(?:essor)?|Dr|Mrs?|Ms)\b\.?(?:-Ing\.)?\s*)+(?=\w)")
_NAMES = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+")
_NO_NAME = re.compile(
    r"(?i)[\d@/:]|\b(?:anonymous|universit|institut|department|school of|et al|authors?)"
)


def authors_of(source: str, words: Words) -> tuple[str, ...]:
    """Read the names of all commands for authors; blocks of IEEE go before what holds them."""
    found = list(commands(source, _AUTHORS, most=2))
    blocks = [arguments[0] for name, arguments in found if name.endswith("blockN")]
    pieces = blocks or [_whole(name, arguments) for name, arguments in found]
    given = (piece for piece in pieces if not is_template(piece))
    names = (name for piece in looked_at(given) for name in names_in_piece(piece, words))
    return tuple(dict.fromkeys(names))


def _whole(name: str, arguments: list[str]) -> str:
    """Return a name that is written in two arguments, given and family, as one."""
    in_two = name == "Author" and len(arguments) == 2 and arguments[1].strip()
    return f"{arguments[0]} {arguments[1]}" if in_two else arguments[0]


def names_in_piece(piece: str, words: Words) -> Iterator[str]:
    """Yield the names in one argument: the first line of each part, and lines that go on."""
    expanded = _without_beside(words.expanded(piece))
    named = [match[1] for match in _NAMED.finditer(expanded)]
    for part in named or _SEPARATOR.split(expanded):
        names = [_bare(name) for name in _NAMES.split(_name_lines(part))]
        for name in names:
            length = len(name.split())  # One word among others is a degree or a membership.
            if (1 if len(names) == 1 else 2) <= length <= MOST_NAME_WORDS:
                yield from () if _NO_NAME.search(name) else (name,)


def _bare(name: str) -> str:
    return _DEGREES.sub("", _LEADING.sub("", _TRAILING.sub("", name))).strip()


def _without_beside(piece: str) -> str:
    """Cut out affiliations, addresses and notes with their arguments."""
    piece = _COLUMNS.sub(r"\\institute", piece)  # What spans the names of a table is no name.
    pieces, at = list[str](), 0
    for number, match in enumerate(_BESIDE.finditer(piece)):
        if match.start() < at or number > MOST_CUT:
            continue
        behind = after_options(piece, match.end())
        inside = group(piece, behind)
        if inside is not None:
            pieces.append(piece[at : match.start()])
            at = after_group(piece, behind, inside)
    return "".join(pieces) + piece[at:]


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
