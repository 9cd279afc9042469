"""An encoder with its sources: texts, batches, losses and figures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.export_encoder import export_encoder
from recsys.pipelines.evaluation.splits import Split
from recsys.pipelines.studies.citeomatic.negatives import Kind
from recsys.pipelines.studies.encoders.tower import batches
from recsys.pipelines.studies.encoders.train_encoder import (
    EncoderTask,
    untrained,
)
from recsys.pipelines.studies.encoders.training import Run
from recsys.pipelines.studies.encoders.triplets import (
    Draw,
    Reading,
    source_of,
)
from recsys.store.arrays import Ragged
from recsys.store.collection import Collection
from tests.pipelines.small_index import open_small_collection, write_small_index
from tests.pipelines.studies.encoders.small_sources import (
    small_source,
    tiny_options,
)
from tests.rows import each_row


@pytest.fixture(scope="module")
def task(folder: Path) -> EncoderTask:
    return untrained(small_source(folder), tiny_options(folder / "tiny"), Run())[1]


@each_row("pooling", ["cls", "mean"])
def test_texts_are_read_as_the_exported_encoder_reads_them(folder: Path, pooling: str) -> None:
    start = str(folder / "tiny")
    exported = OnnxEncoder.load(
        export_encoder(start, folder / pooling, pooling=pooling, precision="f32", verify=False)
    )
    source = small_source(folder)
    options = replace(tiny_options(folder / "tiny"), pooling=pooling)
    task = untrained(source, options, Run())[1]
    for row in (0, 7, 98, 99):
        assert task.texts.tokens[row].tolist() == exported.token_ids(source.texts[row])
    rows = np.array([3, 0, 99, 8], np.int32)
    expected = exported.encode([source.texts[row] for row in rows.tolist()])
    assert np.allclose(task.vectors(rows), expected, atol=1e-5)


def test_batches_hold_every_text_once_with_little_padding() -> None:
    lengths = [5, 1, 9, 2, 9, 3]
    starts = np.cumsum([0, *lengths])
    tokens = Ragged(starts, np.arange(1, starts[-1] + 1).astype(np.int32))
    rows = np.array([4, 3, 0, 5], np.int32)
    made, place = batches(tokens, rows, budget=9, pad=0, device="cpu")
    assert [tuple(batch.ids.shape) for batch in made] == [(1, 9), (1, 5), (2, 3)]
    assert [batch.mask is None for batch in made] == [True, True, False]
    laid = [line[line > 0].tolist() for batch in made for line in batch.ids.numpy()]
    assert [laid[at] for at in place.tolist()] == [tokens[row].tolist() for row in rows.tolist()]
    assert made[2].mask is not None and made[2].mask.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert made[2].ids[1].tolist() == [*tokens[3].tolist(), 0]


def test_padding_does_not_change_vectors_and_bfloat16_hardly(task: EncoderTask) -> None:
    rows = np.arange(60, dtype=np.int32)
    alone = np.concatenate([task.vectors(rows[[row]]) for row in rows.tolist()])
    assert np.allclose(task.vectors(rows), alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(alone, axis=1), 1, atol=1e-5)
    rows = np.arange(20, dtype=np.int32)
    half = replace(task, texts=replace(task.texts, half=True)).vectors(rows)
    assert 0.999 < (half * task.vectors(rows)).sum(axis=1).min() <= 1.001


def test_the_loss_is_that_of_each_triplet_by_itself(task: EncoderTask) -> None:
    task.learner.train()
    examples = task.examples(np.random.default_rng(0))[:12]
    whole = float(task.loss(task.learner, examples).detach())
    each = [float(task.loss(task.learner, examples[at : at + 1]).detach()) for at in range(12)]
    assert whole == pytest.approx(np.mean(each), abs=1e-5)


def test_negatives_near_a_query_are_found_by_the_encoder_as_it_is(task: EncoderTask) -> None:
    mining = replace(task, draw=Draw(5, 0, 3))
    triplets = mining.triplets(np.random.default_rng(0))
    mined = triplets.take(triplets.kind == Kind.NEIGHBOUR)
    assert len(mined) == 3 * 36
    base = task.source.sampler.base
    places = np.searchsorted(base.queries, mined.query).astype(np.int32)
    assert base.may_be_negative(places, mined.negative).all()
    turn = task.source.sampler.turn
    assert (turn[mined.negative] < base.choices[places]).all()  # None is newer.


@pytest.fixture(scope="module")
def surveys(folder: Path) -> Collection:
    return open_small_collection(write_small_index(folder / "surveys"))


def test_references_of_dev_and_test_queries_are_never_read(surveys: Collection) -> None:
    split = Split(train=("rivers-05",), dev=("rivers-04",), test=("rivers-03",))
    sampler = source_of("surveys", surveys, split, Reading()).sampler
    # It cites 04 and 03; what those cite is nobody's business.
    related = [surveys.corpus.ids[row] for row in sampler.related[0].tolist()]
    assert related == ["rivers-03", "rivers-04"]
