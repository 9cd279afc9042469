"""Reproduction: commands are real and run as typed, what is off is named, pages keep tables."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

import benchmarks.reproduce as program
from benchmarks.reproduce import (
    DEFAULT,
    EXPERIMENTS,
    Experiment,
    commands,
    figures,
    main,
    reproduce,
    rewrite_pages,
    tolerance,
)
from recsys.app.cli.program import application
from recsys.errors import InputError, RecsysError
from tests.eval.small_evaluation import FAIR, GOOD, write_evaluation, write_runs
from tests.eval.small_evaluation import SYSTEMS as ANSWERED
from tests.pipelines.small_index import write_small_split
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built

SEEDS = (0, 1, 2)
ASKED = ("sentence", "title", "references", "title-raw", "references-raw")


@pytest.fixture
def data(built: "Built", tmp_path: Path) -> Path:
    """A folder with one small corpus."""
    folder = tmp_path / "data" / "small"
    folder.mkdir(parents=True)
    (folder / "papers.jsonl.gz").write_bytes(built.papers.read_bytes())
    write_small_split(folder / "split.json")
    return folder.parent


def small(built: "Built", expected: Mapping[str, Sequence[float]]) -> dict[str, Experiment]:
    """One experiment over an index that is there already."""
    index = shlex.quote(str(built.index))
    batch = f"recsys batch {index} --split {{data}}/small/split.json --system two-stage --run"
    return {
        "small": Experiment(
            corpora=("small",),
            prepare=(f"recsys inspect {index}",),
            evaluate=f"recsys evaluate {index} --split {{data}}/small/split.json "
            "--out {work}/small --quiet",
            figures=expected,
            alone={"two-stage-no-metadata": f"{batch} {{work}}/small-two-stage-no-metadata.trec"},
        )
    }


def words(text: str) -> list[str]:
    filled = text.replace("{data}", "DATA").replace("{work}", "WORK")
    return shlex.split(filled)


@each_row("name", EXPERIMENTS)
def test_rows_of_the_table_have_figures_and_commands_of_the_program(name: str) -> None:
    experiment = EXPERIMENTS[name]
    program = typer.main.get_command(application())
    for system, row in experiment.figures.items():
        assert len(row) == len(experiment.measures) and all(0 < figure <= 1 for figure in row)
        assert 0 < tolerance(system, "F1@20") < tolerance(system, "MRR") <= 0.06
    for line in commands(name, experiment, [*experiment.figures]):
        first, *rest = words(line)
        if first == "python":
            assert rest[:2] == ["-m", "benchmarks.shipped_ranker"]
            continue
        assert first == "recsys"
        context = program.make_context("recsys", rest, resilient_parsing=False)
        command = program
        while (inner := getattr(command, "commands", None)) is not None:
            command, rest = inner[rest[0]], rest[1:]
        assert command.make_context(name, rest, parent=context).params


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


def test_figures_are_rounded_before_f1_as_the_scorer_of_the_benchmarks_does() -> None:
    run = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 1.0}}
    qrels = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    found = figures(run, qrels)
    assert (found["P@20"], found["R@20"], found["MRR"]) == (0.0167, 0.1111, 0.3333)
    assert found["F1@20"] == round(2 * 0.0167 * 0.1111 / (0.0167 + 0.1111), 4)


def test_commands_run_as_typed_and_what_differs_is_marked(
    built: "Built", data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work, wrong = tmp_path / "work", (2.0, 2.0, 2.0, 2.0)
    table = small(built, {"bm25": wrong, "two-stage-no-metadata": wrong})
    chosen = {"small": [*table["small"].figures]}
    first = reproduce(chosen, data=data, work=work, experiments=table)
    told = re.findall(r"^\$ recsys (\w+)", capsys.readouterr().err, re.MULTILINE)
    assert told == ["inspect", "batch", "evaluate"]
    assert all(each.differs for each in first) and len(first) == 2 * 4

    measured = {
        name: [each.measured for each in first if each.name == f"small/{name}"]
        for name in table["small"].figures
    }
    again = reproduce(
        {"small": ["bm25"]}, data=data, work=work, quiet=True, experiments=small(built, measured)
    )
    assert "$ " not in capsys.readouterr().err
    assert [each.difference for each in again] == [0.0] * 4
    assert not any(each.differs for each in again)


def test_what_is_missing_is_said_before_anything_runs(
    built: "Built", data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "acl").mkdir()
    (data / "acl" / "papers.jsonl.gz").write_bytes(b"")
    with pytest.raises(InputError, match=r"citation_contexts\.jsonl\.gz"):
        reproduce({"acl-local-title": []}, data=data, work=tmp_path / "work")
    work = ["--work", str(tmp_path / "work")]
    for words, told in (([], "papers.jsonl.gz"), (["--only", "vis/magic"], "no row 'vis/magic'.")):
        assert main(["--data", str(tmp_path), *work, *words]) == 1
        error = capsys.readouterr().err
        assert told in error and error.count("\n") == 1
    assert not (tmp_path / "work").exists() and main([]) == 2
    failing = replace(small(built, {})["small"], prepare=("recsys inspect {work}/nothing",))
    with pytest.raises(RecsysError, match="exit code 1"):
        reproduce({"small": []}, data=data, work=tmp_path, experiments={"small": failing})


def write_pages(folder: Path) -> Path:
    """Write pages of results, each with an old table."""
    folder.mkdir()
    for name in ("evaluation", "seeds", "best", "local"):
        text = f"a\n<!-- {name} -->\nold\n<!-- /{name} -->\nz\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_the_tables_of_what_was_repeated_are_written_into_their_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_pages(tmp_path / "results")
    write_evaluation(tmp_path / "vis")
    monkeypatch.setattr(program, "reproduce", lambda *_, **__: [])
    words = ["--data", str(tmp_path), "--work", str(tmp_path), "--only", "vis", "--docs"]
    assert main([*words, str(docs)]) == 0
    text = (docs / "evaluation.md").read_text(encoding="utf-8")
    assert "| good | " in text and "old" not in text

    monkeypatch.setattr(program, "reproduce", lambda *_, **__: pytest.fail("It ran."))
    assert main([*words, str(tmp_path / "result")]) == 1
    assert "Did you mean 'results'" in capsys.readouterr().err
    (docs / "evaluation.md").write_text("nothing", encoding="utf-8")
    assert main([*words, str(docs)]) == 1
    assert "marks of 'evaluation'" in capsys.readouterr().err


@each_row(("block", "word", "tables"), [("seeds", "seed", 1), ("best", "best", 2)])
def test_means_over_seeds_get_a_block_of_their_own(
    block: str, word: str, tables: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    work = tmp_path_factory.mktemp(block)
    docs = write_pages(work / "results")
    for seed in SEEDS:
        write_runs(work / f"vis-{word}-{seed}", {**ANSWERED, DEFAULT: FAIR})
    rewrite_pages(docs, work, [f"vis-{word}-{seed}" for seed in SEEDS])
    text = (docs / f"{block}.md").read_text(encoding="utf-8")
    assert "| system | F1@20 | MRR | R@100 |" in text and "Letters" not in text
    assert "old" not in text and text.count("| good | ") == tables
    assert text.count(f"vis: More than {DEFAULT}") == tables - 1
    assert "vis: 6 queries, 3 seeds." in text
    assert text.startswith("a\n") and text.endswith("\nz\n")
    assert "old" in (docs / "evaluation.md").read_text(encoding="utf-8")


def test_what_was_measured_earlier_stays_on_the_page(tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "results")
    earlier = write_evaluation(tmp_path / "archaeology")
    write_runs(earlier, dict.fromkeys(EXPERIMENTS["archaeology"].figures, GOOD))
    write_evaluation(tmp_path / "vis")
    rewrite_pages(docs, tmp_path, ["vis"])
    text = (docs / "evaluation.md").read_text(encoding="utf-8")
    assert text.count("| good | ") == 2 and text.count("| oracle | ") == 1

    (earlier / "runs" / "oracle.trec").unlink()
    rewrite_pages(docs, tmp_path, ["vis"])
    text = (docs / "evaluation.md").read_text(encoding="utf-8")
    assert text.count("| good | ") == 1 and "| bm25 | " not in text, "it is not whole"


def test_evaluations_of_sentences_get_a_block_of_their_own(tmp_path: Path) -> None:
    docs = write_pages(tmp_path / "results")
    folder = write_evaluation(tmp_path / "acl-local-title-raw")
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    told = facts | {"part": "sentence", "known": "title", "masked": False}
    (folder / "facts.json").write_text(json.dumps(told), encoding="utf-8")
    rewrite_pages(docs, tmp_path, ["acl-local-title-raw"])
    text = (docs / "local.md").read_text(encoding="utf-8")
    assert "acl-local-title-raw: 6 sentences; calibration error: good 0." in text
    assert "| R@10 | MRR |\n" in text and "old" not in text
    assert "old" in (docs / "evaluation.md").read_text(encoding="utf-8")
