"""Put a question to an index that is served: one way for the pages and for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from recsys.app.check_wiring import checked
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.replies import FARTHEST, RequestError, UnknownPaper, digest_of, offset_in, token
from recsys.app.web.upload_reader import DraftText, UploadedDraft
from recsys.checking.check import index_source
from recsys.checking.listed import Listed
from recsys.checking.verdicts import CheckReport
from recsys.errors import InputError
from recsys.local.cite import LocalQuestion, cite_read, draft_read, marked, passage_read
from recsys.query.question_schema import QuestionOptions
from recsys.query.resolve_draft import Question, resolve_draft
from recsys.query.search import named_row
from recsys.recommend import KEPT
from recsys.records import Answer, LocalAnswer, Manuscript, Paper, PaperId, ReadingLists, Reference
from recsys.store.arrays import Rows
from recsys.store.corpus import Corpus

# What to cite in a draft.

NO_PLACES = "No paper can be placed in it."


@dataclass(frozen=True, slots=True, kw_only=True)
class WebQuestion:
    """What somebody asks by HTTP. No reference in it may be the name of a file.

    options: `k` of them is of one page. page: a token of `replies`; "" asks for the first.
    """

    draft: Manuscript
    lists: ReadingLists = field(default_factory=ReadingLists)
    options: QuestionOptions = field(default_factory=QuestionOptions)
    page: str = ""


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """One page of an answer.

    answer: holds the recommendations of the page alone. digest: of the question and the index.
    next: the token of the page after, "" where there is none. offset: papers before this page.
    """

    question: Question
    answer: Answer
    digest: str
    next: str
    offset: int


def posed(opened: OpenIndex, asked: WebQuestion) -> Question:
    """Find in the index what the question names; no paper is looked for on the disk."""
    lists = (
        replace(papers, references=tuple(replace(each, key="") for each in papers.references))
        for papers in (asked.lists.liked, asked.lists.disliked, asked.lists.library)
    )
    collection = opened.recommender.collection
    return resolve_draft(
        collection, asked.draft, lists=ReadingLists(*lists), as_of=asked.options.as_of
    )


def answer_page(
    opened: OpenIndex, asked: WebQuestion, question: Question, facts: Mapping[str, object]
) -> AnswerPage:
    """Answer a question that was posed.

    Args:
        opened: the index.
        asked: the question.
        question: what `posed` made of it.
        facts: all that the answer depends on beside the index, for its digest.

    Raises:
        RequestError: the token is of another question.
        RecsysError: see `Recommender.recommend`.
    """
    digest = digest_of(opened.fingerprint, facts)
    offset = offset_in(asked.page, digest) if asked.page else 0
    options = asked.options
    end = min(offset + options.k, FARTHEST)
    whole = opened.recommender.answer(
        question, end, filters=options.filters, diversity=options.diversity
    )
    shown = whole.recommendations[offset:]
    if not shown:
        raise RequestError(400, "The answer has ended before this page.", "Ask for the first page.")
    rest = token(end, digest) if end < min(whole.stages[KEPT], FARTHEST) else ""
    return AnswerPage(question, replace(whole, recommendations=shown), digest, rest, offset)


def placed(opened: OpenIndex, page: AnswerPage, upload: UploadedDraft) -> AnswerPage:
    """Say of each paper of a page in which sentence of the draft it fits best.

    Of a draft without sentences, a note says so.
    """
    answer, text = page.answer, upload.text
    if text is None:
        why = upload.why.what if upload.why is not None else "The draft has no running text."
        answer = replace(answer, where={}, notes=(*answer.notes, f"{why} {NO_PLACES}"))
    else:
        answer = replace(answer, draft=text.name)
        answer = opened.places().place(text.body, answer, as_of=page.question.draft.as_of)
    return replace(page, answer=answer)


def joined(upload: Manuscript, typed: Manuscript) -> Manuscript:
    """Put what was typed before what a file says; the references of both count."""
    return replace(
        upload,
        title=typed.title or upload.title,
        abstract=typed.abstract or upload.abstract,
        authors=typed.authors or upload.authors,
        venue=typed.venue or upload.venue,
        references=(*upload.references, *typed.references),
        as_of=upload.as_of if typed.as_of is None else typed.as_of,
        paper_id=typed.paper_id or upload.paper_id,
        doi=typed.doi or upload.doi,
        keyphrases=typed.keyphrases or upload.keyphrases,
    )


# What to cite at a place of a passage, or at the places of a draft that lack a citation.

MOST_PLACES = 100
"""Marked places that are answered; each takes some hundredths of a second."""


MOST_CHECKED = 2_000
"""References that the page and the API check at once."""


def checked_in(
    opened: OpenIndex, references: Sequence[Reference], notes: Sequence[str] = ()
) -> CheckReport:
    """Check references against an index, as of today."""
    source = index_source(opened.recommender.collection, opened.name)
    return checked(Listed(tuple(references), tuple(notes)), [source])


def answer_passage(
    opened: OpenIndex,
    draft: Manuscript,
    passage: str | None,
    text: DraftText | None,
    asked: LocalQuestion,
) -> LocalAnswer:
    """Answer for a place of a passage, or for the places of a draft that lack a citation.

    Args:
        opened: the index.
        draft: what is known of the draft beside.
        passage: see `passage_read`; None where a text is given.
        text: of the draft; None where a passage is given.
        asked: which place, and what else is known.

    Raises:
        RecsysError: it makes no sense, there is no sentence there, or the ranker is missing.
    """
    if passage is None and text is None:
        raise InputError("Nothing is asked about.", "Give a passage, or a draft as a file.")
    if passage is not None and text is not None:
        raise InputError("A passage and a draft are given.", "Ask about one of them.")
    if passage is None and asked.offset is not None:
        raise InputError("An offset goes with a passage.", "Give the line of a draft.")
    if passage is not None and asked.line is not None:
        raise InputError("A line goes with a draft.", "Give the offset in a passage, or |.")
    notes: tuple[str, ...] = ()
    if text is None:
        read = passage_read(passage or "", asked.offset, draft)
    else:
        read = draft_read(draft, text.body, text.name, asked.line)
        places = marked(text.body.sentences) if asked.line is None else ()
        if len(places) > MOST_PLACES:
            read = replace(read, gaps=places[:MOST_PLACES])
            notes = (
                f"Only the first {MOST_PLACES} of {len(places):,} marked places are answered.",
            )
    answer = cite_read(opened.local(), read, asked)
    return replace(answer, notes=(*answer.notes, *notes))


# Single papers: their texts, their links, and who is like them.

SIMILAR = 10


@dataclass(frozen=True, slots=True)
class Around:
    """A paper and the papers around it, as rows: what it cites and who cites it, newest first."""

    paper: Paper
    cites: Rows
    cited_by: Rows
    similar: Rows


def around(opened: OpenIndex, paper_id: PaperId) -> Around:
    """Gather what is known of a paper.

    Raises:
        UnknownPaper: the index does not hold it.
    """
    collection = opened.recommender.collection
    row = named_row(collection, paper_id)
    if row is None:
        what = f"The index {opened.name!r} holds no paper {paper_id[:200]!r}."
        raise UnknownPaper(what, "Look for it by its title.")
    (paper,) = collection.corpus.full_papers([row])
    links = (
        np.asarray(links[row]) for links in (collection.graph.cites, collection.graph.cited_by)
    )
    years = collection.corpus.years
    cites, cited_by = (rows[np.lexsort((rows, -years[rows].astype(np.int32)))] for rows in links)
    vector, similar = np.asarray(collection.vectors[row]), np.empty(0, np.int32)
    if vector.any():
        nearest, _ = collection.vector_index.search(vector, SIMILAR + 1)
        similar = nearest[nearest != row][:SIMILAR]
    return Around(paper, cites, cited_by, similar)


def papers_named(opened: OpenIndex, ids: Sequence[PaperId]) -> tuple[list[Paper], list[PaperId]]:
    """Return papers with their abstracts, in order of their ids, and the ids that are unknown."""
    collection = opened.recommender.collection
    rows = {each: named_row(collection, each) for each in ids}
    known = list(dict.fromkeys(row for row in rows.values() if row is not None))
    full = dict(zip(sorted(known), collection.corpus.full_papers(sorted(known)), strict=True))
    return [full[row] for row in known], [each for each, row in rows.items() if row is None]


def years_of(corpus: Corpus) -> tuple[int | None, int | None]:
    """Return the first and the last known year of an index."""
    years = corpus.years[corpus.years >= 0]
    return (int(years.min()), int(years.max())) if len(years) else (None, None)
