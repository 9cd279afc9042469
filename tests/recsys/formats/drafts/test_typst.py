from recsys.formats.drafts.org_typst import typst_text, value_at
from tests.rows import each_row


@each_row(
    ("text", "shown"),
    [
        ('See #link("https://a.example")[a link] and #footnote[no] more', "See a link and more"),
        ("2*3 snake_case \\# \\$5 a~b", "2*3 snake_case # $5 a b"),
        ("#text(red)[Words] stay, #smallcaps[all] of them", "Words stay, all of them"),
    ],
)
def test_markup_goes_and_words_stay(text: str, shown: str) -> None:
    assert typst_text(text) == shown


def test_brackets_in_strings_and_escapes_do_not_count() -> None:
    assert value_at('["]" \\] (x)] y', 0) == '"]" \\] (x)'
    assert value_at('"a \\" b" c', 0) == 'a \\" b'
    assert value_at("[[", 0) is None
    assert value_at("[" * 1_000 + "]" * 1_000, 0) is None
