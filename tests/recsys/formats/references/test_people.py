from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from hypothesis import given

from recsys.formats.references.people import (
    Commas,
    Name,
    name_of,
    natural,
    own_name,
    people_in,
    written,
)
from recsys.formats.references.shown_facts import one_line
from tests.recsys.formats.references.invented_papers import RAW
from tests.rows import each_row

FILES = Path(__file__).parent / "files"


def rows(file: str) -> Iterator[tuple[str, str]]:
    """Read a table of printed names: what is printed, and what stands behind the arrow."""
    for line in (FILES / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            printed, _, told = line.replace(" = ", " -> =", 1).partition(" ->")
            yield printed, told.strip()


@each_row(("printed", "told"), rows("names.txt"))
def test_a_name_is_taken_apart_however_it_is_printed(printed: str, told: str) -> None:
    parts = [part.strip() for part in told.split("/")]
    name = Name(literal=told[1:]) if told[0] == "=" else Name(*parts)
    assert people_in(printed, commas="within") == ((name,), False, False)
    assert ";" in printed or name_of(printed) == name


@each_row(("printed", "told"), rows("lists_of_names.txt"))
def test_lists_of_names_are_taken_apart_or_said_to_be_unsure(printed: str, told: str) -> None:
    before, colon, after = printed.partition(": ")
    commas: Commas = next((each for each in get_args(Commas) if each == before), "either")
    people = people_in(after if colon and commas != "either" else printed, commas=commas)
    names = told.removesuffix("?").removeprefix("=").split("|")
    assert list(people.spoken) == [name.strip() for name in names if name.strip()]
    assert (people.unsure or people.mixed) == told.endswith("?")


@each_row(
    ("text", "name"),
    [
        ("王 小明", Name("小明", "王")),
        ("A, B, C, D", Name(literal="A, B, C, D")),
        ("Cohan,", Name("Cohan")),
        (",", Name(literal=",")),
    ],
)
def test_what_is_not_understood_stays_whole(text: str, name: Name) -> None:
    assert name_of(text) == name


def test_names_of_our_papers_are_spoken() -> None:
    """A single capital may be a surname, where no other program has had its way with it."""
    assert own_name("Weinan E") == Name("E", "Weinan")
    assert name_of("Weinan E") == Name("Weinan", "E")


@given(RAW.map(one_line))
def test_either_order_of_a_name_is_the_same_name(text: str) -> None:
    name = own_name(text)
    assert natural(name.inverted) == name.natural
    assert natural(name.natural) == name.natural


@given(RAW.map(one_line))
def test_a_name_that_is_written_is_read_as_one_name(text: str) -> None:
    name = own_name(text)
    assert people_in(written(name), commas="within").spoken == (
        (name.natural,) if name.natural else ()
    )
