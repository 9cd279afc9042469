"""NNRank opened beside a corpus."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing
from recsys.models.nnrank import KIND, SCHEMA, NNRank, NNRankCorpus
from recsys.models.nnselect import Entries, Vocabulary
from recsys.models.pairs import distinct, make_pairs
from recsys.store.artifacts import nnrank_folder, seal
from tests.pipelines.small_index import open_small_collection, write_small_index


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return nnrank_folder(write_small_index(tmp_path / "index"), metadata=True)


def test_scores_are_those_of_the_model_on_the_papers_texts(folder: Path) -> None:
    collection = open_small_collection(folder.parent)
    papers = [
        Entries.of(each) for each in collection.corpus.full_papers(range(len(collection.corpus)))
    ]
    vocabulary, model = Vocabulary.build(papers), NNRank.load(folder)
    bags = {name: vocabulary.bags(papers, name) for name in model.shape.fields}
    rows = np.array([3, 9, 30], np.int32)
    cosine = np.array([0.5, -0.25, 0.0], np.float32)
    query = np.full(3, 40, np.int32)
    sets = {name: distinct(each) for name, each in bags.items()}
    pairs = make_pairs(sets, collection.graph, cosine, query, rows)
    vectors = model.embed(bags, candidate=False)
    opened = NNRankCorpus.load(folder, len(papers))
    found = opened.score(collection.graph, 40, rows, cosine)
    np.testing.assert_allclose(found, model.score(vectors, vectors, pairs), atol=1e-6)
    assert len(opened.score(collection.graph, 40, rows[:0], cosine[:0])) == 0


def test_what_does_not_fit_is_refused(folder: Path) -> None:
    papers = len(NNRankCorpus.load(folder, 50).queries["title"])
    with pytest.raises(ArtifactMismatch, match=f"title of {papers} papers, the index holds 7"):
        NNRankCorpus.load(folder, 7)
    config = NNRank.load(folder).config()
    (folder / "bags_authors.values.npy").unlink()
    seal(folder, KIND, SCHEMA, config)
    with pytest.raises(ArtifactCorrupt, match=r"lacks .*bags_authors\.values\.npy"):
        NNRankCorpus.load(folder, papers)
    shutil.rmtree(folder)
    with pytest.raises(ArtifactMissing, match=r"no NNRank model 'nnrank'\. Train it: `recsys"):
        NNRankCorpus.load(folder, papers)
