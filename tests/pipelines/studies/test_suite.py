"""The whole suite on a generated directory: every figure recomputed another way."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

from recsys.errors import InputError
from recsys.eval.studies.clicks.estimators import SNIPS, Options, drawn_figures
from recsys.eval.studies.clicks.recommendation_task import read_task
from recsys.eval.studies.scidocs.scidocs_figures import COLUMNS, classify, rank
from recsys.eval.studies.scidocs.scidocs_layout import (
    RANKING,
    Group,
    Task,
    read_classes,
    read_judgements,
)
from recsys.eval.studies.scidocs.scidocs_layout import suite_papers as texts_of
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from recsys.pipelines.studies.clicks.click_features import CONSTANT, FIRST_FIVE, features, pairs
from recsys.pipelines.studies.clicks.rankers import fit_feedforward
from recsys.pipelines.studies.scidocs_generator import generate
from recsys.pipelines.studies.scidocs_suite import (
    RANDOM_DIM,
    TRAININGS,
    SuiteOptions,
    evaluate_suite,
    random_vectors,
    sources,
)
from tests.hashing_encoder import HashingEncoder
from tests.pipelines.studies.suite_corpus import suite_collection
from tests.pipelines.studies.test_generator import SMALL

ONE_JOB = SuiteOptions(jobs=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    generate(suite_collection(folder), folder / "scidocs", SMALL)
    papers = list(texts_of(folder / "scidocs"))
    ids = tuple(paper["id"] for paper in papers)
    # The topic, which citations stay in, counts three times.
    titles = [str(paper["title"]) for paper in papers]
    texts = [(f"{title} {title.split()[-1]} {title.split()[-1]}", None) for title in titles]
    vectors = HashingEncoder().encode(texts)
    write_embeddings(folder / "titles.jsonl", Embeddings(ids, vectors))
    half = Embeddings(ids[::2], vectors[::2], ids[1:4:2])
    write_embeddings(folder / "half.parquet", half)
    return folder


def test_ranking_figures_are_means_over_the_queries_that_can_be_asked(folder: Path) -> None:
    options = SuiteOptions(tasks=tuple(RANKING), jobs=1)
    [row] = evaluate_suite(
        folder / "scidocs", sources([str(folder / "half.parquet")]), options
    ).rows
    half = read_embeddings(folder / "half.parquet")
    for task in RANKING:
        found = rank(read_judgements(folder / "scidocs", task, "test"), half)
        means = {"MAP": found.average_precision.mean(), "nDCG": found.ndcg.mean()}
        for measure, mean in means.items():
            assert row.figures[task, measure].value == pytest.approx(100 * mean, abs=1e-6)
        assert f"{task}: {found.left_out} of 20 queries have no vector" in " ".join(row.notes)


def test_classification_figures_are_those_of_the_classifier(folder: Path) -> None:
    root, embeddings = folder / "scidocs", read_embeddings(folder / "titles.jsonl")
    options = SuiteOptions(tasks=("mag", "mesh"), part="val", jobs=1)
    suite = evaluate_suite(root, sources([str(folder / "titles.jsonl")]), options)
    whole = evaluate_suite(root, sources([str(folder / "titles.jsonl")]), ONE_JOB).rows[0]
    assert tuple(whole.figures) == COLUMNS and whole.average is not None
    for task in (Task.MAG, Task.MESH):
        train, val = (read_classes(root, task, part) for part in ("train", "val"))
        found = classify(train, val, embeddings)
        expected = 100 * f1_score(found.labels, found.told, average="macro")
        assert suite.rows[0].figures[task, "F1"].value == pytest.approx(expected, abs=1e-6)
    assert suite.rows[0].figures[Task.MAG, "F1"].value == 100  # The topic is the venue's.


def test_recommendation_figures_are_means_over_trained_networks(folder: Path) -> None:
    root, path = folder / "scidocs", folder / "titles.jsonl"
    found = evaluate_suite(root, sources([str(path)]), SuiteOptions(tasks=("recomm",), jobs=1))
    task, embeddings = read_task(root), read_embeddings(path)
    tables = [
        features(log, task.papers, embeddings) for log in (task.train, task.validation, task.test)
    ]
    how = {"weighting": CONSTANT, "negatives": FIRST_FIVE}
    train, validation = (
        pairs(log, table, task.propensities, **how)
        for log, table in zip((task.train, task.validation), tables, strict=False)
    )
    expected = []
    for training in range(TRAININGS):
        ranker = fit_feedforward(train, validation, rng=np.random.default_rng([0, training]))
        figures = drawn_figures(
            task.test,
            ranker.score(tables[2]),
            task.propensities,
            rng=np.random.default_rng(0),
            estimator=SNIPS,
            options=Options(samples=1),
        )
        expected.append([100 * figures[name][0] for name in ("nDCG", "P@1")])
    gain, first = np.mean(expected, axis=0)
    assert found.rows[0].figures[Task.RECOMM, "nDCG"].value == pytest.approx(gain, abs=1e-6)
    assert found.rows[0].figures[Task.RECOMM, "P@1"].value == pytest.approx(first, abs=1e-6)


def test_encoders_stand_side_by_side_with_random_vectors(folder: Path) -> None:
    names = [f"titles={folder / 'titles.jsonl'}", str(folder / "half.parquet")]
    told: list[tuple[str, int, int]] = []
    options = SuiteOptions(tasks=("cite", "co-cite"), random=True, jobs=1)
    suite = evaluate_suite(
        folder / "scidocs", sources(names), options, progress=lambda *step: told.append(step)
    )
    assert [row.name for row in suite.rows] == ["titles", "half", "random"]
    assert suite.generated == "from 120 papers with seed 0"
    assert ("random: tasks", 2, 2) in told
    figures = [row.figures[Task.CITE, "MAP"].value for row in suite.rows]
    assert figures[0] > figures[2] + 10
    again = evaluate_suite(folder / "scidocs", sources(names), options)
    assert [row.figures for row in again.rows] == [row.figures for row in suite.rows]


def test_missing_vectors_are_told(folder: Path) -> None:
    (one,) = read_classes(folder / "scidocs", Task.MESH, "test").ids[:1]
    titles = read_embeddings(folder / "titles.jsonl")
    kept = [row for row, paper in enumerate(titles.ids) if paper != one]
    less = Embeddings(tuple(titles.ids[row] for row in kept), titles.vectors[kept])
    write_embeddings(folder / "less.npy", less)
    options = SuiteOptions(tasks=("mesh",), jobs=1)
    (row,) = evaluate_suite(folder / "scidocs", sources([str(folder / "less.npy")]), options).rows
    assert "mesh: 1 of 18 papers have no vector but zeros." in row.notes


def test_options_that_do_not_exist(folder: Path) -> None:
    some = sources([str(folder / "titles.jsonl")])
    for options, message in (
        (SuiteOptions(part="train"), "no part 'train'"),
        (SuiteOptions(tasks=("co-sight",)), r"no task 'co-sight'\. Did you mean 'co-cite'"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate_suite(folder / "scidocs", some, options)
    with pytest.raises(InputError, match="Two encoders are called 'random'"):
        named = sources([f"random={folder / 'titles.jsonl'}"])
        evaluate_suite(folder / "scidocs", named, SuiteOptions(random=True))
    write_embeddings(folder / "x.npy", Embeddings(("x",), np.ones((1, 2), np.float32)))
    with pytest.raises(InputError, match="x has no vector for any paper of"):
        evaluate_suite(folder / "scidocs", sources([str(folder / "x.npy")]), ONE_JOB)
    with pytest.raises(InputError, match="no vectors to evaluate"):
        evaluate_suite(folder / "scidocs", [], ONE_JOB)


def test_files_of_scidocs_serve_their_own_tasks(folder: Path, tmp_path: Path) -> None:
    titles = read_embeddings(folder / "titles.jsonl")
    write_embeddings(tmp_path / "user-citation.jsonl.gz", titles)
    (encoder,) = sources([str(tmp_path)])
    assert encoder.files == {Group.ACTIVITY: tmp_path / "user-citation.jsonl.gz"}
    options = SuiteOptions(tasks=("mesh", "cite", "recomm"), jobs=1)
    (row,) = evaluate_suite(folder / "scidocs", [encoder], options).rows
    assert set(row.figures) == {(Task.CITE, "MAP"), (Task.CITE, "nDCG")}
    assert row.notes == (
        "mesh: there are no vectors for it.",
        "recomm: there are no vectors for it.",
    )


def test_random_vectors_have_the_published_spread() -> None:
    found = random_vectors([str(i) for i in range(500)], np.random.default_rng(0))
    assert found.vectors.shape == (500, RANDOM_DIM)
    assert float(found.vectors[:].std()) == pytest.approx(0.67, abs=0.01)
    assert float(found.vectors[:].mean()) == pytest.approx(0, abs=0.01)
