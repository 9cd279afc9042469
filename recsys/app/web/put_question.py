"""Put a question to an index that is served: one way for the page and for programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recsys.app.web.given.given_text import GivenDraft, GivenText
from recsys.app.web.page_tokens import FARTHEST, digest_of, offset_in, token
from recsys.app.web.problem_details import RequestError
from recsys.app.web.shelf import Opened
from recsys.errors import InputError
from recsys.local.cite import LocalQuestion, ReadText, cite_read, draft_read, passage_read
from recsys.local.where_to_cite import marked
from recsys.passages import LocalAnswer
from recsys.query.filters import Filters
from recsys.query.question import Question, pose
from recsys.recommend import KEPT
from recsys.records import Answer, Bibliography, Manuscript, ReadingLists

NO_FILTERS = Filters()
NO_PLACES = "So no paper gets a place in it."


@dataclass(frozen=True, slots=True, kw_only=True)
class WebQuestion:
    """What somebody asks by HTTP. No reference in it may be the name of a file.

    k: papers of one page. page: a token of `page_tokens`; "" asks for the first.
    """

    draft: Manuscript
    lists: ReadingLists = field(default_factory=ReadingLists)
    filters: Filters = NO_FILTERS
    as_of: int | None = None
    diversity: float = 0.0
    k: int = 20
    page: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """One page of an answer.

    answer: holds the recommendations of the page alone. digest: of the question and the index.
    next: the token of the page after, "" where there is none. offset: papers before this page.
    """

    question: Question
    answer: Answer
    digest: str
    next: str
    offset: int


def posed(opened: Opened, asked: WebQuestion) -> Question:
    """Find in the index what the question names."""
    lists = ReadingLists(
        *map(_unfiled, (asked.lists.liked, asked.lists.disliked, asked.lists.library))
    )
    return pose(opened.recommender.collection, asked.draft, lists=lists, as_of=asked.as_of)


def answered(
    opened: Opened, asked: WebQuestion, question: Question, told: Mapping[str, object]
) -> Answered:
    """Answer a question that was posed.

    Args:
        opened: the index.
        asked: the question.
        question: what `posed` made of it.
        told: all that the answer depends on beside the index, for its digest.

    Raises:
        RequestError: the token is of another question.
        RecsysError: see `Recommender.recommend`.
    """
    digest = digest_of(opened.fingerprint, told)
    offset = offset_in(asked.page, digest) if asked.page else 0
    end = min(offset + asked.k, FARTHEST)
    whole = opened.recommender.answer(
        question, end, filters=asked.filters, diversity=asked.diversity
    )
    shown = whole.recommendations[offset:]
    if not shown:
        raise RequestError(400, "The answer has ended before this page.", "Ask for the first page.")
    more = end < min(whole.stages[KEPT], FARTHEST)
    rest = token(end, digest) if more else ""
    return Answered(question, replace(whole, recommendations=shown), digest, rest, offset)


def placed(opened: Opened, found: Answered, given: GivenDraft) -> Answered:
    """Say of each paper of a page in which sentence of the draft it fits best.

    Of a draft without sentences, a note says so.
    """
    text, answer = given.text, found.answer
    if text is None:
        why = given.why.what if given.why is not None else "The draft has no running text."
        notes = (*answer.notes, f"{why} {NO_PLACES}")
        return replace(found, answer=replace(answer, where={}, notes=notes))
    answer, as_of = replace(answer, draft=text.name), found.question.draft.as_of
    return replace(found, answer=opened.places().place(text.body, answer, as_of=as_of))


def joined(given: Manuscript, typed: Manuscript) -> Manuscript:
    """Put what was typed before what a file says; the references of both count."""
    return replace(
        given,
        title=typed.title or given.title,
        abstract=typed.abstract or given.abstract,
        authors=typed.authors or given.authors,
        venue=typed.venue or given.venue,
        references=(*given.references, *typed.references),
        as_of=given.as_of if typed.as_of is None else typed.as_of,
        paper_id=typed.paper_id or given.paper_id,
        doi=typed.doi or given.doi,
        keyphrases=typed.keyphrases or given.keyphrases,
    )


def _unfiled(papers: Bibliography) -> Bibliography:
    """Let no paper be looked for on the disk: see `query.named.check_named`."""
    return replace(papers, references=tuple(replace(each, key="") for each in papers.references))


# Ask an index that is served about places of a draft, or of a passage: for pages and programs.

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
