"""Ask an index that is served about places of a draft, or of a passage: for pages and programs."""

from dataclasses import dataclass, replace

from recsys.app.web.given.given_text import GivenText
from recsys.app.web.shelf import Opened
from recsys.errors import InputError
from recsys.local.cite import LocalQuestion, ReadText, cite_read, draft_read, passage_read
from recsys.local.missing_citations import marked
from recsys.passages import LocalAnswer
from recsys.records import Manuscript

MOST_PLACES = 100
"""Marked places that are answered; each takes some hundredths of a second."""
MOST_UNMARKED = 10
"""Sentences without a mark that are answered, unless more are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPassage:
    """What somebody asks by HTTP about a passage, or about the text of a draft; one of both.

    draft: what is known of the draft beside. k: papers for each place. offset: the place in the
    passage. line, most: see `LocalQuestion`.
    """

    draft: Manuscript
    passage: str | None = None
    offset: int | None = None
    text: GivenText | None = None
    line: int | None = None
    most: int = MOST_UNMARKED
    k: int = 3
    as_of: int | None = None

    def check(self) -> None:
        """Refuse what cannot be answered, before any work is done.

        Raises:
            InputError: neither or both of passage and text, or a place that does not go with it.
        """
        if self.passage is None and self.text is None:
            raise InputError("Nothing is asked about.", "Give a passage, or a draft as a file.")
        if self.passage is not None and self.text is not None:
            raise InputError("A passage and a draft are given.", "Ask about one of them.")
        if self.passage is None and self.offset is not None:
            raise InputError("An offset goes with a passage.", "Give the line of a draft.")
        if self.passage is not None and self.line is not None:
            raise InputError("A line goes with a draft.", "Give the offset in a passage, or |.")


def answered_here(opened: Opened, asked: WebPassage) -> LocalAnswer:
    """Answer for a place of a passage, or for the places of a draft that lack a citation.

    Raises:
        RecsysError: it makes no sense, there is no sentence there, or the ranker is missing.
    """
    asked.check()
    read, notes = _read(asked)
    question = LocalQuestion(k=asked.k, most=asked.most, as_of=asked.as_of)
    answer = cite_read(opened.local(), read, question)
    return replace(answer, notes=(*answer.notes, *notes)) if notes else answer


def _read(asked: WebPassage) -> tuple[ReadText, tuple[str, ...]]:
    if asked.text is None:
        return passage_read(asked.passage or "", asked.offset, asked.draft), ()
    text = asked.text
    read = draft_read(asked.draft, text.body, text.name, asked.line)
    places = marked(text.body.sentences) if asked.line is None else ()
    if len(places) <= MOST_PLACES:
        return read, ()
    note = f"Only the first {MOST_PLACES} of {len(places):,} marked places are answered."
    return replace(read, gaps=places[:MOST_PLACES]), (note,)
