"""Examples of citing sentences must not tell by a hole that something was cited."""

import numpy as np

from recsys.passages import Mark, Sentence
from recsys.pipelines.studies.needs.needs_examples import (
    examples_of,
    leaves_no_hole,
    marks_at_end,
    reads_whole,
    with_marks_hidden,
)
from tests.rows import each_row


def _cited(text: str, printed: str = "[*]", *, gap: bool = False) -> Sentence:
    """A sentence with a mark at the sign |."""
    return Sentence(text.replace("|", ""), (Mark(text.index("|"), ("a",), gap, printed),))


@each_row(
    "text",
    [
        "Honey bees tell each other of flowers|.",
        "Honey bees|, unlike wasps, tell each other of flowers.",
        "Several studies| have found that bees can count.",
    ],
)
@each_row("printed", ["[*]", "(Fox, 2004)", "\\citep{fox}", "\\parencite{fox}"])
def test_bracketed_marks_leave_no_hole(text: str, printed: str) -> None:
    assert reads_whole(_cited(text, printed))


@each_row(
    ("text", "printed"),
    [
        ("As has been shown by|, honey bees dance well.", "[*]"),
        ("The dance of bees is told in|.", "[*]"),
        ("Honey bees dance well (see|).", "[*]"),
        ("Honey bees dance well (Table A;|).", "[*]"),
        ("| showed that honey bees dance well.", "\\citet{fox}"),
        ("Honey bees dance well|.", "*"),
        ("Honey bees dance well|.", "\\citet{fox}"),
        ("Honey bees dance well|.", "\\textcite{fox}"),
        ("Fox et al.| say that honey bees dance.", "[*]"),
        ("Fox and Lee|(2004) say that honey bees dance.", "[*]"),
    ],
)
def test_holes_and_names_are_no_examples(text: str, printed: str) -> None:
    assert not reads_whole(_cited(text, printed))


@each_row(
    "text",
    [
        "Honey bees , it is said, dance well.",
        "Honey bees dance well ().",
        "Honey bees dance in  the dark well.",
        "honey bees dance in the dark well.",
        "Honey bees dance in the dark",
        "Bees dance in boxes of , and wood.",
    ],
)
def test_sentences_that_look_holed_are_none_though_nothing_is_cited(text: str) -> None:
    assert not reads_whole(Sentence(text))


def test_gaps_are_no_examples() -> None:
    sentence = _cited("Honey bees tell each other of flowers|.", gap=True)
    assert not leaves_no_hole(sentence.text, sentence.marks[0])


def test_examples_count_what_the_rules_refuse() -> None:
    sentences = [
        _cited("Honey bees tell each other of flowers|."),
        Sentence("Honey bees live in boxes of wood."),
        Sentence("In this paper, we propose boxes of glass."),
        _cited("We then present boxes that were made of glass|."),
        Sentence("Too short."),
    ]
    examples = examples_of("bees", "biology", sentences)
    assert examples.rows.tolist() == [0, 1]
    assert examples.cites.tolist() == [True, False]
    assert examples.refused == (1, 1)
    assert marks_at_end(examples).tolist() == [True, False]


def test_hidden_marks_are_gone_and_nothing_else() -> None:
    sentences = [_cited(f"Bees number {i} dance|.") for i in range(50)]
    rng = np.random.default_rng(0)
    assert with_marks_hidden(sentences, 0.0, rng) == tuple(sentences)
    assert not any(s.marks for s in with_marks_hidden(sentences, 1.0, rng))
    half = with_marks_hidden(sentences, 0.5, rng)
    assert 5 < sum(bool(s.marks) for s in half) < 45
    assert [s.text for s in half] == [s.text for s in sentences]
