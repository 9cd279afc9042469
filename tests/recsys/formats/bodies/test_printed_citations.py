import time

from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.formats.bodies.printed_citations import (
    CitedList,
    cited_list,
    printed_citations,
)
from recsys.formats.bodies.running_text import RunningText, Units
from recsys.records import Reference, Sentence, Span
from tests.rows import each_row

NUMBERED = cited_list(Reference(key=str(number), title="x") for number in range(1, 31))
NAMED = cited_list(
    [
        Reference(authors=("Ada Rivers",), year=2004),
        Reference(authors=("Ada Rivers",), year=2006),
        Reference(authors=("Rivers, A.",), year=2006),
        Reference(authors=("L. van der Meer",), year=2008),
        Reference(authors=("River Survey Team",), year=2018),
        Reference(authors=("B. L\u00f6ffel",), year=1963),
        Reference(key="ABC+19", title="A title"),
    ]
)
NOTHING = cited_list([])


def read(text: str, listed: CitedList, *, typeset: bool = False) -> list[Sentence]:
    running = RunningText(listed, numbers=True, typeset=typeset, fewest_words=2)
    running.words(text, 0)
    return list(running.sentences(Units()))


def keys(text: str, listed: CitedList) -> list[tuple[str, ...]]:
    return [sign.keys for sign in printed_citations(text, listed)]


@each_row(
    ("text", "expected"),
    [
        ("They are long [3].", [("3",)]),
        ("They are long[3, 5-7].", [("3", "5", "6", "7")]),
        ("They are long [5\u20137; 9].", [("5", "6", "7", "9")]),
        ("They are long [2]\u2013[4].", [("2", "3", "4")]),
        ("They are long [1], [2] and [7].", [("1", "2", "7")]),
        ("They are long [ 12 ], see also [see 3, p. 4].", [("12",), ("3",)]),
        ("In [0, 1] and x[3], a[i], f(2)[4] there is none, nor in [99].", []),
        ("Nor in [7-3].", []),
    ],
)
def test_numbers_cite_the_works_that_have_them(text: str, expected: list[tuple[str, ...]]) -> None:
    assert keys(text, NUMBERED) == expected


@each_row(
    ("text", "expected"),
    [
        ("They are long (Rivers, 2004).", [("rivers2004",)]),
        ("They are long [Rivers and Ash, 2004].", [("rivers2004",)]),
        (
            "(Rivers 2004, 2006b; L\u00f6ffel et al. 1963)",
            [("rivers2004", "rivers2006-1", "loffel1963")],
        ),
        ("(see e.g. Rivers, 2006a, b, for more)", [("rivers2006", "rivers2006-1")]),
        ("Van der Meer and Ash (2008) agree.", [("meer2008",)]),
        ("As Rivers's (2004, p. 3) and Rivers ( 2006 ) say.", [("rivers2004",), ("rivers2006",)]),
        ("(River Survey Team 2018)", [("team2018",)]),
        ("As in [ABC+19].", [("ABC+19",)]),
        ("It was (March 2019) in (since 2018), (Rivers said so in 1999) or [4].", []),
        ("Nobody (1999) knows.", []),
    ],
)
def test_names_and_years_cite_the_works_of_the_list(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    assert keys(text, NAMED) == expected


def test_what_is_not_listed_is_taken_out_where_it_cites_beyond_doubt() -> None:
    text = (
        "They are long (Ash et al., 2019; Oak, 2020) [4]. Ash and Oak (2019) agree (in May 2019)."
    )
    first, second = read(text, NOTHING)
    assert (first.text, first.cited) == ("They are long.", ())
    assert [mark.printed for mark in first.marks] == ["(Ash et al., 2019; Oak, 2020)", "[4]"]
    assert second.text == "Ash and Oak (2019) agree (in May 2019)."
    assert second.marks == ()


def test_gaps_are_what_writers_type_and_what_programs_print() -> None:
    (sentence,) = read(
        "It is so [CITE], or so [?], (REF) and (?) or ? (Ash, 2019).", NOTHING, typeset=True
    )
    assert sentence.text == "It is so, or so, and or."
    assert [mark.gap for mark in sentence.marks] == [True, True, True, True, True, False]
    (typed,) = read("Is it so (?) or not [citation needed].", NOTHING)
    assert [mark.printed for mark in typed.marks] == ["[citation needed]"]


def test_marks_behind_the_full_stop_belong_to_the_sentence_before() -> None:
    first, second = read("Rivers are long.[1] Ice is old. [2, 3]", NUMBERED)
    assert (first.text, first.cited, first.span) == ("Rivers are long.", ("1",), Span(1, 1, 1, 20))
    assert (second.text, second.cited) == ("Ice is old.", ("2", "3"))


@each_row(
    "text",
    [
        "(" * 20_000,
        "[1, " * 10_000,
        "[1] " * 5_000,
        "Smith, " * 5_000 + "2019",
        "(" + "A, " * 5_000 + "1999)",
        "(A, A, A, A, A, A, A, A and A, " * 500 + "1999)",
        "de la " * 5_000,
        "A-" * 10_000 + " (1999)",
        "[[cite" + " " * 20_000,
        *(part * 2_000 for part in ("(Smith ", "(A A A ", "(Smith, 2010; ", "[TODO x ", "(see ")),
        "(Smith 2010" + ", 2010" * 3_000,
        "?" * 20_000,
        "\n" * 20_000 + "(2019)",
    ],
)
def test_whatever_is_long_is_read_in_good_time(text: str) -> None:
    begun = time.process_time()
    printed_citations(text, NAMED, typeset=True)
    printed_citations(text, NUMBERED, typeset=True)
    assert time.process_time() - begun < 2


WORDS = st.sampled_from(
    [*"Rivers are long [1] [2, 3] . (Rivers 2004) ( ? [?] \n et al.".split(" "), " "]
)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=25).map(" ".join), st.booleans())
def test_no_word_is_lost_and_every_place_is_true(text: str, numbered: bool) -> None:
    listed = NUMBERED if numbered else NAMED
    spots = printed_citations(text, listed, typeset=True)
    left = "".join(c for at, c in enumerate(text) if not any(s.start <= at < s.end for s in spots))
    found = read(text, listed, typeset=True)
    printed = [mark.printed for sentence in found for mark in sentence.marks]
    expected = [text[spot.start : spot.end].replace("\n", " ") for spot in spots]
    # Without a word beside it, a gap alone is a place.
    told = any(map(str.isalpha, left)) or any(spot.gap for spot in spots)
    assert printed == (expected if told else [])
    assert {*"".join(s.text for s in found)} <= {*left, " "}
    for sentence in found:
        assert sentence.text == " ".join(sentence.text.split())
        for mark in sentence.marks:
            assert mark.span is not None
            printed_there = text[mark.span.column - 1 : mark.span.end_column - 1]
            assert printed_there.replace("\n", " ") == mark.printed
            assert 0 <= mark.at <= len(sentence.text)
