from dataclasses import replace

import pytest

from recsys.errors import InputError
from recsys.formats.answers import FORMATS
from recsys.formats.references.citation_keys import citation_keys, key_parts, pattern_of
from recsys.formats.references.reference_writers import WRITERS
from recsys.records import Paper, Reference
from tests.rows import each_row

KEYED = [name for name, form in FORMATS.items() if form.keyed]
SPECTER = Paper(
    "specter",
    "SPECTER: Document-level Representation Learning",
    year=2020,
    authors=("Cohan, Arman", "Feldman, Sergey", "Weld, Dan"),
)


@each_row(
    ("authors", "year", "title", "key"),
    [
        (("Cohan, Arman",), 2020, "The SPECTER model", "Cohan2020Specter"),
        (("Sean M. McNee",), 2002, "On the Recommending of Citations", "McNee2002Recommending"),
        (("LEE, ANN",), 1999, "words", "Lee1999Words"),
        (("Ren\u00e9 No\u00ebl",), 1999, "On the \u00c9t\u00e9", "Noel1999Ete"),
        (("\u00d8rsted, Anna",), 1999, "Magnets", "Orsted1999Magnets"),
        (("Martin Luther King Jr.",), 1963, "A letter", "King1963Letter"),
        (("\u738b\u5c0f\u660e",), 2021, "\u6df1\u5ea6\u5b66\u4e60", "2021"),
        ((), None, "123 things", "Anonymous123"),
        (("\u738b",), None, "???", "Paper"),
    ],
)
def test_keys_are_surname_year_and_first_word(
    authors: tuple[str, ...], year: int | None, title: str, key: str
) -> None:
    assert citation_keys([Paper("p", title, authors=authors, year=year)]) == [key]


@each_row(
    ("pattern", "key"),
    [
        ("[auth:lower][year]", "cohan2020"),
        ("[auth3:upper]:[shortyear]", "COH:20"),
        ("[authors2][year]", "CohanFeldmanEtAl2020"),
        ("[authors:abbr]", "CFW"),
        ("[auth:lower]_[shorttitle2:lower]", "cohan_specterdocument"),
        ("[title:abbr:lower]-x", "sdlrl-x"),
    ],
)
def test_a_pattern_says_what_a_key_has(pattern: str, key: str) -> None:
    assert citation_keys([SPECTER], pattern=pattern) == [key]
    assert all(key in WRITERS[name]([SPECTER], [key]) for name in KEYED)


def test_colliding_keys_get_letters_whatever_the_order_and_case() -> None:
    works = [Paper(name, "Word", year=2000, authors=("Ann Lee",)) for name in "abc"]
    works[1] = replace(works[1], authors=("Ann LEE",), title="word two")
    assert citation_keys(works) == ["Lee2000Word", "Lee2000Worda", "Lee2000Wordb"]
    assert citation_keys(works[::-1]) == ["Lee2000Wordb", "Lee2000Worda", "Lee2000Word"]
    assert citation_keys(works[:1], taken=["LEE2000word"]) == ["Lee2000Worda"]


@each_row(
    ("pattern", "words"),
    [
        ("[aut][year]", "Did you mean 'auth'?"),
        ("[auth:lowr]", "Did you mean 'lower'?"),
        ("auth", "is no pattern"),
        ("[auth] [year]", "is no pattern"),
        ("[auth", "is no pattern"),
        ("", "is no pattern"),
    ],
)
def test_what_is_no_pattern_is_said(pattern: str, words: str) -> None:
    with pytest.raises(InputError, match=r"pattern of keys|no pattern") as caught:
        key_parts(pattern)
    assert words in str(caught.value)


LIBRARY = (
    ("Document-level Representation Learning", ("Arman Cohan", "Dan Weld"), 2020),
    ("On the Recommending of Citations", ("Sean McNee", "Ann Other"), 2002),
    ("Word by Word", ("Ann Lee",), 2001),
)


@each_row(
    ("keys", "pattern"),
    [
        ("cohan2020 mcnee2002 lee2001a", "[auth:lower][year]"),
        ("Cohan2020 McNee2002 Lee2001", "[auth][year]"),
        ("CohanWeld2020 McNeeOther2002 Lee2001", "[authors][year]"),
        ("Coh20 McN02 Lee01", "[auth3][shortyear]"),
        ("cohan2020document mcnee2002recommending lee2001word",
         "[auth:lower][year][veryshorttitle:lower]"),
        ("cohan_document_2020 mcnee_recommending_2002 lee_word_2001",
         "[auth:lower]_[veryshorttitle:lower]_[year]"),
        ("cohanDocumentLevelRepresentation2020 mcneeRecommendingCitations2002 leeWordWord2001",
         "[auth:lower][shorttitle:capitalize][year]"),
        ("smith1 x2 abc", None),
        ("cohan2020 x y", None),
        ("2020 2002 2001", None),
    ],
)  # fmt: skip
def test_the_pattern_of_a_library_is_that_of_most_of_its_keys(
    keys: str, pattern: str | None
) -> None:
    works = [
        Reference(key, title, authors, year)
        for key, (title, authors, year) in zip(keys.split(), LIBRARY, strict=True)
    ]
    assert pattern_of(works) == pattern
