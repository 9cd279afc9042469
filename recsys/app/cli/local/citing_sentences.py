"""The command `cite`: which paper belongs to which sentence."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app.answer_writing import note
from recsys.app.cli.answering.recommending_choices import AskChoices
from recsys.app.cli.local.citing_choices import (
    AboutChoices,
    FillChoices,
    PlaceChoices,
    ShownChoices,
)
from recsys.app.cli.options import Quiet
from recsys.app.terminal import show
from recsys.asking.named import is_file
from recsys.errors import DraftError, InputError
from recsys.formats.files import STDIN, read_bytes
from recsys.formats.local_answers.accepted_papers import Accepted, accepted, told
from recsys.formats.local_answers.draft_patches import FilePatch, patches, write_patches
from recsys.formats.local_answers.filled_bibliography import BibFile
from recsys.formats.local_answers.gap_keys import GapKeys, keys_of
from recsys.passages import LocalAnswer

if TYPE_CHECKING:
    from recsys.asking.question import Asked, Outcome
    from recsys.local.cite import LocalQuestion
    from recsys.local.where_to_cite import PlaceFinder
    from recsys.passages import Body, LocalAnswer
    from recsys.recommend import Recommender


def cite(
    places: PlaceChoices,
    about: AboutChoices,
    shown: ShownChoices,
    filled: FillChoices,
    quiet: Quiet = False,
) -> None:
    """Recommend papers for the places of a draft that lack a citation.

    These are the marks that authors leave, such as \\cite{?}, [CITE] or \\todo{cite}. What the
    sentence cites already is never recommended for it.

    The draft is changed by --patch alone.
    """
    from recsys.store.arrays import start_on_one_thread

    start_on_one_thread()
    from recsys.app.cli.local.citing_sentences import fill, prepare

    places.check()
    shown.check()
    filled.check(places)
    answer = _answer(places, about.question(places), quiet=quiet)
    _tell(answer, quiet=quiet)
    filling = prepare(answer, filled)
    if shown.out is not None or not filled.patch:
        _show(answer, filling.keys, shown)
    fill(answer, filling, filled, quiet=quiet)
    _check_found(answer)


def _answer(places: PlaceChoices, asked: "LocalQuestion", *, quiet: bool) -> "LocalAnswer":
    """Ask the library: the one place where an index is opened for sentences."""
    from recsys.app.answer_writing import note
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.wiring import open_local, said_of_rankers
    from recsys.local import cite as local

    draft = places.read()
    with damage_named(places.index):
        with shown_progress(quiet=quiet) as progress:
            found = open_local(places.index, needs=places.needs, progress=progress)
        for said in said_of_rankers(found.recommender):
            note(said, quiet=quiet)
        return local.cite(found, draft, asked)


def _tell(answer: "LocalAnswer", *, quiet: bool) -> None:
    """Say what was understood of a draft, what was counted, and what could not be read."""
    from recsys.app.answer_writing import note
    from recsys.formats.local_answers.shown_gaps import looked_at

    counted = looked_at(answer) and f"Looked at: {looked_at(answer)}."
    for line in filter(None, (answer.understood, counted, *answer.notes)):
        note(line, quiet=quiet)


def _show(answer: "LocalAnswer", keys: "GapKeys", shown: ShownChoices) -> None:
    from recsys.app.answer_writing import emit
    from recsys.app.terminal import draw
    from recsys.formats.local_answers.local_formats import render_local

    if shown.out is not None or shown.output != "table":
        emit(render_local(answer, shown.output, keys), shown.out)
    elif answer.gaps and sys.stdout is not None and sys.stdout.isatty():
        from recsys.app.coloured_table import coloured_gaps

        draw(coloured_gaps(answer, keys))
    elif answer.gaps:  # Without any, the error says the same.
        emit(render_local(answer, shown.output, keys))


def _check_found(answer: "LocalAnswer") -> None:
    """End with the exit code of nothing found, where no place got a paper."""
    from recsys.errors import NothingFound
    from recsys.formats.local_answers.shown_gaps import nothing_found

    if not answer.gaps:
        raise NothingFound(
            nothing_found(answer), "Mark a place by [CITE], or ask about one by --line."
        )
    if not any(gap.recommendations for gap in answer.gaps):
        raise NothingFound(
            f"No paper of the index fits; places asked about: {len(answer.gaps):,}.",
            "Give a later --as-of, or another --index.",
        )


# What `recommend --where` adds to answers: where in its draft each paper fits.

NO_PLACES = "So no paper gets a place in it."


@dataclass(slots=True)
class DraftTexts:
    """The running texts of the drafts that words name.

    wanted: whether places are asked for. raw: the only draft, read once: a pipe ends when it was.
    root: the folder of the files that it may name.
    """

    words: Sequence[str]
    wanted: bool
    raw: bytes | None = None
    root: Path | None = None

    def asked(self, ask: AskChoices) -> "list[Asked]":
        """Put the drafts as the library takes them, see `AskChoices.asked`.

        Raises:
            InputError: the file of the only draft cannot be read.
        """
        alone = len(self.words) == 1 and is_file(self.words[0])
        if not (self.wanted and alone) or ask.grobid is not None:
            return ask.asked(self.words)
        path = Path(self.words[0])
        self.root = ask.root
        if path.is_dir():
            return [ask.read(path)]
        from recsys.formats.drafts.draft_formats import parse_manuscript
        from recsys.formats.drafts.folder import folder_of

        self.raw, folder = read_bytes(path), folder_of(path, ask.root)
        told = {"title": ask.title, "abstract": ask.abstract}
        return [parse_manuscript(self.raw, path, folder=folder, **told)]

    def placed(
        self, recommender: "Recommender", outcomes: "Iterable[Outcome]"
    ) -> "Iterator[Outcome]":
        """Add the places to the answers, and to their notes why there are none."""
        if not self.wanted:
            yield from outcomes
            return
        from recsys.local.where_to_cite import PlaceFinder

        finder = PlaceFinder(recommender)
        for name, outcome in zip(self.words or (None,), outcomes, strict=True):
            yield self._placed(finder, outcome, name)

    def _placed(self, finder: "PlaceFinder", outcome: "Outcome", name: str | None) -> "Outcome":
        answer, asked = outcome.answer, outcome.question
        if answer is None or asked is None:
            return outcome
        try:
            answer = finder.place(self._body(name), answer, as_of=asked.draft.as_of)
        except InputError as error:  # The answer stands without places.
            why = f"{error.what} {NO_PLACES}"
            answer = replace(answer, where={}, notes=(*answer.notes, why))
        return replace(outcome, answer=answer, question=replace(asked, notes=answer.notes))

    def _body(self, name: str | None) -> "Body":
        """Read the running text of a draft.

        Raises:
            InputError: it has none, or cannot be read again.
        """
        from recsys.formats.bodies.body_formats import parse_body, read_body
        from recsys.formats.drafts.folder import folder_of

        if name is None or not is_file(name):
            raise DraftError(f"{name or 'The draft'} is no file with running text.")
        path = Path(name)
        if self.raw is None and path == STDIN:
            raise DraftError("Beside other drafts, standard input is read for its title alone.")
        if path.is_dir():
            return read_body(path)
        raw = read_bytes(path) if self.raw is None else self.raw
        return parse_body(raw, path, folder=folder_of(path, self.root))


# Put the accepted papers of an answer into a bibliography and into the draft.


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
