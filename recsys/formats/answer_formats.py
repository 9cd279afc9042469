"""The formats that an answer is written in. Adding one is what writes it, and a row here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from recsys.errors import check_name

if TYPE_CHECKING:
    from recsys.records import Answer

Writer: TypeAlias = Callable[["Answer"], str]


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table.

    suffix: of the files that are called after a draft. open: imports what writes an answer.
    joins: whether several answers may stand one below the other, told apart.
    """

    suffix: str
    open: Callable[[], Writer]
    joins: bool = False


def render(answer: "Answer", name: str) -> str:
    """Write an answer as text.

    Raises:
        InputError: there is no format of that name.
    """
    check_name(name, FORMATS, "format")
    return FORMATS[name].open()(answer)


def _table() -> Writer:
    from recsys.formats.answers import table

    return table


def _json() -> Writer:
    from recsys.formats.answers import as_json

    return as_json


def _json_lines() -> Writer:
    from recsys.formats.answers import as_json_lines

    return as_json_lines


def _references(name: str) -> Callable[[], Writer]:
    """Write the papers alone, in order of rank, in a format of reference managers."""

    def opened() -> Writer:
        from recsys.formats.references.reference_writers import WRITERS

        return lambda answer: WRITERS[name]([item.paper for item in answer.recommendations])

    return opened


def _markdown() -> Writer:
    from recsys.formats.answer_pages import markdown

    return markdown


def _html() -> Writer:
    from recsys.formats.answer_pages import html

    return html


FORMATS: Mapping[str, Format] = {
    "table": Format(".txt", _table, joins=True),
    "json": Format(".json", _json),
    "jsonl": Format(".jsonl", _json_lines, joins=True),
    "bibtex": Format(".bib", _references("bibtex")),
    "ris": Format(".ris", _references("ris")),
    "csl-json": Format(".json", _references("csl-json")),
    "csv": Format(".csv", _references("csv")),
    "markdown": Format(".md", _markdown),
    "html": Format(".html", _html),
}
"""In the order in which the command line offers them."""
