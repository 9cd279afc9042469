import time

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.latex.latex_text import from_latex, to_latex
from tests.rows import each_row


@each_row(
    ("latex", "text"),
    [
        (r"{\'e}t\'{e}, \'E\'ecole", "été, Éécole"),
        (r"G\"{o}del and {\"O}stlund", "Gödel and Östlund"),
        (r"{\v{S}}koda, \v Cech, \c{c}a, \c ca", "Škoda, Čech, ça, ça"),
        (r"\o\ \O{} \ss{} {\L}ukasz {\aa}", "ø Ø ß Łukasz å"),
        (r"Mar{\'\i}a, na{\"\i}ve, \'{\i}", "María, naïve, í"),
        (r"Erd{\H o}s, \u{g}, \k{a}, \.{z}, \={a}, \r{u}, \~n", "Erdős, ğ, ą, ż, ā, ů, ñ"),
        (r"R\&D at 50\% \#1 \$5 a\_b \{x\}", "R&D at 50% #1 $5 a_b {x}"),
        ("R&D at 50% of #1", "R&D at 50% of #1"),
        ("{BERT} and {{GPT}}", "BERT and GPT"),
        ("pp. 1--2 --- ``quoted'' it's", "pp. 1\u20132 \u2014 \u201cquoted\u201d it's"),
        (r"\emph{In} {\em vivo} \textbf{x}", "In vivo x"),
        (r"$O(n^2)$ and $\alpha_1$-\(\beta\)", "O(n2) and \u03b11-\u03b2"),
        ("Donald~E. Knuth", "Donald E. Knuth"),
        (r"\href{http://a.org}{text} \cite{key}.", "text ."),
        (r"\textasciitilde\textasciicircum\textbackslash", "~^\\"),
        (r"\url{http://a.org/~x}", "http://a.org/~x"),
        (r"\LaTeX{} \unknown{kept}", "LaTeX kept"),
        (r"ends in \ ", "ends in  "),
        ("ends in \\", "ends in "),
        (r"\~{} \'", "~ '"),
        ("plain", "plain"),
    ],
)
def test_latex_is_read_as_what_it_sets(latex: str, text: str) -> None:
    assert from_latex(latex) == text


@given(st.text(alphabet=st.characters() | st.sampled_from("\\{}$~-`'?!,<>&%#_^\""), max_size=20))
def test_what_is_escaped_is_read_back(text: str) -> None:
    assert from_latex(to_latex(text)) == text


@given(st.text(alphabet="\\{}$~-'`\" aeiouc^.=vHi%\n"))
def test_any_latex_gives_some_text(latex: str) -> None:
    assert "\\" not in from_latex(latex)


@each_row(
    "unit",
    ["{", "\\'", "$", "\\aleph ", "}", "\\", "{\\'", "-", "~", "\\href"],
    usually=4,
)
def test_long_fields_take_time_in_proportion(unit: str) -> None:
    begun = time.process_time()
    from_latex(unit * (200_000 // len(unit)))
    assert time.process_time() - begun < 3
