"""NNSelect at answering time, against its formula written out word by word."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.models.nnselect import (
    KIND,
    SCALES,
    SCHEMA,
    TABLE,
    VECTORS,
    NNSelectModel,
    select,
)
from recsys.query.query import make_query
from recsys.store.arrays import SortedStrings, load_array
from recsys.store.artifacts import seal
from tests.tiny import random_world, unit

WORDS = "ash birch cedar elm fig".split()
TEXT = st.lists(st.sampled_from([*WORDS, "oak", "the"]), max_size=6).map(" ".join)


def model(seed: int = 0, papers: int = 2) -> NNSelectModel:
    rng = np.random.default_rng(seed)
    return NNSelectModel(
        SortedStrings.build(WORDS),
        rng.standard_normal((5, 4)).astype(np.float32),
        np.array([0.7, 1.6], np.float32),
        unit(rng.standard_normal((papers, 4))),
        "of a test",
    )


def by_hand(model: NNSelectModel, title: str, abstract: str | None) -> list[float]:
    """Add up and normalise in plain Python."""
    total = [0.0] * 4
    for scale, text in zip(model.scales.tolist(), (title, abstract or ""), strict=True):
        summed = [0.0] * 4
        for word in text.split():
            if word in WORDS:
                vector = model.table[WORDS.index(word)].tolist()
                summed = [a + b for a, b in zip(summed, vector, strict=True)]
        length = math.sqrt(sum(x * x for x in summed)) or 1
        total = [a + scale * b / length for a, b in zip(total, summed, strict=True)]
    length = math.sqrt(sum(x * x for x in total)) or 1
    return [x / length for x in total]


@given(st.lists(st.tuples(TEXT, TEXT | st.none()), max_size=5), st.integers(0, 99))
def test_texts_are_encoded_by_the_formula(texts: list[tuple[str, str | None]], seed: int) -> None:
    encoded = model(seed).encode(texts)
    assert encoded.shape == (len(texts), 4) and encoded.dtype == np.float32
    expected = [by_hand(model(seed), *text) for text in texts]
    np.testing.assert_allclose(encoded, np.reshape(expected, (-1, 4)), atol=1e-6)


def saved(folder: Path) -> Path:
    folder.mkdir()
    model().save(folder)
    seal(folder, KIND, SCHEMA, {"fingerprint": "of a test"})
    return folder


def test_a_model_that_was_never_trained_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing, match=r"no NNSelect model.*recsys train nnselect INDEX"):
        NNSelectModel.load(tmp_path / "nnselect", papers=2)


def test_a_model_of_another_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMismatch, match="vectors of 2 papers, the index holds 3"):
        NNSelectModel.load(saved(tmp_path / "nnselect"), papers=3)


def test_a_table_of_another_shape_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "nnselect")
    table = load_array(folder / TABLE)[:, :3].copy()
    np.save(folder / TABLE, table)
    seal(folder, KIND, SCHEMA, {"fingerprint": "x"})
    with pytest.raises(ArtifactCorrupt, match=r"shape \(5, 3\)"):
        NNSelectModel.load(folder, papers=2)


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_candidates_are_the_nearest_and_what_the_older_of_them_cite(
    seed: int, neighbours: int
) -> None:
    world = random_world(seed)
    collection, years = world.collection, world.collection.graph.years
    query = make_query(collection, world.draft, world.vector)
    cosines = np.asarray(collection.vectors @ world.vector, np.float64)
    allowed = np.flatnonzero(query.allowed).tolist()
    near = sorted(allowed, key=lambda row: (-cosines[row], row))[:neighbours]
    expected = set(near)
    for row in near:
        if 0 <= years[row] < query.before:
            expected |= {int(each) for each in collection.graph.cites[row] if query.allowed[each]}
    rows, scores = select(collection.graph, collection.vectors[:], query, world.vector, neighbours)
    assert set(rows.tolist()) == {row for row in expected if query.wanted[row]}
    np.testing.assert_allclose(scores, cosines[rows], atol=1e-6)
    assert (np.diff(scores) <= 0).all()


@pytest.mark.parametrize("name", [TABLE, SCALES, VECTORS])
@pytest.mark.parametrize("kind", [np.complex64, np.float64, "one"])
def test_arrays_of_another_type_or_dimension_are_refused(
    name: str, kind: str | type, tmp_path: Path
) -> None:
    folder = saved(tmp_path / "nnselect")
    array = np.load(folder / name)
    np.save(folder / name, array.reshape(-1)[:1] if kind == "one" else array.astype(kind))
    seal(folder, KIND, SCHEMA, {"fingerprint": "x"})
    with pytest.raises(ArtifactCorrupt):
        NNSelectModel.load(folder, papers=2)
