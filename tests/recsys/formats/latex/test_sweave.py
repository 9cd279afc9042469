from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.latex.latex_source import blanked

PIECES = st.sampled_from(
    ["<<a>>=\n", "@\n", "\n", "words ", r"\Sexpr{x}", "@ %def x\n", "<<", ">>="]
)


@given(st.lists(PIECES).map("".join))
def test_every_line_and_character_stays_in_its_place(text: str) -> None:
    found = blanked(text)
    assert len(found) == len(text)
    assert [at for at, c in enumerate(found) if c == "\n"] == [
        at for at, c in enumerate(text) if c == "\n"
    ]
    assert all(new in (old, " ") for old, new in zip(text, found, strict=True))


def test_code_is_blanked_and_text_is_kept() -> None:
    text = "one\n<<x, echo=FALSE>>=\ny <- 'z'\n@\ntwo \\Sexpr{y} three\n<<w>>=\nnever ends"
    assert blanked(text).split() == ["one", "two", "three"]
