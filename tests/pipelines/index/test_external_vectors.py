"""Indexes over vectors from elsewhere: placed, checked against their encoder, completed."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.app.wiring import open_index
from recsys.errors import InputError
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from recsys.models.encoder import NeighbourEncoder, OnnxEncoder
from recsys.pipelines.index.build import BuildOptions, BuildReport, build
from recsys.pipelines.studies.embed import EmbedOptions, embed
from recsys.records import Draft
from recsys.store.arrays import load_array
from recsys.store.generations import in_force, is_index
from tests.tiny import unit

if TYPE_CHECKING:
    from tests.built_index import Built

DRAFT = Draft("On rivers and glaciers", "Measured again, with an instrument.")


@pytest.fixture(scope="module")
def minilm(built: "Built", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The vectors that MiniLM gives, in 32 bits."""
    path = tmp_path_factory.mktemp("vectors") / "minilm.npy"
    embed(built.index, path, EmbedOptions(precision="f32"), cache=cache_folder())
    return path


def build_over(
    built: "Built", out: Path, vectors: Path, *, encoder: str | None = None, force: bool = False
) -> BuildReport:
    options = BuildOptions(encoder=encoder, embeddings=vectors, force=force)
    return build([built.papers], out, options, cache=cache_folder())


def vectors_in(index: Path) -> "np.typing.NDArray[np.float32]":
    found: np.typing.NDArray[np.float32] = load_array(in_force(index) / "vectors" / "vectors.npy")
    return found


def without(path: Path, target: Path, dropped: int) -> Path:
    """Write the vectors but the first few, longer than 1, in another order."""
    found = read_embeddings(path)
    kept = Embeddings(found.ids[: dropped - 1 : -1], 3 * found.vectors[: dropped - 1 : -1])
    write_embeddings(target, kept)
    return target


def test_vectors_are_placed_by_id_and_normalised(
    built: "Built", minilm: Path, tmp_path: Path
) -> None:
    index = tmp_path / "x.index"
    report = build_over(built, index, without(minilm, tmp_path / "v.jsonl", 1), encoder="minilm")
    found, given = vectors_in(index), read_embeddings(minilm).vectors
    assert np.allclose(found[1:], given[1:], atol=1e-6)
    assert np.array_equal(found[0], vectors_in(built.index)[0])  # Encoded, in int8.
    told = " ".join(report.lines())
    assert "49 vectors taken from v.jsonl; minilm agrees with a sample" in told
    assert "encoded the 1 other papers" in told
    recommender = open_index(index)
    assert isinstance(recommender.encoder, OnnxEncoder)
    assert recommender.recommend(DRAFT, k=5).recommendations


def test_without_an_encoder_words_place_drafts(
    built: "Built", minilm: Path, tmp_path: Path
) -> None:
    index = tmp_path / "x.index"
    report = build_over(built, index, without(minilm, tmp_path / "v.parquet", 2))
    assert "48 vectors taken from v.parquet; drafts and the 2 other papers are placed" in " ".join(
        report.lines()
    )
    assert not (in_force(index) / "encoder").exists()
    recommender = open_index(index)
    assert isinstance(recommender.encoder, NeighbourEncoder)
    assert recommender.recommend(DRAFT, k=5).recommendations
    found = vectors_in(index)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    known = np.arange(len(found)) >= 2
    texts = recommender.collection.corpus.texts().take([0, 1]).to_pylist()
    places = replace(recommender.encoder, known=known).encode(
        [(text["title"], text["abstract"]) for text in texts]
    )
    assert np.allclose(found[:2], places, atol=1e-6)


def test_an_evaluation_reads_the_vectors_that_were_given(
    built: "Built", minilm: Path, tmp_path: Path
) -> None:
    build_over(built, tmp_path / "x.index", minilm)
    given = read_embeddings(minilm).vectors
    recommender = open_index(tmp_path / "x.index")
    assert np.allclose(recommender.query_of(7).vector, given[7], atol=1e-6)


def test_another_encoder_is_refused(built: "Built", minilm: Path, tmp_path: Path) -> None:
    ids = read_embeddings(minilm).ids
    rng = np.random.default_rng(0)
    for dim, message in (
        (384, r"did not make the vectors of .*to a mean cosine of -?0\.0"),
        (16, "have 16 numbers, those of the encoder 384"),
    ):
        vectors = unit(rng.normal(size=(len(ids), dim)))
        write_embeddings(tmp_path / f"{dim}.npy", Embeddings(ids, vectors))
        with pytest.raises(InputError, match=message):
            build_over(built, tmp_path / "x.index", tmp_path / f"{dim}.npy", encoder="minilm")
    assert not is_index(tmp_path / "x.index")


def test_vectors_of_other_papers_are_refused(built: "Built", tmp_path: Path) -> None:
    vectors = np.array([[1, 0], [0, 0]], np.float32)
    for ids, name in ((("x", "y"), "strangers"), (("x", "rivers-00"), "zeros")):
        write_embeddings(tmp_path / f"{name}.jsonl", Embeddings(ids, vectors))
        with pytest.raises(InputError, match="no vector for any of the 50 papers"):
            build_over(built, tmp_path / "x.index", tmp_path / f"{name}.jsonl")
    with pytest.raises(InputError, match="There is no file"):
        build_over(built, tmp_path / "x.index", tmp_path / "none.npy")
    with pytest.raises(InputError, match="neither vectors nor an encoder"):
        BuildOptions(encoder=None)


def test_an_index_knows_the_vectors_it_was_built_from(
    built: "Built", minilm: Path, tmp_path: Path
) -> None:
    index, copy = tmp_path / "x.index", tmp_path / "copy.jsonl"
    write_embeddings(copy, read_embeddings(minilm))
    assert not build_over(built, index, copy).unchanged
    moved = copy.rename(tmp_path / "moved.jsonl")
    assert build_over(built, index, moved).unchanged
    write_embeddings(moved, Embeddings(("rivers-00",), np.ones((1, 384), np.float32)))
    with pytest.raises(InputError, match="index of other papers or options"):
        build_over(built, index, moved)
    assert not build_over(built, index, moved, force=True).unchanged
    # Beside a matrix, the ids count as well.
    build_over(built, tmp_path / "y.index", minilm)
    ids = minilm.with_suffix(".ids.txt")
    names = ids.read_text(encoding="utf-8").split()
    other = tmp_path / "other.npy"
    other.write_bytes(minilm.read_bytes())
    other.with_suffix(".ids.txt").write_text("\n".join(reversed(names)), encoding="utf-8")
    with pytest.raises(InputError, match="index of other papers or options"):
        build_over(built, tmp_path / "y.index", other)
