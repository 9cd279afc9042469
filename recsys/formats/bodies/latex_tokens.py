"""The tokens of LaTeX by which running text is read, and what small pieces of it show."""

import re
from functools import lru_cache

from recsys.formats.bodies.latex_names import ARGUMENTS, NOTES, RUN_IN, SECTIONS, TODOS
from recsys.formats.latex.latex_commands import after_options, groups
from recsys.formats.latex.latex_text import plain

TOKEN = re.compile(
    r"""
    \\\\(?:\*|[^\S\n]?\[[^\]\n]{0,20}\])?
    | \\(?P<edge>begin|end)\s?\{(?P<environment>[^{}\n]{1,50})\}
    | \\\[(?P<displayed>(?:(?!\\\[).){0,10000}?)\\\]
    | \\\((?P<inline>(?:(?!\\\(|\n[^\S\n]*\n).){0,2000}?)\\\)
    | \$\$(?P<dollars>[^$]{0,10000}?)\$\$
    | \$(?P<dollar>(?:\\.|(?!\n[^\S\n]*\n)[^$\\]){1,2000}?)\$
    | (?P<accent>\\(?:['`^"~=.]\s{0,2}|[bcdHkruv](?:\s{1,2}|(?=\{)))
        (?:\{\\?[^\W\d_]{0,2}\s?\}|\\[ij](?![A-Za-z])|[^\W\d_]))
    | \\(?P<name>[A-Za-z@]+)\*?
    | \\(?P<symbol>.)
    | (?P<blank>\n[^\S\n]*\n\s*)
    | (?P<chunk>(?:\A|(?<=\n))<<[^\n]{0,1000}>>=[^\n]*\n)
    | (?P<ligature>``|''|---?)
    | (?P<glyph>[{}~&]|\$)
    """,
    re.VERBOSE | re.DOTALL,
)
TEXTUAL = re.compile(
    r"[Cc]ite(?:al)?t\*?\Z|[Cc]itet|[Tt]extcite|newcite|[Cc]iteauthor|citeasnoun|[sS]hortciteN|citeN\Z|"
    r"citeA\Z|[Pp]osscite|textcquote|citeposs"
)
CHUNK_END = re.compile(r"(?m)^@[^\S\n]*(?:%[^\n]*)?(?:\n|\Z)")
SPACES = re.compile(r"\s*")
PLACE = re.compile(r"#([1-9])")
_NAME = re.compile(r"\\([A-Za-z@]+)")
_TAKING = frozenset(
    (*TODOS, *NOTES, *SECTIONS, *RUN_IN, "begin", "end", "item", "def", "newcommand")
)
ENDS_PARAGRAPH = frozenset("item par newpage clearpage bigskip medskip maketitle".split())


@lru_cache(maxsize=4096)
def shown_by(latex: str) -> str:
    """Return what a piece of LaTeX shows: an accented letter, a symbol, a short formula."""
    return plain(latex)


@lru_cache(maxsize=1024)
def swallows(body: str) -> bool:
    """Whether a macro's body gives its arguments to a command for which they are no text."""
    if "$" in body or "\\(" in body or "\\[" in body:
        return True
    for match in _NAME.finditer(body):
        name = match[1]
        if name in ARGUMENTS:
            taken = groups(body, after_options(body, match.end()), ARGUMENTS[name])
            if any("#" in value for value in taken):
                return True
        elif name in _TAKING or "cite" in name.lower() or name.startswith("if"):
            return True
    return False
