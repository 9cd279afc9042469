"""NNSelect goes on in an updated index."""

from pathlib import Path

import numpy as np

from recsys.models.encoder import Text
from recsys.models.nnselect import KIND, NNSelectModel
from recsys.models.nnselect import SCHEMA as MODEL_SCHEMA
from recsys.pipelines.index.encode import same_texts
from recsys.pipelines.index.paper_rows import read_texts
from recsys.pipelines.index.update import carry_nnselect, left_out
from recsys.store.artifacts import load_manifest, verify
from recsys.store.corpus import Corpus
from tests.pipelines.small_index import write_small_nnselect
from tests.stored import store_rows


def corpus_of(folder: Path, ids: str) -> Corpus:
    rows = [{"id": each, "title": f"wolves and {each * 3}", "abstract": "foxes"} for each in ids]
    return store_rows(folder, rows)


def texts_in(corpus: Corpus) -> list[Text]:
    return [text for texts in read_texts(corpus, 10) for text in texts]


def test_old_texts_keep_their_vectors_and_new_ones_get_theirs(tmp_path: Path) -> None:
    old, now = corpus_of(tmp_path / "old", "abcd"), corpus_of(tmp_path / "new", "bcdxyz")
    previous, folder = tmp_path / "model", tmp_path / "carried"
    write_small_nnselect(previous, texts_in(old))
    first = NNSelectModel.load(previous, 4)
    before = {path.name: path.read_bytes() for path in previous.iterdir()}
    folder.mkdir()
    told: list[tuple[int, int]] = []
    rows = same_texts(old, now)
    carry_nnselect(first, previous, now, rows, folder, progress=lambda _, *done: told.append(done))
    model = NNSelectModel.load(folder, 6)
    np.testing.assert_array_equal(model.vectors[:3], first.vectors[1:])
    np.testing.assert_allclose(model.vectors, first.encode(texts_in(now)), atol=1e-6)
    assert model.fingerprint == first.fingerprint and told == [(0, 3), (3, 3)]
    manifest = load_manifest(folder, KIND, MODEL_SCHEMA)
    verify(folder, manifest)
    assert (manifest.config["papers"], manifest.config["carried"]) == (6, 3)
    assert {path.name: path.read_bytes() for path in previous.iterdir()} == before


def test_models_of_the_very_rows_are_left_out(tmp_path: Path) -> None:
    for name in ("nnselect", "nnrank", "nnselect-folds", "ranker"):
        (tmp_path / name).mkdir()
    assert left_out(tmp_path) == ("nnselect-folds", "nnrank")
