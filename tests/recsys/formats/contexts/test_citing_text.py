"""The citing sentence is cut out of a window, and no mark stays in it."""

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.contexts.citing_text import (
    ELSEWHERE,
    HERE,
    cited_sentences,
    citing_sentences,
    plain_sentence,
    sentences,
    windows,
)
from tests.rows import each_row

H, E = HERE, ELSEWHERE


@each_row(
    ("window", "said"),
    [
        (f"Snow fell. Owls hunt voles {H}. Rain fell.", ["Owls hunt voles."]),
        (f"Owls hunt voles ({E}; {H}), not mice.", ["Owls hunt voles, not mice."]),
        (f"Owls [{H}, {E}, {E}] hunt many voles.", ["Owls hunt many voles."]),
        (f"Owls hunt voles (see also {H}, {E}).", ["Owls hunt voles."]),
        # Superscripts stand behind the stop, and belong to what it ends.
        (f"Owls hunt the voles.{H} Mice are safe.", ["Owls hunt the voles."]),
        (f"Owls hunt the voles.{E},{H} Mice are safe.", ["Owls hunt the voles."]),
        # A number at the beginning of a sentence belongs to that.
        (f"Snow fell. {H} showed how owls hunt.", ["showed how owls hunt."]),
        (f"As Stone et al. {H} told, owls hunt.", ["As Stone et al. told, owls hunt."]),
        (
            f"See Fig. 3 and Eq. 2 of {H}, i.e. the owls.",
            ["See Fig. 3 and Eq. 2 of, i.e. the owls."],
        ),
        (f"Owls hunt voles {H}. Voles fear owls {H}.", ["Owls hunt voles.", "Voles fear owls."]),
        (f"Values in [0, 1] are owls [{H}].", ["Values in [0, 1] are owls."]),
        (f"Owls hunt many voles {H} [12, 13].", ["Owls hunt many voles."]),
        (f"It is {H}.", []),
        (f"Owls ({E} ({H} {E}) hunt many voles.", ["Owls hunt many voles."]),
        (f"({H})", []),
        ("Nobody is cited here.", []),
    ],
)
def test_a_sentence_is_cut_out(window: str, said: list[str]) -> None:
    assert citing_sentences(window) == said


def test_marks_are_told_by_their_numbers() -> None:
    text = f"Owls hunt mice {E}. Nothing here. Voles eat grass {E}, {E}.{E} Rest is silence."
    assert list(cited_sentences(text)) == [
        ("Owls hunt mice.", [0]),
        ("Voles eat grass.", [1, 2, 3]),
    ]


def test_windows_hold_every_mark_of_a_long_text() -> None:
    text = f"Owls hunt number {{}} {H}. " + "x" * 30_000
    whole = "".join(text.format(number) for number in range(5))
    assert sum(window.count(H) for window in windows(whole)) == 5


@given(st.text(max_size=300))
def test_no_mark_is_left_and_no_letter_is_new(text: str) -> None:
    for said in (*citing_sentences(f"{text}{H}{text}"), plain_sentence(text)):
        assert H not in said and E not in said and "\n" not in said
    assert set("".join(sentences(text))) <= set(text)


@each_row("piece", ["(", "[ ", f"({E} ", f"{E},", f"{E} and ", "et al. ", '." A', "1, "])
def test_long_texts_of_brackets_cost_little(piece: str) -> None:
    assert isinstance(citing_sentences(piece * 5000 + H + piece * 5000), list)
