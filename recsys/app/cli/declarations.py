"""Declare the parameters of a command once, for whoever reads its arguments.

`plain_arguments` reads what is well-formed without importing anything; `signatures` makes of the
same declarations what typer takes, for help, mistakes and the completion of shells.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, fields, is_dataclass
from typing import Annotated, TypeAlias

from recsys.app.cli.entry import JSON_ERRORS
from recsys.errors import UsageError

Command: TypeAlias = Callable[..., int | None]
"""Returns an exit code, or None for 0."""


@dataclass(frozen=True, slots=True)
class Option:
    """Stands in the annotation of a parameter that is given by name.

    name: `--name`; `--yes/--no` are two words for a flag. min, max: of numbers, themselves allowed.
    show_default: what help says of the default, where it does not show the value itself.
    """

    name: str
    short: str | None = None
    _: KW_ONLY
    help: str
    metavar: str | None = None
    min: float | None = None
    max: float | None = None
    show_default: bool | str = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """Stands in the annotation of a parameter that is given by its place."""

    help: str
    metavar: str | None = None
    show_default: bool | str = True


@dataclass(frozen=True, slots=True)
class OneOf:
    """Stands in an annotation before `Option`: the value is one of the names of a table."""

    names: Iterable[str]


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Stands in an annotation before the last: the value is where an index lies.

    changed: whether the command may change it. followed: whether it runs on, and shall see what
    others change.
    """

    changed: bool = False
    followed: bool = False


JsonErrors: TypeAlias = Annotated[
    bool,
    Option(
        JSON_ERRORS,
        help='Write an error as {"error": {"kind", "what", "hint"}} on stderr, for programs.',
    ),
]


def parameters(run: Command) -> Iterator[inspect.Parameter]:
    """List what a command takes: options that are grouped by meaning stand one by one.

    A parameter whose annotation is a dataclass is a group of options: its fields, annotated as
    parameters of commands are, stand in its place. Every command also gets --json-errors at its
    end, for `failures.exit_code`, which finds it among the arguments.
    """
    for each in _own(run):
        yield from _options(each)
    yield _option("json_errors", JsonErrors, False)


def call(name: str, run: Command, given: Mapping[str, object]) -> int:
    """Run a command with the values of its parameters, and return its exit code.

    Raises:
        UsageError: the values do not fit together; the hint names the command.
    """
    from recsys.app.cli.index_places import indexes_here  # It reads declarations itself.

    try:
        with indexes_here(run, given) as values:
            return run(**{each.name: _argument(each, values) for each in _own(run)}) or 0
    except UsageError as error:
        raise UsageError(error.what, f"See `recsys {name} --help`.") from error


def bad_value(why: str, *, option: str) -> UsageError:
    """Say that the value of an option makes no sense."""
    return UsageError(f"Invalid value for {option}: {why}")


def _own(run: Command) -> Iterable[inspect.Parameter]:
    return inspect.signature(run, eval_str=True).parameters.values()


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
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _argument(parameter: inspect.Parameter, given: Mapping[str, object]) -> object:
    group = parameter.annotation
    if not is_dataclass(group) or not isinstance(group, type):
        return given[parameter.name]
    return group(**{each.name: given[each.name] for each in fields(group)})
