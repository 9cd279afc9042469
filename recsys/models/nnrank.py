"""NNRank: Citeomatic's second stage, stored (Bhagavatula et al. 2018, section 2.3).

cos(title), cos(abstract) ────────────────┐
weights of shared words, summed per field ┤
cos(authors), cos(venue), cos(keyphrases) ├─► 20 ELU ─► 20 ELU ─► sigmoid
log citations as of the query's year ─────┤
NNSelect's cosine ────────────────────────┘

Trained by `pipelines.studies.citeomatic.train_nnrank`; here is the forward pass alone, in numpy.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.models.nnselect import sums, unit_rows
from recsys.models.pairs import INTERSECTED, NUMBERS, Pairs, cosines, distinct, make_pairs
from recsys.store.arrays import Floats, Ragged, Rows, load_array
from recsys.store.artifacts import MANIFEST, NNSELECT, load_manifest, sha256
from recsys.store.generations import root_of
from recsys.store.graph import CitationGraph

KIND = "nnrank"
SCHEMA = 1
TEXT_FIELDS = ("title", "abstract")
METADATA_FIELDS = ("authors", "venue", "keyphrases")
WORDS, CANDIDATE_WORDS = "words", "candidate_words"
COMMAND = "recsys train nnrank INDEX --split FILE"
_AGAIN = f"Train it again: `{COMMAND}`."


@dataclass(frozen=True, slots=True)
class RankShape:
    """Which inputs the network has.

    fields: those whose cosines are inputs, text before metadata. intersections: whether shared
    words are. numbers: whether the numerical features are. separate: whether queries have word
    vectors of their own, instead of those of the candidates.
    """

    fields: tuple[str, ...] = TEXT_FIELDS
    intersections: bool = True
    numbers: bool = True
    separate: bool = False

    @property
    def intersected(self) -> tuple[str, ...]:
        """The fields whose shared words are inputs."""
        return tuple(f for f in self.fields if f in INTERSECTED and self.intersections)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of word vectors: one for both texts, or one a side; one a metadata field."""
        texts = [WORDS, CANDIDATE_WORDS] if self.separate else [WORDS]
        has_text = any(field in TEXT_FIELDS for field in self.fields)
        return (*(texts if has_text else ()), *(f for f in self.fields if f in METADATA_FIELDS))

    def table(self, field: str, *, candidate: bool) -> str:
        """Name the table that holds a field's vectors."""
        if field in METADATA_FIELDS:
            return field
        return CANDIDATE_WORDS if candidate and self.separate else WORDS

    @property
    def inputs(self) -> tuple[str, ...]:
        """Name the inputs in their order."""
        texts = [f"cos({f})" for f in self.fields if f in TEXT_FIELDS]
        shared = [f"shared words ({f})" for f in self.intersected]
        metadata = [f"cos({f})" for f in self.fields if f in METADATA_FIELDS]
        return (*texts, *shared, *metadata, *(NUMBERS if self.numbers else ()))


@dataclass(frozen=True, slots=True)
class NNRank:
    """A trained network.

    tables: name -> (v, d) float32, a vector for each word id, magnitude times direction. weights:
    intersected field -> (v,) float32, what sharing a word adds. layers: (weight (out, in), bias
    (out,)) float32 each. folder: where it was loaded from.
    """

    shape: RankShape
    tables: Mapping[str, Floats]
    weights: Mapping[str, Floats]
    layers: tuple[tuple[Floats, Floats], ...]
    folder: Path | None = None

    def embed(self, bags: Mapping[str, Ragged], *, candidate: bool) -> dict[str, Floats]:
        """Sum the word vectors of each field and normalise: field -> (n, d) float32 unit rows.

        A paper without words in a field has a zero row there.
        """
        tables = {
            field: self.shape.table(field, candidate=candidate) for field in self.shape.fields
        }
        return {f: unit_rows(sums(self.tables[name], bags[f])) for f, name in tables.items()}

    def inputs(
        self, queries: Mapping[str, Floats], candidates: Mapping[str, Floats], pairs: Pairs
    ) -> Floats:
        """Compute the network's inputs, in the order of `shape.inputs`: (p, i) float32.

        Args:
            queries: field -> unit vectors that `pairs.queries` points into.
            candidates: the same for `pairs.candidates`.
            pairs: the rest of what is read.
        """
        columns = {
            f"cos({field})": cosines(
                queries[field], candidates[field], pairs.queries, pairs.candidates
            )
            for field in self.shape.fields
        }
        for field in self.shape.intersected:
            columns[f"shared words ({field})"] = sums(
                self.weights[field][:, None], pairs.shared[field]
            )[:, 0]
        columns |= dict(zip(NUMBERS, pairs.numbers.T, strict=True))
        return np.stack([columns[name] for name in self.shape.inputs], axis=1)

    def score(
        self, queries: Mapping[str, Floats], candidates: Mapping[str, Floats], pairs: Pairs
    ) -> Floats:
        """Score pairs: (p,) float32 in (0, 1), higher is better; arguments as of `inputs`."""
        hidden = self.inputs(queries, candidates, pairs)
        *inner, (weight, bias) = self.layers
        for inner_weight, inner_bias in inner:
            hidden = elu(hidden @ inner_weight.T + inner_bias)
        return sigmoid((hidden @ weight.T + bias)[:, 0])

    def save(self, folder: Path) -> None:
        """Write the arrays; the caller seals the folder with `config` in the manifest."""
        arrays = dict(self.tables)
        arrays |= {f"shared_{field}": weight for field, weight in self.weights.items()}
        for i, (weight, bias) in enumerate(self.layers):
            arrays |= {f"layer{i}": weight, f"bias{i}": bias}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)

    def config(self) -> dict[str, Any]:
        """Say what `load` must know beyond the arrays."""
        return {"shape": asdict(self.shape), "layers": len(self.layers)}

    @classmethod
    def load(cls, folder: Path) -> "NNRank":
        """Memory-map a sealed folder.

        Raises:
            ArtifactError: it is missing, damaged, or of another schema.
        """
        config = load_manifest(folder, KIND, SCHEMA).config
        try:
            facts = dict(config["shape"])
            shape = RankShape(**facts | {"fields": tuple(facts["fields"])})
            layers = tuple(
                (load_array(folder / f"layer{i}.npy"), load_array(folder / f"bias{i}.npy"))
                for i in range(config["layers"])
            )
            return cls(
                shape,
                {name: load_array(folder / f"{name}.npy") for name in shape.tables},
                {f: load_array(folder / f"shared_{f}.npy") for f in shape.intersected},
                layers,
                folder,
            )
        except (KeyError, TypeError, FileNotFoundError) as error:
            raise ArtifactCorrupt(f"The model in {folder} lacks {error}.", _AGAIN) from error


def elu(values: Floats) -> Floats:
    """Return x where it is positive, else e^x - 1 (Clevert et al. 2016)."""
    return np.where(values > 0, values, np.expm1(np.minimum(values, 0)))


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + e^-x), without overflow."""
    small = np.exp(-np.abs(values))
    found: Floats = np.where(values >= 0, 1, small) / (1 + small)
    return found


# NNRank beside the papers of the index that it was trained on.


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
        learned_from = load_manifest(folder, KIND, SCHEMA).config.get("nnselect")
        beside = folder.parent / NNSELECT / MANIFEST
        if learned_from is not None and beside.is_file() and sha256(beside) != learned_from:
            what = f"{folder} was trained beside another NNSelect than {beside.parent}."
            raise ArtifactMismatch(what, _AGAIN)
        try:
            bags = {name: Ragged.load(folder, bags_file(name)) for name in model.shape.fields}
        except FileNotFoundError as error:
            raise ArtifactCorrupt(f"{folder} lacks {error.filename}.", _AGAIN) from error
        for name, each in bags.items():
            if len(each) != papers:
                what = f"{folder} knows the {name} of {len(each)} papers, the index holds {papers}."
                raise ArtifactMismatch(what, _AGAIN)
        return cls.of(model, bags)


def bags_file(field: str) -> str:
    """Name the files of a field's bags."""
    return f"bags_{field}"
