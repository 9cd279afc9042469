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
    "[{": "thanks footnote footnotetext todo corref cortext fnref affil affiliation address "
    "titlenote subtitlenote authornote tnotetext hypersetup color pagecolor glsadd",
    "{": "inst orcid orcidID orcidlink email label ref eqref autoref cref Cref pageref vspace "
    "pagestyle thispagestyle vskip keywords tnoteref thanksref authorrunning titlerunning "
    "bibliographystyle IEEEmembership authormark affaddr index selectlanguage nametag titletag "
    "linespread addtocounter phantom hphantom vphantom ead markright CSLLeftMargin",
    "{{": "fontsize setlength addtolength setcounter markboth rule",
    "{{{": "addcontentsline definecolor providecolor",
    "*{": "hspace",
    "[": "footnotemark linebreak pagebreak authornotemark",
    "*[[{": "includegraphics",
    "": "protect newblock titlefont maketitle noindent indent centering selectfont "
    "ignorespaces unskip xspace fnmsep equalcontrib Yinyang",
}
_KEPT = {  # The argument that is its text, counted from 1.
    **dict.fromkeys(
        "textsuperscript textsubscript textmd textsf texttt textup mbox hbox url nolinkurl path "
        "bibnamefont bibfnamefont citenamefont fbox smash centerline keyFont".split(),
        ("{", "%(1)s"),
    ),
    **dict.fromkeys("hyperlink hypertarget texorpdfstring".split(), ("{{", "%(2)s")),
    **dict.fromkeys("colorbox bibinfo bibfield foreignlanguage textlang".split(), ("{{", "%(2)s")),
    "hyperref": ("[{", "%(2)s"),
    "rotatebox": ("[{{", "%(3)s"),
    "textls": ("*[{", "%(3)s"),
    "authororcid": ("{{", "%(1)s"),
    "textcolor": ("[{{", "%(3)s"),
    "fcolorbox": ("{{{", "%(3)s"),
    "scalebox": ("{[{", "%(3)s"),
    "resizebox": ("*{{{", "%(4)s"),
    "raisebox": ("{[[{", "%(4)s"),
    "makebox": ("[[{", "%(3)s"),
    "framebox": ("[[{", "%(3)s"),
    "parbox": ("[[[{{", "%(5)s"),
    "LaTeX": ("", "LaTeX"),
    "TeX": ("", "TeX"),
    "BibTeX": ("", "BibTeX"),
    "surname": ("{", "%(1)s"),
    **dict.fromkeys("par quad qquad break newline hfill hfil vfill enspace".split(), ("", " ")),
}
_CASED: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("MakeUppercase", "uppercase", "MakeTextUppercase"), str.upper),
    **dict.fromkeys(("MakeLowercase", "lowercase", "MakeTextLowercase"), str.lower),
}
_ENVIRONMENTS = {  # The arguments of environments that are no text.
    "minipage": "[[[{",
    "multicols": "{",
    "spacing": "{",
    "otherlanguage": "{",
    "otherlanguage*": "{",
    "adjustwidth": "{{",
}
_DROPPED_ENVIRONMENTS = ("IEEEkeywords", "keywords", "keyword", "figure", "figure*", "table")
_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")  # Bold, script and other letters of formulas.
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+\*?|.)|[{}$~]")
_ADDRESS = re.compile(
    r"\\(?:(href)\s*(?:\[[^\[\]]{0,200}\]\s*)?|(?:url|path|nolinkurl)\s*)\{[^{}\n]{0,2000}\}"
)
_FREE = re.compile(r"[\\{}$~^_&%#\-`']")


P = ParamSpec("P")
T = TypeVar("T")


def plain(latex: str) -> str:
    """Turn a piece of LaTeX into one line of text, its mathematics into Unicode."""
    latex = _ADDRESS.sub(_shown, latex[:LONGEST_PIECE].replace(r"\xspace", "{}"))
    if not _FREE.search(latex):
        return clean(latex)
    try:
        return clean(_LETTERS.sub(_plain_letters, _converter()(latex)))
    except Exception:  # Whatever a broken piece does to the walker: its words are still there.
        return clean(_COMMAND.sub(" ", latex))


def _shown(address: re.Match[str]) -> str:
    """Leave an address that is text, its percent signs no comments; drop that of a link."""
    return "{}" if address[1] else re.sub(r"(?<!\\)%", r"\\%", address[0])


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
    walked.add_context_category("draft", **arguments, prepend=True)
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


def _cased(change: Callable[[str], str]) -> Callable[["LatexMacroNode", "LatexNodes2Text"], str]:
    """Show the argument in capitals, or in small letters."""

    def show(node: "LatexMacroNode", l2tobj: "LatexNodes2Text") -> str:  # Known by these names.
        arguments = [each for each in node.nodeargd.argnlist if each is not None]
        return change(str(l2tobj.nodelist_to_text(arguments)))

    return show


def _tables() -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return how commands and environments are parsed, and how they are shown."""
    from pylatexenc.latex2text import EnvironmentTextSpec, MacroTextSpec
    from pylatexenc.macrospec import std_environment, std_macro

    dropped = {name: form for form, names in _DROPPED.items() for name in names.split()}
    arguments = [std_macro(name, form) for name, form in dropped.items()]
    arguments += [std_macro(name, form) for name, (form, _) in _KEPT.items()]
    arguments += [std_macro(name, "{") for name in _CASED]
    macros = [MacroTextSpec(name, "") for name in dropped]
    macros += [MacroTextSpec(name, shown) for name, (_, shown) in _KEPT.items()]
    macros += [MacroTextSpec(name, _cased(change)) for name, change in _CASED.items()]
    macros += [MacroTextSpec(name, _accented(accent)) for name, accent in _ACCENTS.items()]
    environments = [EnvironmentTextSpec(name, discard=True) for name in _DROPPED_ENVIRONMENTS]
    parsed = [std_environment(name, form) for name, form in _ENVIRONMENTS.items()]
    return (
        {"macros": arguments, "environments": parsed},
        {"macros": macros, "environments": environments},
    )
