"""LaTeX becomes text in time that its length bounds, however it is nested."""

import time
import unicodedata

from recsys.formats.drafts.wording import short
from recsys.formats.latex.latex_source import Definition, expand
from recsys.formats.latex.latex_text import plain
from tests.rows import each_row

NAMES = {"'": "ACUTE", "`": "GRAVE", "^": "CIRCUMFLEX", "~": "TILDE", '"': "DIAERESIS"}


@each_row("sign", NAMES)
@each_row("form", [r"\{sign}e", r"\{sign}{{e}}", r"\{sign} e", r"\{sign}{{ e }}"])
def test_an_accent_is_put_on_its_letter(sign: str, form: str) -> None:
    letter = unicodedata.lookup(f"LATIN SMALL LETTER E WITH {NAMES[sign]}")
    assert plain(f"a{form.format(sign=sign)}b").replace(" ", "") == f"a{letter}b"


@each_row("accent", [r"\'{", r"\"{", r"\hat{", r"\v{", r"\'"])
def test_accents_in_accents_do_not_double_their_text(accent: str) -> None:
    levels = 60
    text = plain(accent * levels + "e" + "}" * (levels * accent.endswith("{")))
    assert len(text) <= levels + 1
    assert unicodedata.normalize("NFD", text).count("e") == 1


@each_row("opening", [r"\citep[see ", r"\footnote[", r"\sqrt[", r"\cite[a]["])
def test_brackets_that_never_close_are_given_up_and_words_stay(opening: str) -> None:
    begun = time.process_time()
    text = plain("Rivers " + opening * 40 + " and glaciers $x$")
    assert time.process_time() - begun < 2
    assert {"Rivers", "glaciers"} <= set(text.split())


def test_arguments_are_put_in_their_places_once() -> None:
    macros = {"x": Definition("#1-#2-#1", 2), "all": Definition("#1" * 2_000, 1)}
    assert expand(r"\x{#2}{b}", macros) == "{#2-b-#2}"
    huge = r"\all{" + "a" * 40_000 + "}"
    assert expand(huge, macros) == huge
    exploding = r"\x{" + "#2" * 10_000 + "}{" + "b" * 10_000 + "}"
    assert len(expand(exploding, macros)) < 60_000


def test_a_value_that_holds_itself_many_times_is_shown_shortly() -> None:
    value: list[object] = ["x"]
    for _ in range(60):
        value = [value] * 9
    assert len(short(value)) <= 40
    assert short("abc") == "'abc'"
    assert short({"b": 1, "a": [2]}) == "{'a': [2], 'b': 1}"
