"""NNRank's forward pass, against the formula written out with lists."""

import math
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, ArtifactMissing
from recsys.models.nnrank import KIND, SCHEMA, NNRank, RankShape
from recsys.models.nnselect import sums
from recsys.models.pairs import Pairs, distinct, shared_words
from recsys.store.arrays import Floats, Ragged
from recsys.store.artifacts import seal
from tests.rows import each_row

PAPERS = {
    "title": [[0, 1], [1, 1, 2], [], [3, 0, 2]],
    "abstract": [[2, 3, 3], [], [0], [1, 2, 3, 3]],
    "authors": [[0], [0, 1], [1], []],
    "venue": [[0], [], [0], [1]],
    "keyphrases": [[], [0], [0], []],
}
PAIRS = [(0, 1), (0, 3), (3, 1), (2, 3), (1, 0)]
SHAPES = [
    RankShape(),
    RankShape(separate=True),
    RankShape(intersections=False),
    RankShape(numbers=False),
    RankShape(fields=("abstract",)),
    RankShape(fields=("title", "abstract", "authors", "venue", "keyphrases")),
    RankShape(fields=("authors",), intersections=False),
]


def bags() -> dict[str, Ragged]:
    found = {}
    for field, rows in PAPERS.items():
        starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        found[field] = Ragged(starts, np.array([*chain(*rows)], np.int32))
    return found


def pairs(numbers: Floats) -> Pairs:
    queries, candidates = np.array(PAIRS, np.int32).T
    shared = {
        field: shared_words(distinct(rows), queries, distinct(rows), candidates)
        for field, rows in bags().items()
        if field in ("title", "abstract")
    }
    return Pairs(queries, candidates, shared, numbers)


def random_model(shape: RankShape, seed: int) -> NNRank:
    rng = np.random.default_rng(seed)

    def draw(*size: int) -> Floats:
        return rng.standard_normal(size).astype(np.float32)

    widths = [len(shape.inputs), 4, 4, 1]
    return NNRank(
        shape,
        {name: draw(4, 3) for name in shape.tables},
        {field: draw(4) for field in shape.intersected},
        tuple((draw(b, a), draw(b)) for a, b in pairwise(widths)),
    )


def scored(model: NNRank, numbers: Floats) -> Floats:
    queries, candidates = (model.embed(bags(), candidate=side) for side in (False, True))
    return model.score(queries, candidates, pairs(numbers))


def by_hand(model: NNRank, query: int, candidate: int, numbers: list[float]) -> float:
    """The formula, one pair at a time, in plain Python."""
    shape = model.shape
    cosine = {
        field: _cosine(
            _sum(model.tables[_table(shape, field, "query")], PAPERS[field][query]),
            _sum(model.tables[_table(shape, field, "candidate")], PAPERS[field][candidate]),
        )
        for field in shape.fields
    }
    inputs = [cosine[field] for field in ("title", "abstract") if field in cosine]
    for field in ("title", "abstract"):
        if field in cosine and shape.intersections:
            both = set(PAPERS[field][query]) & set(PAPERS[field][candidate])
            inputs.append(sum(float(model.weights[field][word]) for word in both))
    inputs += [cosine[field] for field in ("authors", "venue", "keyphrases") if field in cosine]
    inputs += numbers if shape.numbers else []
    for i, (weight, bias) in enumerate(model.layers):
        out = [
            sum(float(w) * x for w, x in zip(row, inputs, strict=True)) + float(b)
            for row, b in zip(weight, bias, strict=True)
        ]
        last = i == len(model.layers) - 1
        inputs = out if last else [x if x > 0 else math.exp(x) - 1 for x in out]
    return 1 / (1 + math.exp(-inputs[0]))


def _table(shape: RankShape, field: str, side: str) -> str:
    if field in ("title", "abstract"):
        return "candidate_words" if shape.separate and side == "candidate" else "words"
    return field


def _sum(table: Floats, words: list[int]) -> list[float]:
    return [sum(float(table[word][i]) for word in words) for i in range(table.shape[1])]


def _cosine(one: list[float], other: list[float]) -> float:
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0


@given(shape=st.sampled_from(SHAPES), seed=st.integers(0, 10_000))
def test_scores_are_those_of_the_formula(shape: RankShape, seed: int) -> None:
    model = random_model(shape, seed)
    numbers = np.random.default_rng(seed).standard_normal((len(PAIRS), 2)).astype(np.float32)
    expected = [
        by_hand(model, query, candidate, given)
        for (query, candidate), given in zip(PAIRS, numbers.tolist(), strict=True)
    ]
    np.testing.assert_allclose(scored(model, numbers), expected, atol=1e-6)


def test_inputs_come_in_the_order_of_the_original() -> None:
    everything = ("title", "abstract", "authors", "venue", "keyphrases")
    assert RankShape(fields=everything).inputs == (
        "cos(title)",
        "cos(abstract)",
        "shared words (title)",
        "shared words (abstract)",
        "cos(authors)",
        "cos(venue)",
        "cos(keyphrases)",
        "log citations",
        "NNSelect cosine",
    )
    assert RankShape(fields=("abstract", "venue"), numbers=False).inputs == (
        "cos(abstract)",
        "shared words (abstract)",
        "cos(venue)",
    )
    assert RankShape(intersections=False).inputs == (
        "cos(title)",
        "cos(abstract)",
        "log citations",
        "NNSelect cosine",
    )


@each_row("shape", SHAPES)
def test_a_stored_model_answers_as_before(shape: RankShape, tmp_path: Path) -> None:
    model = random_model(shape, 1)
    model.save(tmp_path)
    seal(tmp_path, KIND, SCHEMA, model.config())
    again = NNRank.load(tmp_path)
    numbers = np.zeros((len(PAIRS), 2), np.float32)
    assert again.shape == shape
    assert again.folder == tmp_path
    np.testing.assert_array_equal(scored(again, numbers), scored(model, numbers))


def test_a_model_without_its_arrays_is_refused(tmp_path: Path) -> None:
    model = random_model(RankShape(), 1)
    with pytest.raises(ArtifactMissing, match="no nnrank at"):
        NNRank.load(tmp_path / "nowhere")
    model.save(tmp_path)
    (tmp_path / "words.npy").unlink()
    seal(tmp_path, KIND, SCHEMA, model.config())
    with pytest.raises(ArtifactCorrupt, match=r"lacks .*words\.npy"):
        NNRank.load(tmp_path)
    seal(tmp_path, KIND, SCHEMA, {"layers": 3})
    with pytest.raises(ArtifactCorrupt, match="lacks 'shape'"):
        NNRank.load(tmp_path)


def test_long_corpora_are_summed_in_parts() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 4, 5000)
    values = rng.integers(0, 7, int(lengths.sum())).astype(np.int32)
    table = rng.standard_normal((7, 2)).astype(np.float32)
    rows = Ragged(np.concatenate([[0], np.cumsum(lengths)]), values)
    expected = np.zeros((5000, 2))
    np.add.at(expected, np.repeat(np.arange(5000), lengths), table[values])
    np.testing.assert_allclose(sums(table, rows), expected, atol=1e-5)
