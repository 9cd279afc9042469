"""The command `cite`: which paper belongs to which sentence."""

import sys
from typing import TYPE_CHECKING

from recsys.app.cli.local.citing_choices import (
    AboutChoices,
    FillChoices,
    PlaceChoices,
    ShownChoices,
)
from recsys.app.cli.options import Quiet

if TYPE_CHECKING:
    from recsys.formats.local_answers.gap_keys import GapKeys
    from recsys.local.cite import LocalQuestion
    from recsys.passages import LocalAnswer


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
    from recsys.processors import start_on_one_thread

    start_on_one_thread()
    from recsys.app.cli.local.filling_drafts import fill, prepare

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
    from recsys.app.local_wiring import open_local, said_of_rankers
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
