"""Files that were made to hurt: a right answer or one line of error, soon, and nothing outside."""

import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import InputError, MissingExtraError
from recsys.formats.drafts.draft_formats import LONGEST_ABSTRACT, LONGEST_TITLE, open_draft
from recsys.records import Manuscript
from tests.rows import THOROUGH, each_row

MB = 2**20
SECONDS = 10
"""CPU time within which any file is answered; most take a tenth of it."""

FILES = {
    "20-megabytes.txt": "dust and more dust " * (20 * MB // 19),
    "one-line.md": "x" * (20 * MB),
    "lines.txt": "\n" * (20 * MB) + "T",
    "keys.json": "{" + ",".join(f'"k{i}":1' for i in range(100_000)) + "}",
    "braces.tex": r"\title{" + "{" * 100_000 + "x" + "}" * 100_000,
    "titles.tex": r"\title{" * 100_000,
    "environments.tex": r"\title{T}" + r"\begin{a}" * 100_000,
    "citations.tex": r"\title{T}" + r"\cite[" * 100_000,
    "inputs.tex": r"\title{T}" + r"\input{nothing}" * 100_000,
    "conditionals.tex": r"\title{T}" + r"\iffalse\fi\iffalse" * 100_000,
    "items.tex": r"\title{T}" + r"\bibitem{a}\newblock\newblock" * 30_000 + r"\bibitem[" * 30_000,
    "laughs.tex": "".join(
        rf"\newcommand{{\{one}}}{{{(chr(92) + two) * 10}}}"
        for one, two in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + r"\title{T \a}",
    "divs.md": "# T\n" + "::: abstract\n" * 100_000,
    "spaces.md": "# a" + " " * 2_000_000 + "b",
    "chunks.Rnw": r"\title{T}" + "\n<<a>>=\n" * 100_000 + r"\Sexpr{" * 100_000,
    "cells.ipynb": '{"cells": [' + '{"cell_type": "markdown", "source": ["[@"]},' * 50_000 + "{}]}",
    "deep.typ": "#set document(title: " + "[" * 500_000,
    "comments.typ": "/*" * 200_000 + "//" * 200_000,
    "emphasis.org": "#+title: T\n" + "*a/b_c~" * 100_000,
    "nul.tex": "\\title{a\0b}",
    "control.tex": "\\title{" + "".join(map(chr, range(1, 32))) + "T}",
}


TITLED = ("environments", "citations", "inputs", "conditionals", "items")
"""Files of LaTeX whose title survives what surrounds it."""


def outcome(path: Path) -> Manuscript | InputError:
    try:
        return open_draft(path).manuscript
    except InputError as error:
        return error


@each_row("name", [*FILES][:: 1 if THOROUGH else 3])
def test_a_hostile_file_is_answered_soon(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    begun = time.process_time()
    found = outcome(path)
    assert time.process_time() - begun < SECONDS
    if isinstance(found, Manuscript):
        assert len(found.title) <= LONGEST_TITLE
        assert len(found.abstract or "") <= LONGEST_ABSTRACT
        assert len(found.notes) < 2_000
    else:
        assert "\n" not in str(found)
        assert len(str(found)) < 400
        assert found.hint
    if path.suffix == ".tex" and path.stem in TITLED:
        assert isinstance(found, Manuscript) and found.title == "T"


SUFFIXES = (*".json .tex .Rnw .md .ipynb .typ .org .odt .txt .bib .ris".split(), "")
LATEX = r"""
\title{ \author{ \begin{abstract} \end{abstract} \cite{ \citep[ \cites( \input{x} \bibliography{x}
\newcommand{\a} \def\a#1 \a \bibitem{k} \bibitem[ \newblock \entry{a}{b} \endentry \field{title}
\iffalse \fi \verb| \end{document} \and \\ { } [ ] $ % ~ & \'e \" \begin{filecontents}{x.bib}
"""
OTHERS = """
title: author: abstract: references: bibliography: @ [@a] @doi:10.1/x | > : , ; ' " * _ ` ```
--- ... <!-- --> ::: <a # ## - Abstract References [1] 10.1000/x arXiv:2004.07180 %PDF- @article{a,
#+title: #+begin_abstract #+end_abstract [cite:@a] cite:a #set document( title: [T] author: (
"name": #cite(<a>) <a> = T {"cells":[{"cell_type":"markdown","source":["# <<a>>= \\Sexpr{
title={T} year=2020 café \u202e \ufeff null 1999 &a *a !!python/name:x {"title": "references": [{
"""
WORDS = st.sampled_from([*LATEX.split(), *OTHERS.split(), "TY  - JOUR\n", "ER  -", "\n\n", "\r\n"])
TEXTS = st.lists(WORDS | st.sampled_from("\n\t ") | st.text(max_size=4), max_size=30)
RAW = st.binary(max_size=60) | TEXTS.map(lambda words: "".join(words).encode("utf-8", "replace"))
MARKED = RAW | TEXTS.map(lambda words: "".join(words).encode("utf-16", "replace"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=5_000)
@given(MARKED, st.sampled_from(SUFFIXES))
def test_any_bytes_are_a_manuscript_or_an_input_error(
    tmp_path: Path, raw: bytes, suffix: str
) -> None:
    path = tmp_path / f"draft{suffix}"
    path.write_bytes(raw)
    try:
        found = open_draft(path).manuscript
    except (InputError, MissingExtraError) as error:
        assert "\n" not in str(error)
        assert error.hint
    else:
        assert found.title or found.abstract or found.references
        assert not any(ord(c) < 32 for c in found.title + (found.abstract or ""))
