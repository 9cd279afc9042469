"""What `recommend --where` adds to answers: where in its draft each paper fits."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app.cli.answering.recommending_choices import AskChoices
from recsys.errors import DraftError, InputError
from recsys.formats.files import STDIN
from recsys.query.named import is_file

if TYPE_CHECKING:
    from recsys.formats.drafts.draft_formats import OpenDraft
    from recsys.local.where_to_cite import PlaceFinder
    from recsys.passages import Body
    from recsys.query.question import Asked, Outcome
    from recsys.recommend import Recommender

NO_PLACES = "So no paper gets a place in it."


@dataclass(slots=True)
class DraftTexts:
    """The running texts of the drafts that words name.

    wanted: whether places are asked for. draft: the only one, read once: a pipe ends when it was.
    """

    words: Sequence[str]
    wanted: bool
    draft: "OpenDraft | None" = None

    def asked(self, ask: AskChoices) -> "list[Asked]":
        """Put the drafts as the library takes them, see `AskChoices.asked`.

        Raises:
            InputError: the file of the only draft cannot be read.
        """
        alone = len(self.words) == 1 and is_file(self.words[0])
        if not (self.wanted and alone) or ask.grobid is not None:
            return ask.asked(self.words)
        from recsys.formats.drafts.draft_formats import open_draft

        path = Path(self.words[0])
        self.draft = open_draft(path, title=ask.title, abstract=ask.abstract, root=ask.root)
        return [self.draft.manuscript]

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
        from recsys.formats.drafts.draft_formats import open_draft

        if self.draft is not None:
            return self.draft.body
        if name is None or not is_file(name):
            raise DraftError(f"{name or 'The draft'} is no file with running text.")
        if Path(name) == STDIN:
            raise DraftError("Beside other drafts, standard input is read for its title alone.")
        return open_draft(Path(name)).body
