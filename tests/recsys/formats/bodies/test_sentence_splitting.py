"""How paragraphs of scholarly text fall into sentences."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.bodies.running_text import sentence_spans
from tests.rows import each_row

WHOLE = (
    "Results are shown in Figs. 3 and 4, cf. Eq. (3) and Tab. 2.",
    "Some methods, e.g. BERT, i.e. transformers, are slow.",
    "This was found by J. R. Smith and A. Jones.",
    "It holds for approx. 5 samples vs. 3 before.",
    "Note that w.r.t. the loss, nothing changes.",
    "However, no. 3 fails in Sect. 3.1. of the text.",
    "It appeared in Proc. Natl. Acad. Sci. in 2012.",
    "We use version 2.0.1 and a rate of 3.14 per day.",
    "We follow Smith et al. (2019) in this.",
    "The U.S. Census is large.",
    "We stop... but then go on.",
)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@each_row("sentence", WHOLE)
def test_abbreviations_do_not_end_a_sentence(sentence: str) -> None:
    assert sentences(f"{sentence} Then more.") == [sentence, "Then more."]


@each_row(
    ("text", "expected"),
    [
        ("It is new. iPhone users differ.", ["It is new.", "iPhone users differ."]),
        ("It is. (This too.) So it ends.", ["It is.", "(This too.)", "So it ends."]),
        (
            'He asked: "Is it so?" The answer was yes.',
            ['He asked: "Is it so?"', "The answer was yes."],
        ),
        ("See Smith et al. The rest follows.", ["See Smith et al.", "The rest follows."]),
        ("It goes on, etc. Then new.", ["It goes on, etc.", "Then new."]),
        ("Is it true? Yes! It is.", ["Is it true?", "Yes!", "It is."]),
        ("We know (see here. Second one. Third.", ["We know (see here.", "Second one.", "Third."]),
        ("", []),
        ("   ", []),
    ],
)
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet='aB .?!()"1\n\u00e9\U0001d400', max_size=80))
def test_no_character_but_spaces_is_lost_and_spans_are_in_order(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))


def test_a_long_text_is_split_as_its_parts_are() -> None:
    one = "We see that it holds (e.g. here). Another one follows, cf. Fig. 3. "
    assert len(sentences(one * 1000)) == 2000
