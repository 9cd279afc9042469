"""Give commands the signatures that typer reads: see `declarations`."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from recsys.app.cli.declarations import (
    Argument,
    Command,
    IndexPlace,
    OneOf,
    Option,
    call,
    parameters,
)

_ANNOTATED: Any = Annotated
_LITERAL: Any = Literal


def command(name: str, run: Command) -> Callable[..., int]:
    """Make of a function what typer takes for the command of this name."""

    def called(**given: object) -> int:
        return call(name, run, given)

    called.__name__, called.__doc__ = run.__name__, run.__doc__
    shown = [each.replace(annotation=_told(each.annotation)) for each in parameters(run)]
    signature = inspect.Signature(shown)
    called.__signature__ = signature  # type: ignore[attr-defined]  # For `inspect.signature`.
    return called


def _told(annotation: object) -> object:
    """Say in typer's words how a parameter is declared."""
    if get_origin(annotation) is not Annotated:
        return annotation
    values, *notes = get_args(annotation)
    told: list[object] = []
    for note in notes:
        if isinstance(note, OneOf):  # Typer wants a Literal.
            values = _LITERAL[tuple(note.names)]
        elif not isinstance(note, IndexPlace):
            told.append(_typers(note))
    return _ANNOTATED[(values, *told)]


def _typers(note: object) -> object:
    if isinstance(note, Argument):
        return typer.Argument(help=note.help, metavar=note.metavar, show_default=note.show_default)
    if isinstance(note, Option):
        names = (note.name,) if note.short is None else (note.name, note.short)
        return typer.Option(
            *names,
            help=note.help,
            metavar=note.metavar,
            min=note.min,
            max=note.max,
            show_default=note.show_default,
        )
    return note
