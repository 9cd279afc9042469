"""An encoder with the directions of classes: logits, losses, figures."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score

from recsys.pipelines.studies.encoders.tower import Student, batches
from recsys.pipelines.studies.encoders.train_journal import (
    TEMPERATURE,
    JournalTask,
    class_means,
    class_papers,
)
from recsys.protocols import silent
from tests.pipelines.studies.encoders.small_journals import journal_options, journal_papers


@pytest.fixture(scope="module")
def task(folder: Path) -> JournalTask:
    options = journal_options(folder / "tiny")
    papers = class_papers(Path("papers.jsonl"), journal_papers(), options.classes)
    student = Student.load(options.start, seed=0, device="cpu")
    texts = student.read(papers.texts, options.start, device="cpu", progress=silent)
    return JournalTask.start(student.tower, texts, papers)


def test_means_of_classes_by_hand() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 3]], np.float32)
    found = class_means(vectors, np.array([2, 0, 0]), 4)
    assert found.tolist() == [[0, 2], [0, 0], [1, 0], [0, 0]] and found.dtype == np.float32


def test_each_class_begins_in_the_middle_of_its_papers(task: JournalTask) -> None:
    learned = task.papers.learned
    vectors = task.texts.vectors(task.learner.tower, learned)
    for label in range(6):
        own = vectors[task.papers.labels[learned] == label]
        expected = np.mean(own.astype(np.float64), axis=0)
        assert np.allclose(task.learner.directions[label].detach(), expected, atol=1e-6)


def test_logits_are_cosines_whatever_numbers_products_are_computed_in(task: JournalTask) -> None:
    rows = task.papers.dev[:7]
    made, where = batches(task.texts.tokens, rows, budget=500, pad=task.texts.pad, device="cpu")
    with torch.no_grad():
        exact = task.learner(made)[where].numpy()
        vectors = task.learner.tower(made)[where].numpy()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rounded = task.learner(made)
    assert rounded.dtype == torch.float32
    directions = task.learner.directions.detach().numpy()
    for vector, logits in zip(vectors, exact, strict=True):
        cosines = directions @ vector / np.linalg.norm(directions, axis=1) / np.linalg.norm(vector)
        assert np.allclose(logits * TEMPERATURE, cosines, atol=1e-6)


def test_the_loss_is_the_mean_of_each_papers_own(task: JournalTask) -> None:
    examples = task.examples(np.random.default_rng(0))[:9]
    with torch.no_grad():
        whole = float(task.loss(task.learner, examples))
        logits = task.texts.through(task.learner, examples[:, 0]).double().numpy()
    labels = task.papers.labels[examples[:, 0]]
    expected = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(9), labels]
    assert whole == pytest.approx(expected.mean(), abs=1e-5)


def test_dev_is_judged_by_the_class_with_the_nearest_direction(task: JournalTask) -> None:
    dev = task.papers.dev
    vectors = task.texts.vectors(task.learner.tower, dev)
    directions = task.learner.directions.detach().numpy()
    cosines = vectors @ (directions / np.linalg.norm(directions, axis=1, keepdims=True)).T
    assert task.told(dev).tolist() == cosines.argmax(axis=1).tolist()
    labels = task.papers.labels[dev]
    accuracy = accuracy_score(labels, task.told(dev))
    f1 = f1_score(labels, task.told(dev), average="macro", zero_division=0)
    assert task.measure() == pytest.approx([accuracy, f1])


def test_all_of_the_encoder_and_the_directions_learn(task: JournalTask) -> None:
    task.learner.train()
    task.loss(task.learner, task.examples(np.random.default_rng(0))[:8]).backward()  # type: ignore[no-untyped-call] # untyped in torch
    learned = task.learner.learned()
    assert "directions" in learned and not any("pooler" in name for name in learned)
    assert all(each.grad is not None for each in learned.values())
    task.learner.zero_grad()
