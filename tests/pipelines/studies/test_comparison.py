"""Comparing encoders from files to figures, kept and continued."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.app.cache import cache_folder
from recsys.app.wiring import open_index
from recsys.errors import InputError
from recsys.eval.recorded_runs import RUNS
from recsys.eval.studies.encoders.report_encoders import (
    ACCURACY,
    AUC,
    AVERAGE,
    F1,
    MACRO_F1,
    PRECISION,
    PURITY,
    RANKING,
    RECALL,
    SIZE,
    SPEED,
    Encoders,
)
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from recsys.pipelines.studies.compared_encoders import (
    Bench,
    CompareOptions,
    wanted,
)
from recsys.pipelines.studies.embedding_probes import ProbeOptions, probe
from recsys.pipelines.studies.encoder_comparison import compare_encoders
from recsys.store.generations import in_force
from tests.ended import killed_at
from tests.pipelines.small_probe import Small, small_probe
from tests.rows import each_row

if TYPE_CHECKING:
    from recsys.protocols import Progress
    from tests.built_index import Built

OPTIONS = CompareOptions(label="labels.field", least=8, queries=0, dim=8, jobs=1)
RECOMMENDED, PROBED = {RECALL, F1}, {ACCURACY, MACRO_F1, PURITY, PRECISION, AUC}


class Case:
    """A small index, labelled papers, a folder to write; told: the stages that ran."""

    def __init__(self, built: "Built", folder: Path) -> None:
        self.built, self.folder, self.out = built, folder, folder / "out"
        self.small: Small = small_probe(folder)
        self.told: list[str] = []

    def run(
        self, *names: str, options: CompareOptions = OPTIONS, progress: "Progress | None" = None
    ) -> Encoders:
        self.told.clear()
        papers = self.small.papers if options.label else None
        index, split, told = self.built.index, self.built.split, progress or self._tell
        bench = Bench(index, split, papers, options, self.out, cache_folder(), open_index, told)
        return compare_encoders(bench, wanted(names))

    def _tell(self, stage: str, done: int, total: int) -> None:
        if not self.told or self.told[-1] != stage:
            self.told.append(stage)

    def stamps(self, row: str) -> dict[str, int]:
        folder = self.out / "rows" / row
        return {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def case(built: "Built", tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(built, tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def compared(case: Case) -> Encoders:
    return case.run("random", f"given={case.small.good}", "tfidf-svd")


def test_every_row_has_every_figure_there_are_papers_for(compared: Encoders) -> None:
    random, given, tfidf = compared.rows
    every = RECOMMENDED | PROBED | {SPEED, SIZE}
    assert random.figures.keys() == tfidf.figures.keys() == every
    assert compared.reference == "random"
    assert tfidf.figures[RECALL].value > random.figures[RECALL].value
    assert tfidf.figures[ACCURACY].value > 0.9 > random.figures[ACCURACY].value
    assert tfidf.figures[SPEED].value > 100 and tfidf.figures[SIZE].value > 0
    assert tfidf.map is not None and tfidf.map.title == "tfidf-svd"
    for row in (random, tfidf):
        for figure in row.figures.values():
            low, high = figure.low, figure.high
            assert low is None or high is None or low <= figure.value <= high
        for column in (RECALL, ACCURACY, PURITY, PRECISION, AUC):
            figure = row.figures[column]
            assert np.mean(figure.values) == pytest.approx(figure.value)
    assert random.failed == tfidf.failed == ()
    # The vectors of the labelled papers were given as those of the index.
    assert given.figures == {}
    assert len(given.failed) == 1 and "has no vector for any of the 50 papers" in given.failed[0]


def test_probes_are_those_of_the_command_probe(case: Case, compared: Encoders) -> None:
    vectors = case.out / "rows" / "tfidf-svd" / "sample.npy"
    options = ProbeOptions("labels.field", least=8)
    [group] = probe(case.small.papers, {"tfidf": vectors}, options).groups
    figures = compared.rows[2].figures
    assert figures[PURITY].value == group.purity["tfidf"][20].value
    assert figures[PRECISION].value == group.pairs["tfidf"].ranking.average_precision
    told = group.linear["tfidf"].told[0]
    assert figures[ACCURACY].value == pytest.approx(np.mean(told == group.group.labels))


def test_a_second_call_computes_nothing(case: Case, compared: Encoders) -> None:
    before = case.stamps("tfidf-svd")
    again = case.run("random", "tfidf-svd")
    assert case.told == []
    assert case.stamps("tfidf-svd") == before
    assert [row.figures for row in again.rows] == [
        row.figures for row in compared.rows if row.name != "given"
    ]
    # Only what changed is computed again.
    case.run("random", options=replace(OPTIONS, least=7))
    assert {stage.partition(": ")[2] for stage in case.told} >= {"linear", "clusters"}
    assert not any("ask" in stage or "encode" in stage for stage in case.told)


@pytest.mark.slow  # The next one continues at a row, `test_evaluate` within one.
def test_a_killed_call_continues(built: "Built", tmp_path: Path) -> None:
    case = Case(built, tmp_path)
    only = replace(OPTIONS, label=None)
    with pytest.raises(KeyboardInterrupt):
        case.run("random", options=only, progress=killed_at(1, "asking two-stage"))
    index = in_force(case.out / "rows" / "random" / "with.index")
    ranker = index / "ranker" / "manifest.json"
    trained = ranker.stat().st_mtime_ns
    [row] = case.run("random", options=only).rows
    assert row.figures.keys() == RECOMMENDED | {SPEED, SIZE}
    assert ranker.stat().st_mtime_ns == trained
    assert not any("encode" in stage or "features" in stage for stage in case.told)
    runs = case.out / "rows" / "random" / "evaluation" / RUNS
    assert {path.name for path in runs.iterdir()} == {"embedding.trec", "two-stage.trec"}


def test_vectors_from_elsewhere_are_measured_but_not_timed(
    case: Case, compared: Encoders, tmp_path: Path
) -> None:
    source = read_embeddings(case.out / "rows" / "tfidf-svd" / "index.npy")
    mine = tmp_path / "mine.jsonl"
    write_embeddings(mine, Embeddings(source.ids[:45], 3 * source.vectors[:45]))
    [row] = case.run(f"mine={mine},{case.small.good}").rows
    assert row.figures.keys() == RECOMMENDED | PROBED
    [alone] = case.run(f"mine={mine}").rows
    assert alone.figures.keys() == RECOMMENDED and alone.failed == ()


@pytest.mark.slow  # It trains the networks of the suite.
def test_neither_the_suite_nor_the_vectors_of_the_index_are_made_again(
    built: "Built", tmp_path: Path
) -> None:
    case = Case(built, tmp_path)
    options = replace(OPTIONS, label=None, queries=20)
    [row] = case.run("minilm", options=options).rows
    assert not any("encode" in stage for stage in case.told)
    assert row.figures.keys() == RECOMMENDED | {SPEED, SIZE, AVERAGE, RANKING}
    assert 0 < row.figures[RANKING].value < 1 and row.figures[SIZE].value > 10
    vectors = case.out / "rows" / "minilm" / "index.npy"
    theirs = np.load(in_force(built.index) / "vectors" / "vectors.npy")
    assert (read_embeddings(vectors).vectors == theirs).all()
    vectors.unlink()
    [again] = case.run("minilm", options=options).rows
    assert again.figures[RANKING] == row.figures[RANKING]
    assert case.told == [] and vectors.is_file()


@each_row(
    ("options", "message"),
    [
        (replace(OPTIONS, part="train"), "no part 'train'"),
        (replace(OPTIONS, reference="randon"), "Did you mean 'random'"),
        (replace(OPTIONS, label="labels.none"), "No paper of"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    options: CompareOptions, message: str, built: "Built", tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        Case(built, tmp_path).run("random", options=options)
