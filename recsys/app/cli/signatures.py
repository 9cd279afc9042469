"""Give commands the signatures that typer reads, while they take options grouped by meaning."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import typer

from recsys.app.cli.entry import JSON_ERRORS

Result = TypeVar("Result")

JsonErrors: TypeAlias = Annotated[
    bool,
    typer.Option(
        JSON_ERRORS,
        help='Write an error as {"error": {"kind", "what", "hint"}} on stderr, for programs.',
    ),
]
_ANNOTATED: Any = Annotated
_LITERAL: Any = Literal


@dataclass(frozen=True, slots=True)
class OneOf:
    """Stands in an annotation before `typer.Option`: the value is one of the names of a table."""

    names: Iterable[str]


def command(run: Callable[..., Result]) -> Callable[..., Result]:
    """Make of a function what typer takes for a command.

    A parameter whose annotation is a dataclass is a group of options: its fields, annotated as
    parameters of commands are, stand in its place. Every command also gets --json-errors at its
    end, for `failures.exit_code`, which finds it among the arguments.
    """
    parameters = inspect.signature(run, eval_str=True).parameters.values()
    shown = [option for each in parameters for option in _options(each)]
    shown.append(_option("json_errors", JsonErrors, False))

    def called(**given: object) -> Result:
        return run(**{each.name: _argument(each, given) for each in parameters})

    called.__name__, called.__doc__ = run.__name__, run.__doc__
    signature = inspect.Signature(shown)
    called.__signature__ = signature  # type: ignore[attr-defined]  # For `inspect.signature`.
    return called


def _options(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    group = parameter.annotation
    if not is_dataclass(group):
        yield _option(parameter.name, group, parameter.default)
        return
    for each in fields(group):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield _option(each.name, each.type, default)


def _option(name: str, annotation: object, default: object) -> inspect.Parameter:
    # By keyword only: a required option may then follow one that is not.
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=_spelled_out(annotation))


def _spelled_out(annotation: object) -> object:
    """Name the values of an option that is one of a table's names: typer wants a Literal."""
    if get_origin(annotation) is not Annotated:
        return annotation
    _, *notes = get_args(annotation)
    for note in notes:
        if isinstance(note, OneOf):
            rest = [each for each in notes if each is not note]
            return _ANNOTATED[(_LITERAL[tuple(note.names)], *rest)]
    return annotation


def _argument(parameter: inspect.Parameter, given: dict[str, object]) -> object:
    group = parameter.annotation
    if not is_dataclass(group) or not isinstance(group, type):
        return given[parameter.name]
    return group(**{each.name: given[each.name] for each in fields(group)})
