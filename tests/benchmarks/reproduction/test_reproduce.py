"""Reproduction: the table's commands are real, run as typed, and a figure that is off is named."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

from benchmarks.reproduction.experiment_table import EXPERIMENTS
from benchmarks.reproduction.experiments import (
    BEST_PAGE,
    EXACT,
    LOCAL_MEASURES,
    MEASURES,
    SEEDS_PAGE,
    Expected,
    Experiment,
)
from benchmarks.reproduction.reproduce import (
    Outcome,
    Setup,
    as_json,
    commands,
    figures,
    listing,
    outcome_table,
    reproduce,
    select,
)
from benchmarks.reproduction.reproduced_pages import evaluation_tables
from recsys.app.cli.program import application
from recsys.errors import InputError, RecsysError
from recsys.pipelines.evaluation.system_table import SYSTEMS
from tests.pipelines.small_index import write_small_split
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

SEEDS = (0, 1, 2)
ASKED = ("sentence", "title", "references", "title-raw", "references-raw")
NETWORKS = {name for name in SYSTEMS if name.startswith("nn")}
EVERY_SYSTEM = {*SYSTEMS, "two-stage-no-metadata"} - NETWORKS
BEST = {"embedding", "two-stage", "two-stage-default", "two-stage-keyphrases"}
SEEDED = {"bm25-whoosh", "bm25", *NETWORKS - {"nnrank-100"}, "nnrank-no-metadata", "two-stage"}


@pytest.fixture
def data(built: "Built", tmp_path: Path) -> Path:
    """A folder with one small corpus."""
    folder = tmp_path / "data" / "small"
    folder.mkdir(parents=True)
    (folder / "papers.jsonl.gz").write_bytes(built.papers.read_bytes())
    write_small_split(folder / "split.json")
    return folder.parent


def small(built: "Built", expected: Mapping[str, Expected]) -> dict[str, Experiment]:
    """One experiment over an index that is there already."""
    index = shlex.quote(str(built.index))
    batch = f"recsys batch {index} --split {{data}}/small/split.json --system two-stage --run"
    return {
        "small": Experiment(
            corpora=("small",),
            prepare=(f"recsys inspect {index}",),
            training=(),
            evaluate=f"recsys evaluate {index} --split {{data}}/small/split.json "
            "--out {work}/small --quiet",
            systems=expected,
            alone={"two-stage-no-metadata": f"{batch} {{work}}/small-two-stage-no-metadata.trec"},
        )
    }


def words(text: str) -> list[str]:
    filled = text.replace("{data}", "DATA").replace("{work}", "WORK")
    return shlex.split(filled)


@each_row("name", EXPERIMENTS)
def test_the_commands_of_the_table_are_commands_of_the_program(name: str) -> None:
    experiment = EXPERIMENTS[name]
    program = typer.main.get_command(application())
    for line in commands(name, experiment, [*experiment.systems]):
        first, *rest = words(line)
        if first == "python":
            assert rest[:2] == ["-m", "recsys.pipelines.ranking.shipped_ranker"]
            continue
        assert first == "recsys"
        context = program.make_context("recsys", rest, resilient_parsing=False)
        command = program
        while (inner := getattr(command, "commands", None)) is not None:
            command, rest = inner[rest[0]], rest[1:]
        assert command.make_context(name, rest, parent=context).params


def test_the_table_has_every_system_on_both_corpora_with_figures() -> None:
    for corpus in ("vis", "archaeology"):
        assert set(EXPERIMENTS[corpus].systems) == EVERY_SYSTEM
        assert not EXPERIMENTS[corpus].slow
    for experiment in EXPERIMENTS.values():
        for expected in experiment.systems.values():
            assert all(0 < figure <= 1 for figure in expected.figures)
            assert 0 < expected.tolerance.other <= 0.01
            assert expected.tolerance.other < expected.tolerance.mrr <= 0.06
    assert EXPERIMENTS["vis-left-out"].slow


def test_every_seed_asks_the_same_systems_and_runs_only_when_it_is_named() -> None:
    for page, word, systems in ((SEEDS_PAGE, "seed", SEEDED), (BEST_PAGE, "best", BEST)):
        repeated = {name: each for name, each in EXPERIMENTS.items() if each.page == page}
        assert set(repeated) == {
            f"{each}-{word}-{i}" for each in ("vis", "archaeology") for i in SEEDS
        }
        for name, each in repeated.items():
            assert set(each.systems) == systems
            assert each.slow and name.startswith(f"{each.repeats}-{word}-")


def test_the_networks_are_trained_and_asked_with_the_seed() -> None:
    lines = commands("vis-seed-2", EXPERIMENTS["vis-seed-2"], [*SEEDED])
    assert [line.split()[1:3] for line in lines[1:5]] == [
        ["train", "nnselect"],
        ["train", "nnrank"],
        ["train", "nnrank"],
        ["train", "ranker"],
    ]
    assert all("--seed 2" in line for line in lines[1:])
    assert all("vis-citeomatic.index" in line for line in lines)


def test_the_best_configuration_is_asked_beside_the_default_of_the_same_seed() -> None:
    experiment = EXPERIMENTS["vis-best-1"]
    lines = commands("vis-best-1", experiment, [*experiment.systems])
    verbs = [line.split()[1] for line in lines]
    assert verbs == [*["build"] * 3, *["train"] * 3, *["batch"] * 2, "evaluate"]
    assert all("--seed 1" in line for line in lines[3:])
    indexes = ["vis.index", "vis-mpnet.index", "vis-keyphrases.index"]
    for at, index in enumerate([*indexes * 2, indexes[0], indexes[2], indexes[1]]):
        assert index in lines[at]
    assert [("--encoder mpnet" in line) for line in lines[:3]] == [False, True, True]
    assert [("--keyphrases labels.author_keywords" in line) for line in lines[:3]] == [
        *(False, False, True)
    ]
    assert [("--folds 4 --passes 2" in line) for line in lines[3:6]] == [False, True, True]
    for line, system in zip(lines[6:8], ("two-stage-default", "two-stage-keyphrases"), strict=True):
        run = f"{{work}}/vis-best-1-{system}.trec"
        assert line.endswith(f"--system two-stage --run {run}")
        assert f"--run {system}={run}" in lines[8]


def test_sentences_are_asked_in_an_index_of_titles() -> None:
    for name in (*ASKED, "contexts"):
        experiment = EXPERIMENTS[f"acl-local-{name}"]
        build, *add, evaluate = commands(name, experiment, [*experiment.systems])
        assert "--titles-only" in build
        assert [line.split()[1] for line in add] == ["add-contexts"] * (name == "contexts")
        assert f"--contexts {'only' if add else 'hidden'}" in evaluate
        assert "--years 2011-2012 --per-paper 1" in evaluate
        assert ("--raw" in evaluate) == name.endswith("raw")
        assert experiment.measures == LOCAL_MEASURES


def test_missing_contexts_are_said_before_anything_runs(data: Path, tmp_path: Path) -> None:
    (data / "acl").mkdir()
    (data / "acl" / "papers.jsonl.gz").write_bytes(b"")
    setup = Setup(data, tmp_path / "work", lambda line: pytest.fail(line))
    with pytest.raises(InputError, match=r"citation_contexts\.jsonl\.gz"):
        reproduce({"acl-local-title": []}, setup)


def test_only_what_is_asked_for_is_run() -> None:
    vis = EXPERIMENTS["vis"]
    plain = commands("vis", vis, ["bm25", "oracle"])
    assert len(plain) == 2 and plain[1].endswith("--systems bm25,oracle")
    trained = commands("vis", vis, ["two-stage"])
    assert sum("train ranker" in line for line in trained) == 2
    alone = commands("vis", vis, ["two-stage-no-metadata"])
    assert alone[-1].endswith(
        "--systems '' --run two-stage-no-metadata={work}/vis-two-stage-no-metadata.trec"
    )


def test_rows_are_chosen_by_name_or_by_experiment() -> None:
    plain = {"vis", "archaeology"}
    assert set(select(None)) == plain | {f"acl-local-{each}" for each in (*ASKED, "contexts")}
    assert select("vis/bm25, vis/random") == {"vis": ["random", "bm25"]}
    assert select("vis-left-out") == {"vis-left-out": ["two-stage"]}
    assert set(select("archaeology")["archaeology"]) == EVERY_SYSTEM
    with pytest.raises(InputError, match="Did you mean 'vis/bm25'"):
        select("vis/bm52")


def test_figures_are_rounded_before_f1_as_the_scorer_of_the_benchmarks_does() -> None:
    run = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 1.0}}
    qrels = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    found = figures(run, qrels)
    assert (found["P@20"], found["R@20"], found["MRR"]) == (0.0167, 0.1111, 0.3333)
    assert found["F1@20"] == round(2 * 0.0167 * 0.1111 / (0.0167 + 0.1111), 4)


def test_commands_run_as_typed_and_what_differs_is_marked(
    built: "Built", data: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    setup = Setup(data, tmp_path / "work", said.append)
    wrong = Expected((2.0, 2.0, 2.0, 2.0), EXACT)
    table = small(built, {"bm25": wrong, "two-stage-no-metadata": wrong})
    first = reproduce({"small": [*table["small"].systems]}, setup, table)
    assert [line.split()[:3] for line in said] == [
        ["$", "recsys", "inspect"],
        ["$", "recsys", "batch"],
        ["$", "recsys", "evaluate"],
    ]
    assert all(each.differs for each in first) and len(first) == 2 * len(MEASURES)

    measured = {
        name: Expected(
            tuple(each.measured for each in first if each.name == f"small/{name}"),
            EXACT,
        )
        for name in table["small"].systems
    }
    again = reproduce({"small": ["bm25"]}, setup, small(built, measured))
    assert [each.difference for each in again] == [0.0] * len(MEASURES)
    assert not any(each.differs for each in again)

    assert "| a | bm25 |" in evaluation_tables([tmp_path / "work" / "small"])


def test_a_missing_corpus_is_said_before_anything_runs(built: "Built", tmp_path: Path) -> None:
    table = small(built, {})
    setup = Setup(tmp_path, tmp_path / "work", lambda line: pytest.fail(line))
    with pytest.raises(InputError, match=r"papers\.jsonl\.gz"):
        reproduce({"small": []}, setup, table)
    assert not (tmp_path / "work").exists()


def test_a_command_that_fails_ends_it(built: "Built", data: Path, tmp_path: Path) -> None:
    experiment = replace(small(built, {})["small"], prepare=("recsys inspect {work}/nothing",))
    with pytest.raises(RecsysError, match="exit code 1"):
        reproduce({"small": []}, Setup(data, tmp_path / "work", print), {"small": experiment})


def test_a_figure_may_be_off_by_its_tolerance_and_no_more() -> None:
    inside, outside = (Outcome("a/b", "MRR", 0.5, value, 0.006) for value in (0.506, 0.4939))
    assert not inside.differs and outside.differs
    table = outcome_table([inside, outside])
    assert table.caption == "1 of 2 figures differ."
    assert [row[-1].text for row in table.rows] == ["", "differs"]
    assert [row[4].text for row in table.rows] == ["+0.0060", "-0.0061"]
    value = json.loads(as_json([outside]))
    assert value["schema"] == "recsys.reproduction/1"
    assert value["figures"][0]["differs"] is True


def test_the_list_shows_every_row_and_command() -> None:
    text = listing()
    for name, experiment in EXPERIMENTS.items():
        assert all(f"{name}/{system}" in text for system in experiment.systems)
        assert f"$ {experiment.prepare[0]}" in text
