"""What comes together in a batch, and how alike a student and its teacher are."""

from pathlib import Path

import numpy as np
import pytest

from recsys.pipelines.studies.distil.distil_loss import DistilLoss
from recsys.pipelines.studies.distil.distil_task import (
    DistilOptions,
    DistilTask,
    Lesson,
    likeness,
    with_company,
)
from recsys.pipelines.studies.finetuning.encoder_training import Run
from recsys.pipelines.studies.specter.fitting import untrained
from recsys.store.arrays import Floats
from tests.pipelines.studies.specter.small_sources import (
    small_source,
    tiny_options,
    write_tiny_bert,
)


def clusters(count: int, size: int) -> Floats:
    """Unit vectors: those of a cluster are near each other, clusters are far apart."""
    rng = np.random.default_rng(2)
    vectors = np.repeat(np.eye(count), size, axis=0) + rng.normal(size=(count * size, count)) / 50
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit.astype(np.float32)


def test_company_is_near_and_never_the_paper_itself() -> None:
    lesson = Lesson(np.arange(100, 500, dtype=np.int32), clusters(4, 100))
    groups = with_company(lesson, np.random.default_rng(0), 3)
    assert groups.shape == (400, 4) and (groups[:, 0] == lesson.rows).all()
    assert ((groups - 100) // 100 == (groups[:, :1] - 100) // 100).all()
    assert all(len(set(group)) == 4 for group in groups.tolist())
    other = with_company(lesson, np.random.default_rng(1), 3)
    assert (groups[:, 1:] != other[:, 1:]).any()


def test_a_paper_may_come_alone() -> None:
    lesson = Lesson(np.array([3, 8], np.int32), clusters(2, 1))
    assert with_company(lesson, np.random.default_rng(0), 0).tolist() == [[3], [8]]
    assert with_company(lesson, np.random.default_rng(0), 5).tolist() == [[3, 8], [8, 3]]


def test_what_the_teacher_does_not_know_is_left_out() -> None:
    vectors = np.eye(3, dtype=np.float32)
    parts = Lesson(np.array([7, 9], np.int32), vectors[1:]), Lesson(np.array([2]), vectors[:1])
    whole = Lesson.of_all(parts)
    assert whole.rows.tolist() == [2, 7, 9] and (whole.vectors == vectors).all()
    places, found = whole.of(np.array([1, 2, 8, 9], np.int32))
    assert places.tolist() == [1, 3] and (found == vectors[[0, 2]]).all()


def test_likeness_counts_shared_neighbours() -> None:
    wanted = clusters(4, 11)
    assert likeness(wanted, wanted) == 1.0
    assert likeness(wanted[:, [1, 2, 3, 0]], wanted) == 1.0  # Turned, angles are what they were.
    mixed = np.random.default_rng(0).permutation(wanted)
    assert likeness(mixed, wanted) < 0.5


@pytest.mark.parametrize("citations", [None, 1.0])
def test_an_epoch_is_papers_with_company_or_triplets(
    citations: float | None, tmp_path: Path
) -> None:
    write_tiny_bert(tmp_path / "tiny")
    cited = untrained([small_source(tmp_path)], tiny_options(tmp_path / "tiny"), Run()).task
    rows = np.arange(0, 100, dtype=np.int32)
    lesson = Lesson(rows, clusters(10, 10))
    asked = clusters(len(cited.shelf.sources[0].judge.rows), 1)
    options = DistilOptions(DistilLoss(), near=2, citations=citations)
    task = DistilTask.start(cited, [lesson], [asked], options)
    drawn = task.examples(np.random.default_rng(0))
    assert drawn.shape[1] == 3
    if citations is None:
        assert sorted(drawn[:, 0].tolist()) == rows.tolist()
    assert np.array_equal(drawn, task.examples(np.random.default_rng(0)))
    assert float(task.loss(task.learner, drawn[:8]).detach()) > 0
    deciding, recall, alike = task.measure()
    assert deciding == (alike if citations is None else recall)
