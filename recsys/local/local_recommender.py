"""Answer passages: the papers that fit at a place, with probabilities and reasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recsys.local.local_features import LocalFacts
from recsys.local.local_reasons import explain_local
from recsys.local.missing_citations import Needs
from recsys.local.passage import Passage
from recsys.local.rank_passages import LocalRanking, PassageRanker
from recsys.recommend import Recommender
from recsys.records import Draft, Paper, Recommendation
from recsys.retrieval.sources import IN_WORDS
from recsys.store.blas import one_thread
from recsys.store.collection import Collection
from recsys.store.products import remembered_products


@dataclass(frozen=True, slots=True)
class LocalRecommender:
    """Answers passages of drafts out of one collection.

    needs: judges which sentences need a citation; None: only marked places are answered.
    """

    ranker: PassageRanker
    needs: Needs | None = None

    @property
    def recommender(self) -> Recommender:
        """What answers whole drafts."""
        return self.ranker.reader.recommender

    @property
    def collection(self) -> Collection:
        """Corpus, graph and search structures."""
        return self.recommender.collection

    def recommend(
        self, draft: Draft, passages: Sequence[Passage], k: int
    ) -> list[tuple[Recommendation, ...]]:
        """Recommend at most k papers for each passage of a draft.

        The draft is ranked once; passages are encoded together.

        Raises:
            DraftError: neither the draft nor its first passage says anything.
        """
        if not passages:
            return []
        reader = self.ranker.reader
        with one_thread(), remembered_products():
            view = reader.view(draft, passages[0])
            vectors = reader.encode(passages)
        found = []
        papers: dict[int, Paper] = {}
        for passage, vector in zip(passages, vectors, strict=True):
            with one_thread(), remembered_products():
                ranking = self.ranker.rank(reader.facts(view, passage, vector))
                found.append(self._shown(ranking, k, papers))
        return found

    def _shown(
        self, ranking: LocalRanking, k: int, known: dict[int, Paper]
    ) -> tuple[Recommendation, ...]:
        """Show the best; papers that other passages have shown are known."""
        chosen, best = ranking.positions[:k].tolist(), ranking.rows[:k].tolist()
        if new := [row for row in best if row not in known]:
            known.update(zip(new, self.collection.corpus.papers(new), strict=True))
        papers = [known[row] for row in best]
        reasons = explain_local(ranking.facts, chosen, papers)
        sources = [_sources(ranking.facts, at) for at in chosen]
        columns = papers, ranking.scores, ranking.probabilities, sources, reasons
        rows = zip(best, *columns, strict=False)
        return tuple(
            Recommendation(
                rank=rank,
                paper=paper,
                score=float(score),
                probability=float(probability),
                sources=names,
                reasons=why,
                found_by=tuple(_in_words(names)),
                versions=tuple(self.collection.corpus.papers(ranking.versions.get(row, ()))),
            )
            for rank, (row, paper, score, probability, names, why) in enumerate(rows, start=1)
        )


_OF_DRAFT = "draft"
"""The source of candidates that the sentence alone would not have found."""
_OF_CONTEXTS = "context"
"""The source of candidates that are cited in sentences like it."""
_WORDS = {**IN_WORDS, _OF_DRAFT: "the draft as a whole", _OF_CONTEXTS: "sentences that cite it"}


def _sources(facts: LocalFacts, at: int) -> tuple[str, ...]:
    found, signs = facts.sentence.evidence.candidates.source_names(at), facts.signs
    if signs is not None and max(signs.votes[at], signs.bm25[at]) > 0:
        found = (*found, _OF_CONTEXTS)
    return found or (_OF_DRAFT,)


def _in_words(names: Iterable[str]) -> list[str]:
    return [_WORDS[name] for name in names]
