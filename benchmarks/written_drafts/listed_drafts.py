"""Drafts in LaTeX whose bibliographies are printed ones, lie elsewhere, or are noisy."""

from collections.abc import Mapping

from benchmarks.written_drafts.printed_lists import PRINTED
from benchmarks.written_drafts.written_draft import BIB, KEYS, WrittenDraft

PART = "bibliographies"
CITED = ("Lichen clocks on city walls", "Reading tide tables backwards", "Bells without ropes")

_SOURCE = r"""\documentclass{article}
\title{Walls}
\begin{document}
\begin{abstract}Short.\end{abstract}
\section{One}
Text \cite{lichen2001,tide2010,bell1999}.
%s
\end{document}
"""
_LIST = "\\begin{thebibliography}{9}\n%s\n\\end{thebibliography}"
_BBL = r"""% $ biblatex auxiliary file $
\begingroup
\makeatletter
\@ifundefined{ver@biblatex.sty}{\endinput}{}
\endgroup
\refsection{0}
  \datalist[entry]{nty/global//global/global}
    \entry{lichen2001}{article}{}
      \name{author}{2}{}{%
        {{hash=1}{%
           family={Moss}, familyi={M\bibinitperiod}, given={Ivy}, giveni={I\bibinitperiod}}}%
        {{hash=2}{%
           family={Fern}, familyi={F\bibinitperiod}, given={Otto}, giveni={O\bibinitperiod}}}%
      }
      \field{labeltitlesource}{title}
      \field{journaltitle}{Journal of Slow Growth}
      \field{title}{Lichen clocks on city walls}
      \field{year}{2001}
    \endentry
    \entry{tide2010}{inproceedings}{}
      \name{author}{1}{}{{{hash=3}{family={Strand}, given={Mia}}}}
      \field{booktitle}{Proceedings of Shores}
      \field{title}{Reading tide tables backwards}
      \field{year}{2010}
    \endentry
    \entry{bell1999}{book}{}
      \name{author}{1}{}{{{hash=4}{family={Tower}, given={Hal}}}}
      \field{title}{Bells without ropes}
      \field{year}{1999}
    \endentry
  \enddatalist
\endrefsection
\endinput
"""
_CITEPROC = r"""\protect\phantomsection\label{refs}
\begin{CSLReferences}{1}{0}
\bibitem[\citeproctext]{ref-lichen2001}
Moss, Ivy, and Otto Fern. 2001. {``Lichen Clocks on City Walls.''} \emph{Journal of Slow Growth} 4
(2): 1--9.

\bibitem[\citeproctext]{ref-tide2010}
Strand, Mia. 2010. {``Reading Tide Tables Backwards.''} In \emph{Proceedings of Shores}, 3--4.

\bibitem[\citeproctext]{ref-bell1999}
Tower, Hal. 1999. \emph{Bells Without Ropes}. Brass Press.

\end{CSLReferences}"""
_OLD_CITEPROC = r"""\hypertarget{refs}{}
\begin{cslreferences}
\leavevmode\hypertarget{ref-lichen2001}{}%
Moss, Ivy, and Otto Fern. 2001. ``Lichen Clocks on City Walls.'' \emph{Journal of Slow Growth}.

\leavevmode\vadjust pre{\hypertarget{ref-tide2010}{}}%
Strand, Mia. 2010. ``Reading Tide Tables Backwards.'' In \emph{Proceedings of Shores}.

\hypertarget{ref-bell1999}{}
Tower, Hal. 1999. \emph{Bells Without Ropes}. Brass Press.

\end{cslreferences}"""


def listed_drafts() -> tuple[WrittenDraft, ...]:
    """Write a draft for each printed list, and for each place of a bibliography."""
    printed = (_printed(name, _LIST % text) for name, text in PRINTED.items())
    return (*printed, *_CITEPROCS, *_PLACES, *_NOISY)


def _printed(name: str, text: str) -> WrittenDraft:
    return WrittenDraft(PART, name, {"paper.tex": _SOURCE % text}, title="Walls", cited=CITED)


def _placed(
    name: str, place: str, files: Mapping[str, str | bytes], draft: str = "paper.tex"
) -> WrittenDraft:
    return WrittenDraft(
        PART, name, {draft: _SOURCE % place, **files}, draft, "Walls", keys=KEYS[:3]
    )


_CITEPROCS = tuple(
    WrittenDraft(
        PART,
        name,
        {"paper.tex": "\\documentclass{article}\\title{Walls}\\begin{document}" + text},
        title="Walls",
        cited=(
            "Lichen Clocks on City Walls",
            "Reading Tide Tables Backwards",
            "Bells Without Ropes",
        ),
    )
    for name, text in {"pandoc, citeproc": _CITEPROC, "pandoc 2, citeproc": _OLD_CITEPROC}.items()
)
_WINDOWS = BIB.replace("Strand", "Stränd").replace("{Reading", "{Reading \u2013").encode("cp1252")
_PLACES = (
    _placed(".bbl of BibTeX", "\\bibliography{lost}", {"paper.bbl": _LIST % PRINTED["plain.bst"]}),
    _placed(".bbl of biber", "\\printbibliography", {"paper.bbl": _BBL}),
    _placed(
        ".bbl of another name",
        "\\bibliography{lost}",
        {"output.bbl": _LIST % PRINTED["plain.bst"]},
    ),
    _placed(".bbl by \\input", "\\input{paper.bbl}", {"paper.bbl": _LIST % PRINTED["plain.bst"]}),
    _placed(
        "../refs.bib in a repository",
        "\\bibliography{../refs}",
        {".git/HEAD": "ref: refs/heads/main\n", "refs.bib": BIB},
        "tex/paper.tex",
    ),
    _placed("shared/refs.bib", "\\bibliography{shared/refs.bib}", {"shared/refs.bib": BIB}),
    _placed("windows-1252", "\\bibliography{refs}", {"refs.bib": _WINDOWS}),
    _placed("UTF-16", "\\bibliography{refs}", {"refs.bib": BIB.encode("utf-16")}),
    _placed(
        "two of three are there",
        "\\bibliography{strings,refs,more}",
        {"refs.bib": BIB, "more.bib": "@misc{x1, title={Else}}"},
    ),
    _placed("\\addbibresource", "\\addbibresource[location=local]{refs.bib}", {"refs.bib": BIB}),
    _placed("\\bibdata by jobname", "\\bibliography{\\jobname}", {"paper.bib": BIB}),
    _placed(
        "the name in a macro",
        "\\newcommand{\\thebib}{refs}\\bibliography{\\thebib}",
        {"refs.bib": BIB},
    ),
    _placed("amsrefs, by file", "\\bibliography*{refs}", {"refs.bib": BIB}),
    WrittenDraft(
        PART,
        "amsrefs",
        {
            "paper.tex": _SOURCE
            % r"""\begin{bibdiv}\begin{biblist}
\bib{lichen2001}{article}{author={Moss, Ivy}, author={Fern, Otto},
  title={Lichen clocks on city walls}, date={2001}}
\bib{tide2010}{inproceedings}{author={Strand, Mia}, title={Reading tide tables backwards}, date={2010}}
\bib{bell1999}{book}{author={Tower, Hal}, title={Bells without ropes}, date={1999}}
\end{biblist}\end{bibdiv}"""
        },
        title="Walls",
        cited=CITED,
    ),
)
_TWICE = BIB + BIB.replace("Lichen", "Moss") + "@misc{zz1, title={Z}}\n" * 50
_NOISY = (
    WrittenDraft(
        PART,
        "a lost bibliography",
        {"paper.tex": _SOURCE % "\\bibliography{lost}"},
        title="Walls",
        keys=(),
        told=("3 citations, none could be looked up",),
    ),
    WrittenDraft(
        PART,
        "no bibliography at all",
        {"paper.tex": _SOURCE % ""},
        title="Walls",
        keys=(),
        told=("3 citations, none could be looked up",),
    ),
    WrittenDraft(
        PART,
        "above the folder, no repository",
        {"tex/paper.tex": _SOURCE % "\\bibliography{../refs}", "refs.bib": BIB},
        draft="tex/paper.tex",
        title="Walls",
        keys=(),
        told=("--root",),
    ),
    WrittenDraft(
        "noise",
        "keys that occur twice, cited ones among them",
        {"paper.tex": _SOURCE % "\\bibliography{refs}", "refs.bib": _TWICE},
        title="Walls",
        keys=KEYS[:3],
        told=("5 keys occur twice", "3 of them are cited"),
    ),
    WrittenDraft(
        "noise",
        "keys that occur twice, none of them cited",
        {
            "paper.tex": _SOURCE % "\\bibliography{refs}",
            "refs.bib": BIB + "".join(f"@misc{{z{n}, title={{Z {n}}}}}\n" * 2 for n in range(56)),
        },
        title="Walls",
        keys=KEYS[:3],
        told=("56 keys occur twice; none of them is cited",),
    ),
    WrittenDraft(
        "noise",
        "broken entries",
        {
            "paper.tex": _SOURCE % "\\bibliography{refs}",
            "refs.bib": BIB + "".join(f"@misc{{b{n}, title={{Broken\n\n" for n in range(7)) + BIB,
        },
        title="Walls",
        keys=KEYS[:3],
        told=("7 entries are broken",),
    ),
)
