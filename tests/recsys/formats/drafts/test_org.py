from recsys.formats.drafts.org_draft import org_keys, org_text
from tests.rows import each_row


@each_row(
    ("text", "keys"),
    [
        ("[cite:@a]", ("a",)),
        ("[cite/t:see @a p. 3; also @b; and others]", ("a", "b")),
        ("[cite/text/b:@a;@b]", ("a", "b")),
        ("cite:a,b and citep:c.", ("a", "b", "c")),
        ("[[cite:&a;&b]] nocite:c", ("a", "b", "c")),
        ("[[citet:a][p. 3]] parencite:b", ("a", "b")),
        ("someone@example.org cites:x recite:y [fn:1]", ()),
    ],
)
def test_keys_are_cited_as_org_cite_and_org_ref_have_it(text: str, keys: tuple[str, ...]) -> None:
    assert org_keys(text) == keys


@each_row(
    ("text", "shown"),
    [
        ("a *bold* /slanted/ _line_ =code= ~verb~ +gone+", "a bold slanted line code verb gone"),
        ("snake_case 2*3*4 and/or a=b=c", "snake_case 2*3*4 and/or a=b=c"),
        ("[[https://a.example][a link]] and [[file.org]]", "a link and file.org"),
        ("Walls [cite:@a], moss citep:b.", "Walls, moss."),
        ("A note[fn:1] and [fn:: another] one\\\\", "A note and one"),
    ],
)
def test_markup_goes_and_words_stay(text: str, shown: str) -> None:
    assert org_text(text) == shown
