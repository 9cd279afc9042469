"""Rankers that read NNSelect: what they learn from, what they are served, and what is refused."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.app.wiring import open_index
from recsys.errors import ArtifactMismatch, ArtifactMissing, InputError, LeakageError
from recsys.indexes.opening import open_collection
from recsys.models.nnselect import NNSelectModel
from recsys.pipelines.evaluation.evaluate import EvaluateOptions, evaluate
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.ranking.train_ranker import TrainOptions, TrainReport, train_ranker
from recsys.pipelines.ranking.training_table import Posing, collect
from recsys.pipelines.studies.citeomatic.cross_fit import FOLDER, unseen_views
from recsys.pipelines.studies.citeomatic.nnselect import train_nnselect
from recsys.protocols import silent
from recsys.query.query import draft_of
from recsys.ranking.features import feature_names, read_nnselect
from recsys.ranking.ranker import KIND, SCHEMA
from recsys.retrieval.propose import SEARCHES
from recsys.store.arrays import Rows, load_array
from recsys.store.artifacts import NNSELECT, load_manifest, ranker_folder
from recsys.store.generations import in_force
from tests.pipelines.studies.citeomatic.conftest import SELECT, Wordy

USUAL = ("embedding", "bm25")
"""Searches that do not read NNSelect."""


@pytest.fixture(scope="module")
def trained(wordy: Wordy, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainReport]:
    """An index with NNSelect and a ranker that reads its features; no test may change it."""
    index = wordy.copy(tmp_path_factory.mktemp("trained"))
    return index, train_ranker(
        index, wordy.split, TrainOptions(nnselect_features=True), unseen=unseen_views
    )


@pytest.fixture
def index(trained: tuple[Path, TrainReport], tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(trained[0], tmp_path / "wordy.index"))


def queries_of(wordy: Wordy, index: Path) -> tuple[Rows, Rows]:
    collection = open_collection(index)
    split = read_split(wordy.split, collection)
    return collection.corpus.rows(split.train), collection.corpus.rows(split.dev)


def test_ranker_takes_all_that_the_index_has_and_says_so(
    trained: tuple[Path, TrainReport],
) -> None:
    index, report = trained
    model = NNSelectModel.load(in_force(index) / NNSELECT, len(open_collection(index).corpus))
    config = load_manifest(ranker_folder(in_force(index), metadata=True), KIND, SCHEMA).config
    assert config["candidates"] == list(report.candidates) == list(SEARCHES)
    assert config["nnselect"] == model.fingerprint
    assert config["feature_names"] == list(feature_names(metadata=True, nnselect=True))
    assert "Candidates come from embedding, nnselect, bm25." in report.lines()[2]


def test_train_queries_meet_models_that_have_not_seen_them(
    wordy: Wordy, trained: tuple[Path, TrainReport]
) -> None:
    index, _ = trained
    queries = queries_of(wordy, index)
    collection = open_collection(index)
    view = unseen_views(index, collection, queries)
    folds, vectors = (
        load_array(in_force(index) / FOLDER / f"{name}.npy") for name in ("folds", "vectors")
    )
    full = load_array(in_force(index) / NNSELECT / "vectors.npy")
    for row in queries[0].tolist():
        second = view(row).nnselect
        assert second is not None
        np.testing.assert_array_equal(second.vectors, vectors[folds[row]])
        assert not np.array_equal(second.vectors, full)
    assert view(int(queries[1][0])) is collection


def test_serving_finds_and_scores_what_the_table_of_dev_holds(
    wordy: Wordy, trained: tuple[Path, TrainReport]
) -> None:
    recommender = open_index(trained[0])
    assert recommender.stage_one.searches == tuple(SEARCHES)
    rows = queries_of(wordy, trained[0])[1]
    names = recommender.ranker.feature_names
    posing = Posing(stage_one=recommender.stage_one)
    table = collect(recommender.collection, rows, names, progress=silent, stage="", posing=posing)
    ends = np.cumsum(table.groups)
    found = 0
    for start, end, row in zip(ends - table.groups, ends, rows.tolist(), strict=True):
        ranking = recommender.rank(recommender.query_of(row))
        found += sum("nnselect" in ranking.candidates.source_names(i) for i in range(end - start))
        scores = recommender.ranker.score(table.features[start:end])
        np.testing.assert_allclose(scores[ranking.positions], ranking.scores, atol=1e-6)
    assert found > 0


def test_text_of_a_paper_gets_the_vector_that_is_stored(
    wordy: Wordy, trained: tuple[Path, TrainReport]
) -> None:
    recommender = open_index(trained[0])
    row = int(queries_of(wordy, trained[0])[1][0])
    draft = draft_of(recommender.collection.corpus.full_papers([row])[0])
    assert recommender.nnselect_encoder is not None
    vector = recommender.nnselect_encoder.encode([(draft.title, draft.abstract)])[0]
    assert vector == pytest.approx(recommender.collection.nnselect_vector(row), abs=1e-5)
    live = recommender.recommend(draft, 10).recommendations
    posed = recommender.rank(recommender.query_of(row))
    assert [each.score for each in live] == pytest.approx(posed.scores[: len(live)], abs=1e-3)


def test_answers_with_nnselect_need_no_torch(trained: tuple[Path, TrainReport]) -> None:
    code = (
        "import sys, recsys; recommender = recsys.load(sys.argv[1]);"
        "recommender.recommend(recsys.Draft('On rivers', 'measured again'));"
        "print(sorted({'torch', 'lightgbm', 'sklearn'} & set(sys.modules)),"
        "recommender.nnselect_encoder is not None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(trained[0])], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] True\n"


@pytest.mark.parametrize(
    ("options", "searches", "reads"),
    [
        (TrainOptions(), tuple(SEARCHES), False),
        (TrainOptions(candidates=USUAL, nnselect_features=True), USUAL, True),
        (TrainOptions(candidates=USUAL[::-1]), USUAL, False),
    ],
    ids=["candidates", "features", "neither"],
)
def test_candidates_and_features_of_nnselect_do_not_need_each_other(
    wordy: Wordy, index: Path, options: TrainOptions, searches: tuple[str, ...], reads: bool
) -> None:
    report = train_ranker(index, wordy.split, options, unseen=unseen_views)
    recommender = open_index(index)
    assert report.candidates == recommender.stage_one.searches == searches
    assert bool(read_nnselect(recommender.ranker.feature_names)) is reads
    proposes = "nnselect" in searches
    assert (recommender.collection.nnselect is not None) is (proposes or reads)
    row = int(queries_of(wordy, index)[1][0])
    found = recommender.rank(recommender.query_of(row)).candidates
    assert any("nnselect" in found.source_names(at) for at in range(len(found.rows))) is proposes
    assert open_index(index, candidates=list(USUAL)).stage_one.searches == USUAL
    if proposes:
        train_nnselect(index, wordy.split, replace(SELECT, loop=replace(SELECT.loop, seed=1)))
        with pytest.raises(ArtifactMismatch, match="another NNSelect"):
            open_index(index)


def test_shipped_ranker_answers_as_if_there_were_no_nnselect(wordy: Wordy, tmp_path: Path) -> None:
    row = int(queries_of(wordy, wordy.index)[1][0])
    draft = draft_of(open_collection(wordy.index).corpus.full_papers([row])[0])
    with_it = open_index(wordy.index).recommend(draft, 10)
    bare = wordy.copy(tmp_path)
    shutil.rmtree(in_force(bare) / NNSELECT)
    without = open_index(bare).recommend(draft, 10)
    assert replace(without, corpus=with_it.corpus) == with_it
    asked = open_index(wordy.index, candidates=["nnselect"]).recommend(draft, 10)
    sources = {name for each in asked.recommendations for name in each.sources}
    assert "nnselect" in sources and not sources & {"ann", "bm25"}
    with pytest.raises(ArtifactMissing, match="no NNSelect model"):
        open_index(bare, candidates=["nnselect"])
    with pytest.raises(InputError, match="Did you mean 'nnselect'"):
        open_index(bare, candidates=["nselect"])


def test_nnselect_trained_anew_needs_a_ranker_trained_anew(wordy: Wordy, index: Path) -> None:
    other = replace(SELECT, loop=replace(SELECT.loop, seed=1))
    train_nnselect(index, wordy.split, other)
    with pytest.raises(ArtifactMismatch, match="another NNSelect") as error:
        open_index(index)
    assert "recsys train ranker" in str(error.value.hint)
    shutil.rmtree(in_force(index) / NNSELECT)
    with pytest.raises(ArtifactMissing, match="no NNSelect model"):
        open_index(index)


def test_ranker_is_not_stopped_on_queries_that_nnselect_learned_from(
    wordy: Wordy, index: Path, tmp_path: Path
) -> None:
    parts = json.loads(wordy.split.read_text())
    shifted = parts | {"train": parts["train"][:10], "dev": parts["train"][10:]}
    split = tmp_path / "shifted.json"
    split.write_text(json.dumps(shifted))
    with pytest.raises(LeakageError, match=r"nnselect in .* was trained on 10 of these 10 dev"):
        train_ranker(index, split, TrainOptions(), unseen=unseen_views)


def test_nothing_is_evaluated_on_queries_that_nnselect_learned_from(
    wordy: Wordy, tmp_path: Path
) -> None:
    options = EvaluateOptions(
        "train", ("stage-one",), engine=ProcessPool(1), candidates=("nnselect",)
    )
    with pytest.raises(LeakageError, match=r"nnselect in .* was trained on 20 of these 20 train"):
        evaluate(wordy.index, wordy.split, options, tmp_path / "out", open_index=open_index)
    plain = replace(options, candidates=None)
    evaluate(wordy.index, wordy.split, plain, tmp_path / "out", open_index=open_index)


def test_an_nnselect_that_knows_the_queries_needs_others_for_them(
    wordy: Wordy, trained: tuple[Path, object]
) -> None:
    with pytest.raises(InputError, match="has learned from the train queries"):
        train_ranker(trained[0], wordy.split, TrainOptions())
