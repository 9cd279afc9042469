"""Encoders that learn shares of the journals, end to end on six invented ones."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import InputError
from recsys.eval.studies.encoders.journal_page import LINEAR, Trained
from recsys.eval.studies.probes.linear import few_label_probe
from recsys.eval.studies.probes.probe_results import folded, is_unseen
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.embedding_probes import ProbeOptions, probe
from recsys.pipelines.studies.encoders.journal_study import (
    DRAWS,
    EXAMPLES,
    ROWS,
    CurveOptions,
    draw_curve,
)
from recsys.pipelines.studies.encoders.tower import Student
from recsys.pipelines.studies.encoders.training import STAGE, Pace, Run
from recsys.protocols import silent
from tests.pipelines.studies.encoders.small_journals import (
    EACH,
    journal_options,
    journal_papers,
)
from tests.pipelines.studies.encoders.small_sources import FIELDS

SEED, UNSEEN = 1, 0.4


@pytest.fixture(scope="module")
def options(folder: Path) -> CurveOptions:
    training = journal_options(folder / "tiny")
    classes = replace(training.classes, unseen=UNSEEN, seed=SEED)
    loop = replace(training.loop, epochs=4, pace=Pace(rate=2e-2), seed=SEED)
    training = replace(training, classes=classes, loop=loop)
    return CurveOptions(training, shares=(0.6, 1.0), seeds=1, least=EACH, runs=2)


@pytest.fixture(scope="module")
def report(folder: Path, options: CurveOptions) -> tuple[Trained, ...]:
    return drawn(folder, options)


def drawn(folder: Path, options: CurveOptions, run: Run | None = None) -> tuple[Trained, ...]:
    with one_thread():
        return draw_curve(folder / "papers.jsonl", options, folder / "out", run or Run())


def test_what_is_asked_for_was_never_learned(report: tuple[Trained, ...], folder: Path) -> None:
    names = [f"Journal of {field.title()}" for field in sorted(FIELDS)]
    unseen = {name for name in names if is_unseen(name, share=UNSEEN, seed=SEED)}
    small, most = report
    assert (small.share, most.share) == (0.6, 1.0) and small.papers < most.papers
    for each in report:
        path = folder / "out" / ROWS / f"seed-1-share-{each.share:g}.json"
        facts = json.loads(path.read_text())["value"]
        learned = set(facts["training"]["classes"])
        assert set(each.asked.names) == unseen and len(learned) == each.classes
        assert learned.isdisjoint(unseen)
        if each is most:
            assert learned == set(names) - unseen
    venues = {paper.id: folded(paper.venue or "") for paper in journal_papers()}
    for paper, label in zip(most.asked.ids, most.asked.labels.tolist(), strict=True):
        assert venues[paper] == folded(most.asked.names[label])
    assert len(most.asked.ids) == EACH * len(unseen)


def test_the_start_is_asked_as_it_is(
    report: tuple[Trained, ...], options: CurveOptions, folder: Path
) -> None:
    papers, asked = journal_papers(), report[0].asked
    start = options.training.start
    student = Student.load(start, seed=0, device="cpu")
    with one_thread():
        texts = student.read(
            [(each.title, each.abstract) for each in papers], start, device="cpu", progress=silent
        )
        vectors = texts.vectors(student.tower, np.arange(len(papers), dtype=np.int32))
    file = folder / "start.npy"
    write_embeddings(file, Embeddings(tuple(each.id for each in papers), vectors))
    probing = ProbeOptions("venue", ("linear",), least=EACH, unseen=UNSEEN, runs=2, seed=SEED)
    _, group = probe(folder / "papers.jsonl", {"start": file}, probing).groups
    assert group.group.ids == asked.ids
    expected = group.linear["start"].correct(asked.labels)
    rows = [place for place, each in enumerate(papers) if each.id in set(asked.ids)]
    rng = np.random.default_rng(1)
    few = few_label_probe(vectors[rows], asked.labels, 1, runs=DRAWS, rng=rng)
    for each in report:
        assert list(each.start) == list(each.end) == [*map(str, EXAMPLES), LINEAR]
        assert each.start[LINEAR].tolist() == expected.tolist()
        assert each.start["1"].tolist() == few.tolist()
        assert (each.end[LINEAR] != each.start[LINEAR]).any()


def test_what_is_finished_is_not_trained_again(
    report: tuple[Trained, ...], options: CurveOptions, folder: Path
) -> None:
    told: list[str] = []
    run = Run(progress=lambda stage, done, total: told.append(stage))
    again = drawn(folder, options, run)
    assert not any(STAGE in stage for stage in told)
    for one, other in zip(report, again, strict=True):
        assert one.end[LINEAR].tolist() == other.end[LINEAR].tolist()
        for name in ("seed", "share", "papers", "seen"):
            assert getattr(one, name) == getattr(other, name)
    more = drawn(folder, replace(options, shares=(0.6, 0.8, 1.0)), run)
    assert [each.share for each in more] == [0.6, 0.8, 1.0]
    assert {stage for stage in told if STAGE in stage} == {f"seed-1-share-0.8: {STAGE}"}
    assert not list((folder / "out" / ROWS).glob("*.safetensors"))


@pytest.mark.slow  # It trains once more.
def test_few_papers_of_a_class_may_be_asked_for(
    report: tuple[Trained, ...], options: CurveOptions, folder: Path
) -> None:
    fewer = replace(options, most=6, shares=(1.0,))
    with one_thread():
        found = draw_curve(folder / "papers.jsonl", fewer, folder / "fewer", Run())[0].asked
    every = report[0].asked
    assert found.counts().tolist() == [6] * len(every.names) and found.names == every.names
    label = dict(zip(every.ids, every.labels.tolist(), strict=True))
    assert [label[each] for each in found.ids] == found.labels.tolist()
    assert list(found.ids) == sorted(found.ids)


def test_what_cannot_be_studied_is_told(
    options: CurveOptions, folder: Path, tmp_path: Path
) -> None:
    def study(unseen: float = UNSEEN, least: int = EACH, out: str = "out") -> None:
        classes = replace(options.training.classes, unseen=unseen)
        training = replace(options.training, classes=classes)
        changed = replace(options, training=training, least=least)
        draw_curve(folder / "papers.jsonl", changed, tmp_path / out, Run())

    for share in (0.0, 1.0):
        with pytest.raises(InputError, match=f"--unseen {share:g} leaves no classes"):
            study(share)
    with pytest.raises(InputError, match="0 of 6 classes are unseen; it takes two"):
        study(1e-6)
    with pytest.raises(InputError, match="0 classes of venue have at least 21"):
        study(least=EACH + 1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(InputError, match="holds no such study"):
        study(out="mine")
