"""Answer a draft sentence by sentence, or one passage."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recsys.errors import InputError, NothingFound
from recsys.formats.bodies.body_formats import read_body
from recsys.passages import Body, Gap, LocalAnswer, Mark, Sentence, Span
from recsys.recommend import Recommender
from recsys.records import Bibliography, Manuscript, ReadingLists, Recommendation


@dataclass(frozen=True, slots=True)
class LocalQuestion:
    """What is asked of a draft, or of a passage.

    k: papers for each place. line: of the one sentence that is asked about; None: all that lack a
    citation. offset: the place in a passage, as the characters before it. most: sentences without a
    mark at most. as_of: the year in which it is written. title, abstract: go before the draft's
    own. liked: papers to find more of.
    """

    k: int = 3
    line: int | None = None
    offset: int | None = None
    most: int = 10
    as_of: int | None = None
    title: str | None = None
    abstract: str | None = None
    liked: Bibliography = field(default_factory=Bibliography)


def cite(recommender: Recommender, draft: Path | str, asked: LocalQuestion) -> LocalAnswer:
    """Recommend papers for the places of a draft, or of a passage, that lack a citation.

    Args:
        recommender: an open index.
        draft: the path of a draft, or the text of a passage.
        asked: which places, and what else is known.

    Raises:
        InputError: the draft cannot be read, or there is no such place.
    """
    body = read_body(draft) if isinstance(draft, Path) else _passage(draft, asked.offset)
    places = list(_places(body, asked.line))
    if asked.line is not None and not places:
        raise InputError(f"No sentence is on line {asked.line}.", "Give a line of running text.")
    gaps = tuple(
        Gap(sentence, at, mark, None, _papers(recommender, sentence, asked))
        for sentence, at, mark in places
    )
    return LocalAnswer(
        gaps,
        counts={"sentences": len(body.sentences), "places without a citation": len(gaps)},
        notes=body.notes,
        draft=str(draft) if isinstance(draft, Path) else None,
        unit=body.unit,
        references=body.references,
    )


def _passage(text: str, offset: int | None) -> Body:
    if not text.strip("| \n\t"):
        raise InputError("The passage is empty.", "Give a sentence.")
    at = max(text.find("|"), 0) if offset is None and "|" in text else offset
    plain = text.replace("|", "")
    at = len(plain.rstrip()) if at is None else min(at, len(plain))
    place = Span(1, at + 1, 1, at + 1)
    return Body((Sentence(plain, (Mark(at, gap=True, span=place),), span=place),))


def _places(body: Body, line: int | None) -> Iterator[tuple[Sentence, int, Mark | None]]:
    for sentence in body.sentences:
        span = sentence.span
        if line is None:
            yield from ((sentence, mark.at, mark) for mark in sentence.marks if mark.gap)
        elif span is not None and span.line <= line <= span.end_line:
            marks = [mark for mark in sentence.marks if mark.gap]
            yield from ((sentence, mark.at, mark) for mark in marks)
            if not marks:
                yield sentence, len(sentence.text), None


def _papers(
    recommender: Recommender, sentence: Sentence, asked: LocalQuestion
) -> tuple[Recommendation, ...]:
    lists = ReadingLists(liked=asked.liked)
    words = Manuscript(title=sentence.text, abstract=asked.title)
    try:
        return recommender.recommend(words, asked.k, lists=lists, as_of=asked.as_of).recommendations
    except NothingFound:
        return ()
