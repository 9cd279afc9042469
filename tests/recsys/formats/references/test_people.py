from hypothesis import given

from recsys.formats.references.people import Name, name_of, natural
from recsys.formats.references.shown_facts import one_line
from tests.recsys.formats.references.invented_papers import RAW
from tests.rows import each_row


@each_row(
    ("text", "name"),
    [
        ("Arman Cohan", Name("Cohan", "Arman")),
        ("Cohan, Arman", Name("Cohan", "Arman")),
        ("Daniel S. Weld", Name("Weld", "Daniel S.")),
        ("Laurens van der Maaten", Name("van der Maaten", "Laurens")),
        ("García López, María", Name("García López", "María")),
        ("Martin Luther King Jr.", Name("King", "Martin Luther", "Jr.")),
        ("King, Martin Luther, Jr.", Name("King", "Martin Luther", "Jr.")),
        ("King, Jr., Martin Luther", Name("King", "Martin Luther", "Jr.")),
        ("王 小明", Name("小明", "王")),
        ("Plato", Name("Plato")),
        ("Centre for Research and Development", Name("Centre for Research and Development")),
        ("Acme, Inc.", Name("Acme, Inc.")),
        ("A, B, C, D", Name("A, B, C, D")),
        ("Cohan,", Name("Cohan")),
        (",", Name(",")),
    ],
)
def test_names_are_taken_apart(text: str, name: Name) -> None:
    assert name_of(text) == name


@given(RAW.map(one_line))
def test_either_order_of_a_name_is_the_same_name(text: str) -> None:
    name = name_of(text)
    assert natural(name.inverted) == name.natural
    assert natural(name.natural) == name.natural
