"""NNRank beside the papers of the index that it was trained on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.models.nnrank import KIND, SCHEMA, NNRank
from recsys.models.pairs import INTERSECTED, distinct, make_pairs
from recsys.store.arrays import Floats, Ragged, Rows
from recsys.store.artifacts import MANIFEST, load_manifest, sha256
from recsys.store.generations import root_of
from recsys.store.graph import CitationGraph
from recsys.store.layout import NNSELECT

COMMAND = "recsys train nnrank INDEX --split FILE"


@dataclass(frozen=True, slots=True)
class NNRankCorpus:
    """Scores papers of a corpus for a query that is one of them.

    sets: title and abstract -> distinct words of each paper. queries, candidates: field -> (n, d)
    float32 unit rows, each paper's vector on either side.
    """

    model: NNRank
    sets: Mapping[str, Ragged]
    queries: Mapping[str, Floats]
    candidates: Mapping[str, Floats]

    def score(self, graph: CitationGraph, row: int, rows: Rows, cosine: Floats) -> Floats:
        """Score candidates for a query, as of its year: (len(rows),) float32.

        Args:
            graph: of the corpus.
            row: the query.
            rows: the candidates.
            cosine: (len(rows),) float32, NNSelect's of each candidate.
        """
        query = np.full(len(rows), row, np.int32)
        pairs = make_pairs(self.sets, graph, cosine, query, rows)
        return self.model.score(self.queries, self.candidates, pairs)

    @classmethod
    def of(cls, model: NNRank, bags: Mapping[str, Ragged]) -> "NNRankCorpus":
        """Embed the papers; bags: field -> numbers of each paper."""
        queries = model.embed(bags, candidate=False)
        candidates = model.embed(bags, candidate=True) if model.shape.separate else queries
        sets = {field: distinct(bags[field]) for field in INTERSECTED if field in bags}
        return cls(model, sets, queries, candidates)

    @classmethod
    def load(cls, folder: Path, papers: int) -> "NNRankCorpus":
        """Open the model of an index that holds so many papers.

        Raises:
            ArtifactMissing: it was never trained.
            ArtifactMismatch: it was trained before the index was built, or NNSelect trained, anew.
            ArtifactCorrupt: a file is missing, cut short, or of another shape.
        """
        if not folder.exists():
            raise ArtifactMissing(
                f"{root_of(folder.parent)} has no NNRank model {folder.name!r}.",
                f"Train it: `{COMMAND}`.",
            )
        model = NNRank.load(folder)
        _check_nnselect(folder)
        try:
            bags = {name: Ragged.load(folder, bags_file(name)) for name in model.shape.fields}
        except FileNotFoundError as error:
            raise ArtifactCorrupt(
                f"{folder} lacks {error.filename}.", f"Train it again: `{COMMAND}`."
            ) from error
        for name, each in bags.items():
            if len(each) != papers:
                raise ArtifactMismatch(
                    f"{folder} knows the {name} of {len(each)} papers, the index holds {papers}.",
                    f"Train it again: `{COMMAND}`.",
                )
        return cls.of(model, bags)


def _check_nnselect(folder: Path) -> None:
    """Refuse a model that learned from cosines of another NNSelect than the one beside it."""
    learned_from = load_manifest(folder, KIND, SCHEMA).config.get("nnselect")
    beside = folder.parent / NNSELECT / MANIFEST
    if learned_from is not None and beside.is_file() and sha256(beside) != learned_from:
        raise ArtifactMismatch(
            f"{folder} was trained beside another NNSelect than {beside.parent}.",
            f"Train it again: `{COMMAND}`.",
        )


def bags_file(field: str) -> str:
    """Name the files of a field's bags."""
    return f"bags_{field}"
