"""Put the best paper of each gap into a draft and into its bibliography, all else to the byte.

Marks are filled as a unified diff and in the draft's own files; entries are added to a BibTeX file.
"""

import codecs
import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePath

from recsys.errors import InputError
from recsys.formats.files import MARKS, decode_or_guess, read_bytes
from recsys.formats.local_answers.shown_gaps import GapKeys, file_of, place_of
from recsys.formats.references import bibtex
from recsys.formats.references.shown_facts import one_line
from recsys.formats.replacing import replacing
from recsys.records import LEAST_CHANCE, Gap, LocalAnswer, Mark, Paper, Reference, Span

LATEX = frozenset({".tex", ".ltx", ".latex", ".rnw", ".snw", ".rtex"})
"""Suffixes of files in which LaTeX's commands cite; all other text cites as pandoc does."""
TYPST = "@"
"""What cites in a file of Typst, in the place of a command: `@key`."""

_COMMAND = re.compile(r"\\(?P<name>[A-Za-z@]+)\*?\s*(?=[\[({])")
_CITING = re.compile(r"(?!.*(?:need|missing|todo))[A-Za-z@]*[Cc]ite[A-Za-z]*|bibentry", re.I)
_KEY_LIST = re.compile(r"\[[^\[\]]*\]|\{(?P<keys>[^{}]*)\}")
_PANDOC = re.compile(r"(?<!@)@(?!@)(?:\{(?P<braced>[^{}]*)\}|(?P<key>[^\s;,\[\](){}@]*))")
_ROLE = re.compile(r"\{cite[^{}]*\}`(?P<keys>[^`]*)`")
_LABEL = re.compile(r"#cite\(\s*<(?P<key>[^<>]*)>")
_LETTERS = re.compile(r"[^\W_]+")
_WISH = re.compile(
    r"to|do|todo\w*|inline|fix|me|fixme|[a-z]{0,6}cite[a-z]{0,6}|citations?|citing|cn|refs?|references?|"
    r"sources?|keys?|add|find|give|put|insert|need|needs|needed|required|"
    r"citationneeded|missing\w*|here|this|place|holder|placeholder|please|a|an|the|some|more|for|is|"
    r"which|what|fact|some(?:one|body|thing)|authors?|et|al|years?|xx+|\d\dxx|xx\d\d|tb[acd]"
)
_PARENTHETICAL = ("cite", "citep", "parencite", "autocite", "footcite", "supercite", "footcitep")
_RAISED = frozenset({"footcite", "supercite"})
_USED = re.compile(rf"\\({'|'.join(sorted(_PARENTHETICAL, key=len, reverse=True))})(?![A-Za-z@])")
_PACKAGE = re.compile(r"\\usepackage(?:\[[^\]]*\])?\{[^{}]*\b(natbib|biblatex)\b[^{}]*\}")
_OF_PACKAGE = {"natbib": "citep", "biblatex": "parencite"}
_SPACE = re.compile(r"[ \t~]+\Z")


def is_latex(file: str) -> bool:
    """Whether a file cites by LaTeX's commands, as its suffix tells."""
    return PurePath(file).suffix.lower() in LATEX


def cites_by(file: str, command: str) -> str | None:
    """Return what cites in a file: the command of LaTeX, TYPST, or None where pandoc's keys do."""
    typst = TYPST if PurePath(file).suffix.lower() == ".typ" else None
    return command if is_latex(file) else typst


def citing_command(sources: Iterable[str]) -> str:
    """Return the command by which some LaTeX cites in parentheses: the one that it uses most."""
    texts = list(sources)
    used = Counter(match[1] for text in texts for match in _USED.finditer(text))
    if used:
        return max(_PARENTHETICAL, key=lambda name: used[name])
    loaded = next((match[1] for text in texts if (match := _PACKAGE.search(text))), "")
    return _OF_PACKAGE.get(loaded, "cite")


def filled(mark: Mark, key: str, before: str, command: str | None) -> tuple[int, str]:
    r"""Return how many characters before a mark go with it, and what stands in their place.

    Args:
        mark: what the author left.
        key: of the paper that is cited there.
        before: the text of the file up to the mark.
        command: see `cites_by`.
    """
    if (inside := _inside(mark, key, command)) is not None:
        return 0, inside
    # A wish that says more than "cite" is the author's to take away.
    rest = "" if _only_a_wish(mark.printed) else f" {mark.printed}"
    if command in (None, TYPST):
        glued = before[-1:].isalnum() or before[-1:] in (")", '"', "'")
        return 0, f"{' ' * glued}{f'@{key}' if command else f'[@{key}]'}{rest}"
    # A tie replaces the spaces, if a word stands before.
    words = _SPACE.sub("", before)
    tied = bool(words) and words[-1] not in "\r\n\\([{"
    tie = "~" if tied and command not in _RAISED else ""
    return tied * (len(before) - len(words)), f"{tie}\\{command}{{{key}}}{rest}"


def _inside(mark: Mark, key: str, command: str | None) -> str | None:
    r"""Put the key into a citation, of whatever format; None where there is none to fill."""
    text, cites = mark.printed, _COMMAND.match(mark.printed)
    lists = []
    if cites and _CITING.fullmatch(cites["name"]):
        lists = [match for match in _KEY_LIST.finditer(text, cites.end()) if match.lastgroup]
    spans = [match.span("keys") for match in lists]
    if not lists and command in (None, TYPST):
        matches = (*_ROLE.finditer(text), *_LABEL.finditer(text), *_PANDOC.finditer(text))
        spans = [match.span(match.lastgroup or 0) for match in matches]
    for start, end in spans:
        listed = _filled_list(text[start:end], mark.keys, key, alone=bool(lists))
        if listed is not None:
            return text[:start] + listed + text[end:]
    if lists:
        return f"{text[: lists[-1].end() - 1]},{key}{text[lists[-1].end() - 1 :]}"
    more = command is None and mark.keys and text.endswith("]")
    return f"{text[:-1]}; @{key}]" if more else None


def _filled_list(listed: str, keys: tuple[str, ...], key: str, *, alone: bool) -> str | None:
    """Fill the first hole of a list; alone: whether the only key of a list is one."""
    parts, known = listed.split(","), {each.casefold() for each in keys}
    places = [n for n, part in enumerate(parts) if part.strip().casefold() not in known]
    holes = [n for n in places if _only_a_wish(parts[n])]
    if not holes and (known or (alone and len(parts) == 1)):
        holes = places
    if not holes:
        return None
    part = parts[holes[0]]
    start, bare = len(part) - len(part.lstrip()), part.strip()
    parts[holes[0]] = part[:start] + key + part[start + len(bare) :] if bare else key
    return ",".join(parts)


def _only_a_wish(text: str) -> bool:
    """Whether a text says that something is to be cited, and nothing of what."""
    return all(map(_WISH.fullmatch, _LETTERS.findall(text.lower())))


PLAIN = frozenset(
    {".md", ".markdown", ".mkd", ".qmd", ".rmd", ".txt", ".text", ".myst", ".org", ".typ", ""}
)
"""Suffixes of files beside those of LaTeX whose lines are text that a patch may change."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODECS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_BEFORE = 200  # Characters that tell how a mark hangs on what precedes it.
_LINE = re.compile(rb"(?<=\n)")
_QUOTED = re.compile(r"[\x00-\x1f\x7f\"\\]")
_ENTRY = re.compile(r"^[ \t]*@\w+[ \t]*\{", re.MULTILINE)
_BRACE = re.compile(r"(?<!\\)[{}]")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A paper that is cited in a gap from now on, and by which key."""

    gap: Gap
    paper: Paper
    key: str


def accepted(
    answer: LocalAnswer, keys: GapKeys, *, least: float = LEAST_CHANCE, unmarked: bool = False
) -> tuple[Accepted, ...]:
    """Take the best paper of each gap whose chance is at least `least`.

    unmarked: whether sentences count that their author has left without a mark.
    """
    return tuple(
        Accepted(gap, best.paper, keys.names[best.paper.id])
        for gap in answer.gaps
        if gap.recommendations and (unmarked or gap.mark is not None)
        if (best := gap.recommendations[0]).probability >= least
    )


def told(answer: LocalAnswer, taken: tuple[Accepted, ...]) -> Iterator[str]:
    """Say which key goes where, a sentence each."""
    for choice in taken:
        yield f"{place_of(answer, choice.gap)}: {choice.key}, {one_line(choice.paper.title)}."


@dataclass(frozen=True, slots=True)
class DraftLines:
    """The text of a file that somebody edits, with its own line ends, and how it was encoded.

    mark: the byte order mark that it begins with. starts: where each line begins.
    """

    name: str
    text: str
    codec: str
    mark: bytes
    starts: tuple[int, ...]

    @classmethod
    def of(cls, raw: bytes, name: str) -> "DraftLines":
        """Decode a file.

        Raises:
            InputError: the bytes are no text.
        """
        decode_or_guess(raw, name)  # What it refuses, is refused here.
        mark = next((mark for mark, _, _ in MARKS if raw.startswith(mark)), b"")
        for codec in (_CODECS.get(mark, "utf-8"), "cp1252", "latin-1"):  # The last takes all.
            try:
                text = raw[len(mark) :].decode(codec)
                break
            except UnicodeDecodeError:
                continue
        ends = (match.end() for match in _LINE_END.finditer(text))
        return cls(name, text, codec, mark, (0, *ends))

    def encoded(self, text: str) -> bytes:
        """Encode another text as this one was.

        Raises:
            InputError: the encoding has no place for one of its characters.
        """
        try:
            return self.mark + text.encode(self.codec)
        except UnicodeEncodeError as error:
            raise InputError(
                f"{self.name} is not UTF-8 and cannot hold {error.object[error.start]!r}.",
                "Save it as UTF-8.",
            ) from error

    @property
    def line_end(self) -> str:
        """The first line end of the text; a line feed where there is none."""
        first = _LINE_END.search(self.text)
        return first[0] if first else "\n"

    def offsets(self, span: Span) -> tuple[int, int]:
        """Return where a span begins and ends in the text.

        Raises:
            InputError: the file has no such place.
        """
        return self._offset(span.line, span.column), self._offset(span.end_line, span.end_column)

    def _offset(self, line: int, column: int) -> int:
        if 1 <= line <= len(self.starts) and column >= 1:
            last = [*self.starts[1:], len(self.text) + 1][line - 1]
            place = self.starts[line - 1] + column - 1
            if place < last:
                return place
        raise _changed(f"{self.name}:{line}:{column}", "is no place of the file")


def _changed(place: str, what: str) -> InputError:
    """Say that a file is not what it was when it was read."""
    return InputError(
        f"{place} {what}: it changed since it was read.",
        "Run the command again; nothing was written.",
    )


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a file holds, None where there is none yet, and what it shall hold."""

    name: str
    old: bytes | None
    new: bytes

    def diff(self) -> bytes:
        """Write as a unified diff, for `patch -p0` and `git apply -p0`."""
        old, new = ([*filter(None, _LINE.split(raw))] for raw in (self.old or b"", self.new))
        # As `git diff` writes it: in quotes if it must, before a tab if it has spaces.
        escaped = _QUOTED.sub(lambda match: f"\\{ord(match[0]):03o}", self.name)
        name = escaped.encode("utf-8", errors="surrogateescape")
        if escaped != self.name:
            name = b'"' + name + b'"'
        elif b" " in name:
            name += b"\t"
        lines = difflib.diff_bytes(difflib.unified_diff, old, new, name, name)
        no_end = b"\n\\ No newline at end of file\n"
        return b"".join(line if line.endswith(b"\n") else line + no_end for line in lines)


def patches(answer: LocalAnswer, taken: Sequence[Accepted]) -> tuple[FilePatch, ...]:
    """Fill the marks of a draft with the keys of what was accepted; nothing else changes.

    Raises:
        InputError: the draft is none whose lines can be changed, or is not what it was.
    """
    fills: dict[str, list[tuple[Span, Mark, str]]] = defaultdict(list)
    for choice in taken:
        if (mark := choice.gap.mark) is None:
            continue
        place, file = place_of(answer, choice.gap), file_of(answer, choice.gap)
        if answer.draft is None:
            raise InputError(
                "A passage has no file that a patch could change.", "Give a draft's file."
            )
        if answer.unit != "line" or not (is_latex(file) or PurePath(file).suffix.lower() in PLAIN):
            raise InputError(
                f"{place}: a file of this kind cannot be patched.",
                "Take the keys from the answer; patches are for LaTeX, Markdown, Typst and text.",
            )
        if mark.span is None or PurePath(answer.draft).suffix == ".zip":
            raise InputError(
                f"{place}: the mark has no place in a file.", "Unpack the draft first."
            )
        fills[file].append((mark.span, mark, choice.key))
    texts = {file: DraftLines.of(read_bytes(Path(file)), file) for file in fills}
    sources = [lines.text for file, lines in texts.items() if is_latex(file)]
    draft = answer.draft
    # The main file, too, may show which command cites.
    if draft is not None and draft not in texts and is_latex(draft) and Path(draft).is_file():
        sources.append(DraftLines.of(read_bytes(Path(draft)), draft).text)
    command = citing_command(sources)
    return tuple(
        _patched(texts[file], marks, cites_by(file, command)) for file, marks in fills.items()
    )


def write_patches(made: Sequence[FilePatch]) -> None:
    """Write the files anew, each whole or not at all.

    Raises:
        InputError: a file is not what it was when the patch was made; then none is written.
        OSError: a file cannot be written.
    """
    for patch in made:
        path = Path(patch.name)
        if (read_bytes(path) if path.exists() else None) != patch.old:
            raise _changed(patch.name, "is another file")
    for patch in made:
        if patch.new not in (b"", patch.old):
            with replacing(Path(patch.name)) as temporary:
                temporary.write_bytes(patch.new)


def _patched(
    lines: DraftLines, fills: Sequence[tuple[Span, Mark, str]], command: str | None
) -> FilePatch:
    edits = []
    for span, mark, key in fills:
        start, end = lines.offsets(span)
        there = lines.text[start:end]
        if _LINE_END.sub("\n", there) != _LINE_END.sub("\n", mark.printed):
            place = f"{lines.name}:{span.line}:{span.column}"
            raise _changed(place, f"has {there[:80]!r} and not {mark.printed[:80]!r}")
        back, put = filled(mark, key, lines.text[max(start - _BEFORE, 0) : start], command)
        edits.append((start - back, end, put))
    pieces, at = [], 0
    for start, end, put in sorted(edits):
        if start < at:
            raise InputError(
                f"Two marks of {lines.name} overlap: {lines.text[start:end][:80]!r}.",
                "Set them apart, and run the command again; nothing was written.",
            )
        pieces += [lines.text[at:start], put]
        at = end
    text = "".join(pieces) + lines.text[at:]
    return FilePatch(lines.name, lines.encoded(lines.text), lines.encoded(text))


@dataclass(frozen=True, slots=True)
class BibFile:
    """A BibTeX file that may not be there yet, and what it holds."""

    path: Path
    raw: bytes | None
    references: tuple[Reference, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "BibFile":
        """Read a file, if there is one.

        Raises:
            InputError: there is one that cannot be read, or that is not BibTeX.
        """
        return cls.of(path, read_bytes(path)) if path.exists() else cls(path, None)

    @classmethod
    def of(cls, path: Path, raw: bytes) -> "BibFile":
        """Read what a file holds.

        Raises:
            InputError: it is no text, or not BibTeX.
        """
        lines = DraftLines.of(raw, str(path))
        if lines.text.strip() and not bibtex.looks_so(lines.text):
            raise InputError(
                f"{path} is not BibTeX.", "Give a .bib, or a file that is not there yet."
            )
        return cls(path, raw, _references(lines.text))

    def with_entries(self, taken: Sequence[Accepted], keys: GapKeys) -> FilePatch:
        """Append the entries of accepted papers that no bibliography at hand has.

        Raises:
            InputError: the file ends within an entry, so that another would be lost in it.
        """
        entries = {item.key: text for item in taken if (text := keys.entry_of(item.paper))}
        if not entries:
            return FilePatch(str(self.path), self.raw, self.raw or b"")
        lines = DraftLines.of(self.raw or b"", str(self.path))
        # An empty line stands between the entries that there are and the new ones.
        empty, ended = not lines.text.strip(), lines.text.endswith(("\n", "\r"))
        between = "" if empty else "\n" if ended else "\n\n"
        text = lines.text + (between + "\n".join(entries.values())).replace("\n", lines.line_end)
        read_back = {reference.key for reference in _references(text)}
        before = {reference.key for reference in self.references}
        # Our reader forgives that the last entry lacks a brace, BibTeX does not.
        last = [match.start() for match in _ENTRY.finditer(lines.text)][-1:]
        braces = Counter(_BRACE.findall(lines.text, *last) if last else ())
        if braces["{"] > braces["}"] or not read_back >= before | entries.keys():
            raise InputError(
                f"{self.path} ends within an entry, in which others would be lost.",
                "Close its last brace, or give a new file.",
            )
        return FilePatch(str(self.path), self.raw, lines.encoded(text))


def _references(text: str) -> tuple[Reference, ...]:
    entries = bibtex.read(StringIO(text, newline=None))
    return tuple(entry for entry in entries if isinstance(entry, Reference))
