from recsys.formats.papers.text_hygiene import without_latex
from tests.rows import each_row


@each_row(
    ("source", "text"),
    [
        (r"the $\pi$ of {\"o}kologie", "the π of ökologie"),
        (r"\emph{Ice} and \textbf{snow}", "Ice and snow"),
        (r"about $10^{-3}$ or \(x_1\)", "about 10-3 or x1"),
        (r"$O(n \log n)$ in $k$-means with $n$ points", "O(n log n) in k-means with n points"),
        (r"$$E = mc^2$$", "E = mc2"),
        (r"${\cal O}(n)$ and $\mathcal{L}_1$", "O(n) and L1"),
        (r"10\% of \$5 \& more", "10% of $5 & more"),
        (r"we present \ours and \ours{} now", "we present ours and ours now"),
        (r"sleep\wake cycles", "sleep wake cycles"),
        (r"Erd\H{o}s, Ma\v{c}ek and M\"uller", "Erdős, Maček and Müller"),
        (r"\begin{itemize} ice \end{itemize}", "ice"),
        ("first\\nSecond", "first Second"),
        (r"Fig.~5 shows \emph{x} at ~6", "Fig. 5 shows x at ~6"),
    ],
)
def test_latex_becomes_text(source: str, text: str) -> None:
    assert " ".join(without_latex(source).split()) == text


@each_row(
    "text",
    [
        "costs $5 and $10",
        "US$5 and US$10",
        "from $5-$10 to $20",
        "between $3 million and $4 million",
        "{a, b} ~5 -- ``x''",
        "a $ sign",
        "$",
    ],
)
def test_what_is_no_latex_stays(text: str) -> None:
    assert without_latex(text) == text
