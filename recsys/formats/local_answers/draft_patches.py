"""Put accepted papers in place of the marks of a draft, as a unified diff and into its files."""

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from recsys.errors import InputError
from recsys.formats.files import read_bytes
from recsys.formats.local_answers.accepted_papers import Accepted
from recsys.formats.local_answers.draft_lines import DraftLines, changed
from recsys.formats.local_answers.filled_marks import citing_command, filled, is_latex
from recsys.formats.local_answers.shown_gaps import file_of, place_of
from recsys.formats.replacing import replacing
from recsys.passages import LocalAnswer, Mark

PLAIN = frozenset(
    {".md", ".markdown", ".mkd", ".qmd", ".rmd", ".txt", ".text", ".myst", ".org", ""}
)
"""Suffixes of files beside those of LaTeX whose lines are text that a patch may change."""

_BEFORE = 200  # Characters that tell how a mark hangs on what precedes it.
_LINE_END = re.compile(rb"(?<=\n)")
_QUOTED = re.compile(r"[\x00-\x1f\x7f\"\\]")


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a file holds, and what it shall hold."""

    name: str
    old: bytes
    new: bytes

    def diff(self) -> bytes:
        """Write as a unified diff, for `patch -p0` and `git apply -p0`."""
        old, new = ([*filter(None, _LINE_END.split(raw))] for raw in (self.old, self.new))
        name = _quoted(self.name)
        found = difflib.diff_bytes(difflib.unified_diff, old, new, name, name)
        return b"".join(map(_ended, found))


def patches(answer: LocalAnswer, taken: Sequence[Accepted]) -> tuple[FilePatch, ...]:
    """Fill the marks of a draft with the keys of what was accepted; nothing else changes.

    Raises:
        InputError: the draft is none whose lines can be changed, or is not what it was.
    """
    by_file: dict[str, list[tuple[Mark, str]]] = defaultdict(list)
    for each in taken:
        if each.gap.mark is not None:
            _check(answer, each)
            by_file[file_of(answer, each.gap)].append((each.gap.mark, each.key))
    texts = {file: DraftLines.of(read_bytes(Path(file)), file) for file in by_file}
    command = citing_command(_latex(answer, texts))
    return tuple(
        _patched(texts[file], fills, command if is_latex(file) else None)
        for file, fills in by_file.items()
    )


def write_patches(found: Sequence[FilePatch]) -> None:
    """Write the files anew, each whole or not at all.

    Raises:
        InputError: a file is not what it was when the patch was made; then none is written.
        OSError: a file cannot be written.
    """
    for each in found:
        if read_bytes(Path(each.name)) != each.old:
            raise changed(each.name, "is another file")
    for each in found:
        with replacing(Path(each.name)) as temporary:
            temporary.write_bytes(each.new)


def _check(answer: LocalAnswer, each: Accepted) -> None:
    place, file = place_of(answer, each.gap), file_of(answer, each.gap)
    if answer.draft is None:
        raise InputError("A passage has no file that a patch could change.", "Give a draft's file.")
    suffix = PurePath(file).suffix.lower()
    if answer.unit != "line" or not (is_latex(file) or suffix in PLAIN):
        raise InputError(
            f"{place}: a file of this kind cannot be patched.",
            "Take the keys from the answer; patches are for LaTeX, Markdown and text.",
        )
    if (
        each.gap.mark is None
        or each.gap.mark.span is None
        or PurePath(answer.draft).suffix == ".zip"
    ):
        raise InputError(f"{place}: the mark has no place in a file.", "Unpack the draft first.")


def _latex(answer: LocalAnswer, texts: Mapping[str, DraftLines]) -> Iterator[str]:
    """Yield the LaTeX in which a command for citations may be seen: also that of the main file."""
    yield from (each.text for file, each in texts.items() if is_latex(file))
    draft = answer.draft
    if draft is not None and draft not in texts and is_latex(draft) and Path(draft).is_file():
        yield DraftLines.of(read_bytes(Path(draft)), draft).text


def _patched(
    lines: DraftLines, fills: Sequence[tuple[Mark, str]], command: str | None
) -> FilePatch:
    edits = sorted(_edit(lines, mark, key, command) for mark, key in fills)
    pieces, at = [], 0
    for start, end, put in edits:
        if start < at:
            raise InputError(
                f"Two marks of {lines.name} overlap: {lines.text[start:end][:80]!r}.",
                "Set them apart, and run the command again; nothing was written.",
            )
        pieces += [lines.text[at:start], put]
        at = end
    text = "".join(pieces) + lines.text[at:]
    return FilePatch(lines.name, lines.encoded(lines.text), lines.encoded(text))


def _edit(lines: DraftLines, mark: Mark, key: str, command: str | None) -> tuple[int, int, str]:
    if mark.span is None:
        raise InputError(f"{mark.printed!r} has no place in {lines.name}.", "Fill it by hand.")
    start, end = lines.offsets(mark.span)
    there = lines.text[start:end]
    if _plain(there) != _plain(mark.printed):
        place = f"{lines.name}:{mark.span.line}:{mark.span.column}"
        raise changed(place, f"has {there[:80]!r} and not {mark.printed[:80]!r}")
    back, put = filled(mark, key, lines.text[max(start - _BEFORE, 0) : start], command)
    return start - back, end, put


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _ended(line: bytes) -> bytes:
    """End the last line of a file that has no line end, as `diff` does."""
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _quoted(name: str) -> bytes:
    """Write a name as `git diff` does: in quotes if it must, before a tab if it has spaces."""
    raw = name.encode("utf-8", errors="surrogateescape")
    if _QUOTED.search(name):
        escaped = _QUOTED.sub(lambda match: f"\\{ord(match[0]):03o}", name)
        return b'"' + escaped.encode("utf-8", errors="surrogateescape") + b'"'
    return raw + b"\t" if b" " in raw else raw
