"""NNSelect at answering time: Citeomatic's first stage, without torch.

Trained by `recsys train nnselect`. A text's vector is computed from the words of its title and
abstract; neighbours of it, and what these cite, are its candidates.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.query.query import Query
from recsys.records import Draft, Paper
from recsys.store.arrays import Floats, Longs, Ragged, Rows, SortedStrings, load_array, top_k
from recsys.store.artifacts import load_manifest
from recsys.store.generations import root_of
from recsys.store.graph import CitationGraph
from recsys.store.names import author_keys
from recsys.store.vectors import dots
from recsys.store.words import fold, venue_key

# What Citeomatic's models know of a paper: numbers of its words, authors, venue and keyphrases.
#
# Words are cleaned as by the original (Bhagavatula et al. 2018): lower case, the letters a to z.
# One thing differs: accents are stripped first, so that they do not cut a word in two.

MOST_WORDS, LARGEST_SHARE = 200_000, 0.9
FEWEST_PER_KEYPHRASE = 5
LONGEST = {"title": 50, "abstract": 500, "authors": 8, "venue": 1, "keyphrases": 20}
"""How many entries of a field are read at most: the first ones that the vocabulary knows."""
FIELDS = tuple(LONGEST)

STOP_WORDS = frozenset(
    "abstract about an and are as at be by for from how in is it of on or that the this to was "
    "what when where who will with we our which".split()
)
_NOT_LETTERS = re.compile(r"[^a-z]+")


def words_of(text: str | None) -> list[str]:
    """Split into words of two or more letters, in order, repeated ones included.

    >>> words_of("The t-SNE of the naïve, 2nd")
    ['sne', 'naive', 'nd']
    """
    if not text:
        return []
    words = _NOT_LETTERS.split(fold(text))
    return [word for word in words if len(word) > 1 and word not in STOP_WORDS]


@dataclass(frozen=True, slots=True)
class Entries:
    """A paper's fields as lists of strings, before they become numbers."""

    title: Sequence[str]
    abstract: Sequence[str]
    authors: Sequence[str] = ()
    venue: Sequence[str] = ()
    keyphrases: Sequence[str] = ()

    @classmethod
    def of(cls, paper: Paper | Draft) -> "Entries":
        """Split a paper, or a draft, which has no keyphrases."""
        phrases = paper.keyphrases if isinstance(paper, Paper) else ()
        return cls(
            words_of(paper.title),
            words_of(paper.abstract),
            author_keys(paper.authors),
            [key] if paper.venue and (key := venue_key(paper.venue)) else [],
            list(dict.fromkeys(key for each in phrases if (key := " ".join(fold(each).split())))),
        )


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The strings that have numbers: those of title and abstract in common, and of each field."""

    words: SortedStrings
    authors: SortedStrings
    venue: SortedStrings
    keyphrases: SortedStrings

    def of(self, field: str) -> SortedStrings:
        """Return the strings of a field."""
        strings: SortedStrings = getattr(self, "words" if field in ("title", "abstract") else field)
        return strings

    def bags(self, papers: Sequence[Entries], field: str) -> Ragged:
        """Number a field of every paper: row -> numbers in order; unknown strings are left out."""
        return to_bags(
            (getattr(paper, field) for paper in papers), self.of(field), longest=LONGEST[field]
        )

    def save(self, folder: Path) -> None:
        """Write two arrays per list of strings."""
        for name in self.__slots__:
            strings: SortedStrings = getattr(self, name)
            strings.save(folder, name)

    @classmethod
    def load(cls, folder: Path) -> "Vocabulary":
        """Memory-map what `save` wrote."""
        return cls(*(SortedStrings.load(folder, name) for name in cls.__slots__))

    @classmethod
    def build(cls, papers: Iterable[Entries]) -> "Vocabulary":
        """Choose the strings of the papers that a model is trained on.

        A word in more than LARGEST_SHARE of the papers is left out; of the rest, the MOST_WORDS
        most frequent stay, ties in alphabetical order.
        """
        n, words, in_papers = 0, Counter[str](), Counter[str]()
        authors, venues, phrases = set[str](), set[str](), Counter[str]()
        for paper in papers:
            n += 1
            both = [*paper.title, *paper.abstract]
            words.update(both)
            in_papers.update(set(both))
            authors.update(paper.authors)
            venues.update(paper.venue)
            phrases.update(paper.keyphrases)
        common = {word for word, times in in_papers.items() if times > LARGEST_SHARE * n}
        order = sorted(words.keys() - common, key=lambda word: (-words[word], word))
        frequent = {phrase for phrase, times in phrases.items() if times >= FEWEST_PER_KEYPHRASE}
        lists = (order[:MOST_WORDS], authors, venues, frequent)
        return cls(*(SortedStrings.build(sorted(words, key=str.encode)) for words in lists))


def to_bags(
    lists: Iterable[Sequence[str]], strings: SortedStrings, *, longest: int | None = None
) -> Ragged:
    """Number lists of strings, in order; unknown ones are left out, then the rest is cut."""
    known: dict[str, int | None] = {}
    lengths, values = [0], list[int]()
    for words in lists:
        for word in words:
            if word not in known:
                known[word] = strings.find(word)
        found = [code for word in words if (code := known[word]) is not None]
        values += found[:longest]
        lengths.append(len(found[:longest]))
    starts: Longs = np.cumsum(lengths, dtype=np.int64)
    codes: Rows = np.array(values, np.int32)
    return Ragged(starts, codes)


KIND, SCHEMA = "nnselect", 1
WORDS, TABLE, SCALES, VECTORS = "words", "table.npy", "scales.npy", "vectors.npy"
_AT_ONCE = 2048
COMMAND = "recsys train nnselect INDEX --split FILE"
_AGAIN = f"Train it again: `{COMMAND}`."
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
            both += self.scales[place] * unit_rows(sums(self.table, bags))
        return unit_rows(both)

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
                f"{folder / VECTORS} or what belongs to it is no array of 32-bit numbers.", _AGAIN
            )
        if len(vectors) != papers:
            raise ArtifactMismatch(
                f"{folder} has vectors of {len(vectors)} papers, the index holds {papers}.", _AGAIN
            )
        if table.shape != (len(words), vectors.shape[1]) or scales.shape != (2,):
            what = f"{folder / TABLE} has the shape {table.shape}, not that of {len(words)} words."
            raise ArtifactCorrupt(what, _AGAIN)
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


def sums(table: Floats, bags: Ragged) -> Floats:
    """Add up the rows of a table over each bag, repetitions counted: (n, d) float32."""
    found = np.zeros((len(bags), table.shape[1]), np.float32)
    for start in range(0, len(bags), _AT_ONCE):  # What is gathered stays small.
        ends = bags.starts[start : start + _AT_ONCE + 1]
        filled = np.flatnonzero(np.diff(ends))
        if len(filled):
            gathered = table[bags.values[ends[0] : ends[-1]]]
            found[start + filled] = np.add.reduceat(gathered, (ends - ends[0])[filled], axis=0)
    return found


def unit_rows(vectors: Floats) -> Floats:
    """Divide rows by their length; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)
