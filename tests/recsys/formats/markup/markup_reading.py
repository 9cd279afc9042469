"""Read a text as the readers of XML do."""

import io
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import BinaryIO, TypeAlias

from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

Reader: TypeAlias = Callable[[BinaryIO], Iterator[Reference | Problem]]


def works(read: Reader, text: str | bytes) -> list[Reference]:
    """Read what has no problems."""
    found = list(read(io.BytesIO(text.encode() if isinstance(text, str) else text)))
    assert [each for each in found if isinstance(each, Problem)] == []
    return [each for each in found if isinstance(each, Reference)]


def told(work: Reference) -> dict[str, object]:
    """Return what is known of a work, without what it cites."""
    return {name: value for name, value in asdict(work).items() if value and name != "cites"}
