"""Read the running text of a LaTeX draft, with the files that it inputs.

A scan without a grammar, in linear time: nothing that is broken in one place can get in the way
of the rest. Offsets are those of the source; what a macro stands for has those of its call.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath

from recsys.formats.bodies.headings import ends_text
from recsys.formats.bodies.printed_citations import asks_for_citation, split_keys
from recsys.formats.bodies.running_text import RunningText
from recsys.formats.drafts.included import Places, Source
from recsys.formats.drafts.wording import counted
from recsys.formats.latex.latex_cited import citation_at, without_citations
from recsys.formats.latex.latex_source import (
    Definition,
    after_definition,
    after_group,
    after_options,
    called,
    definitions,
    expand,
    filled,
    group,
    groups,
    skip_space,
)
from recsys.formats.latex.latex_text import ARGUMENTS as TEXT_ARGUMENTS
from recsys.formats.latex.latex_text import (
    ENVIRONMENT_ARGUMENTS,
    LIGATURES,
    SIGNS,
    plain,
    symbol,
)
from recsys.records import Sentence

LEFT_OUT = frozenset(
    "figure wrapfigure SCfigure sidewaysfigure teaserfigure subfigure marginfigure table "
    "wraptable sidewaystable margintable deluxetable threeparttable tabular tabularx tabulary "
    "tabularray tblr longtable longtblr supertabular xtabular tabbing array algorithm "
    "algorithmic algorithm2e algorithmicx procedure pseudocode lstlisting verbatim Verbatim "
    "minted alltt Sinput Soutput Schunk Code CodeChunk CodeInput CodeOutput example_code "
    "tikzpicture pgfpicture picture pspicture forest axis circuitikz dependency thebibliography "
    "references abstract Abstract onecolabstract sciabstract quickabstract keywords keyword "
    "IEEEkeywords CCSXML acks acknowledgments titlepage acknowledgements acknowledgement "
    "acknowledgment frontmatter comment filecontents biography IEEEbiography "
    "IEEEbiographynophoto prooftree bytefield overpic knitrout kframe thenomenclature "
    "contributions funding conflicts".split()
)
"""Environments of which nothing is read; without their star."""

FORMULAS = frozenset(
    "equation align gather multline eqnarray displaymath math flalign alignat xalignat dmath "
    "dgroup empheq IEEEeqnarray split numcases subnumcases".split()
)
"""Environments that hold a displayed formula; without their star."""

ARGUMENTS = {
    name: count
    for count, names in (
        (
            0,
            "par newline newpage clearpage cleardoublepage tableofcontents listoffigures "
            "listoftables appendix smallskip medskip bigskip printbibliography hfill vfill hline "
            "raggedright frontmatter mainmatter backmatter balance printindex makeatletter "
            "makeatother ifCLASSOPTIONcompsoc fi else onecolumn twocolumn sloppy FloatBarrier",
        ),
        (
            1,
            "Autoref nameref vref Vref fref Fref sref subref labelcref title subtitle shorttitle "
            "author date institute institution urladdr Keywords Plainkeywords Plaintitle "
            "Plainauthor Shorttitle Abstract Address abstract fntext addbibresource documentstyle "
            "graphicspath lstset tikzset includepdf caption captionsetup subcaption marginpar "
            "marginnote nocite citestyle setcitestyle bibpunct VignetteIndexEntry VignetteDepends "
            "VignetteEngine SweaveOpts Sexpr received accepted acmConference acmBooktitle acmDOI "
            "acmISBN acmPrice acmYear copyrightyear setcopyright ccsdesc CCSDESC IEEEpubid "
            "theoremstyle affiliations corresponding correspondingauthor tag inputminted volume "
            "issue pubyear DOI doi",
        ),
        (
            2,
            "newtheorem captionof setkeys pdfbookmark crefrange Crefrange crefname Crefname "
            "specialcomment settowidth icmlauthor icmlaffiliation icmlcorrespondingauthor",
        ),
    )
    for name in names.split()
} | {name: form.count("-") for name, form in TEXT_ARGUMENTS.items() if "command" not in name}
"""Commands that show nothing themselves, with how many arguments in braces are theirs.

An argument behind these is text: that of `\\href{address}{text}`.
"""

SECTIONS = {
    "part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4,
    "acknowledgments": 2, "acknowledgements": 2, "acknowledgment": 2,
    "acknowledgement": 2, "acks": 2, "ack": 2,
}  # fmt: skip
"""Commands that begin a section, with their depth; the last ones need no title."""
RUN_IN = frozenset("paragraph subparagraph minisec".split())
"""Headings that stand within their paragraph."""

NOTES = frozenset("footnote footnotetext endnote sidenote tablefootnote footnoteA".split())
TODOS = frozenset(
    "todo todoi todox TODO Todo todoinline inlinetodo missingref missingcite fixme FIXME fxnote "
    "fxwarning fxerror fxfatal XXX xxx note".split()
)
"""Notes to oneself: they are a gap if they ask for a citation."""
GAP_COMMANDS = re.compile(
    r"(?i:(?:need|needs|needed|add|missing|todo|insert|fix)_?(?:a)?(?:cite|citation|citations|ref|reference)s?"
    r"|(?:cite|citation|ref|reference)s?_?(?:needed|missing|todo|here|me|required)"
    r"|(?:cite|citation)todo|citneeded|needcit|cn)\Z"
)
"""Commands by which writers say that a citation is missing; they may hold a remark."""

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
PLACE = re.compile(r"#([1-9])")
_NAME = re.compile(r"\\([A-Za-z@]+)")
_TAKING = frozenset(
    (*TODOS, *NOTES, *SECTIONS, *RUN_IN, "begin", "end", "item", "def", "newcommand")
)
ENDS_PARAGRAPH = frozenset("item par newpage clearpage bigskip medskip maketitle".split())
LONGEST_FORMULA = 60
"""Characters of a formula that is read as a word of its sentence; longer ones are left out."""
DEEPEST = 8
"""How far macros may stand for macros, and notes be in notes."""
MOST_UNCLOSED = 500
"""Arguments that never end, until none is looked for any more: each search takes its time."""
MOST_EXPANDED = 1_000_000
"""Characters that macros may stand for, all together."""
_BEGIN = re.compile(r"\\begin\s*\{document\}")


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


@dataclass(slots=True)
class _Walk:
    """What is known while one goes through a source. macros: the author's own.

    skipping: the depth of the section that is left out. left: characters that macros may still
    stand for. unclosed: environments that never end. failures: arguments that never do.
    """

    text: RunningText
    macros: Mapping[str, Definition]
    skipping: int | None = None
    left: int = MOST_EXPANDED
    unclosed: set[str] = field(default_factory=set)
    failures: int = 0


@dataclass(frozen=True, slots=True)
class _Passage:
    """A piece of source that is read: the draft's own, or what a macro of its author stands for.

    call: where the macro is called. depth: how many macros and notes it is within.
    """

    walk: _Walk
    source: str
    end: int
    call: tuple[int, int] | None = None
    depth: int = 0

    def read(self, at: int) -> None:
        """Read what there is from a place on, in one pass."""
        while match := TOKEN.search(self.source, at, self.end):
            self._words(at, match.start())
            # What is looked at in full may lie beyond the end; what is read never does.
            at = min(max(self._token(match), match.end()), self.end)
        self._words(at, self.end)

    def _read_within(self, source: str, start: int, end: int, call: tuple[int, int] | None) -> None:
        """Read a piece that stands within this one, or for a macro in it."""
        _Passage(self.walk, source, end, call, self.depth + 1).read(start)

    def _token(self, match: re.Match[str]) -> int:
        """Read a token, and return where what follows it begins."""
        kind = match.lastgroup
        if kind == "name":
            return self._command(match["name"], match.start(), match.end())
        if kind == "environment":
            return self._environment(match)
        if kind == "chunk":  # Of code; it ends with an "@".
            self.walk.text.end_paragraph()
            if "<<" not in self.walk.unclosed:
                if end := CHUNK_END.search(self.source, match.end(), self.end):
                    return end.end()
                self.walk.unclosed.add("<<")
        elif kind in ("displayed", "dollars"):
            self._formula_ends(match[kind], match.end())
        elif kind in ("inline", "dollar"):
            short = len(match[kind]) <= LONGEST_FORMULA
            shown = shown_by(f"${match[kind]}$") if short else ""
            if len(shown) <= LONGEST_FORMULA:
                self._stand_in(shown, match.start(), match.end(), opaque=True)
        elif kind == "blank":
            self.walk.text.end_paragraph()
        else:
            if match["accent"]:
                shown = shown_by(match[0])
            elif symbol := match["symbol"]:
                shown = SIGNS.get(symbol, symbol)
            else:
                # Braces and what is left of a formula show nothing; ties and line ends are spaces.
                shown = LIGATURES.get(match[0], "" if match[0] in "{}$" else " ")
            self._stand_in(shown, match.start(), match.end())
        return match.end()

    def _command(self, name: str, start: int, end: int) -> int:
        """Read a command, by what it is known to be, and return where what follows it begins."""
        until = self._citing(name, start, end)
        if until is not None:
            return until
        if name in SECTIONS or name in RUN_IN:
            return self._heading(name, end)
        if name in NOTES:
            return self._note(end)
        if name in ARGUMENTS or name == "item":
            if name in ENDS_PARAGRAPH:
                self.walk.text.end_paragraph()
            return self._after_arguments(end, ARGUMENTS.get(name, 0))
        if (defined := after_definition(self.source, start)) is not None:
            return defined
        macro = self.walk.macros.get(name)
        if macro is not None and "\\catcode" not in macro.body:
            return self._macro(macro, start, end)
        return self._unknown(name, start, end)

    def _citing(self, name: str, start: int, end: int) -> int | None:
        """Read a command that cites or says that a citation is missing; None if it is no such."""
        missing = GAP_COMMANDS.match(name)
        if missing or name in TODOS:
            until = self._after_arguments(end, 1)
            note = self._inside(after_options(self.source, end)) or ""
            if missing or asks_for_citation(note):
                self._mark(start, until, (), gap=True)
            return until
        citation = citation_at(self.source, start)
        if citation is None:
            return None
        if citation.name.lower() not in ("nocite", "nocites"):
            keys, gap = split_keys(citation.keys)
            textual = TEXTUAL.match(citation.name) is not None
            self._mark(start, citation.end, keys, gap=gap, textual=textual)
        return citation.end

    def _unknown(self, name: str, start: int, end: int) -> int:
        """Read a command as the character that it is, else leave it out, but not its arguments."""
        shown = symbol(name)
        if not shown:
            return after_options(self.source, end) if self.source.startswith("[", end) else end
        self._stand_in(shown, start, end)
        if self.source.startswith("{}", end):
            return end + 2
        until = skip_space(self.source, end)
        return until if self.source.count("\n", end, until) < 2 else end

    def _heading(self, name: str, end: int) -> int:
        at = after_options(self.source, end)
        title = self._inside(at)
        if title is None and name in ("part", "chapter", "section", "paragraph", "subparagraph"):
            return end
        walk = self.walk
        shown = plain(without_citations(expand(title or "", walk.macros)))
        if name in RUN_IN:
            walk.text.end_paragraph()
        elif walk.skipping is None or SECTIONS[name] <= walk.skipping:
            skipped = title is None or ends_text(shown) or name.startswith("ack")
            walk.skipping = SECTIONS[name] if skipped else None
            walk.text.heading(shown)
        return at if title is None else after_group(self.source, at, title)

    def _note(self, end: int) -> int:
        at = after_options(self.source, end)
        note = self._inside(at)
        if note is None:
            return end
        until = after_group(self.source, at, note)
        if self.depth < DEEPEST and self.walk.skipping is None:
            self.walk.text.begin_aside()
            self._read_within(self.source, until - 1 - len(note), until - 1, self.call)
            self.walk.text.end_aside(self.call[1] if self.call else until)
        return until

    def _macro(self, macro: Definition, start: int, end: int) -> int:
        """Read what a macro stands for; its arguments where they stand, if that is possible."""
        walk = self.walk
        exhausted = macro.arguments and walk.failures > MOST_UNCLOSED
        call = None if exhausted else called(self.source, end, macro)
        body = filled(macro.body, call.values) if call else None
        walk.left -= len(body or "")
        if call is None or body is None or self.depth >= DEEPEST or walk.left < 0:
            walk.failures += call is None and self.source.startswith("{", end)
            return end
        until = call.end
        if macro.plain and not macro.arguments and self.source.startswith("{}", until):
            until += 2
        here = self.call or (start, until)
        if macro.plain and macro.arguments and not swallows(macro.body):
            for number, part in enumerate(PLACE.split(macro.body)):  # Text and places, in turn.
                if number % 2 == 0:
                    self._read_within(part, 0, len(part), here)
                elif int(part) <= len(call.places):
                    self._read_within(self.source, *call.places[int(part) - 1], self.call)
        else:
            self._read_within(body, 0, len(body), here)
        return until

    def _environment(self, match: re.Match[str]) -> int:
        name = match["environment"].strip().rstrip("*")
        left_out = name in FORMULAS or name in LEFT_OUT
        if not left_out:
            self.walk.text.end_paragraph()
        if match["edge"] == "end":
            return match.end()
        if left_out:
            inside, until = self._closed(match)
            if name in FORMULAS:
                self._formula_ends(self.source[match.end() : inside], inside)
            return until
        at = after_options(self.source, match.end())
        most = ENVIRONMENT_ARGUMENTS.get(name, 0)
        return self._after_arguments(at, most) if most else at

    def _closed(self, match: re.Match[str]) -> tuple[int, int]:
        """Return where the inside of an environment ends, and what follows it begins."""
        name = match["environment"]
        if name not in self.walk.unclosed:
            edges = re.compile(rf"\\(begin|end)\s?\{{{re.escape(name)}\}}")
            depth = 1
            for edge in edges.finditer(self.source, match.end(), self.end):
                depth += 1 if edge[1] == "begin" else -1
                if depth == 0:
                    return edge.start(), edge.end()
        self.walk.unclosed.add(name)
        return match.end(), match.end()

    def _formula_ends(self, formula: str, end: int) -> None:
        """Leave a displayed formula out, but for the full stop that ends it."""
        stop = formula.rstrip().removesuffix("\\nonumber").rstrip()[-1:]
        self._stand_in(f"{stop} " if stop in (".", ",", ";") else " ", end - 1, end)

    def _words(self, start: int, end: int) -> None:
        if start < end and self.walk.skipping is None:
            self.walk.text.words(self.source[start:end], *(self.call or (start,)))

    def _stand_in(self, shown: str, start: int, end: int, *, opaque: bool = False) -> None:
        if shown and self.walk.skipping is None:
            start, end = self.call or (start, end)
            self.walk.text.words(shown, start, end, opaque=opaque)

    def _mark(
        self, start: int, end: int, keys: tuple[str, ...], *, gap: bool, textual: bool = False
    ) -> None:
        if self.walk.skipping is None:
            start, end = self.call or (start, end)
            self.walk.text.mark(start, end, keys, gap=gap, textual=textual)

    def _after_arguments(self, at: int, most: int) -> int:
        """Return the place behind the options and so many arguments in braces."""
        at = after_options(self.source, at)
        for _ in range(most):
            value = self._inside(at)
            if value is None:
                break
            at = after_options(self.source, after_group(self.source, at, value))
        return at

    def _inside(self, at: int) -> str | None:
        """Return what is in the braces that open at or after the spaces at a place; see `group`."""
        if self.walk.failures > MOST_UNCLOSED:
            return None
        inside = group(self.source, at)
        self.walk.failures += inside is None and self.source.startswith("{", at)
        return inside


def read_body(source: Source, draft: PurePath) -> tuple[tuple[Sentence, ...], tuple[str, ...]]:
    """Return the sentences of a source, and notes; see `LatexDraft.body`."""
    begin = next(reversed(list(_BEGIN.finditer(source.text))), None)
    text = RunningText()
    walk = _Walk(text, definitions(source.text))
    _Passage(walk, source.text, len(source.text)).read(begin.end() if begin else 0)
    notes = [*source.notes]
    if walk.unclosed:
        names = ", ".join(sorted(walk.unclosed)[:5])
        notes.append(f"{counted(len(walk.unclosed), 'environment')} never closed: {names}.")
    return text.sentences(Places(source, draft)), tuple(notes)
