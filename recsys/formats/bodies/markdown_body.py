"""Read the running text of a draft in Markdown: pandoc's, Quarto's, R Markdown, GitHub's."""

import re
from collections.abc import Callable, Iterator

from recsys.formats.bodies.gap_signs import split_keys
from recsys.formats.bodies.headings import SKIPPED_SECTION
from recsys.formats.bodies.running_text import Lines, RunningText
from recsys.formats.drafts.markdown_draft import citation_keys, stripped
from recsys.formats.drafts.wording import clipped
from recsys.formats.latex.latex_cited import citation_at
from recsys.formats.latex.latex_text import plain
from recsys.passages import Body

LONGEST_FORMULA = 60
"""Characters of a formula that is read as a word of its sentence."""

_FRONT = re.compile(r"\A---[^\S\n]*\n.*?^(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_BLOCKS = re.compile(  # What is no running text, over several lines.
    r"""
    ^[ ]{0,9}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ ]{0,9}(?P=fence)[^\n]*(?:\n|\Z)|\Z)
    | <!--.*?(?:-->|\Z)
    | <(?P<tag>table|pre|script|style|figure|math|svg)\b[^>]{0,500}>.*?(?:</(?P=tag)>|\Z)
    | ^:{3,}[ ]*\{?[^\n]{0,40}\b(?:abstract|figure|table|fig-|tbl-)[^\n]{0,80}\n
        .*?(?:^:{3,}[^\S\n]*$|\Z)
    | \$\$.{0,10000}?\$\$
    | \\begin\{(?P<environment>[a-z]{1,20}\*?)\}.{0,3000}?\\end\{(?P=environment)\}
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"[ ]{0,3}\[\^[^\]\n]{1,100}\]:[^\S\n]*")
_TARGET = re.compile(r"[ ]{0,3}\[[^\]\n]{1,200}\]:[^\S\n]*<?(?:[a-z]+:|[./#]|www\.)[^\n]*\Z")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[^\S\n]+(.*)\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{2,})[^\S\n]*\Z")
_NO_PROSE = re.compile(  # Rules, tables and their captions, fenced divs, code by indent.
    r"""[ ]{0,3}(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})\Z
    | [^\S\n]*\| | [^\S\n]*[+|:=-][-+|:=\s]{3,}\Z | (?:[^|\n]*[^\\|\n]\|){2,}[^|\n]*\Z
    | [^\S\n]*(?:(?i:table)?:[^\S\n]+\S|(?i:table|figure|fig\.)[^\S\n]\d+[:.])
    | [ ]{0,3}:{3,} | \\(?:begin|end|newpage|clearpage|appendix|bibliography)\b""",
    re.VERBOSE,
)
_ITEM = re.compile(
    r"\s*(?:[-*+\u2022]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4}|@)[.)])[^\S\n]+(?:\[[ xX]\] )?"
)
_QUOTE = re.compile(r"[ ]{0,3}(?:>[ ]?)+")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")
_ATTRIBUTES = re.compile(r"\{[^{}]{0,200}\}\s*\Z")
_SUMMARY = re.compile(r"(?i)(?:\d{1,2}\.?\s+)?(?:summary|abstract)\W*\Z")

_ADDRESS = r"\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)"
_INSIDE = r"(?:[^\[\]]|\[[^\[\]]{0,300}\])"
_TARGETED = rf"(?:{_ADDRESS}|\[[^\[\]\n]{{0,200}}\]|\{{[^{{}}\n]{{0,200}}\}})"
_INLINE = re.compile(
    rf"""
    (?P<bookdown>\\?@ref\([^()\s]{{1,100}}\))
    | (?P<escape>\\[!-/:-@\[-`{{-~])
    | (?P<code>(?P<ticks>`{{1,5}})(?!`)[^`](?:(?!\n\s*\n).){{0,1000}}?(?<!`)(?P=ticks)(?!`))
    | (?P<image>!\[{_INSIDE}{{0,1500}}\](?:{_ADDRESS})?(?:\{{[^{{}}\n]{{0,300}}\}})?)
    | (?P<noted>\[\^[^\[\]\n]{{1,100}}\])
    | (?P<note>\^\[(?P<inner>{_INSIDE}{{0,2000}})\])
    | (?P<citation>\[(?=[^\[\]@]{{0,500}}@){_INSIDE}{{1,1500}}\](?![(\[{{]))
    | (?P<link>\[(?P<label>{_INSIDE}{{1,1000}})\]{_TARGETED})
    | (?P<formula>(?<![\\$\w])\$(?![\s$])(?:\\.|(?!\n\s*\n)[^$\\]){{1,1000}}?(?<!\s)\$(?!\d))
    | (?P<latex>\\[A-Za-z]{{1,20}}\*?(?:\[[^\]\n]{{0,200}}\]){{0,2}}(?:\{{[^{{}}\n]{{0,1000}}\}})?)
    | (?P<address><(?:https?|mailto|ftp):[^<>\s]{{1,500}}>)
    | (?P<html></?[A-Za-z][A-Za-z0-9-]{{0,30}}(?:\s[^<>]{{0,500}})?/?>)
    | (?P<bare>(?<![\w.@\\/])-?@(?:\{{[^{{}}\n]{{0,300}}\}}|(?:doi|arxiv|https?):[^\s\];,]{{1,300}}
        |\w(?:\w|[:.\#$%&\-+?<>~/](?=\w)){{0,200}}|\?+)(?:[ ]\[[^\[\]\n@]{{0,100}}\])?)
    | (?P<mask>\*{{1,3}}|(?<!\w)_{{1,3}}(?=\S)|(?<=\S)_{{1,3}}(?!\w)|~~)
    """,
    re.VERBOSE | re.DOTALL,
)
_CROSS = re.compile(r"-?@\{?(?:fig|tbl|tab|eq|sec|lst|thm|lem|cor|prp|cnj|def|exm|exr)[-:]")
_KEY_PARTS = re.compile(r"-?@(?:\{([^{}\n]{0,300})\}|([^\s,;\]]{0,300}))")


def read_text(text: str) -> Body:
    """Read the body of a draft in Markdown: pandoc's, Quarto's, R Markdown, GitHub's."""
    text, notes = clipped(text)
    front = _FRONT.match(text)
    masked = _masked(text, front.end() if front else 0)
    reader = _Reader(masked)
    reader.read(list(_lines(masked)))
    return Body(sentences=reader.text.sentences(Lines(text)), notes=notes)


def _masked(text: str, begin: int) -> str:
    """Put spaces in place of the front matter and of blocks that are no running text."""

    def blank(match: re.Match[str]) -> str:
        return "".join("\n" if char == "\n" else " " for char in match[0])

    start = "".join("\n" if char == "\n" else " " for char in text[:begin])
    return start + _BLOCKS.sub(blank, text[begin:])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


class _Reader:
    """What is known while one goes down the lines of a draft."""

    def __init__(self, masked: str) -> None:
        self.masked = masked
        self.text = RunningText(numbers=True)
        self.skipping = 0
        self.pieces: list[tuple[int, int]] = []
        self.listed = False

    def read(self, lines: list[tuple[int, str]]) -> None:
        """Read lines, each given with its offset."""
        for number, (at, line) in enumerate(lines):
            following = lines[number + 1][1] if number + 1 < len(lines) else ""
            self._line(at, line, following)
        self._flush()

    def _line(self, at: int, line: str, following: str) -> None:
        heading = _HEADING.match(line)
        if not line.strip() or _NO_PROSE.match(line) or _TARGET.match(line):
            underlined = _UNDERLINE.match(line) and self.pieces
            if not underlined:
                self._flush()
                self.listed = self.listed and not line.strip()
            else:
                self.pieces.clear()
        elif heading:
            self._heading(len(heading[1]), heading[2])
        elif not self.pieces and _UNDERLINE.match(following) and not _ITEM.match(line):
            self._heading(1 if "=" in following else 2, line)
        elif not self.pieces and not self.listed and _INDENTED.match(line):
            return
        else:
            self._prose(at, line)

    def _prose(self, at: int, line: str) -> None:
        start = 0
        for pattern in (_QUOTE, _NOTE, _ITEM):
            if prefix := pattern.match(line, start):
                if pattern is not _QUOTE:
                    self._flush()
                    self.listed = True
                start = prefix.end()
        if not self.skipping:
            self.pieces.append((at + start, at + len(line)))

    def _heading(self, level: int, title: str) -> None:
        self._flush()
        self.listed = False
        shown = stripped(_ATTRIBUTES.sub("", title[:1000]).strip().rstrip("#"))
        if self.skipping and level > self.skipping:
            return
        skipped = SKIPPED_SECTION.match(shown) or _SUMMARY.match(shown)
        # In a paper of JOSS, the summary is where the text begins.
        self.skipping = level if skipped and not _SUMMARY.match(shown) else 0
        self.text.heading(shown)

    def _flush(self) -> None:
        """Read the lines of a paragraph together: what is marked in it may go over several."""
        if self.pieces:
            start, end = self.pieces[0][0], self.pieces[-1][1]
            text = self.masked[start:end]
            for (_, before), (after, _) in zip(self.pieces, self.pieces[1:], strict=False):
                text = text[: before - start] + " " * (after - before) + text[after - start :]
            self._inline(text, start)
            self.text.end_paragraph()
        self.pieces = []

    def _inline(self, text: str, base: int) -> None:
        at = 0
        while (match := _INLINE.search(text, at)) is not None:
            self.text.words(text[at : match.start()], base + at)
            self._token(match, base)
            at = match.end()
        self.text.words(text[at:], base + at)

    def _token(self, match: re.Match[str], base: int) -> None:
        start, end = base + match.start(), base + match.end()
        kind = next(name for name in _KINDS if match[name] is not None)
        if kind in _SHOWN:
            self.text.words(_SHOWN[kind](match[0]), start, end, opaque=kind != "escape")
        elif kind == "note":
            self.text.begin_aside(start)
            self._inline(match["inner"], base + match.start("inner"))
            self.text.end_aside(end)
        elif kind == "link":
            self._inline(match["label"], base + match.start("label"))
        elif kind in ("citation", "bare"):
            self._citation(match[0], start, end, textual=kind == "bare")
        elif kind == "latex":
            self._latex(match[0], start, end)

    def _citation(self, printed: str, start: int, end: int, *, textual: bool) -> None:
        if _CROSS.match(printed.lstrip("[")):
            return
        written = [braced or bare for braced, bare in _KEY_PARTS.findall(printed)]
        known = citation_keys(printed)
        _, gap = split_keys([key.strip(" .:,?") or "?" for key in written])
        keys, _ = split_keys(known)
        if not textual and not known and not gap:
            return
        self.text.mark(start, end, keys, gap=gap or not written, textual=textual)

    def _latex(self, printed: str, start: int, end: int) -> None:
        citation = citation_at(printed, 0)
        if citation is not None:
            keys, gap = split_keys(citation.keys)
            self.text.mark(start, end, keys, gap=gap)


_KINDS = (
    "bookdown escape code image noted note citation link formula latex address html bare mask"
).split()
_SHOWN: dict[str, Callable[[str], str]] = {
    "escape": lambda printed: printed[1],
    "code": lambda printed: printed.strip("`").strip(),
    "formula": lambda printed: plain(printed) if len(printed) <= LONGEST_FORMULA else "",
    "address": lambda printed: printed[1:-1],
}
