"""NNSelect at answering time: Citeomatic's first stage, without torch.

Trained by `recsys train nnselect`. A text's vector is computed from the words of its title and
abstract; neighbours of it, and what these cite, are its candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.models.vocabulary import LONGEST, to_bags, words_of
from recsys.query.query import Query
from recsys.store.arrays import Floats, Ragged, Rows, SortedStrings, load_array
from recsys.store.artifacts import load_manifest
from recsys.store.generations import root_of
from recsys.store.graph import CitationGraph
from recsys.store.lookup import dots
from recsys.store.top_k import top_k

KIND, SCHEMA = "nnselect", 1
WORDS, TABLE, SCALES, VECTORS = "words", "table.npy", "scales.npy", "vectors.npy"
COMMAND = "recsys train nnselect INDEX --split FILE"
NEIGHBOURS = 10
"""Nearest papers whose citations become candidates, too, as in the paper's evaluation."""


@dataclass(frozen=True, slots=True)
class NNSelectModel:
    """Implements `recsys.protocols.Encoder`.

    words: the vocabulary. table: (v, d) float32, each word's vector, magnitude times direction.
    scales: (2,) float32, weights of title and abstract. vectors: (n, d) float32, of the corpus's
    papers; unit rows, zero for a paper without known words. fingerprint: of the other arrays.
    """

    words: SortedStrings
    table: Floats
    scales: Floats
    vectors: Floats
    fingerprint: str

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        """Encode (title, abstract or None) pairs: (n, d) float32, L2-normalised rows.

        A text without a known word becomes zero: it is near nothing.
        """
        both = np.zeros((len(texts), self.dim), np.float32)
        for place, name in enumerate(("title", "abstract")):
            lists = (words_of(text[place]) for text in texts)
            bags = to_bags(lists, self.words, longest=LONGEST[name])
            both += self.scales[place] * unit_rows(self._sums(bags))
        return unit_rows(both)

    def _sums(self, bags: Ragged) -> Floats:
        sums = np.zeros((len(bags), self.dim), np.float32)
        full = np.flatnonzero(np.diff(bags.starts))
        if len(full):
            sums[full] = np.add.reduceat(self.table[bags.values], bags.starts[full], axis=0)
        return sums

    def save(self, folder: Path) -> None:
        """Write the arrays; the manifest, of KIND and SCHEMA, names the fingerprint."""
        self.words.save(folder, WORDS)
        np.save(folder / TABLE, self.table)
        np.save(folder / SCALES, self.scales)
        np.save(folder / VECTORS, self.vectors)

    @classmethod
    def load(cls, folder: Path, papers: int) -> "NNSelectModel":
        """Memory-map the model of an index that holds so many papers.

        Raises:
            ArtifactMissing: it was never trained.
            ArtifactMismatch: it was trained before the index was built anew.
            ArtifactCorrupt: a file is missing, cut short, or of another shape.
        """
        if not folder.exists():
            raise ArtifactMissing(
                f"{root_of(folder.parent)} has no NNSelect model.", f"Train it: `{COMMAND}`."
            )
        config = load_manifest(folder, KIND, SCHEMA).config
        words = SortedStrings.load(folder, WORDS)
        table, scales, vectors = (load_array(folder / name) for name in (TABLE, SCALES, VECTORS))
        if vectors.ndim != 2 or any(each.dtype != np.float32 for each in (table, scales, vectors)):
            raise ArtifactCorrupt(
                f"{folder / VECTORS} or what belongs to it is no array of 32-bit numbers.",
                f"Train it again: `{COMMAND}`.",
            )
        if len(vectors) != papers:
            raise ArtifactMismatch(
                f"{folder} has vectors of {len(vectors)} papers, the index holds {papers}.",
                f"Train it again: `{COMMAND}`.",
            )
        if table.shape != (len(words), vectors.shape[1]) or scales.shape != (2,):
            raise ArtifactCorrupt(
                f"{folder / TABLE} has the shape {table.shape}, not that of {len(words)} words.",
                f"Train it again: `{COMMAND}`.",
            )
        return cls(words, table, scales, vectors, config["fingerprint"])


def select(
    graph: CitationGraph, vectors: Floats, query: Query, vector: Floats, neighbours: int
) -> tuple[Rows, Floats]:
    """Propose candidates by a model's vectors: (rows, cosines), best first.

    They are the nearest papers and what those older than the query cite; each has its own cosine
    (Bhagavatula et al. 2018, section 2).

    Args:
        graph: of the corpus.
        vectors: (n, d) float32, unit rows.
        query: what may be seen.
        vector: (d,) float32, the query's own.
        neighbours: how many nearest papers.
    """
    inside = np.flatnonzero(query.allowed).astype(np.int32)
    near = inside[top_k(dots(vectors, inside, vector), neighbours)]
    cited = graph.references(near[graph.older(near, query.before)])[1]
    rows = np.union1d(near, cited[query.allowed[cited]]).astype(np.int32)
    rows = rows[query.wanted[rows]]
    cosines = dots(vectors, rows, vector)
    order = top_k(cosines, len(rows))
    return rows[order], cosines[order]


def unit_rows(vectors: Floats) -> Floats:
    """Divide rows by their length; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)
