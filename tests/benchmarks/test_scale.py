"""Measuring at several sizes: both versions are asked alike, and the page says what was found."""

import json
from pathlib import Path
from typing import Any

import pytest

import benchmarks.scale as program
from benchmarks.bench import HERE
from benchmarks.made_corpus import DRAFTS
from benchmarks.scale import AFTER, CHECKOUT, Measured, kill_when, run_with
from recsys.errors import InputError, RecsysError
from tests.benchmarks.small_real import Made

KEPT = json.loads((HERE / "scale.json").read_text(encoding="utf-8"))
"""What was measured last: figures of the shapes that programs give."""
PAGE = "# Scale\n\n<!-- scale -->\nold\n<!-- /scale -->\n\nAfter.\n"


def test_figures_are_kept_and_versions_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, str]] = []
    made: list[int] = []

    def run(checkout: Path, name: str, *arguments: str | Path) -> dict[str, Any]:
        asked.append((checkout, name))
        if name == "build":
            Path(arguments[2]).mkdir()
        figures: dict[str, Any] = KEPT["sizes"]["1000000"][name]["after"]
        return figures

    def make(data: Path, papers: int, out: Path, later: int, seed: int, cache: Path) -> None:
        out.mkdir()
        made.append(papers)

    before = tmp_path / "checkout"
    monkeypatch.setattr(program, "run_with", run)
    monkeypatch.setattr(program, "make", make)
    (tmp_path / "scale.md").write_text(PAGE, encoding="utf-8")
    results = tmp_path / "kept" / "scale.json"
    options = ["measure", "--data", str(tmp_path), "--sizes", "2000", "--work", str(tmp_path)]
    options += ["--docs", str(tmp_path), "--results", str(results), "--rounds", "2"]
    assert program.main([*options, "--only", "answers", "--before", str(before)]) == 0
    turns = [before, CHECKOUT]
    builds, answers = ([(each, name) for each in turns] for name in ("build", "answers"))
    assert asked == [*builds, *answers * 2]
    assert program.main([*options, "--only", "build"]) == 0
    assert made == [2000], "a corpus is made once"
    kept = json.loads(results.read_text(encoding="utf-8"))["sizes"]["2000"]
    assert set(kept["answers"]) == {"before", "after"}
    assert set(kept["build"]) == {"after"}
    assert program.main([*options, "--only", "build", "--backend", "lance", "--no-keep"]) == 0
    assert asked[-1] == (CHECKOUT, "build") and not (tmp_path / "2000").exists()
    kept = json.loads(results.read_text(encoding="utf-8"))["sizes"]["2000"]
    assert set(kept["build"]) == {"after", "lance"}
    page = (tmp_path / "scale.md").read_text(encoding="utf-8")
    assert page.count("**: warm, before | ") == page.count("**: warm, after | ") == 1
    assert "| papers | 2,000 |" in page
    assert page.endswith("After.\n")


def test_growth_is_told_from_each_large_size_to_the_next() -> None:
    def size(papers: int) -> dict[str, Any]:
        killed = {"cpu_seconds": 3 * papers, "seconds": 1.0, "peak_mib": 9.0, "bytes_at_most": 9}
        build = {"cpu_seconds": papers, "peak_mib": papers**0.5, "bytes": {"text": papers, "a": 0}}
        return {"build": {"after": build | {"killed": killed}}}

    sizes = {str(n): size(n) for n in (30_000, 1_000_000, 3_000_000, 10_000_000)}
    found = program.exponents(sizes)
    spans = [(1_000_000, 3_000_000), (3_000_000, 10_000_000)]
    assert [(each["from"], each["to"]) for each in found] == spans
    wanted = {"processor time": 1.0, "memory": 0.5, "bytes": 1.0}
    for each in found:
        assert each["powers"] == pytest.approx({f"build, {n}": p for n, p in wanted.items()})


@pytest.mark.slow  # It starts nine processes.
def test_what_is_killed_in_its_middle_goes_on(made: Made) -> None:
    measured = Measured(made.corpus, {AFTER: CHECKOUT}, rounds=1, kill=True)
    built = measured.built(AFTER)
    assert built["papers"] == made.size and built["kept"][:1] == ["corpus"]
    assert built["killed"]["cpu_seconds"] > 0
    updated = measured.updated(AFTER)
    assert updated["papers"] == made.size + made.later
    assert updated["asked"]["seconds"] > 0
    assert measured.asked(AFTER, made.corpus / "after.index")["peak_mib"] > 0
    with pytest.raises(RecsysError, match="ended before"):
        kill_when(made.corpus / "nothing", made.index, CHECKOUT, "nearest", made.index)


@pytest.mark.slow  # It starts the benchmark twice.
def test_a_program_runs_as_a_file_with_the_code_of_a_checkout(made: Made, tmp_path: Path) -> None:
    """It must not need the package that it lies in: another checkout may lack it."""
    found = run_with(CHECKOUT, "answers", made.index, made.corpus / DRAFTS)
    assert found["papers"] == made.size and found["warm"] > 0
    (tmp_path / "recsys").mkdir()
    (tmp_path / "recsys" / "__init__.py").write_text("raise SystemExit(7)", encoding="utf-8")
    with pytest.raises(RecsysError, match="exit code 7"):
        run_with(tmp_path, "answers")


def test_a_mistake_is_told_before_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="is no checkout"):
        run_with(tmp_path, "answers")
    options = ["measure", "--data", ".", "--sizes", "10"]
    assert program.main([*options, "--only", "answer"]) == 1
    assert "Did you mean 'answers'?" in capsys.readouterr().err
    assert program.main([*options, "--docs", str(tmp_path)]) == 1
    assert "No page in" in capsys.readouterr().err
