"""The command `map`: the papers around a draft as a picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from recsys.app.cli.answering.recommending_choices import (
    DRAFT,
    Abstract,
    AskChoices,
    FilterChoices,
    IndexOrStarter,
    ListChoices,
    Title,
)
from recsys.app.cli.declarations import Argument, Option, bad_value
from recsys.app.cli.options import Candidates, NoMetadata, Quiet, names_in

if TYPE_CHECKING:
    from recsys.mapping import Map
    from recsys.query.question import Question
    from recsys.recommend import Recommender

_ENDINGS = (".html", ".svg")
_STDOUT = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class MapChoices:
    """Which draft is drawn, of which index, and where the map goes."""

    draft: Annotated[
        str | None,
        Argument(
            metavar="DRAFT",
            show_default="stdin",
            help=DRAFT,
        ),
    ] = None
    index: IndexOrStarter = None
    out: Annotated[
        Path,
        Option(
            "--out",
            metavar="FILE",
            help="Write the map to this file: a page with its table (.html), or the picture alone "
            "(.svg); `-` writes the page to stdout.",
        ),
    ] = _STDOUT
    title: Title = None
    abstract: Abstract = None

    @property
    def ask(self) -> AskChoices:
        """The draft, as `recommend` takes it."""
        drafts = None if self.draft is None else [self.draft]
        return AskChoices(drafts=drafts, index=self.index, title=self.title, abstract=self.abstract)

    @property
    def target(self) -> Path | None:
        """The file that is written; None is stdout."""
        return None if self.out == _STDOUT else self.out

    @property
    def ending(self) -> str:
        """What the file's ending says of how the map is written."""
        return _ENDINGS[0] if self.target is None else self.target.suffix.lower()

    def check(self) -> None:
        """Refuse what cannot be written, before any work is done.

        Raises:
            UsageError: the file's ending says of no format.
            InputError: a path that cannot be written to.
        """
        from recsys.app.answer_writing import check_target

        if self.ending not in _ENDINGS:
            raise bad_value(f"{self.out} ends in neither {' nor '.join(_ENDINGS)}.", option="--out")
        check_target(self.target)


def draw_map(
    wanted: MapChoices,
    lists: ListChoices,
    filters: FilterChoices,
    candidates: Candidates = None,
    no_metadata: NoMetadata = False,
    quiet: Quiet = False,
) -> None:
    """Draw the papers around a draft: x is the year, y the topic.

    At most 150 papers: those that the draft cites, those that `recsys recommend` would name, and
    near ones, in groups by topic. Each group says how many near papers it has and how many the
    draft cites; the three widest gaps are named.
    """
    from recsys.processors import start_on_one_thread

    start_on_one_thread()
    from recsys.app.answer_writing import emit
    from recsys.app.inspection import damage_named
    from recsys.mapping import MAP_FORMATS
    from recsys.mapping import draw_map as drawn
    from recsys.query.question import pose

    wanted.check()
    [asked] = wanted.ask.asked(wanted.ask.words(seeds=bool(lists.seeds)))
    named, limits = lists.read(), filters.filters()
    with damage_named(wanted.index):
        found = _open(wanted.index, candidates, metadata=not no_metadata, quiet=quiet)
        question = pose(found.collection, asked, lists=named, as_of=filters.as_of)
        drawing = drawn(found, question, filters=limits)
    _tell(question, drawing, quiet=quiet)
    emit(MAP_FORMATS[wanted.ending](drawing), wanted.target)


def _open(
    index: Path | None, candidates: Candidates, *, metadata: bool, quiet: bool
) -> "Recommender":
    from recsys.app.bars import shown_progress
    from recsys.app.wiring import open_index

    with shown_progress(quiet=quiet) as progress:
        return open_index(
            index, metadata=metadata, candidates=names_in(candidates), progress=progress
        )


def _tell(question: "Question", drawing: "Map", *, quiet: bool) -> None:
    """Say what was understood of the draft, and name the gaps."""
    from recsys.app.answer_writing import note

    for line in (question.understood, *question.notes, *_gaps(drawing)):
        note(line, quiet=quiet)


def _gaps(drawing: "Map") -> Iterator[str]:
    for place in drawing.gaps:
        group = drawing.groups[place]
        yield f"Gap: {group.label} ({group.counted})."
