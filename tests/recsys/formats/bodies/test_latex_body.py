"""LaTeX drafts as sentences with their places."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.latex.latex_draft import parse
from recsys.records import Body, Sentence, Span
from tests.rows import each_row

PAPER = Path(__file__).with_name("files").joinpath("paper.tex").read_bytes().decode()


def body(text: str, name: str = "paper.tex") -> Body:
    return parse(text.encode(), Path(name)).body(())


def of(text: str) -> list[Sentence]:
    return list(body(text).sentences)


def gaps(text: str) -> list[str]:
    return [mark.printed for each in of(text) for mark in each.marks if mark.gap]


def standing(text: str, span: Span | None) -> str:
    assert span is not None
    lines = text.replace("\r\n", "\n").split("\n")[span.line - 1 : span.end_line]
    cut = len(lines[-1]) - span.end_column + 1
    whole = "\n".join(lines)
    return whole[span.column - 1 : len(whole) - cut]


def test_a_paper_is_read_sentence_by_sentence() -> None:
    assert [(each.section, each.paragraph, each.text) for each in of(PAPER)] == [
        ("Introduction", 0, "We follow here."),
        ("Introduction", 0, "maps dust, i.e. it is fine."),
        ("Introduction", 0, "As in Fig., see and we add this claim, which is new."),
        ("Introduction", 0, "It holds."),
        ("Introduction", 0, "A claim is made."),
        ("Introduction", 0, "A note that cites."),
        ("Introduction", 0, "And two."),
        ("Introduction", 0, "So it."),
        ("Introduction", 0, "The energy is."),
        ("Introduction", 0, "Then we use too."),
        ("Introduction", 0, "show that it is so."),
        ("Introduction", 0, "Gar\u00e7on and M\u00fcller (2019) say \u201cso\u201d."),
        ("Introduction", 0, "Here [?] and and are none."),
        ("Introduction", 1, "We use dust."),
        ("Introduction", 1, "collected it."),
        ("Introduction", 2, "First."),
        ("Introduction", 3, "Second."),
        ("Methods", 4, "We do."),
    ]


def test_gaps_of_a_paper() -> None:
    assert gaps(PAPER) == [
        r"\cite{a,b,?}",
        "[CITE]",
        r"\todo{cite somebody}",
        "REF",
        "(REF)",
        "[?]",
        r"\cite{}",
        r"\citep{???}",
        r"\needcite{}",
        r"\citationneeded",
    ]


@each_row("line_end", ["\n", "\r\n"])
def test_the_file_reads_at_a_span_as_the_mark_does(line_end: str) -> None:
    text = PAPER.replace("\n", line_end)
    marks = [mark for each in of(text) for mark in each.marks]
    assert len(marks) == 20
    assert [standing(text, mark.span) for mark in marks] == [mark.printed for mark in marks]


@given(
    st.lists(
        st.sampled_from(
            [r"\citep{k1}", r"\cite[see][p.~2]{k2, k3}", "[?]", r"\textit{words} in it. ", "% no\n",
             "\n\n", r"\'Etude and ", "Then we see. ", r"\rev{a \citet{k4} b} ", "{", "}", "$x^2$ ",
             r"\footnote{See \cite{k5}.} ", "\n  ", r"\begin{quote}", r"\end{quote}", "(CITE) "]
        ),
        max_size=25,
    ),
    st.sampled_from(["\n", "\r\n"]),
)  # fmt: skip
def test_every_mark_stands_where_its_span_says(parts: list[str], line_end: str) -> None:
    text = ("\\newcommand{\\rev}[1]{\\emph{#1}}\n" + "".join(parts)).replace("\n", line_end)
    for sentence in of(text):
        for mark in sentence.marks:
            assert standing(text, mark.span).split() == mark.printed.split()
            assert 0 <= mark.at <= len(sentence.text)


def test_inputs_are_followed_and_named(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.tex").write_bytes(
        b"Inner \\cite{k}.\r\nIt goes\r\non \\cite{?} here.\r\n"
    )
    main = tmp_path / "main.tex"
    main.write_text("\\begin{document}\nFirst. \\input{parts/one}\nLast.\n\\end{document}")
    found = parse(main.read_bytes(), main).body(()).sentences
    assert [(each.file, each.text) for each in found] == [
        ("main.tex", "First."),
        ("parts/one.tex", "Inner."),
        ("parts/one.tex", "It goes on here."),
        ("main.tex", "Last."),
    ]
    assert found[2].span == Span(2, 1, 3, 18)
    assert found[2].marks[0].span == Span(3, 4, 3, 12)


@each_row(
    ("latex", "text"),
    [
        (r"We {\em do} \textbf{it} \LaTeX{} at 5\,\% \& more.", "We do it LaTeX at 5 % & more."),
        (r"See \href{http://a.b}{this} and \url{http://c.d}.", "See this and http://c.d."),
        (r"As shown (e.g., \cite{a}) it is.", "As shown it is."),
        (r"As shown (see \cite{a} for more) it is.", "As shown (see for more) it is."),
        (r"We see \cite{a}, \cite{b}, and so on.", "We see, and so on."),
        (r"\textcolor{red}{Red} text\footnotemark[1] is.", "Red text is."),
        (r"\def\x{Y}It is \x{} and \x.", "It is Y and Y."),
        (r"Line one\\[2pt] line two.", "Line one line two."),
        ("A number $n = 3$ is.", "A number n = 3 is."),
    ],
)
def test_words_are_kept_through_commands(latex: str, text: str) -> None:
    assert [each.text for each in of(latex)] == [text]


@each_row(
    "part",
    r"\cite{|\footnote{|$|\begin{figure}|\rev{|{|\section{|[|\[|(see |%|\todo{|~".split("|"),
)
def test_what_never_closes_takes_no_time(part: str) -> None:
    body("\\newcommand{\\rev}[1]{\\rev{#1}\\rev{#1}}\nStart. " + part * 3000)
