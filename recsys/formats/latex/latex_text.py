r"""Read pieces of LaTeX as text, and write text as LaTeX: accents, symbols, braces, mathematics.

One pass without recursion: a field of a million braces costs as much as one of a million letters.
pylatexenc, which knows what `\aleph` or `\textmu` stand for, serves as dictionary.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from recsys.formats.drafts.wording import clean

LONGEST_PIECE = 50_000
"""Characters of LaTeX that are turned into one line of text."""
ARGUMENTS: Mapping[str, str] = {
    name: form
    for form, names in {
        "": "protect newblock titlefont maketitle noindent indent centering selectfont today "
        "unskip ignorespaces fnmsep equalcontrib Yinyang footnotemark linebreak pagebreak "
        "authornotemark makebox framebox hyperref textls",
        "-": "thanks footnote footnotetext todo corref cortext fnref affil affiliation address "
        "titlenote subtitlenote authornote tnotetext hypersetup color pagecolor glsadd inst "
        "orcid orcidID orcidlink email label ref eqref autoref cref Cref pageref vspace hspace "
        "vskip pagestyle thispagestyle keywords Keywords keyword IEEEkeywords keyphrases "
        "tnoteref thanksref authorrunning titlerunning "
        "bibliographystyle IEEEmembership authormark affaddr index selectlanguage nametag "
        "titletag linespread phantom hphantom vphantom ead markright CSLLeftMargin "
        "includegraphics input include cite citep citet bibliography documentclass usepackage "
        "RequirePackage APACinsertmetastar",
        "-+": "hyperlink hypertarget texorpdfstring colorbox bibinfo bibfield foreignlanguage "
        "textlang textcolor rotatebox scalebox raisebox parbox href",
        "+-": "authororcid",
        "--": "fontsize setlength addtolength setcounter addtocounter markboth rule "
        "newcommand renewcommand providecommand",
        "--+": "fcolorbox resizebox",
        "---": "addcontentsline definecolor providecolor newenvironment renewenvironment",
    }.items()
    for name in names.split()
}
"""Which arguments in braces of a command are text (+), and which are not (-).

What stands in square brackets is none, either.
"""
ENVIRONMENT_ARGUMENTS: Mapping[str, int] = {
    "multicols": 1, "minipage": 1, "adjustwidth": 2, "spacing": 1, "list": 2, "subfigure": 1,
    "otherlanguage": 1, "tabular": 1, "tabular*": 2, "tabularx": 2, "array": 1, "alignat": 1,
}  # fmt: skip
SIGNS: Mapping[str, str] = {
    **{sign: sign for sign in "&%$#_{}"},
    **dict.fromkeys(" ,;:>\\\n\t", " "),
    **dict.fromkeys("!-/@", ""),
}
"""What a backslash before a sign shows."""
LIGATURES = {"---": "\u2014", "--": "\u2013", "``": "\u201c", "''": "\u201d"}

_ACCENTS = dict(
    pair.split(":")
    for pair in (
        "':\u0301 `:\u0300 ^:\u0302 ~:\u0303 \":\u0308 =:\u0304 .:\u0307 b:\u0331 c:\u0327 "
        "d:\u0323 H:\u030b k:\u0328 r:\u030a u:\u0306 v:\u030c"
    ).split()
)
_FORMULA_ACCENTS = dict(
    pair.split(":")
    for pair in (
        "acute:\u0301 bar:\u0305 breve:\u0306 check:\u030c ddot:\u0308 dot:\u0307 grave:\u0300 "
        "hat:\u0302 tilde:\u0303 vec:\u20d7 not:\u0338"
    ).split()
)
_NAMED = {
    "i": "i",
    "j": "j",
    "ne": "\u2260",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textbackslash": "\\",
    "textbraceleft": "{",
    "textbraceright": "}",
    **dict.fromkeys("quad qquad newline par item break enspace hfill hfil vfill".split(), " "),
    **{name: name for name in ("TeX", "LaTeX", "BibTeX", "LaTeXe", "XeTeX", "LuaTeX", "TikZ")},
}
_LEFT_OUT_ENVIRONMENTS = frozenset("IEEEkeywords keywords keyword figure table".split())
_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")  # Bold, script and other letters of formulas.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {character: "\\" + character for character in "&%$#_"}
_ESCAPED = re.compile(r"[\\{}~^&%$#_]")
# Two of these in a row would be set as one character, such as a dash or a quotation mark.
_LIGATURE = re.compile(
    r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)|(?<=,)(?=,)|(?<=<)(?=<)|(?<=>)(?=>)"
)
_ACTIVE = re.compile(r"[\\{}$~]|--|``|''")
_TOKEN = re.compile(
    r"""
    \\(?P<edge>begin|end)\s*\{(?P<environment>[^{}\n]{1,50})\}
    | \\(?:url|path|nolinkurl)\s*\{(?P<address>[^{}\n]{0,2000})\}
    | \\(?P<name>[A-Za-z]+)(?:\*(?=\s*[\[{]))?(?P<space>[ \t\n]*)
    | \\(?P<sign>.)
    | (?P<mark>[{}\[\]$~&\\])
    | (?P<ligature>---?|``|'')
    | (?P<text>[^\\{}\[\]$~&\-`']+|[-`'])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Argument:
    """An argument that a command takes: what becomes of its text.

    bare: whether it may be a letter without braces. unused: what is shown where it is missing.
    """

    change: Callable[[str], str]
    bare: bool = True
    unused: str = ""


_FORMS = {"-": _Argument(lambda text: "", bare=False), "+": _Argument(str, bare=False)}
_CHANGED: Mapping[str, tuple[_Argument, ...]] = {
    "sqrt": (_Argument("\u221a({})".format),),
    **dict.fromkeys(
        "frac nicefrac textfrac tfrac dfrac".split(), (_Argument("{}/".format), _Argument(str))
    ),
    **dict.fromkeys("MakeUppercase uppercase MakeTextUppercase".split(), (_Argument(str.upper),)),
    **dict.fromkeys("MakeLowercase lowercase MakeTextLowercase".split(), (_Argument(str.lower),)),
}


def to_latex(text: str) -> str:
    """Escape text on one line so that LaTeX sets it as it is."""
    parts = _LIGATURE.split(text)
    return "{}".join(_ESCAPED.sub(lambda match: _SPECIAL[match[0]], part) for part in parts)


def plain(latex: str) -> str:
    """Turn a piece of a draft into one line of text, its mathematics into Unicode."""
    text = _Scanner(draft=True).read(latex[:LONGEST_PIECE])
    return clean(_LETTERS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text))


def from_latex(source: str) -> str:
    r"""Return the text that LaTeX would set: no braces, no macros, accents on their letters.

    A field of a bibliography or of a record: "&" stands for itself there, and signs of scripts go.

    >>> from_latex(r"G\"{o}del, {\L}ukasz \& Mar{\'\i}a: {BERT} in $O(n^2)$")
    'Gödel, Łukasz & María: BERT in O(n2)'
    """
    return _Scanner(draft=False).read(source) if _ACTIVE.search(source) else source


def is_macro(name: str) -> bool:
    """Tell whether a macro is one of LaTeX's or of its usual packages', not an author's own."""
    return name in {*_ACCENTS, *_NAMED, *ARGUMENTS} or name in _macros()


def symbol(name: str) -> str:
    """Return what a macro stands for; "" where it stands for no character."""
    if name in _NAMED:
        return _NAMED[name]
    shown = _macros().get(name)
    # "<ref>" and what has arguments are none.
    if isinstance(shown, str) and "%" not in shown and not shown.startswith("<"):
        return shown
    return ""


@dataclass(slots=True)
class _Group:
    """A group that is open: what closes it, where its text begins, and what becomes of that.

    arguments: that the last command in it still takes. options: whether it may take some in square
    brackets, too, which are text (+) or not (-).
    """

    closing: str
    start: int
    change: Callable[[str], str] | None = None
    arguments: list[_Argument] = field(default_factory=list)
    options: str = ""


class _Scanner:
    """The text so far, and the groups that are open."""

    def __init__(self, *, draft: bool) -> None:
        """Begin; draft: whether scripts keep their signs, and "&" divides columns."""
        self.draft = draft
        self.shown: list[str] = []
        self.groups = [_Group("", 0)]
        self.in_formula = False

    def read(self, source: str) -> str:
        """Read a piece of LaTeX; what never closes keeps its text."""
        for match in _TOKEN.finditer(source):
            kind, following = str(match.lastgroup), source[match.end() : match.end() + 1]
            if kind == "space":
                self._name(match["name"], match["space"], following)
            elif kind == "environment":
                self._environment(match["edge"], match["environment"].strip(), following)
            elif kind == "ligature":
                self._text(LIGATURES[match["ligature"]])
            elif kind == "address":
                self._whole(match["address"])
            else:
                getattr(self, f"_{kind}")(match[kind])
        self._end_arguments()
        return "".join(self.shown)

    def _name(self, name: str, space: str, following: str) -> None:
        accent = _ACCENTS.get(name) or (_FORMULA_ACCENTS.get(name) if self.draft else None)
        if accent:
            self._take([_Argument(partial(_accented, accent))])
        elif name in ARGUMENTS or name in _CHANGED:
            forms = map(_FORMS.__getitem__, ARGUMENTS.get(name, ""))
            self._take([*_CHANGED.get(name, forms)])
        elif shown := space if name == "xspace" else symbol(name):
            # An operator, such as log, stands apart from its argument; a relation from a side.
            apart = shown == name or (self.draft and self.in_formula and following not in "\\^_{}$")
            self._whole(shown + " " * bool(space and apart))
            self.groups[-1].options = "+" if name == "item" else ""
        elif not self.groups[-1].arguments:
            # A relation of an author's own stands between its sides; a switch begins a group.
            between = space and following != "{" and len(self.shown) > self.groups[-1].start
            if between and self.draft and name not in _macros():
                self._whole(" ")
            self.groups[-1].options = "" if space else "-"

    def _sign(self, sign: str) -> None:
        if sign in _ACCENTS:
            empty, unused = (sign if sign in signs else "" for signs in ("^~", "^~`'\""))
            accented = partial(_accented, _ACCENTS[sign], empty=empty)
            self._take([_Argument(accented, unused=unused)])
        elif sign in "()[]":
            self.in_formula = sign in "(["
        elif sign == "\\":
            self._whole(" ")
            self._take([])
        else:
            self._whole(SIGNS.get(sign, ""))

    def _mark(self, mark: str) -> None:
        group = self.groups[-1]
        if mark == "{":
            change = group.arguments.pop(0).change if group.arguments else None
            self.groups.append(_Group("}", len(self.shown), change))
        elif mark == "}":
            self._close("}")
        elif mark == "[" and group.options:
            change = (lambda text: text[1:]) if group.options == "+" else _FORMS["-"].change
            self.groups.append(_Group("]", len(self.shown), change))
            self.shown.append("[")  # In case it never closes.
        elif mark == "]" and group.closing == "]":
            self._close("]")
        elif mark in "[]":
            self._text(mark)
        elif mark == "$":
            self._end_arguments()
            self.in_formula = not self.in_formula
        elif mark != "\\":
            self._text(mark if mark == "&" and not self.draft else " ")

    def _text(self, text: str) -> None:
        """Show text; its first letter may be the argument of a command."""
        if self.in_formula and not self.draft:
            text = re.sub(r"[\^_]", "", text)
        group = self.groups[-1]
        while group.arguments and (group.arguments[0].bare or not text.strip()):
            text = text.lstrip()
            if not text:
                return
            self.shown.append(group.arguments.pop(0).change(text[0]))
            text = text[1:]
        if text.strip():
            self._end_arguments()
        self.shown.append(text)

    def _whole(self, text: str) -> None:
        """Show what a command stands for, which may be an argument as a whole."""
        group = self.groups[-1]
        if group.arguments and group.arguments[0].bare and text:
            text = group.arguments.pop(0).change(text)
        else:
            self._end_arguments()
        self.shown.append(text)

    def _environment(self, edge: str, name: str, following: str) -> None:
        self._whole(" " if edge == "begin" or following not in ".,;:)" else "")
        if edge == "end":
            self._close(name)
        elif name.rstrip("*") in _LEFT_OUT_ENVIRONMENTS:
            self.groups.append(_Group(name, len(self.shown), _FORMS["-"].change))
        else:
            self._take([_FORMS["-"]] * ENVIRONMENT_ARGUMENTS.get(name, 0))

    def _take(self, arguments: list[_Argument]) -> None:
        """Let a command take arguments; those that another one waits for are missing."""
        self._end_arguments()
        self.groups[-1].arguments, self.groups[-1].options = arguments, "-"

    def _end_arguments(self) -> None:
        """Show what stands for arguments that are missing."""
        group = self.groups[-1]
        self.shown += (argument.unused for argument in group.arguments)
        group.arguments, group.options = [], ""

    def _close(self, closing: str) -> None:
        """Close the innermost group of a kind; those in it that never close keep their text."""
        outwards = range(len(self.groups) - 1, 0, -1)
        place = next((n for n in outwards if self.groups[n].closing == closing), 0)
        if place:
            self._end_arguments()
            group = self.groups[place]
            del self.groups[place:]
            if group.change is not None:
                text = "".join(self.shown[group.start :])
                self.shown[group.start :] = [group.change(text)]


def _accented(accent: str, text: str, *, empty: str = "") -> str:
    """Put an accent on the first letter; over no letter, it may be a character itself."""
    text = text.strip()
    return unicodedata.normalize("NFC", text[0] + accent) + text[1:] if text else empty


@cache
def _macros() -> dict[str, Any]:
    """Return what the macros of LaTeX and of its usual packages show: a text, or what makes it."""
    from pylatexenc.latex2text import get_default_latex_context_db

    specs = get_default_latex_context_db().iter_macro_specs()
    return {spec.macroname: spec.simplify_repl for spec in specs}
