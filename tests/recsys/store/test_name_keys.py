from hypothesis import given
from hypothesis import strategies as st

from recsys.store.names import author_key
from recsys.store.words import venue_key
from tests.rows import each_row


@each_row(
    ("name", "key"),
    [
        ("U.M.Heller", "heller u"),
        ("DAVIS, EL", "davis e"),
        ("Müller, Jörg", "muller j"),
        ("Jörg Müller", "muller j"),
        ("van der Maaten, Laurens", "maaten l"),
        ("Laurens van der Maaten", "maaten l"),
        ("García Márquez, Gabriel", "marquez g"),
        ("Gabriel García Márquez", "marquez g"),
        ("X. Li", "li x"),
        ("O'Brien, Pat", "obrien p"),
        ("Smith-Jones, Al", "smithjones a"),
        ("Picard, J.-L.", "picard j"),
        ("Martin L. King Jr.", "king m"),
        ("King, Jr., Martin", "king m"),
        ("Plato", "plato"),
        ("李晓明", "李晓明"),
        ("李, 晓明", "李 晓"),
        ("\uff21\uff4e\uff4e \uff2c\uff45\uff45", "lee a"),
        ("Jr.", "jr"),
        ("", None),
        ("   ", None),
        (",", None),
        (", Ann", None),
        ("...", None),
    ],
)
def test_author_keys(name: str, key: str | None) -> None:
    assert author_key(name) == key


@given(st.text(max_size=30))
def test_any_name_has_a_clean_key_or_none(name: str) -> None:
    key = author_key(name)
    assert key is None or (key == key.strip() and key and len(key.split(" ")) <= 2)


GIVEN = st.text("abcdefgh", min_size=1, max_size=6).filter(lambda word: word not in {"jr", "sr"})


@given(GIVEN, GIVEN)
def test_both_orders_of_a_name_agree(given_name: str, surname: str) -> None:
    key = author_key(f"{given_name.title()} {surname.title()}")
    assert key == author_key(f"{surname.upper()}, {given_name.upper()}")
    assert key == author_key(f"{given_name[0].upper()}. {surname.title()}")


@each_row(
    ("venue", "key"),
    [
        ("Proceedings of the 35th VLDB Conference, 2009", "proceedings of the vldb conference"),
        ("IEEE Trans. Vis. & Comp. Graphics", "ieee trans vis comp graphics"),
        ("计算机学报", "计算机学报"),
        ("Électronique_2", "electronique"),
        ("2019", ""),
        ("", ""),
    ],
)
def test_venue_keys(venue: str, key: str) -> None:
    assert venue_key(venue) == key
