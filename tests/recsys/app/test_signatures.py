"""Groups of options become the options of a command, and come back as groups."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from recsys.app.cli.declarations import Argument, OneOf, Option
from recsys.app.cli.signatures import command

TABLE = {"thin": 1, "thick": 2}
RUNNER = CliRunner()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandwich:
    """What is between the slices."""

    bread: Annotated[str, OneOf(TABLE), Option("--bread", help="Its slices.")] = "thin"
    layers: Annotated[int, Option("--layers", min=1, help="How many.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plate:
    """Where it is put."""

    colour: Annotated[str | None, Option("--colour", help="Its colour.")] = None


def serve(
    guest: Annotated[str, Argument(help="Who eats.")],
    sandwich: Sandwich,
    plate: Plate,
    fast: Annotated[bool, Option("--fast", help="At once.")] = False,
) -> None:
    """Serve a sandwich."""
    typer.echo(f"{guest} {sandwich} {plate} {fast}")


@pytest.fixture
def app() -> typer.Typer:
    program = typer.Typer(rich_markup_mode=None)
    program.command()(command("serve", serve))
    return program


def test_a_group_stands_in_its_place_in_order() -> None:
    parameters = inspect.signature(command("serve", serve)).parameters
    assert [*parameters] == ["guest", "bread", "layers", "colour", "fast", "json_errors"]
    assert parameters["layers"].default is inspect.Parameter.empty
    assert parameters["bread"].default == "thin"
    assert command("serve", serve).__doc__ == "Serve a sandwich."


def test_a_command_gets_its_groups(app: typer.Typer) -> None:
    done = RUNNER.invoke(app, ["Ada", "--layers", "2", "--json-errors", "--fast"])
    assert done.exit_code == 0, done.output
    sandwich = Sandwich(bread="thin", layers=2)
    assert done.output == f"Ada {sandwich} {Plate(colour=None)} True\n"


def test_a_required_option_of_a_group_is_required(app: typer.Typer) -> None:
    done = RUNNER.invoke(app, ["Ada"])
    assert done.exit_code == 2 and "--layers" in done.output


def test_a_word_that_is_not_in_the_table_is_refused(app: typer.Typer) -> None:
    done = RUNNER.invoke(app, ["Ada", "--layers", "1", "--bread", "round"])
    assert done.exit_code == 2 and "thin" in done.output
    assert "<thin|thick>" in RUNNER.invoke(app, ["--help"]).output


def test_two_options_of_one_name_are_refused() -> None:
    def twice(plate: Plate, colour: str = "") -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name: 'colour'"):
        command("twice", twice)
