from recsys.formats.drafts.typst_draft import typst_text
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
