"""The formats of an answer sentence by sentence. Adding one is what writes it, and a row here."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from recsys.errors import check_name

if TYPE_CHECKING:
    from recsys.formats.local_answers.shown_gaps import GapKeys
    from recsys.records import LocalAnswer

LocalWriter: TypeAlias = Callable[["LocalAnswer", "GapKeys"], str]

LOCAL_FORMATS: Mapping[str, tuple[str, str]] = {
    "table": ("shown_gaps", "gap_table"),
    "json": ("gap_json", "local_json"),
    "jsonl": ("gap_json", "local_json_lines"),
    "markdown": ("gap_pages", "gap_markdown"),
    "html": ("gap_pages", "gap_page"),
    "sarif": ("gap_json", "sarif"),
    "lines": ("shown_gaps", "editor_lines"),
}
"""Module of this folder and its function, in the order in which the command line offers them."""


def render_local(answer: "LocalAnswer", name: str, keys: "GapKeys | None" = None) -> str:
    """Write an answer as text.

    keys: what the papers are cited by; None: the draft's keys are kept, new ones made.

    Raises:
        InputError: there is no format of that name.
    """
    from recsys.formats.local_answers.shown_gaps import keys_of

    check_name(name, LOCAL_FORMATS, "format")
    module, function = LOCAL_FORMATS[name]
    opened = import_module(f"recsys.formats.local_answers.{module}")
    write: LocalWriter = getattr(opened, function)
    return write(answer, keys_of(answer) if keys is None else keys)
