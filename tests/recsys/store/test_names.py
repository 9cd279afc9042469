"""Names of people: their keys, and whose they may be."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from recsys.store.names import (
    agree,
    author_key,
    bearers,
    contradict,
    initialled,
    name_key,
    name_keys,
)
from tests.rows import each_row


@each_row(
    ("name", "key"),
    [
        ("U.M.Heller", "heller u m"),
        ("DAVIS, EL", "davis e l"),
        ("Davis E. L.", "davis e l"),
        ("DAVIS, ELLA", "davis ella"),
        ("Müller, Jörg", "muller jorg"),
        ("Jörg Müller", "muller jorg"),
        ("van der Maaten, Laurens", "maaten laurens"),
        ("Laurens van der Maaten", "maaten laurens"),
        ("García Márquez, Gabriel", "marquez gabriel"),
        ("X. Li", "li x"),
        ("O'Brien, Pat", "obrien pat"),
        ("Smith-Jones, Al", "smithjones al"),
        ("Picard, J.-L.", "picard j l"),
        ("Picard, Jean-Luc", "picard jeanluc"),
        ("Martin L. King Jr.", "king martin l"),
        ("King, Jr., Martin", "king martin"),
        ("King, Martin, Jr.", "king martin"),
        ("Wei Wang 0001", "wang wei"),
        ("Plato", "plato"),
        ("A. B.", "b a"),
        ("World Health Organization", "organization world health"),
        # Initials that look like what stands behind names, in both orders.
        ("Orlan, CO", "orlan c o"),
        ("CO Orlan", "orlan c o"),
        ("Pelk, SR", "pelk s r"),
        ("SR Pelk", "pelk s r"),
        ("Harto, JR", "harto j r"),
        ("JR Harto", "harto j r"),
        ("Petrenko, IV", "petrenko i v"),
        ("IV Petrenko", "petrenko i v"),
        ("Martin King, III", "king martin"),
        ("李晓明", "李晓明"),
        ("李, 晓明", "李 晓明"),
        ("Жуков Д. Ж.", "жуков д ж"),
        ("\uff21\uff4e\uff4e \uff2c\uff45\uff45", "lee ann"),
        ("Jr.", "jr"),
        ("", None),
        ("   ", None),
        (",", None),
        (", Ann", None),
        ("...", None),
    ],
)
def test_name_keys(name: str, key: str | None) -> None:
    assert name_key(name) == key
    assert author_key(name) == (None if key is None else initialled(key))


@given(st.text(max_size=30))
def test_any_name_has_a_clean_key_or_none(name: str) -> None:
    key = name_key(name)
    assert key is None or (key and all(key.split(" ")))
    assert key is None or initialled(key) == author_key(name)


WORD = st.text("abcdefgh", min_size=2, max_size=6).filter(lambda word: word not in {"jr", "sr"})


@given(WORD, WORD)
def test_both_orders_of_a_name_are_one_person(given_name: str, surname: str) -> None:
    keys = [
        name_key(name)
        for name in (
            f"{given_name.title()} {surname.title()}",
            f"{surname.title()}, {given_name.title()}",
            f"{surname.upper()}, {given_name.upper()}",
        )
    ]
    assert keys[0] == keys[1]
    assert agree(str(keys[0]), str(keys[2]))
    assert author_key(f"{given_name[0].upper()}. {surname.title()}") == author_key(
        f"{surname.title()} {given_name[0].upper()}."
    )


@each_row(
    ("one", "other", "same"),
    [
        # Written out and the same, in any spelling and order.
        ("Jianhua Wei", "Wei, Jianhua", True),
        ("Li-Hua Wei", "Wei, Lihua", True),
        ("Li Hua Wei", "Wei, Li-Hua", True),
        ("Jörg Müller", "MULLER, JORG", True),
        ("Laurens van der Maaten", "van der Maaten, Laurens", True),
        ("Martin King Jr.", "King, Martin", True),
        ("John A. Smith", "John Smith", True),
        ("John Adam Smith", "Smith, John A.", True),
        ("LEE, ANN", "Ann Lee", True),
        ("World Health Organization", "World Health Organization", True),
        ("J. R. Smith", "Smith, JR", True),
        ("Jarke J. van Wijk", "van Wijk, Jarke", True),
        ("Martin King, Jr.", "King, Martin", True),
        # One abbreviates the other, or both abbreviate.
        ("Ken Smith", "Kenneth Smith", None),
        ("J. Wei", "Jianhua Wei", None),
        ("J. H. Wei", "Wei, Jian-Hua", None),
        ("L.-H. Wei", "Li-Hua Wei", None),
        ("J. R. Smith", "James R. Smith", None),
        ("J. Smith", "J. Smith", None),
        ("J. R. Smith", "J. Smith", None),
        ("Smith", "John Smith", None),
        # A hyphen, and what is written without it.
        ("Li-Hua Wei", "Wei, Li H.", None),
        ("Lihua Wei", "Wei, Li H.", None),
        ("Li Hua Wei", "Wei, Li H.", True),
        ("Wei, L.-H.", "Wei, Li H.", None),
        ("Wei, L. H.", "Li-Hua Wei", None),
        ("Wei, L. H.", "Wei, L.-H.", True),
        ("Plato", "Plato", None),
        ("李晓明", "李晓明", None),
        # They contradict each other.
        ("Wei, Jianhua", "Wei, Jinsong", False),
        ("Jo Smith", "John Smith", False),
        ("Kent Smith", "Kenneth Smith", False),
        ("J. R. Smith", "James T. Smith", False),
        ("John Adam Smith", "John Bert Smith", False),
        ("A. Smith", "B. Smith", False),
        ("Ann Lee", "Ann Leed", False),
        ("World Health Organization", "World Trade Organization", False),
        ("Li-Ming Wei", "Wei, Li H.", False),
        ("李, 晓明", "李, 小红", False),
        # In Han script a given name of one character is written out.
        ("李, 明", "李, 明", True),
        ("李, 明", "李, 明月", False),
        ("李, 明", "李, 红", False),
    ],
)
def test_names_agree(one: str, other: str, same: bool | None) -> None:
    assert agree(str(name_key(one)), str(name_key(other))) is same


@st.composite
def abbreviated(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a name, and a shorter form of it: initials, first given names cut, the last ones gone.

    The last of the given names may be a double one.
    """
    surname, given_names = draw(WORD), draw(st.lists(WORD, min_size=1, max_size=3))
    if draw(st.booleans()):
        given_names[-1] += f"-{draw(WORD)}"
    shorter = []
    for name in given_names[: draw(st.integers(1, len(given_names)))]:
        first, _, second = name.partition("-")
        forms = [name, f"{first[0]}.-{second[0]}." if second else f"{first[0]}."]
        forms += [name[:3]] if len(first) >= 3 else []
        shorter.append(draw(st.sampled_from(forms)))
    return f"{' '.join(given_names)} {surname}", f"{surname}, {' '.join(shorter)}"


@given(abbreviated())
def test_a_name_never_contradicts_what_abbreviates_it(names: tuple[str, str]) -> None:
    one, other = (str(name_key(name.title())) for name in names)
    assert agree(one, other) is not False
    assert agree(other, one) is agree(one, other)


KEY = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map(" ".join)


@given(KEY, KEY)
def test_agreement_has_no_direction(one: str, other: str) -> None:
    assert agree(one, other) is agree(other, one)


@given(KEY)
def test_everybody_agrees_with_themselves(key: str) -> None:
    assert agree(key, key) is not False


def mine(name: str, known: Sequence[str]) -> str:
    """Spell which names of a corpus are a person's."""
    found = bearers(str(name_key(name)), [str(name_key(each)) for each in known])
    return "; ".join(each for each, same in zip(known, found, strict=True) if same)


@each_row(
    ("name", "known", "same"),
    [
        # What is written out tells.
        ("Jianhua Wei", ("Wei, Jianhua", "Wei, Jinsong"), "Wei, Jianhua"),
        # What abbreviates tells where it can mean but one person.
        ("Jianhua Wei", ("J. Wei",), "J. Wei"),
        ("Jianhua Wei", ("J. Wei", "Jinsong Wei"), ""),
        ("Jianhua Wei", ("J. H. Wei", "Jinsong Wei"), ""),
        ("Ann Lee", ("A. M. Lee", "Anton Lee"), ""),
        ("Ann M. Lee", ("A. M. Lee", "A. Lee", "Ann Lee"), "A. M. Lee; A. Lee; Ann Lee"),
        ("J. Wei", ("Jianhua Wei",), "Jianhua Wei"),
        ("J. Wei", ("Jianhua Wei", "Jinsong Wei", "J. Wei"), ""),
        ("J. Wei", ("J. H. Wei", "J. Wei"), "J. H. Wei; J. Wei"),
        ("Ken Smith", ("Kenneth Smith", "K. Smith"), "Kenneth Smith; K. Smith"),
        ("Wei", ("Jianhua Wei",), "Jianhua Wei"),
        ("Jianhua Wei", (), ""),
    ],
)
def test_whose_names_are(name: str, known: Sequence[str], same: str) -> None:
    assert mine(name, known) == same


@each_row(
    ("authors", "others", "expected"),
    [
        # One of the surname and given names that agree is enough.
        ("Jianhua Wei", "Jinsong Wei", True),
        ("Jianhua Wei", "Jinsong Wei; Jian-Hua Wei", False),
        ("Jianhua Wei", "Jinsong Wei; J. Wei", False),
        ("Jianhua Wei; Bo Elm", "Bo Elm; Jinsong Wei", True),
        ("Bo Elm; Jianhua Wei", "Jinsong Wei; Bo Elm", False),
        ("World Health Organization", "World Trade Organization", False),
        ("World Health Organization", "Health Trade Organization", True),
        # What is not written out, or follows the first given name, has too many slips.
        ("J. R. Wei", "Jinsong T. Wei", False),
        ("M. W. Oak", "W. M. Oak", False),
        ("Ada B. Oak", "Ada C. Oak", False),
        ("John H. van den Berg; Bo Elm", "John van den Berg", False),
        # Nobody has the surname: what names are called is for others to say.
        ("Jianhua Wei", "Bo Elm", False),
        ("Jianhua Wei", "", False),
        ("", "Jianhua Wei", False),
        # A slip in a given name, and a name that is not the one on the passport.
        ("Winfield Oak", "Winfleld Oak", False),
        ("Winfield S. Oak", "Winfield A. Oak", False),
        ("William Oak", "Bill Oak", True),
        ("William Oak; Bo Elm; Ada Ash", "Bill Oak; B. Elm; Ash, Ada", False),
        ("William Oak; Bo Elm", "Bill Oak; Bert Elm", True),
        ("William Oak; Bo Elm", "Bill Oak", True),
        ("William Oak", "Bill Oak; Bo Elm", True),
    ],
)
def test_first_authors_contradict(authors: str, others: str, expected: bool) -> None:
    assert contradict(*(name_keys(names.split(";")) for names in (authors, others))) is expected
