"""Put a question to an index that is served: one way for the page and for programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from recsys.app.web.given.given_text import GivenDraft
from recsys.app.web.page_tokens import FARTHEST, digest_of, offset_in, token
from recsys.app.web.problem_details import RequestError
from recsys.app.web.shelf import Opened
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
    """Let no paper be looked for on the disk: see `asking.named.check_named`."""
    return replace(papers, references=tuple(replace(each, key="") for each in papers.references))
