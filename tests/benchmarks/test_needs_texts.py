"""Articles in JATS with their citations taken out, and sentences that tell of citing by no hole."""

import gzip
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.needs.texts import full_text, read_articles, read_texts, reads_whole
from recsys.records import Mark, Sentence
from tests.rows import each_row

_ARTICLE = """<?xml version="1.0"?><article><front><article-meta/></front><body>{}</body>
<back><ref-list><ref id="r1"/></ref-list></back></article>"""


def _xref(key: str, shown: str) -> str:
    return f'<xref ref-type="bibr" rid="{key}">{shown}</xref>'


def _read(body: str) -> list[Sentence]:
    return [s for each in read_articles(_ARTICLE.format(body).encode()) for s in each.sentences]


_ONE, _TWO = _xref("a", "1"), _xref("b", "2")


@each_row(
    ("text", "left", "keys", "printed"),
    [
        (f"Bees dance [{_ONE}].", "Bees dance.", ("a",), "[*]"),
        (f"Bees dance [{_ONE}, {_TWO}].", "Bees dance.", ("a", "b"), "[*, *]"),
        (f"Bees dance [{_ONE}\u2013{_TWO}] well.", "Bees dance well.", ("a", "b"), "[*\u2013*]"),
        (f"Bees dance {_xref('a', '[1]')}.", "Bees dance.", ("a",), "[*]"),
        (f"Bees dance<sup>{_ONE}</sup>.", "Bees dance.", ("a",), "[*]"),
        (f"Bees dance (see {_xref('a', 'Fox 2004')}).", "Bees dance.", ("a",), "(see *)"),
        (f"As {_xref('a', 'Fox 2004')} says, bees dance.", "As says, bees dance.", ("a",), "*"),
    ],
)
def test_citations_are_taken_out_with_their_brackets(
    text: str, left: str, keys: tuple[str, ...], printed: str
) -> None:
    sentence, other = _read(f"<p>{text} Wasps do not.</p>")
    assert sentence.text == left and not other.cited
    assert sentence.cited == keys
    assert [mark.printed for mark in sentence.marks] == [printed]


def test_sections_and_lists_are_told_and_figures_and_formulas_are_no_text() -> None:
    sentences = _read(
        "<p>Bees see well.</p><sec><title>Methods</title><fig><caption><p>A bee.</p></caption>"
        "</fig><p>Let <inline-formula><tex-math>q</tex-math></inline-formula> be a bee."
        "<disp-formula>z</disp-formula></p><sec><title>Boxes</title><list><list-item>"
        "<p>Boxes were dry.</p></list-item></list></sec></sec>"
    )
    assert [(s.section, s.paragraph, s.text) for s in sentences] == [
        ("", 0, "Bees see well."),
        ("Methods", 1, "Let x be a bee."),
        ("Methods", 2, "Boxes were dry."),
    ]


@given(st.integers(0, 400), st.text(max_size=8))
def test_mutated_articles_never_raise(place: int, put: str) -> None:
    raw = _ARTICLE.format(f"<sec><title>A</title><p>Bees [{_xref('a', '1')}].</p></sec>")
    mutated = raw[:place] + put + raw[place + 3 :]
    list(read_articles(mutated.encode("utf-8", "replace")))


def _cited(text: str, printed: str = "[*]", *, gap: bool = False) -> Sentence:
    """A sentence with a mark at the sign |."""
    return Sentence(text.replace("|", ""), (Mark(text.index("|"), ("a",), gap, printed),))


@each_row(
    ("text", "printed"),
    [
        ("As has been shown by|, honey bees dance well.", "[*]"),
        ("The dance of bees is told in|.", "[*]"),
        ("Honey bees dance well (see|).", "[*]"),
        ("Honey bees dance well (Table A;|).", "[*]"),
        ("| showed that honey bees dance well.", "\\citet{fox}"),
        ("Honey bees dance well|.", "*"),
        ("Honey bees dance well|.", "\\citet{fox}"),
        ("Honey bees dance well|.", "\\textcite{fox}"),
        ("Fox et al.| say that honey bees dance.", "[*]"),
        ("Fox and Lee|(2004) say that honey bees dance.", "[*]"),
    ],
)
def test_holes_and_names_are_no_examples(text: str, printed: str) -> None:
    assert not reads_whole(_cited(text, printed))
    assert not reads_whole(_cited("Honey bees tell each other of flowers|.", gap=True))


def test_sentences_that_look_holed_are_none_though_nothing_is_cited() -> None:
    for text in (
        "Honey bees , it is said, dance well.",
        "Honey bees dance well ().",
        "Honey bees dance in  the dark well.",
        "honey bees dance in the dark well.",
        "Honey bees dance in the dark",
        "Bees dance in boxes of , and wood.",
    ):
        assert not reads_whole(Sentence(text)), text


def test_what_the_rules_never_flag_is_no_example() -> None:
    sentences = [
        _cited("Honey bees tell each other of flowers|."),
        Sentence("Honey bees live in boxes of wood."),
        Sentence("In this paper, we propose boxes of glass."),
        _cited("We then present boxes that were made of glass|."),
        Sentence("Too short."),
    ]
    examples = full_text("bees", "biology", sentences)
    assert examples.rows.tolist() == [0, 1]
    assert examples.cites.tolist() == [True, False]


def test_articles_of_cut_sentences_are_put_together_and_cut_anew(tmp_path: Path) -> None:
    first = [
        ["Bees", 1, "Bees dance (see Fox, 2004) in the dark.", ["a"], [[16, 25, "a"]]],
        ["Bees", 1, "Ants do not dance12 at all.", ["b"], [[17, 19, "b"]]],
        ["Bees", 1, "Wasps do not dance.", [], []],
        ["Bees", 1, "3,4 Moths do in the rain.", ["c"], [[0, 3, None], [2, 3, "c"]]],
    ]
    rest = [["Boxes", 2 + i, f"Box {i} was made of wood.", [], []] for i in range(20)]
    lines = [json.dumps({"citing": f"x:{i}", "sentences": first + rest[i:]}) for i in range(5)]
    (tmp_path / "biology").mkdir()
    with gzip.open(tmp_path / "biology" / "sentences.jsonl.gz", "wt") as file:
        file.write("\n".join(lines))
    texts, problems = read_texts(tmp_path, 1)
    assert (len(texts), problems) == (1, [])
    read = texts[0].sentences
    assert [(s.text, [mark.printed for mark in s.marks]) for s in read[:4]] == [
        ("Bees dance in the dark.", ["(see *)"]),
        ("Ants do not dance at all.", ["[*]"]),
        ("Wasps do not dance.", ["[*]"]),
        ("Moths do in the rain.", []),
    ]
    assert {(s.section, s.paragraph) for s in read[:4]} == {("Bees", 1)}
    assert len(read_texts(tmp_path, 9)[0]) == 1  # What another text said is no sentence.
