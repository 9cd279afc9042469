"""Whatever stands around words in a title, the words are kept."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.formats.latex.latex_draft import Words, parse
from recsys.formats.latex.latex_text import plain

WORDS = st.lists(st.sampled_from("Lichen walls seven tide-tables R Öland x2".split()), min_size=1)
AROUND = (
    *(
        rf"\{name}{{%s}}"
        for name in "textbf textit textsf texttt textsc textrm textup emph".split()
    ),
    *(rf"\{name}{{%s}}" for name in "mbox hbox fbox underline uline text textnormal hl".split()),
    *(rf"{{\{name} %s}}" for name in "em bf it sf tt sc small Large bfseries itshape".split()),
    *(rf"\{name}{{%s}}" for name in "mystery Unheard own enquote textlatin centerline".split()),
    r"\href{https://a.example/b_c%%20d}{%s}",
    r"\hyperref[sec:a]{%s}",
    r"\hypertarget{a}{%s}",
    r"\textcolor[rgb]{1,0,0}{%s}",
    r"\foreignlanguage{german}{%s}",
    r"\scalebox{2}[1]{%s}",
    r"\resizebox{1cm}{!}{%s}",
    r"\rotatebox{90}{%s}",
    r"\raisebox{1ex}{%s}",
    r"\parbox[t]{3cm}{%s}",
    r"\makebox[3cm][l]{%s}",
    r"\texorpdfstring{\textsf{other}}{%s}",
    r"{\fontsize{12}{14}\selectfont %s}",
    r"\begin{center}%s\end{center}",
    r"\begin{minipage}[t]{3cm}%s\end{minipage}",
    "{%s}",
    "{{%s}}",
)


@st.composite
def wrapped(draw: st.DrawFn) -> tuple[str, str]:
    """Draw words, and the same in a nesting of commands, at most twenty deep."""
    parts, said = [], []
    for _ in range(draw(st.integers(1, 4))):
        words = " ".join(draw(WORDS))
        latex = words
        for around in draw(st.lists(st.sampled_from(AROUND), max_size=20)):
            latex = around.replace("%%", "\0").replace("%s", latex).replace("\0", "%")
        parts.append(latex)
        said.append(words)
    return " ".join(parts), " ".join(said)


@given(wrapped())
def test_any_nesting_of_commands_around_words_keeps_the_words(given_: tuple[str, str]) -> None:
    latex, words = given_
    assert [each for each in plain(latex).split() if each != "other"] == words.split()


@given(wrapped(), st.sampled_from((r"\newcommand{\sys}{%s}", r"\def\sys{%s}")))
def test_words_that_a_macro_stands_for_are_kept(given_: tuple[str, str], form: str) -> None:
    latex, words = given_
    source = form.replace("%s", latex) + r"\title{\sys}"
    assert Words(source).text(r"\sys").split() == words.split()


@settings(max_examples=20)
@given(wrapped())
def test_title_and_abstract_of_a_draft_keep_their_words(given_: tuple[str, str]) -> None:
    latex, words = given_
    source = rf"\title{{{latex}}}\begin{{document}}\begin{{abstract}}{latex}\end{{abstract}}"
    found = parse(source.encode(), Path("-")).manuscript()
    if any(map(str.isalpha, words)):
        assert found.title.split() == words.split()
        assert (found.abstract or "").split() == words.split()
