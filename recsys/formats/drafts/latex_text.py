"""Turn pieces of LaTeX into text, by pylatexenc's node walker."""

import logging
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from recsys.formats.drafts.wording import clean

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexMacroNode

LONGEST_PIECE = 50_000
"""Characters of LaTeX that are turned into text; it takes half a second."""

STEPS, _FEWEST_STEPS = 4, 1_000
"""Tokens that the walker may look at, for each character; ordinary text takes 1.5 at most."""
_ACCENTS = dict(
    pair.split(":")
    for pair in (
        "':\u0301 `:\u0300 ^:\u0302 ~:\u0303 \":\u0308 =:\u0304 .:\u0307 b:\u0331 c:\u0327 "
        "d:\u0323 H:\u030b k:\u0328 r:\u030a u:\u0306 v:\u030c acute:\u0301 bar:\u0305 "
        "breve:\u0306 check:\u030c ddot:\u0308 dot:\u0307 grave:\u0300 hat:\u0302 "
        "tilde:\u0303 vec:\u20d7 not:\u0338"
    ).split()
)

# What does not belong to the text around it, with the form of its arguments.
_DROPPED = {
    "[{": "thanks footnote footnotetext todo corref cortext fnref affil affiliation address",
    "{": "inst orcid orcidID orcidlink email label ref eqref autoref cref Cref pageref vspace "
    "hspace pagestyle thispagestyle vskip keywords tnoteref thanksref authorrunning titlerunning "
    "bibliographystyle fontsize IEEEmembership",
    "[": "footnotemark linebreak pagebreak",
    "*[[{": "includegraphics",
    "": "protect newblock titlefont maketitle noindent indent centering par",
}
_KEPT = {  # The argument that is its text, counted from 1.
    "textsuperscript": ("{", "%(1)s"),
    "textsubscript": ("{", "%(1)s"),
    "mbox": ("{", "%(1)s"),
    "hbox": ("{", "%(1)s"),
    "href": ("{{", "%(2)s"),
    "url": ("{", "%(1)s"),
    "texorpdfstring": ("{{", "%(2)s"),
    "textcolor": ("[{{", "%(3)s"),
    "colorbox": ("{{", "%(2)s"),
    "LaTeX": ("", "LaTeX"),
    "TeX": ("", "TeX"),
    "BibTeX": ("", "BibTeX"),
    "bibinfo": ("{{", "%(2)s"),
    "bibfield": ("{{", "%(2)s"),
    "bibnamefont": ("{", "%(1)s"),
    "bibfnamefont": ("{", "%(1)s"),
    "quad": ("", " "),
    "qquad": ("", " "),
}
_DROPPED_ENVIRONMENTS = ("IEEEkeywords", "keywords", "keyword", "figure", "figure*", "table")
_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")  # Bold, script and other letters of formulas.
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+\*?|.)|[{}$~]")
_FREE = re.compile(r"[\\{}$~^_&%#\-`']")


P = ParamSpec("P")
T = TypeVar("T")


def plain(latex: str) -> str:
    """Turn a piece of LaTeX into one line of text, its mathematics into Unicode."""
    latex = latex[:LONGEST_PIECE].replace(r"\xspace", "{}")
    if not _FREE.search(latex):
        return clean(latex)
    try:
        return clean(_LETTERS.sub(_plain_letters, _converter()(latex)))
    except Exception:  # Whatever a broken piece does to the walker: its words are still there.
        return clean(_COMMAND.sub(" ", latex))


def _plain_letters(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


@cache
def _converter() -> Callable[[str], str]:
    """Prepare the walker with the commands that its own tables lack, or show otherwise."""
    from pylatexenc import latex2text, latexwalker

    # It warns of what it cannot read; here, that is ordinary.
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    arguments, texts = _tables()
    walked, shown = (
        latexwalker.get_default_latex_context_db(),
        latex2text.get_default_latex_context_db(),
    )
    walked.add_context_category("draft", macros=arguments, prepend=True)
    shown.add_context_category("draft", **texts, prepend=True)
    renderer = latex2text.LatexNodes2Text(latex_context=shown, math_mode="text")

    def convert(latex: str) -> str:
        walker = latexwalker.LatexWalker(latex, latex_context=walked, tolerant_parsing=True)
        walker.get_token = _limited(walker.get_token, STEPS * len(latex) + _FEWEST_STEPS)
        return str(renderer.nodelist_to_text(walker.get_latex_nodes()[0]))

    return convert


def _limited(step: Callable[P, T], most: int) -> Callable[P, T]:
    """Let a step be taken so often: behind brackets that never close, the walker tries all ways."""
    steps = count()

    def counted(*arguments: P.args, **options: P.kwargs) -> T:
        if next(steps) > most:
            raise _TooMuchWork
        return step(*arguments, **options)

    return counted


class _TooMuchWork(Exception):
    """A piece takes more steps than any text does."""


def _accented(accent: str) -> Callable[["LatexMacroNode", "LatexNodes2Text"], str]:
    """Put an accent on the first letter; the walker's own doubles what accents in accents hold."""

    def show(node: "LatexMacroNode", l2tobj: "LatexNodes2Text") -> str:  # Known by these names.
        if not node.nodeargs:
            return f" {accent}"
        text = str(l2tobj.nodelist_to_text([node.nodeargs[0]])).strip()
        first = {"\u0131": "i", "\u0237": "j"}.get(text[:1], text[:1])
        return unicodedata.normalize("NFC", first + accent) + text[1:] if text else ""

    return show


def _tables() -> tuple[list[Any], dict[str, list[Any]]]:
    """Return how commands are parsed, and how commands and environments are shown."""
    from pylatexenc.latex2text import EnvironmentTextSpec, MacroTextSpec
    from pylatexenc.macrospec import std_macro

    dropped = {name: form for form, names in _DROPPED.items() for name in names.split()}
    arguments = [std_macro(name, form) for name, form in dropped.items()]
    arguments += [std_macro(name, form) for name, (form, _) in _KEPT.items()]
    macros = [MacroTextSpec(name, "") for name in dropped]
    macros += [MacroTextSpec(name, shown) for name, (_, shown) in _KEPT.items()]
    macros += [MacroTextSpec(name, _accented(accent)) for name, accent in _ACCENTS.items()]
    environments = [EnvironmentTextSpec(name, discard=True) for name in _DROPPED_ENVIRONMENTS]
    return arguments, {"macros": macros, "environments": environments}
