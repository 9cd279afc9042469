"""Mark-up of abstracts as Crossref gives it: JATS with the prefix `jats:`, and MathML.

https://support.crossref.org/hc/en-us/articles/213083726-Including-MathML-in-deposits
https://jats.nlm.nih.gov/archiving/tag-library/1.3/element/alternatives.html
"""

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.papers.mark_up import without_tags
from tests.rows import each_row

MATHML = "<mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>"
TEX = (
    "<jats:tex-math>\\documentclass[12pt]{minimal} \\usepackage{amsmath} "
    "\\begin{document}$$x^2$$\\end{document}</jats:tex-math>"
)


@each_row(
    ("marked", "plain"),
    [
        ("H<sub>2</sub>O and <i>E. coli</i>", "H2O and E. coli"),
        ("<jats:p>Ice <jats:italic>melts</jats:italic>.</jats:p><jats:p>So</jats:p>",
         "Ice melts. So"),
        ("<jats:sec><jats:title>Aim</jats:title><jats:p>Ice.</jats:p></jats:sec>", "Aim: Ice."),
        ("<title>What is it?</title><p>Ice.</p>", "What is it? Ice."),
        ("<jats:title>Abstract</jats:title><jats:p>Ice.</jats:p>", "Ice."),
        ("<title>Ice</title>", "Ice"),
        ('<p class="a" id=\'b\'>Ice<br/>melts</p>', "Ice melts"),
        ('see <a href="http://a.b/c?d">here</a>', "see here"),
        (f"so {MATHML} holds", "so x2 holds"),
        (f"so <jats:inline-formula><jats:alternatives>{TEX}{MATHML}</jats:alternatives>"
         "</jats:inline-formula> holds", "so x2 holds"),
        (f"so <jats:inline-formula>{TEX}</jats:inline-formula> holds", "so $$x^2$$ holds"),
        ("<math><semantics><mi>y</mi><annotation encoding='application/x-tex'>y_1</annotation>"
         "</semantics></math>", "y"),
        ("a<!-- note --> b<![CDATA[ c ]]>", "a b c"),
        *((text, text) for text in ("a<b and c>d", "p < 0.05 > q", "x <unknown> y")),
        *((text, text) for text in ("List<String>", "<<", "<", "i<j", "<b and c>")),
    ],
)  # fmt: skip
def test_mark_up_becomes_text_and_what_is_none_stays(marked: str, plain: str) -> None:
    assert " ".join(without_tags(marked).split()) == plain


@given(st.text(max_size=100), st.sampled_from(["i", "sub", "jats:p", "mml:mi"]))
def test_what_stands_in_a_tag_stays(text: str, tag: str) -> None:
    inner = text.replace("<", "").replace("]]>", "")
    assert without_tags(f"<{tag}>{inner}</{tag}>").strip() == inner.strip()
