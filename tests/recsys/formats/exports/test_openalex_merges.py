"""Works of OpenAlex that were merged away.

The columns are those of https://docs.openalex.org/download-all-data/snapshot-data-format.
"""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats.exports.openalex_merges import read
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.rows import each_row

HEADER = "merge_date,id,merge_into_id\n"


def works(text: str) -> list[Reference | Problem]:
    return list(read(io.StringIO(text)))


def test_an_old_name_is_one_of_the_work_that_is_left() -> None:
    part = Reference(ids=("W1", "openalex:W1", "W10", "openalex:W10"))
    assert works(f"{HEADER}2022-06-10,W10,W1\n") == [part]
    assert works(f'{HEADER}"2022-06-10","https://openalex.org/W10","W1"\r\n\n') == [part]
    assert works("2022-06-10,W10,W1") == [part]


@each_row("line", ["2022,W1", "2022,W1,W2,W3", "2022,W1,", "x", ",,W1", "a,Wx,W2"])
def test_a_line_of_another_shape_is_a_problem(line: str) -> None:
    found = works(f"{HEADER}{line}\n2022,W1,W2\n")
    assert found[0] == Problem(
        "line 2: a date and two ids of OpenAlex are expected.", "no merged ids", 2
    )
    assert len(found) == 2


@each_row("kind", "AISCP")
def test_merged_people_and_places_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match=f"{kind}5, are not those of works"):
        works(f"{HEADER}2022-06-10,{kind}5,{kind}6\n")


@given(st.text(max_size=80))
def test_anything_is_read_or_counted(text: str) -> None:
    lines = text.splitlines(keepends=True)
    said = [line for line in lines if line.strip(' \t\r\n",\ufeff')]
    try:
        assert len(list(read(iter(lines)))) <= len(lines)
    except InputError:
        assert said


def test_a_line_of_any_length_is_cheap() -> None:
    assert isinstance(works("W1," * 1_000_000)[0], Problem)
