"""The members of a large object come one at a time, however its bytes are cut."""

import io
import json
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.contexts import context_records
from recsys.formats.contexts.context_records import members
from recsys.formats.references.bibliography import Problem

VALUES = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3)


@given(
    st.dictionaries(st.text(max_size=8), VALUES, max_size=6),
    st.integers(1, 40),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_every_member_is_given(
    value: dict[str, object], chunk: int, indent: int | None, plain: bool
) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=plain).encode(errors="replace")
    with patch.object(context_records, "_CHUNK", chunk):
        assert list(members(io.BytesIO(raw))) == list(json.loads(raw).values())


@given(st.binary(max_size=200))
def test_any_bytes_come_to_an_end(raw: bytes) -> None:
    with patch.object(context_records, "_CHUNK", 16):
        assert len(list(members(io.BytesIO(b'{"a": {"b": 1}, ' + raw)))) >= 1


def test_a_member_without_end_is_told_and_passed_over() -> None:
    raw = b'{"a": {"text": "' + b"x" * 5000 + b'}, "b": {"text": "c"}}'
    with patch.object(context_records, "LARGEST_MEMBER", 1000):
        first, *others = members(io.BytesIO(raw))
    assert isinstance(first, Problem) and {"text": "c"} in others
