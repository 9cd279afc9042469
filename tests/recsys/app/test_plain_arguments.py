"""What is read without typer, typer reads as the same values; what typer refuses is left to it."""

import inspect
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.cli.command_table import COMMANDS
from recsys.app.cli.declarations import Command, Option, parameters
from recsys.app.cli.plain_arguments import read
from recsys.app.cli.signatures import command
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.built_index import Built
    from tests.conftest import RunCli

WORDS = (
    "", "-", "--", "x", "a b", "é", "draft.json", "a=b", "table", "jsonl", "test", "0", "1", "7",
    "007", "20", "2019", "-1", "+3", "1_0", " 5", "1.5", ".5", "1.", "1e3", "nan", "٣", "9" * 30,
    "\ud800", "-k", "-k5", "-qv", "--help", "-h", "--forma", "--no-quiet", "--x", "true",
)  # fmt: skip
"""Values, mistakes, and rare ways to write either."""


@cache
def typers_own(run: Command) -> Any:  # noqa: ANN401  # Typer brings its own copy of click.
    """Make of a command one that returns the values of its parameters as typer reads them."""

    def returned(**given: object) -> object:
        return given

    returned.__signature__ = inspect.signature(command("x", run))  # type: ignore[attr-defined]  # As in `command`.
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(returned)
    return typer.main.get_command(app)


def read_by_typer(run: Command, words: Sequence[str]) -> object:
    """Read words by typer; None where it refuses them or shows help."""
    try:
        read = typers_own(run).main(list(words), prog_name="x", standalone_mode=False)
    except typer.TyperException:
        return None
    return read if isinstance(read, dict) else None


def pieces(run: Command) -> st.SearchStrategy[list[str]]:
    """Draw what command lines are made of: options with and without values, fitting or not."""
    notes = [each.annotation.__metadata__[-1] for each in parameters(run)]
    names = [name for each in notes if isinstance(each, Option) for name in each.name.split("/")]
    option, word = st.sampled_from([*names, "-k"]), st.sampled_from(WORDS)
    pair = st.tuples(option, word)
    return pair.map(list) | pair.map("=".join).map(_alone) | option.map(_alone) | word.map(_alone)


def _alone(word: str) -> list[str]:
    return [word]


@each_row(
    ("name", "plain"),
    [
        ("recommend", ["a.tex", "--index=i", "-k 5", "--mmr 0.5", "--venue V*", "--quiet", "-v"]),
        ("build", ["papers.jsonl", "more", "--out i", "--force", "--seed=3", "--vectors exact"]),
        ("study clicks-study", ["i", "--out o", "--format json", "--seed 1", "--json-errors"]),
    ],
)
def test_typer_reads_what_is_plain_as_the_same_values(name: str, plain: list[str]) -> None:
    run = COMMANDS[name].load()
    fitting = st.sampled_from(plain).map(str.split)

    @given(st.lists(fitting, max_size=6), st.lists(pieces(run), max_size=2))
    def agree(lists: list[list[str]], others: list[list[str]]) -> None:
        words = [word for each in (*lists, *others) for word in each]
        if (values := read(run, words)) is not None:
            assert repr(values) == repr(read_by_typer(run, words))

    agree()


@each_row("name", sorted({*COMMANDS} - {"evaluate-local"}))  # It has `--yes/--no`.
def test_what_a_command_requires_is_read_without_typer(name: str) -> None:
    run = COMMANDS[name].load()
    words: list[str] = []
    for each in parameters(run):
        if each.default is inspect.Parameter.empty:
            note = each.annotation.__metadata__[-1]
            value = "swap" if each.name == "method" else "1"
            words += [note.name, value] if isinstance(note, Option) else [value]
    values = read(run, words)
    assert values is not None
    assert repr(values) == repr(read_by_typer(run, words))
    assert read(run, [*words, "--help"]) is None


@each_row("name", COMMANDS)
def test_the_table_says_what_the_docstring_says(name: str) -> None:
    place = COMMANDS[name]
    said = inspect.getdoc(place.load()) or ""
    assert " ".join(said.partition("\n\n")[0].split()) == place.about


@each_row("words", ["--version", "recommend a.tex -k 3", "inspect my.index"])
def test_what_is_plain_is_served_without_typer(words: str) -> None:
    code = f"""
import sys
from recsys.app.cli.running import task
task({words.split()!r})
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"typer", "pydantic", "rich", "numpy", "pyarrow"} & set(done.stdout.split())


def test_an_answer_imports_nothing_that_it_can_do_without(built: "Built", tmp_path: Path) -> None:
    code = f"""
import sys, recsys
recsys.load({str(built.without_models(tmp_path))!r}).recommend("Rivers and their valleys")
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "recsys.ranking.feature_context" in imported
    assert not {"typer", "pydantic", "pyarrow", "numpy.ma", "sklearn", "torch"} & imported


def test_an_option_that_does_not_fit_another_is_told_of_its_command(
    run_cli: "RunCli", tmp_path: Path
) -> None:
    both = ("--out", tmp_path / "a", "--out-dir", tmp_path)
    done = run_cli("recommend", "--title", "Rivers", *both)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: Invalid value for --out-dir: Give a file or a folder, not both. "
        "See `recsys recommend --help`.\n"
    )
    assert run_cli("recommend", "--title", "Rivers", *both, "--quiet", "--quie").code == 2
