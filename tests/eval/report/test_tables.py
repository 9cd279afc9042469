"""Tables: what is pasted elsewhere says what was measured, whatever stands in a title."""

import re

from hypothesis import given
from hypothesis import strategies as st

from recsys.eval.report.tables import (
    Cell,
    Table,
    best_marked,
    cells,
    escape_latex,
    escape_markdown,
    latex_table,
    markdown_table,
    text_table,
)
from tests.rows import each_row

TABLE = Table(
    "small-one",
    "Two & two.",
    ("", "system", "F1@20"),
    (
        (*cells("a", "x_y"), Cell("0.250", "0.200", "0.300")),
        (*cells("b", "z"), Cell("0.750", "0.700", "0.800", marks="a", best=True)),
    ),
    left=2,
    notes="50 % <sure>.",
)


def test_text_is_aligned_with_marks_and_bounds() -> None:
    assert text_table(TABLE).splitlines() == [
        "Two & two.",
        "",
        "   system                  F1@20",
        "-  ------  ---------------------",
        "a  x_y       0.250 (0.200-0.300)",
        "b  z       0.750^a (0.700-0.800)",
        "",
        "50 % <sure>.",
    ]


def test_markdown_is_a_pipe_table() -> None:
    assert markdown_table(TABLE).splitlines() == [
        "**Two &amp; two.**",
        "",
        "|  | system | F1@20 |",
        "| --- | --- | ---: |",
        r"| a | x\_y | 0.250 (0.200-0.300) |",
        "| b | z | **0.750**<sup>a</sup> (0.700-0.800) |",
        "",
        "50 % &lt;sure&gt;.",
    ]


def test_latex_is_a_booktabs_table() -> None:
    assert latex_table(TABLE).splitlines() == [
        r"\begin{table*}",
        r"\centering\small\setlength{\tabcolsep}{4pt}",
        r"\caption{Two \& two. 50 \% \textless{}sure\textgreater{}.}",
        r"\label{tab:small-one}",
        r"\begin{tabular}{@{}llr@{}}",
        r"\toprule",
        r" & system & F1@20 \\",
        r"\midrule",
        r"a & x\_y & 0.250 \\",
        r" &  & {\scriptsize 0.200--0.300} \\[2pt]",
        r"b & z & \textbf{0.750}$^{a}$ \\",
        r" &  & {\scriptsize 0.700--0.800} \\[2pt]",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ]


def test_the_best_of_a_column_is_marked_ties_included_and_only_among_rivals() -> None:
    rows = [cells("x", "0.2", ""), cells("y", "0.2", ""), cells("bound", "0.9", "0.5")]
    marked = best_marked(rows, first=1, rivals=[True, True, False])
    assert [[cell.best for cell in row] for row in marked] == [
        [False, True, False],
        [False, True, False],
        [False, False, False],
    ]


@each_row(
    ("text", "latex", "markdown"),
    [
        ("R&D", r"R\&D", "R&amp;D"),
        ("100%", r"100\%", "100%"),
        ("$x_i^2$", r"\$x\_i\textasciicircum{}2\$", r"\$x\_i^2\$"),
        (r"\cost{a}", r"\textbackslash{}cost\{a\}", r"\\cost\{a\}"),
        ("a|b #1 ~", r"a\textbar{}b \#1 \textasciitilde{}", r"a\|b #1 \~"),
        ("<b>`c`*</b>", r"\textless{}b\textgreater{}`c`*\textless{}/b\textgreater{}",
         r"&lt;b&gt;\`c\`\*&lt;/b&gt;"),
        ("two\nlines\x1b[0m", "two lines [0m", r"two lines \[0m"),
    ],
)  # fmt: skip
def test_what_a_language_would_act_upon_is_escaped(text: str, latex: str, markdown: str) -> None:
    assert escape_latex(text) == latex
    assert escape_markdown(text) == markdown


@given(st.text())
def test_no_title_breaks_a_row(title: str) -> None:
    table = Table("t", "c", ("a", "b"), (cells(title, "1"),))
    (row,) = markdown_table(table).splitlines()[4:5]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3
    assert "<" not in row
    line = latex_table(table).splitlines()[8]
    assert len(re.findall(r"(?<!\\)&", line)) == 1
    assert not re.search(r"(?<!\\)[$%#_]", line)
