"""Put the accepted papers of an answer into a bibliography and into the draft."""

import sys
from dataclasses import dataclass

from recsys.app.answer_writing import note
from recsys.app.cli.local.citing_choices import FillChoices
from recsys.app.terminal import show
from recsys.formats.local_answers.filled_drafts import (
    Accepted,
    BibFile,
    FilePatch,
    accepted,
    patches,
    told,
    write_patches,
)
from recsys.formats.local_answers.gap_keys import GapKeys, keys_of
from recsys.passages import LocalAnswer


@dataclass(frozen=True, slots=True)
class Filling:
    """What shall be written: nothing is, before all of it is known to fit.

    bibliography: what the BibTeX file shall hold.
    """

    keys: GapKeys
    file: BibFile | None = None
    taken: tuple[Accepted, ...] = ()
    bibliography: bytes = b""
    found: tuple[FilePatch, ...] = ()


def prepare(answer: LocalAnswer, wanted: FillChoices) -> Filling:
    """Choose papers and keys, and make what shall be written.

    Raises:
        InputError: the bibliography or the draft cannot be changed so.
    """
    if wanted.fill is None:
        return Filling(keys_of(answer))
    file = BibFile.read(wanted.fill)
    keys = keys_of(answer, file.references)
    taken = accepted(answer, keys, least=wanted.least, unmarked=wanted.accept == "all")
    found = patches(answer, taken) if wanted.patch else ()
    return Filling(keys, file, taken, file.with_entries(taken, keys), found)


def fill(answer: LocalAnswer, filling: Filling, wanted: FillChoices, *, quiet: bool) -> None:
    """Write the entries, then the draft, and say which key goes where.

    Raises:
        InputError: a file is not what it was.
        OSError: a file cannot be written.
    """
    if filling.file is None:
        return
    if not filling.taken:
        note(
            f"No paper has a chance of at least {wanted.least:g}: nothing is written.", quiet=quiet
        )
        return
    if not wanted.dry_run:
        filling.file.write(filling.bibliography)
        write_patches(filling.found)
    for line in (*told(answer, filling.taken), *_summary(filling, wanted)):
        note(line, quiet=quiet)
    _show_diff(b"".join(each.diff() for each in filling.found))


def _summary(filling: Filling, wanted: FillChoices) -> tuple[str, ...]:
    papers = {each.paper.id for each in filling.taken} - filling.keys.had
    places = len(filling.taken)
    done = "would be" if wanted.dry_run else "were"
    said = f"Entries that {done} added to {wanted.fill}: {len(papers):,}; places: {places:,}."
    is_new = filling.file is not None and filling.file.raw is None and papers
    return (said, f"{wanted.fill} is new: name it in the draft.") if is_new else (said,)


def _show_diff(diff: bytes) -> None:
    """Write a diff as it is, to the byte, unless it would reach a terminal."""
    stream = sys.stdout
    if stream is None or stream.isatty() or not hasattr(stream, "buffer"):
        show(diff.decode("utf-8", errors="replace"))
        return
    stream.flush()
    stream.buffer.write(diff)
    stream.buffer.flush()
