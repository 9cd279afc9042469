"""Let a command find every index that it is given on this machine: see `remote_indexes`."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import get_args

from recsys.app.cli.declarations import Command, IndexPlace, parameters
from recsys.app.remote_indexes import addressed, change_here, followed, is_remote, read_here


@contextmanager
def indexes_here(run: Command, given: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Give the values of a command's parameters, with folders for addresses of stored indexes.

    What the command changes is brought to the store when the block ends without an error.
    """
    if not any(is_remote(path) for value in given.values() for path in _paths(value)):
        yield given
        return
    values, quiet = dict(given), bool(given.get("quiet"))
    with ExitStack() as stack:
        for each in parameters(run):
            value, place = given[each.name], _place(each.annotation)
            if place is None:
                continue
            here = [_here(path, place, stack, quiet=quiet) for path in _paths(value)]
            if here:
                values[each.name] = here if isinstance(value, list) else here[0]
        yield values


def _paths(value: object) -> list[Path]:
    several = value if isinstance(value, list) else [value]
    return [each for each in several if isinstance(each, Path)]


def _place(annotation: object) -> IndexPlace | None:
    return next((note for note in get_args(annotation) if isinstance(note, IndexPlace)), None)


def _here(path: Path, place: IndexPlace, stack: ExitStack, *, quiet: bool) -> Path:
    if place.changed:
        return stack.enter_context(change_here(path, quiet=quiet))
    from recsys.app.bars import shown_progress

    with shown_progress(quiet=quiet) as progress:
        folder = read_here(path, progress)
    stack.enter_context(addressed(folder, path))
    if place.followed:
        stack.enter_context(followed(path))
    return folder
