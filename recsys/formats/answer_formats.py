"""The formats that an answer is written in. Adding one is what writes it, and a row here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recsys.errors import check_name

if TYPE_CHECKING:
    from recsys.records import Answer


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table.

    suffix: of the files that are called after a draft. joins: whether several answers may stand one
    below the other, told apart.
    """

    suffix: str
    joins: bool = False


FORMATS: Mapping[str, Format] = {
    "table": Format(".txt", joins=True),
    "json": Format(".json"),
    "jsonl": Format(".jsonl", joins=True),
    "bibtex": Format(".bib"),
    "ris": Format(".ris"),
    "csl-json": Format(".json"),
    "csv": Format(".csv"),
    "markdown": Format(".md"),
    "html": Format(".html"),
}
"""In the order in which the command line offers them."""


def render(answer: "Answer", name: str) -> str:
    """Write an answer as text; in formats of reference managers, the papers alone.

    Raises:
        InputError: there is no format of that name.
    """
    check_name(name, FORMATS, "format")
    from recsys.formats.answers import RENDERERS

    if name in RENDERERS:
        return RENDERERS[name](answer)
    from recsys.formats.references.reference_writers import WRITERS

    return WRITERS[name]([item.paper for item in answer.recommendations])
