from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.references.word_works import cited_tags, sources_in
from tests.rows import each_row

HEAD = '<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography">'
WHOLE = (
    f"{HEAD}<b:Source><b:Tag>Riv01</b:Tag><b:Title>On the measure of rivers</b:Title>"
    "<b:Year>2001</b:Year><b:Author><b:Author><b:Corporate>River Survey</b:Corporate></b:Author>"
    "</b:Author><b:ConferenceName>Water</b:ConferenceName><b:DOI>10.1000/R1</b:DOI></b:Source>"
    "<b:Source><b:Title>One without a tag</b:Title></b:Source></b:Sources>"
).encode()


def test_a_source_is_a_work_whose_key_is_its_tag() -> None:
    (work,) = sources_in(WHOLE)
    assert (work.key, work.title, work.year) == ("Riv01", "On the measure of rivers", 2001)
    assert (work.authors, work.venue, work.doi) == (("River Survey",), "Water", "10.1000/r1")


@each_row(
    ("instruction", "expected"),
    [
        (" CITATION Riv01 \\l 1033 ", ("Riv01",)),
        ("citation Riv01 \\p 3 \\m Eis02 \\m Riv01", ("Riv01", "Eis02")),
        ('CITATION "River 1" \\l 1031', ("River 1",)),
        ("ADDIN ZOTERO_ITEM CITATION x", ()),
        ("", ()),
    ],
)
def test_a_field_cites_tags(instruction: str, expected: tuple[str, ...]) -> None:
    assert cited_tags(instruction) == expected


def test_entities_are_not_followed() -> None:
    declared = b'<!DOCTYPE x [<!ENTITY a "Riv">]>' + WHOLE.replace(b"Riv01", b"&a;")
    assert sources_in(declared) == ()


@given(st.integers(0, len(WHOLE)), st.binary(max_size=6))
def test_damage_gives_fewer_works_and_no_error(place: int, damage: bytes) -> None:
    assert len(sources_in(WHOLE[:place] + damage + WHOLE[place + len(damage) :])) <= 1
    assert len(sources_in(WHOLE[:place])) <= 1
