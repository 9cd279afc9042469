"""Answer a draft sentence by sentence, or one passage.

draft ─► sentences ─► places that lack a citation ─► passages ─► papers for each
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.formats.bodies.running_text import passage_of, sentence_at
from recsys.formats.drafts.draft_formats import open_draft
from recsys.local.citation_worthiness import CitationWorthiness, may_be_flagged
from recsys.local.local_recommender import LocalRecommender
from recsys.local.named_works import find_names
from recsys.local.passage import Passage
from recsys.query.matching import match
from recsys.query.resolve_draft import resolve_draft
from recsys.records import (
    Bibliography,
    Body,
    Gap,
    LocalAnswer,
    Manuscript,
    PaperId,
    ReadingLists,
    Sentence,
)

SURE = 0.9
"""The score of a name from which on the paper is taken for the one that is cited."""


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


@dataclass(frozen=True, slots=True)
class ReadText:
    """What was read: a draft's facts, its text, and the place that is asked about.

    gaps: None: all that lack a citation. name: of the draft's file; None for a passage.
    """

    manuscript: Manuscript
    body: Body
    gaps: tuple[Gap, ...] | None = None
    name: str | None = None


def cite(recommender: LocalRecommender, draft: Path | str, asked: LocalQuestion) -> LocalAnswer:
    """Recommend papers for the places of a draft, or of a passage, that lack a citation.

    Args:
        recommender: answers passages.
        draft: the path of a draft, or the text of a passage.
        asked: which places, and what else is known.

    Raises:
        InputError: the draft cannot be read, or there is no sentence at the place; k < 1.
        DraftError: it has no running text, or says nothing.
        MissingExtraError: its format needs a package that is not installed.
    """
    if isinstance(draft, str):
        known = Manuscript(title=asked.title or "", abstract=asked.abstract)
        return cite_read(recommender, passage_read(draft, asked.offset, known), asked)
    opened = open_draft(draft, title=asked.title, abstract=asked.abstract)
    read = draft_read(opened.manuscript, opened.body, str(draft), asked.line)
    return cite_read(recommender, read, asked)


def cite_read(recommender: LocalRecommender, read: ReadText, asked: LocalQuestion) -> LocalAnswer:
    """Recommend papers for places of what was read already; see `cite`.

    asked: its line, offset, title and abstract have been heeded in reading.

    Raises:
        InputError: k < 1, or (DraftError) nothing is said.
    """
    if asked.k < 1:
        raise InputError(f"k is {asked.k}.", "Ask for at least one paper.")
    question = resolve_draft(
        recommender.collection,
        read.manuscript,
        lists=ReadingLists(liked=asked.liked),
        as_of=asked.as_of,
    )
    sentences, gaps = read.body.sentences, read.gaps
    if gaps is None:
        gaps = marked(sentences)
        if recommender.needs is not None:
            gaps += unmarked(recommender.needs, sentences, asked.most)
    ids = _ids_by_key(recommender, read, question.meant)
    passages = [passage_at(recommender, each, ids) for each in gaps]
    answers = recommender.recommend(question.draft, passages, asked.k)
    found = tuple(
        Gap(each.sentence, each.at, each.mark, each.need, answer)
        for each, answer in zip(gaps, answers, strict=True)
    )
    return LocalAnswer(
        gaps=found,
        understood=question.understood,
        counts={
            "sentences": len(sentences),
            "with a citation": sum(any(m.keys or not m.gap for m in s.marks) for s in sentences),
            "marked places": sum(each.mark is not None for each in found),
            "without a mark": sum(each.mark is None for each in found),
        },
        notes=tuple(dict.fromkeys((*question.notes, *read.body.notes))),
        missing=question.missing,
        draft=read.name,
        unit=read.body.unit,
        references=read.body.references,
    )


def passage_at(recommender: LocalRecommender, gap: Gap, ids: Mapping[str, PaperId]) -> Passage:
    """Return the passage of a gap, with what its sentence cites by keys or printed names.

    ids: the papers that keys of the draft's bibliography name.
    """
    works, known = recommender.ranker.reader.works, recommender.collection.corpus.ids
    cited = dict.fromkeys(ids[key] for key in gap.sentence.cited if key in ids)
    for mark in gap.sentence.marks:
        if not (mark.gap or mark.keys):
            named = works.resolve(find_names(mark.printed))
            sure = named.rows[named.scores >= SURE].tolist()
            cited |= dict.fromkeys(known[row] for row in sure)
    return Passage(gap.sentence.text, tuple(cited), gap.at)


def passage_read(text: str, offset: int | None, known: Manuscript) -> ReadText:
    """Read a passage: what is asked about is the sentence in which its place is.

    known: what else is known of its draft.

    Raises:
        InputError: the passage is empty or too long, or the place is outside it or given twice.
    """
    sentence = passage_of(text, offset)
    gap = next((mark for mark in sentence.marks if mark.gap), None)
    at = end_of(sentence) if gap is None else gap.at
    return ReadText(known, Body((sentence,)), (Gap(sentence, at, gap),))


def draft_read(manuscript: Manuscript, body: Body, name: str, line: int | None) -> ReadText:
    """Put together what was read of a draft; a line names the one sentence that is asked about.

    Raises:
        InputError: there is no sentence on the line.
    """
    if line is None:
        return ReadText(manuscript, body, None, name)
    sentence = sentence_at(body, line)
    gaps = marked((sentence,)) or (Gap(sentence, end_of(sentence)),)
    return ReadText(manuscript, body, gaps, name)


def _ids_by_key(
    recommender: LocalRecommender, read: ReadText, meant: Sequence[PaperId | None]
) -> Mapping[str, PaperId]:
    """Return the papers that the keys of a draft's bibliography name.

    meant: what the manuscript's references mean; the body's are the same but for their keys, unless
    they came by another way.
    """
    known = {
        replace(work, key=""): paper_id
        for work, paper_id in zip(read.manuscript.references, meant, strict=True)
    }
    others = [work for work in read.body.references if replace(work, key="") not in known]
    collection = recommender.collection
    for found in match(collection, others) if others else ():
        paper_id = None if found.row is None else collection.corpus.ids[found.row]
        known[replace(found.reference, key="")] = paper_id
    papers = ((work.key, known[replace(work, key="")]) for work in read.body.references)
    return {key: paper_id for key, paper_id in papers if paper_id is not None}


# Which places of a draft lack a citation: those that are marked, then those that need one.


def marked(sentences: Sequence[Sentence]) -> tuple[Gap, ...]:
    """Return the places that the author marked, in the order of the text."""
    return tuple(
        Gap(sentence, mark.at, mark)
        for sentence in sentences
        for mark in sentence.marks
        if mark.gap
    )


def unmarked(
    needs: CitationWorthiness, sentences: Sequence[Sentence], most: int
) -> tuple[Gap, ...]:
    """Return the sentences that most likely need a citation and have none, the likeliest first.

    most: how many at most.
    """
    if most < 1 or not sentences:
        return ()
    chances = needs.probabilities(sentences)
    likely = [
        place
        for place in np.argsort(-chances, kind="stable").tolist()
        if chances[place] >= needs.least and may_be_flagged(sentences[place])
    ]
    return tuple(
        Gap(sentences[place], end_of(sentences[place]), None, float(chances[place]))
        for place in likely[:most]
    )


def end_of(sentence: Sentence) -> int:
    """Return where a citation would stand at the end of a sentence: before its full stop."""
    text = sentence.text.rstrip()
    return len(text) - 1 if text.endswith((".", "!", "?", ":", ";")) else len(text)
