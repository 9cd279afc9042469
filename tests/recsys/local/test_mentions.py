"""Works named by author and year, in the ways in which people and programs write them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from recsys.local.mentions import (
    Mention,
    find_mentions,
    find_system_names,
    is_system_shaped,
    mask,
)
from tests.rows import each_row


def said(text: str) -> list[str]:
    return [str(mention) for mention in find_mentions(text)]


@each_row(
    ("text", "found"),
    [
        ("as Ash and Elm (2019) say", ["Ash and Elm (2019)"]),
        ("Ash & Elm, 2019", ["Ash and Elm (2019)"]),
        ("Ash &amp; Elm, 2019", ["Ash and Elm (2019)"]),
        ("Ash et al., 2019", ["Ash et al. (2019)"]),
        ("(Ash, Birch, et al., 2019)", ["Ash, Birch et al. (2019)"]),
        ("Ash and colleagues (2019)", ["Ash et al. (2019)"]),
        ("Ash, Elm and Yew (2019a,b)", ["Ash, Elm and Yew (2019a)", "Ash, Elm and Yew (2019b)"]),
        ("(Ash, 2019a; Yew et al. 2020)", ["Ash (2019a)", "Yew et al. (2020)"]),
        ("(cf. Yew 2018, 2019)", ["Yew (2018)", "Yew (2019)"]),
        ("Ash's (2019) rule", ["Ash (2019)"]),
        ("Ash and Rees' (2007) rule", ["Ash and Rees (2007)"]),
        ("[Ash et al., 2019]", ["Ash et al. (2019)"]),
        ("Ash et al. [12] and Elm and Yew [3, 4]", ["Ash et al.", "Elm and Yew"]),
        ("(van der Eik and Birch, 2008)", ["van der Eik and Birch (2008)"]),
        ("by de Linde (2006)", ["de Linde (2006)"]),
        ("O'Beech (2001), O\u2019Beech (2002)", ["O'Beech (2001)", "O'Beech (2002)"]),
        ("Bäume (2003)", ["Bäume (2003)"]),
        ("Ba\u0308ume (2003)", ["Ba\u0308ume (2003)"]),
        ("Ash-Elm (2003), McBirch (2004)", ["Ash-Elm (2003)", "McBirch (2004)"]),
        ("ASH (1999)", ["ASH (1999)"]),
        ("(Ash, '99)", ["Ash (1999)"]),
        ("(Ash, in press) and Elm and Yew (to appear)", ["Ash", "Elm and Yew"]),
        ("by Ash and Elm ( 2007a ) , too", ["Ash and Elm (2007a)"]),
        ("A. Ash, B. C. Elm and Yew, D. (2004)", ["Ash, Elm and Yew (2004)"]),
        ("Ash, A. and Elm, B. (2004)", ["Ash and Elm (2004)"]),
        ("Ash Jr. (2004)", ["Ash (2004)"]),
        ("He et al. (2008), Do and So (2012)", ["He et al. (2008)", "Do and So (2012)"]),
        ("Ash 2004 is", ["Ash (2004)"]),
        ("Ash et al do not say", ["Ash et al."]),
        # Cut off at the begin, as sentences of extracted texts are.
        ("Elm, 2007b) and (Yew et al, 2007)", ["Elm (2007b)", "Yew et al. (2007)"]),
        # Where blanks and letters are lost.
        ("Birch et al2008)", ["Birch et al. (2008)"]),
        ("Birchet al, 2007", ["Birch et al. (2007)"]),
        ("(Birchetal., 2005)", ["Birch et al. (2005)"]),
        ("(Birch etal.,2005)", ["Birch et al. (2005)"]),
        ("(Birch et. al. 2005)", ["Birch et al. (2005)"]),
        ("Birch et als (2005)", ["Birch et al. (2005)"]),
        ("(BirchandElm, 2004)", ["Birch and Elm (2004)"]),
        ("(Birchand Elm, 2004)", ["Birch and Elm (2004)"]),
        ("Roland Elm (2004)", ["Elm (2004)"]),
        ("(2003 )andElm et al (2008)", ["Elm et al. (2008)"]),
        ("(B?ume, 1993)", ["B?ume (1993)"]),
        ("(Ash and Birken stock, 2007)", ["Ash and Birkenstock (2007)"]),
        ("Ash and elm (2007)", ["Ash and elm (2007)"]),
        # An opener is no part of a name.
        (
            "As Fir and Ash (1994) wish. Following Elm (2001). In Finnish, Yew (2003)",
            ["Fir and Ash (1994)", "Elm (2001)", "Yew (2003)"],
        ),
    ],
)
def test_mentions_are_read_as_people_and_programs_write_them(text: str, found: list[str]) -> None:
    assert said(text) == found


@each_row(
    "text",
    [
        "In May 2019 it rained. In March (2004), too.",
        "See Table 3 (2004), Figure 2, 2005, and Section 2004.",
        "The Tree Treebank (1993), the Forest Corpus (1964) and Wood Journal, 1990",
        "the CoNLL 2007 task, (CoNLL 2007), DUC 2004, NIST (2005) and WordNet (1998)",
        "the 2007 edition since 2004, in the 1990s",
        "In English (2004)",
        "(see 2004)",
        "Recently (2004), However, 2005 trees",
        "",
        "\r\n\t",
        "[12] and [3-5]",
    ],
)
def test_what_is_no_author_is_not_taken_for_one(text: str) -> None:
    assert said(text) == []


def test_spans_are_those_of_the_text() -> None:
    text = "We use van der Eik\u2019s (2008) trees (Ash et al., 2019; Yew 2020)."
    spans = [text[mention.start : mention.end] for mention in find_mentions(text)]
    assert spans == ["van der Eik\u2019s (2008)", "Ash et al., 2019", "Yew 2020"]


def test_surnames_are_those_of_author_keys() -> None:
    text = "van der Eik, O'Beech, Bäume and Ash-Elm (2008)"
    (mention,) = find_mentions(text)
    assert mention.surnames == ("eik", "obeech", "baume", "ashelm")
    assert mention == Mention(mention.names, False, 2008, "", 0, len(text))


_PIECES = st.sampled_from(
    "Ash and Elm & et al . , ; ( ) [ ] 2004 2007a '99 b 12 O'Beech van der in press McFir E? ``"
    " the A. BIRCH Yewand etal -".split()
)


@given(st.lists(_PIECES, max_size=40), st.sampled_from(["", " ", "\r\n"]))
def test_any_text_is_read_and_spans_lie_inside(pieces: list[str], blank: str) -> None:
    text = blank.join(pieces)
    mentions = find_mentions(text)
    assert [mention.start for mention in mentions] == sorted(m.start for m in mentions)
    for mention in mentions:
        assert 0 <= mention.start < mention.end <= len(text)
        assert mention.names
        assert len(mention.surnames) == len(mention.names)


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    find_mentions(text)


@each_row(
    "piece",
    ["A ", "A.", "Ash, ", "Ash and ", "(", "et al ", "(Ash, ", "van der ", "2004 ", "a", " ", "[1"],
)
def test_long_noise_is_read_once(piece: str) -> None:
    assert len(find_mentions(piece * 2000)) <= 2000


# Sentences without names and years: nothing of a citation stays, and little else goes.


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


_MASKED_PIECES = st.sampled_from(
    "Ash and Elm & et al . , ; ( ) [ ] 2004 2007a '99 b 12 O'Beech van der in press McFir E? "
    "trees 19 20 04 the A. BIRCH Yewand etal - see e.g. 1 2".split()
)
_MASKED_TEXTS = st.one_of(
    st.text(max_size=120),
    st.builds(lambda blank, parts: blank.join(parts), st.sampled_from(["", " ", "\r\n"]),
              st.lists(_MASKED_PIECES, max_size=40)),
)  # fmt: skip


@given(_MASKED_TEXTS)
def test_no_mention_and_no_year_is_left_and_masking_again_changes_nothing(text: str) -> None:
    masked = mask(text)
    assert find_mentions(masked) == ()
    assert not re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", masked, re.ASCII)
    assert mask(masked) == masked


@given(st.lists(st.sampled_from("trees grow on hills in the rain (mostly) .".split()), max_size=20))
def test_words_that_name_nobody_are_never_lost(words: list[str]) -> None:
    masked = mask(" ".join(words))
    assert re.findall(r"\w+", masked) == re.findall(r"\w+", " ".join(words))


# Words that may be names of systems.


@each_row(
    "word",
    ["BERT", "GraphSAGE", "word2vec", "t-SNE", "MALLET", "C4.5", "GPT-2", "MSTParser", "iBark"],
)
def test_names_are_told_by_their_shape(word: str) -> None:
    assert is_system_shaped(word)
    (found,) = find_system_names(f"we use {word}, too")
    assert (found.name, found.plain) == (word, False)


def test_each_name_is_found_once_and_with_its_place() -> None:
    text = "BERT, then Moss, bert and BERT in the UK (PDF)"
    found = find_system_names(text)
    assert [(text[name.start : name.end], name.plain) for name in found] == [
        ("BERT", False),
        ("Moss", True),
    ]


@given(st.text(max_size=200))
def test_systems_are_named_as_the_text_names_them(text: str) -> None:
    for name in find_system_names(text):
        assert text[name.start : name.end] == name.name
