"""What is never asked for a citation."""

from recsys.local.citation_worthiness import is_long_enough, is_own, may_be_flagged
from recsys.passages import Mark, Sentence
from tests.rows import each_row


@each_row(
    "text",
    [
        "In this paper, we propose a new way to fold maps.",
        "We then present two ways to fold a map without tearing it.",
        "Our method folds each map in less than a second.",
        "The present study asks whether bees can count.",
        "Section 3 describes how the maps were folded.",
        "Figure 2 shows the folded maps of each kind.",
        "Figure shows the folded maps of each kind.",
        "Larger maps were folded more slowly (Fig. 4B).",
        "The proof is given in Appendix B of the supplement.",
        "The rest of this paper is organized as follows.",
        "Here, bees were kept in boxes of wood.",
        "I demonstrate that small maps fold well.",
    ],
)
def test_own_contribution_and_pointers_are_own(text: str) -> None:
    assert is_own(text)
    assert not may_be_flagged(Sentence(text))


@each_row(
    "text",
    [
        "Honey bees tell each other where flowers grow.",
        "Recent studies have shown that wasps remember faces.",
        "We use an optimiser that adapts its step to each weight.",
        "Folding of paper has been studied for centuries in Japan.",
        "Transformers are widely used in the translation of texts.",
        "It is well known that glaciers have shrunk since 1850.",
        "The present-day climate differs from that of the Eocene.",
    ],
)
def test_statements_about_the_world_and_others_may_be_flagged(text: str) -> None:
    assert may_be_flagged(Sentence(text))


@each_row("mark", [Mark(5, ("lee2020",)), Mark(5), Mark(5, gap=True)])
def test_a_sentence_with_any_mark_is_not_flagged(mark: Mark) -> None:
    assert not may_be_flagged(Sentence("Bees tell each other where flowers grow.", (mark,)))


def test_too_few_words_are_not_flagged() -> None:
    assert not is_long_enough("Bees see ultraviolet light.")
    assert is_long_enough("Bees see ultraviolet light well.")
    assert not is_long_enough("")


def test_a_very_long_sentence_takes_no_time() -> None:
    assert not is_own("bees and " * 20_000)
    assert not is_own("(" * 50_000 + "table " * 10)
