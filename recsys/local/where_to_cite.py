"""Where in a draft the recommended papers fit: to each paper its best sentence.

fit(p, s) = cos(profile(p), s) + SHARE * share of p's title in s + ALIKE * cosine of both as words
            + how clearly s names p
score(p, s) = fit(p, s) - sum of fit(q, s) over the other papers q of the answer / their number
A paper goes to the sentence of the highest score among those that it fits well: a sentence that
fits all papers, such as one on the field, is thus nobody's first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from recsys.formats.drafts.wording import counted
from recsys.local.named_works import NamedWorks, find_names
from recsys.local.passage import MOST_CITERS
from recsys.machine import one_thread
from recsys.recommend import Recommender
from recsys.records import Answer, Body, PaperId, Place, Sentence
from recsys.store.arrays import Floats, Rows, distinct
from recsys.store.collection import Collection
from recsys.store.terms import TermStore

SHARE, ALIKE = np.float32(0.2), np.float32(0.3)
MARKED = np.float32(0.05)
"""Added for a sentence whose author marked that a citation is missing: it decides near ties."""
BEHIND = np.float32(0.4)
"""What fits so much less than a paper's best sentence is not its place: where all papers of an
answer are on one thing, they fit the sentence on it alike, and what is left is chance."""
LEAST = 0.5
"""What fits less is no place. Among a hundred sentences of papers on computational linguistics, one
in six of such places is where the paper is cited, and two in five of the others."""
MOST_SENTENCES = 2_000
"""Of a longer text, the sentences that share most words with the papers' titles are compared."""
_NEVER = np.float32(1e-9)


@dataclass(frozen=True)
class PlaceFinder:
    """Finds the places of recommended papers; made once for a recommender.

    most: sentences of a text that are compared; each takes some milliseconds to encode.
    """

    recommender: Recommender
    most: int = MOST_SENTENCES

    @cached_property
    def works(self) -> NamedWorks:
        """Finds the works that a sentence names."""
        return NamedWorks(self.recommender.collection)

    def place(self, body: Body, answer: Answer, *, as_of: int | None = None) -> Answer:
        """Add to an answer where its papers fit, and say how many fit nowhere.

        Sentences that cite something compete like all others: a citation may join others.

        Args:
            body: the running text of the draft that was answered.
            answer: of the same recommender; a place is where a paper fits and the others do less,
                so that places are surer with ten papers or more.
            as_of: the year in which the draft is written, as the answer was asked for; None: now.
        """
        ids = [each.paper.id for each in answer.recommendations]
        where = self.places(body, ids, as_of=as_of)
        notes = [*answer.notes, *body.notes]
        if len(body.sentences) > self.most:
            notes.append(
                f"Of {len(body.sentences):,} sentences, {self.most:,} were compared with "
                "the papers: those that share most words with them."
            )
        if lost := len(ids) - len(where):
            fits = "fits" if lost == 1 else "fit"
            notes.append(f"{counted(lost, 'paper')} {fits} no single sentence of the draft.")
        return replace(answer, where=where, notes=tuple(dict.fromkeys(notes)))

    def places(
        self, body: Body, ids: Sequence[PaperId], *, as_of: int | None = None
    ) -> dict[PaperId, Place]:
        """Find the best place of each paper that fits somewhere; ties go to the first sentence.

        Args:
            body: a draft's running text.
            ids: papers of the corpus, each once.
            as_of: only citations by older papers tell how a paper is spoken of; None: all do.
        """
        rows = self.recommender.collection.corpus.rows(ids)
        if not len(rows) or not body.sentences:
            return {}
        with one_thread():
            sentences, fits = self._compared(body.sentences, rows, as_of)
        places = {}
        # Of each paper the best sentence, ties by place in the text.
        near = fits >= fits.max(axis=1, keepdims=True) - BEHIND
        # Counting the paper itself among the others lets one paper alone keep its fits.
        scores = fits - (fits.sum(axis=0) - fits) / len(fits)
        scores[:, [any(mark.gap for mark in each.marks) for each in sentences]] += MARKED
        # A product rounds the same sentence otherwise in another column.
        best = np.where(near, np.round(scores, 5), -np.inf).argmax(axis=1)
        fit_best = fits[np.arange(len(best)), best]
        for row, at, fit in zip(rows.tolist(), best.tolist(), fit_best.tolist(), strict=True):
            if fit >= LEAST:
                sentence, span = sentences[at], sentences[at].span
                places[self.recommender.collection.corpus.ids[row]] = Place(
                    text=sentence.text,
                    score=fit,
                    line=None if span is None else span.line,
                    column=None if span is None else span.column,
                    unit=body.unit,
                    file=sentence.file,
                    section=sentence.section,
                )
        return places

    def _compared(
        self, sentences: Sequence[Sentence], rows: Rows, as_of: int | None
    ) -> tuple[Sequence[Sentence], Floats]:
        """Return sentences of a draft, and how each paper fits each of them: (k, n) float32."""
        collection = self.recommender.collection
        words = _fit_of_words(collection.terms, rows, [each.text for each in sentences])
        if len(sentences) > self.most:
            kept = np.sort(np.argsort(-words.max(axis=0), kind="stable")[: self.most])
            sentences, words = [sentences[at] for at in kept.tolist()], words[:, kept]
        texts = [(each.text, None) for each in sentences]
        vectors = self.recommender.encoder.encode(texts)
        fits = _profiles(collection, rows, as_of) @ vectors.T + words
        allowed = np.zeros(len(collection.corpus), bool)
        allowed[rows] = True
        for at, sentence in enumerate(sentences):
            named = self.works.resolve(find_names(sentence.text), allowed=allowed)
            fits[np.searchsorted(rows, named.rows), at] += named.scores
        return sentences, fits


def _profiles(collection: Collection, rows: Rows, as_of: int | None) -> Floats:
    """Pull papers towards their latest citers, as `profile_cosines` does: unit vectors (k, d)."""
    years = collection.corpus.years
    before = int(years.max()) + 1 if as_of is None else as_of
    profiles = collection.vectors[rows]
    owner, citing = collection.graph.citers(rows, before, most=MOST_CITERS)
    for place in np.unique(owner).tolist():
        profiles[place] += collection.vectors[citing[owner == place]].mean(axis=0)
    lengths = np.linalg.norm(profiles, axis=1, keepdims=True)
    unit: Floats = profiles / np.maximum(lengths, _NEVER)
    return unit


def _fit_of_words(terms: TermStore, rows: Rows, texts: Sequence[str]) -> Floats:
    """Compare titles and sentences as sets of words that weigh their idf: (k, n) float32."""
    owner, codes = terms.title_terms.take(rows)
    used = distinct(codes)
    titles = np.zeros((len(rows), len(used)), np.float32)
    titles[owner, np.searchsorted(used, codes)] = 1
    shared = np.zeros((len(used), len(texts)), np.float32)
    lengths = np.zeros(len(texts), np.float32)
    for at, text in enumerate(texts):
        known = terms.query(text, None).codes
        shared[:, at] = np.isin(used, known)
        lengths[at] = np.sqrt((terms.idf[known] ** 2).sum())
    idf = terms.idf[used]
    share = (titles * idf) @ shared / np.maximum(titles @ idf, _NEVER)[:, None]
    length = np.sqrt(titles @ idf**2)[:, None] * lengths
    alike = (titles * idf**2) @ shared / np.maximum(length, _NEVER)
    fit: Floats = SHARE * share + ALIKE * alike
    return fit
