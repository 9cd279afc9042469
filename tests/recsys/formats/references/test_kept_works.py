"""Works in caches and journals: they come back as they were, or damage is noticed."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references.bibliography import record_of, work_of
from recsys.records import Reference
from tests.made_references import references
from tests.rows import each_row


@given(work=references, cited=st.lists(references, max_size=3))
def test_a_work_comes_back_as_it_was(work: Reference, cited: list[Reference]) -> None:
    whole = replace(work, cites=tuple(cited), labels={"type": "article"}, cited_ids=("W1",))
    again = work_of(json.loads(json.dumps(record_of(whole))))
    assert again == whole
    assert again.labels == whole.labels


@each_row(
    "damaged",
    [
        None,
        [],
        "text",
        {"title": 5},
        {"year": "1999"},
        {"authors": "Ash"},
        {"authors": [1]},
        {"cites": [{"title": []}]},
        {"cites": ["W1"]},
        {"labels": []},
        {"unheard": "of"},
    ],
)
def test_what_is_no_work_is_refused(damaged: object) -> None:
    with pytest.raises(ValueError, match="work"):
        work_of(damaged)
