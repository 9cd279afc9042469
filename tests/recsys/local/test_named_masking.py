"""Sentences without names and years: nothing of a citation stays, and little else goes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from recsys.local.mentions import find_mentions, mask
from tests.rows import each_row


@each_row(
    ("text", "masked"),
    [
        ("Trees grow (Ash, 2019a; Yew et al., 2020).", "Trees grow."),
        ("We extend Ash and Elm (2007a) by rules.", "We extend by rules."),
        ("Trees grow (see Ash, 2019, and also Elm [4]) fast.", "Trees grow fast."),
        ("Trees (e.g., oaks; Ash, 2019) grow.", "Trees (e.g., oaks) grow."),
        ("Ash (Ash et al., 2006) has shown Ash's rule.", "has shown rule."),
        ("As Elm, Ash and Yew (Ash et al., 2006) show", "As show"),
        ("The Ash-Elm rule (Ash and Elm, 2006)", "The rule"),
        ("ASH's rule and Ash06 (Ash, 2006)", "rule and"),
        ("In [12], [3, 4] and [5-7] trees grow.", "In, and trees grow."),
        ("Ash et al. do not say (ibid., p. 4).", "do not say (ibid., p. 4)."),
        ("The CoNLL-2005 task of the 1990s", "The CoNLL task of the"),
        ("The Forest Corpus (1993) holds 36,584 trees.", "The Forest Corpus holds 36,584 trees."),
        ("Ash (Ash, 1987) and trees (Paris, 1987)", "and trees"),
        ("f(x) = (a, b) holds [sic]", "f(x) = (a, b) holds [sic]"),
        ("an (unclosed [bracket", "an (unclosed [bracket"),
        ("", ""),
    ],
)
def test_names_and_years_go_and_words_stay(text: str, masked: str) -> None:
    assert mask(text) == masked


_PIECES = st.sampled_from(
    "Ash and Elm & et al . , ; ( ) [ ] 2004 2007a '99 b 12 O'Beech van der in press McFir E? "
    "trees 19 20 04 the A. BIRCH Yewand etal - see e.g. 1 2".split()
)
_TEXTS = st.one_of(
    st.text(max_size=120),
    st.builds(lambda blank, parts: blank.join(parts), st.sampled_from(["", " ", "\r\n"]),
              st.lists(_PIECES, max_size=40)),
)  # fmt: skip


@given(_TEXTS)
def test_no_mention_and_no_year_is_left_and_masking_again_changes_nothing(text: str) -> None:
    masked = mask(text)
    assert find_mentions(masked) == ()
    assert not re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", masked, re.ASCII)
    assert mask(masked) == masked


@given(st.lists(st.sampled_from("trees grow on hills in the rain (mostly) .".split()), max_size=20))
def test_words_that_name_nobody_are_never_lost(words: list[str]) -> None:
    masked = mask(" ".join(words))
    assert re.findall(r"\w+", masked) == re.findall(r"\w+", " ".join(words))


@each_row("piece", ["(", "[", "[1", ")", "A.", "Ash (2004", ", ", " ", "et al "])
def test_long_noise_is_masked_in_few_rounds(piece: str) -> None:
    masked = mask(piece * 4000)
    assert find_mentions(masked) == ()
