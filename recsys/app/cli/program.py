"""The program `recsys` as typer takes it: what explains, completes, and says what is wrong."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from recsys.app.cli.command_table import COMMANDS, GROUPS, Place
from recsys.app.cli.declarations import Command
from recsys.app.cli.running import COMPLETION
from recsys.app.cli.signatures import command
from recsys.errors import UsageError
from recsys.version import CREATED_BY


def application(words: Sequence[str] | None = None) -> typer.Typer:
    """Make typer's program of the commands.

    words: of the command line; a command that they do not name is shown, but not imported. None
    imports every command.
    """
    app = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(root)
    groups = {name: typer.Typer(rich_markup_mode=None, help=text) for name, text in GROUPS.items()}
    for name, group in groups.items():
        app.add_typer(group, name=name)
    for name, place in COMMANDS.items():
        *inside, own = path = name.split()
        run = place.load() if words is None or {*path} <= {*words} else _only_shown(place)
        (groups[inside[0]] if inside else app).command(own)(command(name, run))
    return app


def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Recommend which papers a draft should cite, with a probability and reasons for each.

    Start with `recsys recommend draft.json`: it answers from a starter corpus of some hundred
    landmark papers. `recsys build papers.jsonl --out my.index` makes an index of your own papers.
    """
    if version:
        typer.echo(CREATED_BY)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def run(words: Sequence[str]) -> int:
    """Let typer read a command line and run what it asks for; return the exit code.

    Raises:
        UsageError: there is no such command or option, or a value makes no sense.
    """
    app = application(None if COMPLETION in os.environ else words)
    try:
        return app(list(words), prog_name="recsys", standalone_mode=False) or 0
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except typer.TyperException as error:
        raise _told(error) from error


def _told(error: typer.TyperException) -> UsageError:
    # What typer checks by pydantic begins with pydantic's words.
    what = error.format_message().replace("Value error, ", "")
    stop = "" if what.endswith((".", "?", ")")) else "."
    path = getattr(getattr(error, "ctx", None), "command_path", "recsys")
    return UsageError(what + stop, f"See `{path} --help`.")


def _only_shown(place: Place) -> Command:
    def unread() -> None: ...

    unread.__doc__ = place.about
    return unread
