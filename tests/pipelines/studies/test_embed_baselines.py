"""`recsys embed` with a baseline: of an index, of a file, with a split, and in wrong company."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.errors import ArtifactMissing, InputError
from recsys.formats.embeddings import read_embeddings
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.baselines import fit_baseline, material_of
from recsys.pipelines.studies.embed import EmbedOptions, EmbedReport, embed
from tests.conftest import RunCli
from tests.pipelines.small_index import write_small_index

if TYPE_CHECKING:
    from tests.built_index import Built


def write(source: Path, out: Path, options: EmbedOptions) -> EmbedReport:
    return embed(source, out, options, cache=cache_folder())


def test_an_index_with_a_split_learns_from_what_was_known(built: "Built", tmp_path: Path) -> None:
    out = tmp_path / "v.npy"
    report = write(built.index, out, EmbedOptions("tfidf-svd", split=built.split))
    collection = open_collection(built.index)
    material = material_of(collection, read_split(built.split, collection))
    found = read_embeddings(out)
    assert np.array_equal(found.vectors, fit_baseline("tfidf-svd", material).vectors)
    assert found.ids == tuple(collection.corpus.ids[row] for row in range(len(collection.corpus)))
    known = f"{material.known.sum()} papers could be learned from"
    assert f"by tfidf-svd (TF-IDF and truncated SVD; {known})." in report.lines()[0]
    whole = write(built.index, out, EmbedOptions("tfidf-svd"))
    assert "50 papers could be learned from" in whole.lines()[0]


def test_a_file_of_papers_is_learned_from_whole(built: "Built", tmp_path: Path) -> None:
    of_file = write(built.papers, tmp_path / "file.npy", EmbedOptions("tfidf-svd"))
    write(built.index, tmp_path / "index.npy", EmbedOptions("tfidf-svd"))
    one, other = (read_embeddings(tmp_path / f"{name}.npy") for name in ("file", "index"))
    assert (one.ids, of_file.papers) == (other.ids, 50)
    assert np.array_equal(one.vectors, other.vectors)
    assert not (tmp_path / "file.npy.partial").exists()


def test_the_command_takes_nnselect_of_another_index(
    built: "Built", tmp_path: Path, run_cli: RunCli
) -> None:
    other = write_small_index(tmp_path / "other.index")
    arguments = ("embed", built.papers, "--out", tmp_path / "v.npy", "--encoder", "nnselect")
    found = run_cli(*arguments, "--nnselect", other)
    assert (found.code, found.out) == (0, "")
    assert "16 numbers each, by nnselect" in found.err
    assert run_cli(*arguments).code == 1
    split = run_cli("embed", built.index, *arguments[2:4], "--split", built.split)
    assert split.code == 1 and "'minilm' does not learn from the papers" in split.err


def test_what_has_no_meaning_is_refused(built: "Built", tmp_path: Path) -> None:
    out = tmp_path / "v.npy"
    with pytest.raises(InputError, match="'sif' has neither a pooling nor a precision"):
        write(built.index, out, EmbedOptions("sif", pooling="mean"))
    for name in ("minilm", "sgc"):
        with pytest.raises(InputError, match=f"'{name}' needs no NNSelect"):
            write(built.index, out, EmbedOptions(name, nnselect=built.index))
    with pytest.raises(InputError, match=r"papers\.jsonl is not an index"):
        write(built.papers, out, EmbedOptions("random", split=built.split))
    with pytest.raises(ArtifactMissing, match="has no NNSelect model"):
        write(built.index, out, EmbedOptions("nnselect"))
    with pytest.raises(InputError, match=r"no encoder 'tfidf'. Did you mean 'tfidf-svd'\?"):
        write(built.index, out, EmbedOptions("tfidf"))
    assert not out.exists()
