"""Read the running text of a draft in Typst: one pass over its markup, nothing is computed."""

import re
from collections.abc import Iterator, Set
from pathlib import PurePath

from recsys.formats.bodies.headings import ends_text
from recsys.formats.bodies.printed_citations import split_keys
from recsys.formats.bodies.running_text import RunningText
from recsys.formats.drafts.included import Inputs, Piece
from recsys.formats.drafts.typst_draft import (
    ABSTRACT_HEADING,
    code_at,
    in_brackets,
    seen_from_draft,
    typst_text,
)

_INCLUDED = re.compile(r"#include[^\S\n]+\"(?P<name>[^\"\n]{1,300})\"")
_TOKEN = re.compile(
    r"""
    (?P<comment>(?<![:/])//[^\n]*|/\*.*?(?:\*/|\Z)|```.*?(?:```|\Z))
    | (?P<blank>\n[^\S\n]*\n\s*)
    | ^[^\S\n]*(?P<heading>=+)[^\S\n]+(?P<title>[^\n]*)
    | (?P<item>^[^\S\n]*(?:[-+/]|\d{1,3}\.)[^\S\n]+)
    | (?P<formula>\$(?:\\.|[^$\\]){0,10000}?\$)
    | `(?P<code>[^`\n]{1,500})`
    | (?P<cite>\#cite\(\s*(?:<(?P<cited>[^<>\n]{1,200})>
        |label\(\s*"(?P<labelled>[^"\n]{1,200})"\s*\))(?P<form>[^()\n]{0,300})\))
    | (?P<reference>(?<![\w.@\\])@(?P<key>\w(?:[\w:.-]{0,199}\w)?|\?+)(?:\[[^\[\]]{0,300}\])?)
    | (?P<call>\#(?P<name>[A-Za-z][\w-]{0,60}(?:\.[A-Za-z][\w-]{0,60}){0,4}))
    | (?P<label><[\w:.-]{1,200}>)
    | \\(?P<escape>[^\s\w])
    | (?P<space>~|\\(?=\s))
    | (?P<mask>(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_STATEMENTS = frozenset("let set show import include context if for while return".split())
_LEFT_OUT = frozenset(
    "figure table grid image outline bibliography abstract title align place block box raw".split()
)
"""Calls whose content is no running text."""
_LONGEST_FORMULA = 60
"""Characters of a formula that is read as a word of its sentence."""


def pieces(text: str, open_files: list[PurePath], inputs: Inputs) -> Iterator[Piece]:
    """Yield a file's text piece by piece, that of the files that it includes in their places."""
    file, at = open_files[-1], 0
    inputs.take(file, text)
    for match in _INCLUDED.finditer(text):
        yield Piece(text[at : match.start()], file, at)
        at = match.end()
        if opened := inputs.open(seen_from_draft(match["name"], open_files), (), open_files):
            path, included = opened
            yield from pieces(included, [*open_files, path], inputs)
            yield Piece("\n\n", path, max(0, len(included) - 2))
    yield Piece(text[at:], file, at)


class TypstText:
    """A way through the markup of a draft, which collects the running text."""

    def __init__(self, source: str, labels: Set[str]) -> None:
        """Read a draft; `@` and one of its labels is a cross-reference."""
        self.source, self.labels = source, labels
        self.text = RunningText()
        self._skipping = 0  # The level of the section that is left out.
        self._read(0, len(source))

    def _read(self, at: int, end: int) -> None:
        while match := _TOKEN.search(self.source, at, end):
            self._words(at, match.start())
            at = min(max(self._token(match), match.end()), end)
        self._words(at, end)

    def _words(
        self, start: int, end: int, shown: str | None = None, *, opaque: bool = False
    ) -> None:
        """Add what stands between two places, or what is shown of it."""
        if self._skipping or start == end:
            return
        if shown is None:
            self.text.words(self.source[start:end], start)
        else:
            self.text.words(shown, start, end, opaque=opaque)

    def _token(self, match: re.Match[str]) -> int:
        """Read a token, and return where what follows it begins."""
        kind, (start, end) = match.lastgroup or "", match.span()
        if kind in ("blank", "item"):
            self.text.end_paragraph()
        elif kind == "title":
            self._heading(len(match["heading"]), match["title"])
        elif kind in ("cite", "reference"):
            self._citation(match)
        elif kind == "call":
            return self._call(match["name"], end)
        elif kind in ("formula", "code"):
            shown = match[0].strip("$`").strip()
            self._words(start, end, shown if len(shown) <= _LONGEST_FORMULA else "", opaque=True)
        elif kind in ("escape", "space"):
            self._words(start, end, match["escape"] or " ")
        return end

    def _heading(self, level: int, title: str) -> None:
        if self._skipping and level > self._skipping:
            return
        shown = typst_text(title)
        left_out = ends_text(shown) or ABSTRACT_HEADING.match(shown)
        self._skipping = level if left_out else 0
        self.text.heading(shown)

    def _citation(self, match: re.Match[str]) -> None:
        key = match["cited"] or match["labelled"] or match["key"]
        if not (self._skipping or key in self.labels):
            keys, gap = split_keys([key])
            textual = "prose" in (match["form"] or "")
            self.text.mark(*match.span(), keys, gap=gap, textual=textual)

    def _call(self, name: str, at: int) -> int:
        """Read the content that a call shows; its arguments and all other code show nothing."""
        if name in _STATEMENTS:
            return at + len(code_at(self.source, at, ends="\n"))
        while code := in_brackets(self.source, at):
            end = at + len(code) + 2
            if self.source[at] == "[" and name not in _LEFT_OUT:
                if name == "footnote":
                    self.text.begin_aside()
                self._read(at + 1, end - 1)
                if name == "footnote":
                    self.text.end_aside(end)
            at = end
        return at
