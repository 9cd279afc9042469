"""A table of inputs as one test: every row is tried, and all that fail are listed."""

import os
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any, TypeAlias

import pytest
from hypothesis import settings

THOROUGH = "RECSYS_TEST_THOROUGH" in os.environ
"""Set by `make test-thorough`: more examples of each property, and everything that is slow."""
Test: TypeAlias = Callable[..., None]


def each_row(
    names: str | tuple[str, ...], rows: Iterable[Any], *, usually: int | None = None
) -> Callable[[Test], Test]:
    """Run a test for every row of a table, as `pytest.mark.parametrize` does, but as one test.

    Fixtures are shared by all rows. names: of the parameters that a row gives, as for
    `parametrize`. Decorators stand one above the other for every combination. usually: of so
    many rows only the first are tried where the run is not the thorough one; None: all.
    """
    columns = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    tried = list(rows)[: None if THOROUGH else usually]
    table = [(row if len(columns) > 1 else (row,)) for row in tried]
    assert table, "A table without rows tests nothing."

    def decorate(test: Test) -> Test:
        @wraps(test)
        def all_rows(**fixtures: Any) -> None:  # noqa: ANN401 - Whatever the fixtures give.
            failed: list[Exception] = []
            for row in table:
                try:
                    test(**fixtures, **dict(zip(columns, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(_of_row(error, f"row: {dict(zip(columns, row, strict=True))!r}"))
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} rows fail", failed)

        wanted = signature(test)
        others = [each for name, each in wanted.parameters.items() if name not in columns]
        all_rows.__signature__ = wanted.replace(parameters=others)  # type: ignore[attr-defined]
        return all_rows

    return decorate


def few(usually: int) -> settings:
    """Try so many examples of a property that takes long, as many as of others thoroughly."""
    return settings() if THOROUGH else settings(max_examples=usually)


def _of_row(error: BaseException, row: str) -> Exception:
    """Note the row; what ends a test without being an exception of Python becomes one."""
    found = error if isinstance(error, Exception) else AssertionError(str(error))
    found.add_note(row)
    return found
