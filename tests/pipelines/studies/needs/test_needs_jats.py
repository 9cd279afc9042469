"""The running text of articles in JATS, with the citations taken out."""

from hypothesis import given
from hypothesis import strategies as st

from recsys.passages import Sentence
from recsys.pipelines.studies.needs.needs_jats import read_articles
from tests.rows import each_row

_ARTICLE = """<?xml version="1.0"?><article><front><article-meta/></front><body>{}</body>
<back><ref-list><ref id="r1"/></ref-list></back></article>"""


def _xref(key: str, shown: str) -> str:
    return f'<xref ref-type="bibr" rid="{key}">{shown}</xref>'


def _read(body: str) -> list[Sentence]:
    return [s for each in read_articles(_ARTICLE.format(body).encode()) for s in each.sentences]


@each_row(
    ("text", "left", "keys", "printed"),
    [
        (f"Bees dance [{_xref('a', '1')}].", "Bees dance.", ("a",), "[*]"),
        (
            f"Bees dance [{_xref('a', '1')}, {_xref('b', '2')}].",
            "Bees dance.",
            ("a", "b"),
            "[*, *]",
        ),
        (
            f"Bees dance [{_xref('a', '1')}\u2013{_xref('c', '3')}] well.",
            "Bees dance well.",
            ("a", "c"),
            "[*\u2013*]",
        ),
        (f"Bees dance {_xref('a', '[1]')}.", "Bees dance.", ("a",), "[*]"),
        (f"Bees dance<sup>{_xref('a', '1')}</sup>.", "Bees dance.", ("a",), "[*]"),
        (f"Bees dance (see {_xref('a', 'Fox 2004')}).", "Bees dance.", ("a",), "(see *)"),
        (f"As {_xref('a', 'Fox 2004')} says, bees dance.", "As says, bees dance.", ("a",), "*"),
    ],
)
def test_citations_are_taken_out_with_their_brackets(
    text: str, left: str, keys: tuple[str, ...], printed: str
) -> None:
    (sentence,) = _read(f"<p>{text}</p>")
    assert sentence.text == left
    assert sentence.cited == keys
    assert [mark.printed for mark in sentence.marks] == [printed]


def test_marks_belong_to_their_sentences() -> None:
    first, second, third = _read(
        f"<p>Bees dance [{_xref('a', '1')}]. Wasps do not. Ants walk [{_xref('b', '2')}].</p>"
    )
    assert (first.cited, second.cited, third.cited) == (("a",), (), ("b",))
    assert first.text[: first.marks[0].at] == "Bees dance"


def test_sections_lists_and_paragraphs_are_told() -> None:
    sentences = _read(
        "<p>Bees see well.</p><sec><title>Methods</title><p>We kept bees.</p><sec>"
        "<title>Boxes</title><list><list-item><p>Boxes were dry.</p></list-item></list></sec></sec>"
    )
    assert [(s.section, s.paragraph) for s in sentences] == [
        ("", 0),
        ("Methods", 1),
        ("Methods", 2),
    ]


def test_figures_tables_and_formulas_are_no_text() -> None:
    sentences = _read(
        "<sec><title>R</title><fig><caption><p>A bee.</p></caption></fig><table-wrap><table><tr>"
        "<td><p>1</p></td></tr></table></table-wrap><p>Let <inline-formula><tex-math>q</tex-math>"
        "</inline-formula> be a bee.<disp-formula>z</disp-formula></p></sec>"
    )
    assert [s.text for s in sentences] == ["Let x be a bee."]


def test_articles_without_body_and_broken_files_give_what_is_whole() -> None:
    assert list(read_articles(b"<article><front/></article>")) == []
    assert list(read_articles(_ARTICLE.format("<p>Bees.</p>").encode()[:-40])) == []
    assert list(read_articles(b"")) == []


@given(st.integers(0, 400), st.text(max_size=8))
def test_mutated_articles_never_raise(place: int, put: str) -> None:
    raw = _ARTICLE.format(f"<sec><title>A</title><p>Bees [{_xref('a', '1')}].</p></sec>")
    mutated = raw[:place] + put + raw[place + 3 :]
    list(read_articles(mutated.encode("utf-8", "replace")))
