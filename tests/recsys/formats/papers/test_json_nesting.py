import json

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.papers.json_records import DEEPEST, Nesting
from tests.rows import each_row

VALUES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def depths(*lines: str) -> list[int]:
    nesting = Nesting()
    found = []
    for line in lines:
        nesting.take(line)
        found.append(nesting.depth)
    return found


@each_row(
    ("lines", "expected"),
    [
        (['{"a": [', "{", "}]}"], [2, 3, 0]),
        (['{"a {[": "\\"{"}'], [0]),
        (['{"a": "x', 'y{"', "}"], [1, 1, 0]),
        (["{", "}, {", "}"], [1, 1, 0]),
        (['{"a": [1', "}"], [2, 0]),
        (["]", "{"], [0, 1]),
        (["[" * (DEEPEST + 1)], [0]),
        (['{"a": "b\\'], [1]),
    ],
)
def test_brackets_outside_strings_count(lines: list[str], expected: list[int]) -> None:
    assert depths(*lines) == expected


@given(value=st.dictionaries(st.text(), VALUES, max_size=4), indent=st.sampled_from([None, 0, 2]))
def test_a_document_closes_with_its_last_line(value: object, indent: int | None) -> None:
    lines = json.dumps(value, indent=indent).split("\n")
    assert depths(*lines)[-1] == 0
    assert 0 not in depths(*lines)[:-1]


def test_long_strings_and_many_brackets_take_linear_time() -> None:
    for unit in ('\\"', "{", '"', "[]", "\\", "{}"):
        Nesting().take('{"a": "' + unit * 500_000)
        Nesting().take(unit * 500_000)
