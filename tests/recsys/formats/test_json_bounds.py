"""JSON whose values would take far more memory than its text is not decoded whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import RecsysError
from recsys.formats.drafts.draft_formats import open_draft
from recsys.formats.embeddings.embedding_files import read_lines
from recsys.formats.files import MOST_VALUES, TooManyValues, checked_json
from recsys.formats.papers import json_records
from recsys.formats.papers.json_records import Line, _elements, entries_of
from recsys.formats.references.reference_formats import read_bibliography
from recsys.protocols import silent

MANY = f'"{"," * MOST_VALUES},"'
"""Commas count wherever they stand: a text of 4 MB, which is decoded at once."""
SAID = f"more than {MOST_VALUES:,} values"
READERS: dict[str, Callable[[Path], Any]] = {
    "list.csl.json": read_bibliography,
    "draft.json": lambda path: open_draft(path).manuscript,
    "draft.ipynb": lambda path: open_draft(path).manuscript,
    "vectors.jsonl": lambda path: read_lines(path, silent),
}


def test_every_reader_refuses_what_takes_far_more_memory_than_its_text(tmp_path: Path) -> None:
    wrong = {}
    for name, read in READERS.items():
        path = tmp_path / name
        path.write_text(f'{{"id": "a", "title": "Moss", "items": {MANY}}}', encoding="utf-8")
        with pytest.raises(RecsysError) as caught:
            read(path)
        if SAID not in str(caught.value.__cause__):
            wrong[name] = caught.value.what
    assert wrong == {}


def test_a_record_of_too_many_values_is_said_to_have_them() -> None:
    for text in (f'{{"id": "a", "x": {MANY}}}', f'{{"results": [{MANY}]}}'):
        ((entry),) = entries_of(Line(1, text))
        assert (entry.record, entry.flaw) == (None, SAID)


def test_a_large_array_is_decoded_record_by_record() -> None:
    text = f'[{{"id": "a"}}, {{"id": "b", "x": {MANY}}}, 7, [], {{"id": "c"}}, oh]'
    found = [
        (entry.record and entry.record["id"], entry.flaw) for entry in entries_of(Line(1, text))
    ]
    none = (None, "not an object")
    assert found == [("a", ""), ("b", ""), none, ("c", ""), (None, "not JSON")]


@given(st.lists(st.one_of(st.integers(), st.text(max_size=5), st.just({"a": [1]}), st.just([]))))
def test_elements_are_those_of_the_whole_wherever_the_text_is_cut(values: list[object]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "_LONGEST_ELEMENT", 45)
        assert list(_elements(json.dumps(values, ensure_ascii=False))) == values
        with pytest.raises(ValueError, match="too long"):
            list(_elements(json.dumps([*values, "x" * 50], ensure_ascii=False)))


def test_bytes_and_text_are_counted_alike() -> None:
    assert checked_json("[1, 2]", 3) == "[1, 2]" and checked_json(b"[1, 2]", 3) == b"[1, 2]"
    for check in (lambda: checked_json("[1, 2]", 1), lambda: checked_json(b"[1, 2]", 1)):
        with pytest.raises(TooManyValues, match="more than 1 values"):
            check()
