"""What ftfy calls mojibake: https://ftfy.readthedocs.io/en/latest/heuristic.html."""

import re
import string
import time
import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from recsys.formats.papers.text_hygiene import tidy_abstract, tidy_title
from tests.rows import each_row

CLEAN = "We study how ice melts in warm climates, and compare it with the former state (1990). "


@each_row(
    ("text", "plain"),
    [
        ("caf\u00c3\u00a9 au lait", "café au lait"),
        ("the \u00e2\u20ac\u0153quoted\u00e2\u20ac\x9d text", "the “quoted” text"),
        ("men\x92s \x93ice\x94", "men’s “ice”"),  # noqa: RUF001
        ("p &lt; 0.05 &amp;amp; R&amp;D", "p < 0.05 & R&D"),
        ("&amp;lt;i&amp;gt;ice&amp;lt;/i&amp;gt;", "ice"),
        ("AT&T, &notaword; &not and &", "AT&T, &notaword; &not and &"),
        ("the \ufb01rst e\ufb03cient \ufb02ow", "the first efficient flow"),
        ("inter\u00adnational\u200b ice\ufeff", "international ice"),
        ("e\u0301tude", "étude"),
        ("ice\n\n melts\u00a0 now ", "ice melts now"),
        ("ice \u202emelts\u202c\x00", "ice melts"),
        ("“curly” ‘quotes’ — ﬀ １２３ Ａ", "“curly” ‘quotes’ — ff １２３ Ａ"),  # noqa: RUF001
        ("中文，全角：文本。日本語のテキスト", "中文，全角：文本。日本語のテキスト"),  # noqa: RUF001
        ("می\u200cخواهم कार्य\u200dक्रम", "می\u200cخواهم कार्य\u200dक्रम"),  # noqa: RUF001
    ],
)
def test_text_is_mended(text: str, plain: str) -> None:
    assert tidy_title(text) == plain
    assert tidy_abstract(text) == plain


@each_row(
    "text",
    ["São Paulo – « été » à Ærø", "Ñandú, Âge d'or, «Ô»", "Übergröße: 5 °C ± 3 µm", CLEAN],  # noqa: RUF001
)
def test_accents_are_no_mojibake(text: str) -> None:
    assert tidy_title(text) == text.strip()


def test_labels_notices_and_mark_up_go_together() -> None:
    text = "<jats:title>Abstract</jats:title><jats:p>Ice &amp; snow.</jats:p> &copy; 2001 Ice Ltd."
    assert tidy_abstract(text) == "Ice & snow."
    assert tidy_abstract("Abstract\nDeep ice melts.") == "Deep ice melts."


LETTERS = st.characters(categories=["Lu", "Ll", "Lt", "Lm", "Lo"], exclude_characters="\ufb05")


TWICE_ENCODED = re.compile(
    "[\u00c2-\u00f4][\u00aa\u00b5\u00ba\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6]"
)
"""What a letter looks like that was encoded twice: nobody can tell it from two letters."""


@given(st.text(LETTERS | st.sampled_from(" .,;:()"), max_size=80))
def test_letters_of_every_script_survive(text: str) -> None:
    """Compared without case, for capitals become a sentence, and in their composed form."""
    assume(not TWICE_ENCODED.search(text))
    plain = tidy_title(f"it {text}")
    assert _letters(plain) == _letters(f"it {text}")


def _letters(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return [each for each in folded if each.isalpha()]


@given(st.text(max_size=120) | st.text("<>/&;$\\{}()\u00c3\u00a9\u00a9c 12ab\n", max_size=120))
def test_anything_becomes_one_printable_line(text: str) -> None:
    for plain in (tidy_title(text), tidy_abstract(text) or ""):
        assert plain == " ".join(plain.split())
        assert not {*plain} & {*map(chr, range(32)), "\x7f", "\u00ad", "\ufeff"}


@given(st.text(string.ascii_letters + " .,-()0123456789", max_size=200))
def test_plain_text_is_left_alone(text: str) -> None:
    plain = " ".join(f"Ice melts {text} slowly.".split())
    if "(c)" not in plain.lower():
        assert tidy_abstract(plain) == plain


def test_long_texts_cost_no_squares() -> None:
    begun = time.process_time()
    for part in ("&amp;", "<p ", "$x", "\\a{", "\u00c3\u00a9", "(C) 2001 ", "A ", "\u200c", CLEAN):
        tidy_title(part * 20_000)
        tidy_abstract(part * 20_000)
    assert time.process_time() - begun < 30
