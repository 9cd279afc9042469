"""Every format is recognised by its content, and by that of no other."""

from recsys.formats.source_formats import FORMATS, Shape, recognised
from recsys.formats.source_streams import head_text
from tests.recsys.formats.source_examples import EXAMPLES, TEXTS
from tests.rows import each_row

BY_NAME = {form.name: form for form in FORMATS}


def looks_like(text: str) -> list[str]:
    return [form.name for form in FORMATS if form.looks_so(text.encode(), text)]


def test_every_format_of_text_has_an_example() -> None:
    texts = {form.name for form in FORMATS if form.shape is not Shape.FILE}
    assert texts == EXAMPLES.keys()


@each_row(("name", "text"), TEXTS)
def test_only_its_own_format_recognises_a_text(name: str, text: str) -> None:
    assert looks_like(text) == [name]


@each_row(("name", "text"), TEXTS)
@each_row("around", ["\n{}", "\n\n  \n{}", "\ufeff{}", "{}\n\n", "\ufeff\n{}"])
def test_what_stands_around_a_text_changes_nothing(name: str, text: str, around: str) -> None:
    assert looks_like(head_text(around.replace("{}", text).encode())) == [name]


@each_row(("name", "text"), TEXTS)
def test_a_text_that_is_cut_is_still_of_no_other_format(name: str, text: str) -> None:
    """What is left of it may be too little to tell, but tells nothing else."""
    wrong = {
        (size, *looks_like(text[:size]))
        for size in range(0, min(len(text), 900), 11)
        if set(looks_like(text[:size])) - {name}
    }
    assert wrong == set()


@each_row(("name", "text"), TEXTS)
@each_row("suffix", ["", ".txt", ".bib", ".csv", ".json", ".pdf", ".sqlite"])
def test_content_counts_more_than_a_suffix(name: str, text: str, suffix: str) -> None:
    form = recognised(text.encode(), text, suffix)
    assert form is not None and form.name == name


@each_row(
    "text",
    [
        "",
        "\n",
        "Rivers flow. They do so in valleys, and we look at them.\n" * 20,
        "10.1234/abc\n10.1234/def\n",
        "\\documentclass{article}\\begin{document}On rivers\\end{document}",
        "# On rivers\n\nWe *look*, at `title`, year: 2001.\n",
        "a,b,c\n1,2,3\n",
        "00714cam a2200205 a 4500001001300000",
        "<html><body>Sign in</body></html>",
        "<rss><channel><title>News, of 2001</title></channel></rss>",
        "\0\0\0\0",
        "id\n1\n",
        "PMID: 123\n",
        "%PDF-1.4 as a text",
        "author_id,merge_into_id\nA1,A2\n",
    ],
)
def test_other_texts_are_of_no_format(text: str) -> None:
    assert [name for name in looks_like(text) if name not in ("HTML", "PDF")] == []


def test_files_are_recognised_by_their_first_bytes() -> None:
    for name in ("Zotero database", "PDF"):
        raw = BY_NAME[name].starts + b"rest"
        form = recognised(raw, raw.decode("latin-1"), ".txt")
        assert form is BY_NAME[name]
