"""What holds for every baseline, and what each of them tells apart."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError, MissingExtraError
from recsys.pipelines.studies.baselines import (
    BASELINES,
    Fitted,
    Material,
    check_encoder_name,
    fit_baseline,
)
from tests.pipelines.small_index import write_small_index
from tests.pipelines.studies.fits import (
    DRAFT,
    digest,
    fit,
    invented_material,
    wide_material,
)
from tests.rows import each_row

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_index(tmp_path_factory.mktemp("baselines") / "index")


@cache
def fitted(name: str, index: Path) -> Fitted:
    """Fit each baseline once."""
    return fit(name, index)


@each_row("name", BASELINES)
def test_vectors_have_length_one_or_are_zero(name: str, index: Path) -> None:
    found, texts = fitted(name, index), invented_material().texts
    assert found.vectors.dtype == np.float32
    assert found.vectors.shape == (len(texts), found.encoder.dim)
    lengths = np.linalg.norm(found.vectors, axis=1)
    assert np.allclose(lengths, 1, atol=1e-5)
    assert not found.encoder.encode([("", None), ("", "")]).any()
    assert found.encoder.encode([]).shape == (0, found.encoder.dim)
    assert found.size > 0 or name == "random"


def test_paragraph_vectors_tell_topics_of_rare_words_apart() -> None:
    found, material = fit_baseline("doc2vec", wide_material(), dim=12), wide_material()
    topic = np.arange(240) % 4
    centres = np.stack([found.vectors[:220][topic[:220] == each].mean(axis=0) for each in range(4)])
    for vectors in (found.vectors, found.encoder.encode(material.texts)):
        assert ((vectors @ centres.T).argmax(axis=1) == topic).mean() > 0.9


@pytest.mark.slow  # It starts a process of all baselines.
def test_every_process_fits_the_same(index: Path) -> None:
    here = {name: digest(fitted(name, index)) for name in BASELINES}
    command = [sys.executable, "-m", "tests.pipelines.studies.fits", str(index)]
    environment = os.environ | {"PYTHONHASHSEED": "123"}
    there = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert json.loads(there.stdout) == here


def test_sgc_is_sif_where_citations_tell_nothing(index: Path) -> None:
    found, plain = fitted("sgc", index), fitted("sif", index)
    assert found.encoder.encode([DRAFT]) == pytest.approx(plain.encoder.encode([DRAFT]))
    assert found.vectors[0] == pytest.approx(plain.vectors[0], abs=1e-6)  # It cites nothing.
    # Of a chain that starts there: step 1 gives (x1 + x0) / 2, step 2 (x1 + x0) / 4 + x0 / 2.
    second = plain.vectors[1] / 4 + plain.vectors[0] * 3 / 4
    assert found.vectors[1] == pytest.approx(second / np.linalg.norm(second), abs=1e-6)
    material = invented_material()
    without = Material(material.texts, material.known)
    assert fit_baseline("sgc", without, dim=12).vectors == pytest.approx(plain.vectors)


def test_what_is_not_known_changes_nothing() -> None:
    material = invented_material()
    texts = [*material.texts[:-4], *[("Wholly other oceans and oceans", "Of oceans.")] * 4]
    changed = Material(texts, material.known, material.cites)
    for name in ("tfidf-svd", "doc2vec", "sif"):
        one, other = (fit_baseline(name, each, dim=12) for each in (material, changed))
        assert np.array_equal(one.vectors[:-4], other.vectors[:-4])
        assert np.array_equal(one.encoder.encode([DRAFT]), other.encoder.encode([DRAFT]))


def test_the_fingerprint_tells_name_size_seed_and_papers(index: Path) -> None:
    material, wide = invented_material(), wide_material()
    fits = [(dim, seed, each) for dim in (8, 12) for seed in (0, 1) for each in (material, wide)]
    found = [
        fit_baseline(name, each, dim=dim, seed=seed).encoder.fingerprint
        for name in ("random", "tfidf-svd") for dim, seed, each in fits
    ]  # fmt: skip
    assert len(set(found)) == 16
    few = fit_baseline("tfidf-svd", material, dim=300)  # A small corpus has fewer axes.
    assert few.encoder.dim == few.vectors.shape[1] < 50
    assert fitted("random", index).encoder.fingerprint == fit("random", None).encoder.fingerprint
    assert fitted("sgc", index).encoder.fingerprint != fitted("sif", index).encoder.fingerprint


def test_what_cannot_be_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    material = invented_material()
    with pytest.raises(InputError, match=r"no baseline 'tfidf-svg'\. Did you mean 'tfidf-svd'"):
        fit_baseline("tfidf-svg", material)
    empty = Material([("", None)] * 3, np.ones(3, bool))
    strangers = Material([("One", None), ("Other", None)], np.ones(2, bool))
    for name in ("tfidf-svd", "doc2vec", "fasttext", "sif", "sgc"):
        for few in (empty, strangers):
            with pytest.raises(InputError, match="have too few words in common"):
                fit_baseline(name, few)
    monkeypatch.setitem(sys.modules, "gensim", None)
    for name in ("doc2vec", "fasttext", "sif", "sgc"):
        with pytest.raises(MissingExtraError, match=r"pip install 'citerec\[baselines\]'"):
            fit_baseline(name, material)


def test_a_folder_may_be_called_nearly_as_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tfidf").mkdir()
    monkeypatch.chdir(tmp_path)
    check_encoder_name("tfidf")
    with pytest.raises(InputError, match="Did you mean 'fasttext'"):
        check_encoder_name("fast-text")
