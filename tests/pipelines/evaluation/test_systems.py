"""Each system ranks as its name says, and sees nothing it must not."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactMissing, InputError
from recsys.indexes.whoosh_index import WhooshIndex
from recsys.models.nnrank import NNRankCorpus
from recsys.models.nnselect import NNSelectModel
from recsys.pipelines.evaluation.splits import gold, query_rng
from recsys.pipelines.evaluation.system_table import SYSTEMS, check_systems
from recsys.pipelines.evaluation.systems import Ranked, SystemContext, prepare, whoosh_folder
from recsys.store.artifacts import MANIFEST, NNSELECT, nnrank_folder
from recsys.store.generations import in_force
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.rows import each_row


@pytest.fixture(scope="module")
def context(index: Path, tmp_path_factory: pytest.TempPathFactory) -> SystemContext:
    folder, recommender = tmp_path_factory.mktemp("systems"), open_small_index(index)
    prepare(SYSTEMS, recommender.collection, folder)
    return SystemContext(recommender, folder, seed=3)


def ask(context: SystemContext, system: str, paper: str = "deserts-10", k: int = 100) -> Ranked:
    row = int(context.collection.corpus.rows([paper])[0])
    return SYSTEMS[system].open(context)(context.recommender.query_of(row), row, k)


def names(context: SystemContext, ranked: Ranked) -> list[str]:
    return [context.collection.corpus.ids[row] for row in ranked.rows.tolist()]


def test_a_near_miss_is_suggested() -> None:
    check_systems(SYSTEMS)
    with pytest.raises(InputError, match=r"no system 'bm25-whosh'\. Did you mean 'bm25-whoosh'"):
        check_systems(["bm25", "bm25-whosh"])


@each_row("system", SYSTEMS)
def test_no_system_sees_the_query_or_anything_newer(system: str, context: SystemContext) -> None:
    ranked = ask(context, system)
    years = context.collection.graph.years[ranked.rows]
    assert len(ranked.rows) == len(set(ranked.rows.tolist())) > 0
    assert "deserts-10" not in names(context, ranked)
    assert years.min() >= 0 and years.max() <= 2010
    assert (np.diff(ranked.scores) <= 0).all()
    assert len(ask(context, system, k=3).rows) == 3


def test_random_depends_on_the_seed_and_the_query_alone(context: SystemContext) -> None:
    once = ask(context, "random").rows.tolist()
    ask(context, "random", "rivers-09")
    assert ask(context, "random").rows.tolist() == once
    assert ask(context, "random", k=5).rows.tolist() == once[:5]
    reseeded = SystemContext(context.recommender, context.work, seed=4)
    assert ask(reseeded, "random").rows.tolist() != once
    assert query_rng(0, "a").random() != query_rng(0, "b").random()


def test_citations_count_as_of_the_query_and_ties_break_by_id(context: SystemContext) -> None:
    # In 2010 everything up to 2007 was cited twice, 2008 once: by papers older than 2010.
    ranked = ask(context, "citations", "deserts-10")
    assert names(context, ranked)[0] == "deserts-00"
    by_name = dict(zip(names(context, ranked), ranked.scores.tolist(), strict=True))
    assert [by_name[f"rivers-{age:02}"] for age in (7, 8, 9)] == [2, 1, 0]
    assert names(context, ranked) == sorted(by_name, key=lambda each: (-by_name[each], each))


def test_whoosh_finds_the_topic(context: SystemContext) -> None:
    assert all(
        each.startswith("deserts") for each in names(context, ask(context, "bm25-whoosh", k=9))
    )


def test_the_oracle_puts_gold_first_in_the_order_of_stage_one(
    context: SystemContext,
) -> None:
    row = int(context.collection.corpus.rows(["deserts-10"])[0])
    right = set(gold(context.collection, row).tolist())
    oracle, stage_one = ask(context, "oracle"), ask(context, "stage-one")
    expected = sorted(stage_one.rows.tolist(), key=lambda each: each not in right)
    assert oracle.rows.tolist() == expected
    assert set(oracle.rows[: len(right)].tolist()) == right
    assert oracle.candidates is not None and stage_one.candidates is not None
    assert set(oracle.candidates.tolist()) == set(stage_one.candidates.tolist())


def test_nnselect_ranks_by_its_own_cosine(context: SystemContext) -> None:
    model = NNSelectModel.load(
        in_force(context.collection.folder) / NNSELECT, len(context.collection.corpus)
    )
    query = model.vectors[context.collection.corpus.row("deserts-10") or 0]
    few, many = ask(context, "nnselect"), ask(context, "nnselect-100")
    for ranked in (few, many):
        np.testing.assert_allclose(ranked.scores, (model.vectors @ query)[ranked.rows], atol=1e-6)
    assert names(context, few)[0].startswith("deserts")
    assert 10 <= len(few.rows) < len(many.rows)


@each_row("metadata", [True, False])
def test_nnrank_orders_what_nnselect_selects(context: SystemContext, metadata: bool) -> None:
    recommender = open_small_index(context.collection.folder, metadata=metadata)
    own = SystemContext(recommender, context.work)
    selected, ranked = ask(own, "nnselect"), ask(own, "nnrank")
    assert sorted(ranked.rows.tolist()) == sorted(selected.rows.tolist())
    folder = nnrank_folder(in_force(context.collection.folder), metadata=metadata)
    network = NNRankCorpus.load(folder, len(context.collection.corpus))
    assert ("authors" in network.model.shape.fields) == metadata
    row = context.collection.corpus.row("deserts-10") or 0
    expected = network.score(context.collection.graph, row, selected.rows, selected.scores)
    by_row = dict(zip(selected.rows.tolist(), expected.tolist(), strict=True))
    assert ranked.scores.tolist() == pytest.approx([by_row[each] for each in ranked.rows.tolist()])
    assert len(ask(own, "nnrank-100").rows) > len(ranked.rows)


def test_a_model_that_was_never_trained_is_asked_for_early(tmp_path: Path) -> None:
    index = write_small_index(tmp_path / "small.index")
    collection = open_small_index(index).collection
    shutil.rmtree(nnrank_folder(in_force(index), metadata=False))
    prepare(["nnrank"], collection, tmp_path)
    with pytest.raises(ArtifactMissing, match="no NNRank model 'nnrank-no-metadata'"):
        prepare(["nnrank"], collection, tmp_path, metadata=False)
    shutil.rmtree(in_force(index) / NNSELECT)
    prepare(["bm25"], collection, tmp_path)
    with pytest.raises(ArtifactMissing, match="no NNSelect model"):
        prepare(["bm25", "nnselect"], collection, tmp_path)


def test_whoosh_is_built_again_only_when_damaged(context: SystemContext, tmp_path: Path) -> None:
    collection = context.collection
    prepare(["bm25", "two-stage"], collection, tmp_path)
    assert list(tmp_path.iterdir()) == []
    prepare(["bm25-whoosh"], collection, tmp_path)
    folder = whoosh_folder(collection, tmp_path)
    before = (folder / MANIFEST).stat().st_mtime_ns
    prepare(["bm25-whoosh"], collection, tmp_path)
    assert (folder / MANIFEST).stat().st_mtime_ns == before
    (folder / MANIFEST).unlink()
    prepare(["bm25-whoosh"], collection, tmp_path)
    assert WhooshIndex.load(folder).searcher.doc_count() == len(collection.corpus)
