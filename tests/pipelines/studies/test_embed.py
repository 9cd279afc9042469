"""Vectors written to files: of papers, of an index, of a suite; resumed, and never half."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.errors import ArtifactError, CorpusError, InputError
from recsys.eval.studies.scidocs.scidocs_layout import Group, write_metadata
from recsys.formats.embeddings import read_embeddings
from recsys.pipelines.studies.embed import EmbedOptions, EmbedReport, embed
from recsys.protocols import Progress, silent
from recsys.store.arrays import Floats, load_array
from recsys.store.corpus import Corpus
from recsys.store.generations import in_force

if TYPE_CHECKING:
    from tests.built_index import Built


def write(
    source: Path, out: Path, *, precision: str | None = None, progress: Progress = silent
) -> EmbedReport:
    options = EmbedOptions() if precision is None else EmbedOptions(precision="f32")
    return embed(source, out, options, cache=cache_folder(), progress=progress)


def vectors_of(built: "Built") -> Floats:
    return load_array(in_force(built.index) / "vectors" / "vectors.npy")


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".parquet", ".npy"])
def test_an_index_gives_the_vectors_that_it_has(
    built: "Built", tmp_path: Path, ending: str
) -> None:
    report = write(built.index, tmp_path / f"v{ending}")
    found = read_embeddings(tmp_path / f"v{ending}")
    corpus = Corpus.load(in_force(built.index) / "corpus")
    assert found.ids == tuple(corpus.ids[row] for row in range(len(corpus)))
    assert np.array_equal(found.vectors, vectors_of(built))
    made = f"{len(corpus)} papers, 384 numbers each, by the encoder of {built.index}."
    assert report.lines()[0] == made


def test_papers_get_the_vectors_that_an_index_of_them_has(built: "Built", tmp_path: Path) -> None:
    report = write(built.papers, tmp_path / "papers.npy")
    found = read_embeddings(tmp_path / "papers.npy")
    assert np.array_equal(found.vectors, vectors_of(built))
    assert "by minilm (mean, int8)" in " ".join(report.lines())
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["papers.ids.txt", "papers.npy"]


def test_an_index_is_encoded_again_by_a_named_encoder(built: "Built", tmp_path: Path) -> None:
    write(built.index, tmp_path / "f32.npy", precision="f32")
    found = read_embeddings(tmp_path / "f32.npy").vectors
    rounded = vectors_of(built)
    assert not np.array_equal(found, rounded)
    assert ((found * rounded).sum(axis=1) > 0.97).all()


def test_a_suite_is_encoded_by_the_texts_of_its_metadata(built: "Built", tmp_path: Path) -> None:
    papers = [json.loads(line) for line in built.papers.read_text().splitlines()][:3]
    (tmp_path / "suite" / "cite").mkdir(parents=True)
    records = [{"paper_id": each["id"], **each} for each in papers]
    records.append({"paper_id": "blank", "title": None, "abstract": "No title."})
    write_metadata(tmp_path / "suite", Group.ACTIVITY, records)
    report = write(tmp_path / "suite", tmp_path / "v.npy")
    found, whole = read_embeddings(tmp_path / "v.npy"), tmp_path / "whole.npy"
    write(built.index, whole)
    assert set(found.ids) == {each["id"] for each in papers}
    assert np.array_equal(found.vectors, read_embeddings(whole).of(found.ids))
    assert report.lines()[0].startswith("Papers left out: ") and "1" in report.lines()[0]


def test_a_killed_run_continues(built: "Built", tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def killed(stage: str, done: int, total: int) -> None:
        if stage == "writing vectors":
            raise Killed

    with pytest.raises(Killed):
        write(built.papers, tmp_path / "v.npy", progress=killed)
    assert not (tmp_path / "v.npy").exists() and (tmp_path / "v.npy.partial").is_dir()
    encoded = tmp_path / "v.npy.partial" / "vectors" / "vectors.npy"
    changed = np.load(encoded)[::-1]
    np.save(encoded, changed)  # To be told apart from what would be encoded again.
    write(built.papers, tmp_path / "v.npy")
    assert np.array_equal(read_embeddings(tmp_path / "v.npy").vectors, changed)
    assert not (tmp_path / "v.npy.partial").exists()


def test_what_cannot_be_embedded(built: "Built", tmp_path: Path) -> None:
    out = tmp_path / "v.jsonl"
    with pytest.raises(CorpusError, match="There is nothing at"):
        write(tmp_path / "none.jsonl", out)
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="neither an index nor a directory of SciDocs"):
        write(tmp_path / "folder", out)
    damaged = built.copy(tmp_path)
    (damaged / "manifest.json").write_text("{}")
    with pytest.raises(ArtifactError, match="manifest"):
        write(damaged, out)
    for path, options, message in (
        (tmp_path / "v.txt", EmbedOptions(), "not have the name of an embeddings file"),
        (tmp_path / "no" / "v.npy", EmbedOptions(), "There is no folder"),
        (out, EmbedOptions(pooling="max"), "no pooling 'max'"),
    ):
        with pytest.raises(InputError, match=message):
            embed(built.index, path, options, cache=cache_folder())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", damaged.name]
