"""Drafts in LaTeX whose bibliographies are printed ones, lie elsewhere, or are noisy."""

from collections.abc import Mapping

from pipelines.benchmarks.written_drafts.written_draft import BIB, KEYS, WrittenDraft

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
_PRINTED = {
    "plain.bst": r"""\bibitem{lichen2001}
Ivy Moss and Otto Fern.
\newblock Lichen clocks on city walls.
\newblock {\em Journal of Slow Growth}, 4(2):1--9, 2001.

\bibitem{tide2010}
Mia Strand.
\newblock Reading tide tables backwards.
\newblock In {\em Proceedings of Shores}, pages 3--4, 2010.

\bibitem{bell1999}
Hal Tower.
\newblock {\em Bells without ropes}.
\newblock Brass Press, 1999.""",
    "plainnat.bst": r"""\bibitem[Moss and Fern(2001)]{lichen2001}
Ivy Moss and Otto Fern.
\newblock Lichen clocks on city walls.
\newblock \emph{Journal of Slow Growth}, 4\penalty0 (2):\penalty0 1--9, 2001.
\bibitem[Strand(2010)]{tide2010}
Mia Strand.
\newblock Reading tide tables backwards.
\newblock In \emph{Proceedings of Shores}, pages 3--4, 2010.
\bibitem[Tower(1999)]{bell1999}
Hal Tower.
\newblock \emph{Bells without ropes}.
\newblock Brass Press, 1999.""",
    "ieeetr.bst": r"""\bibitem{lichen2001}
I.~Moss and O.~Fern, ``Lichen clocks on city walls,'' {\em Journal of Slow Growth}, vol.~4, 2001.
\bibitem{tide2010}
M.~Strand, ``Reading tide tables backwards,'' in {\em Proceedings of Shores}, pp.~3--4, 2010.
\bibitem{bell1999}
H.~Tower, {\em Bells without ropes}.
\newblock Brass Press, 1999.""",
    "ACM-Reference-Format.bst": r"""\bibitem[Moss and Fern(2001)]%
        {lichen2001}
\bibfield{author}{\bibinfo{person}{Ivy Moss} {and} \bibinfo{person}{Otto Fern}.}
  \bibinfo{year}{2001}\natexlab{}.
\newblock \showarticletitle{Lichen clocks on city walls}.
\newblock \bibinfo{journal}{\emph{Journal of Slow Growth}} \bibinfo{volume}{4} (\bibinfo{year}{2001}).
\bibitem[Strand(2010)]%
        {tide2010}
\bibfield{author}{\bibinfo{person}{Mia Strand}.} \bibinfo{year}{2010}\natexlab{}.
\newblock \showarticletitle{Reading tide tables backwards}. In \bibinfo{booktitle}{Shores}.
\bibitem[Tower(1999)]%
        {bell1999}
\bibfield{author}{\bibinfo{person}{Hal Tower}.} \bibinfo{year}{1999}\natexlab{}.
\newblock \bibinfo{booktitle}{\emph{Bells without ropes}}.
\newblock \bibinfo{publisher}{Brass Press}.""",
    "elsarticle-num.bst": r"""\bibitem{lichen2001}
I.~Moss, O.~Fern, Lichen clocks on city walls, Journal of Slow Growth 4~(2) (2001) 1--9.
\newblock \href {https://doi.org/10.9999/lichen} {\path{doi:10.9999/lichen}}.
\bibitem{tide2010}
M.~Strand, Reading tide tables backwards, in: Proceedings of Shores, 2010, pp. 3--4.
\bibitem{bell1999}
H.~Tower, Bells without ropes, Brass Press, 1999.""",
    "splncs04.bst": r"""\bibitem{lichen2001}
Moss, I., Fern, O.: Lichen clocks on city walls. Journal of Slow Growth
  \textbf{4}(2),  1--9 (2001)
\bibitem{tide2010}
Strand, M.: Reading tide tables backwards. In: Proceedings of Shores. pp. 3--4 (2010)
\bibitem{bell1999}
Tower, H.: Bells without ropes. Brass Press (1999)""",
    "apalike.bst": r"""\bibitem[Moss and Fern, 2001]{lichen2001}
Moss, I. and Fern, O. (2001).
\newblock Lichen clocks on city walls.
\newblock {\em Journal of Slow Growth}, 4(2):1--9.
\bibitem[Strand, 2010]{tide2010}
Strand, M. (2010).
\newblock Reading tide tables backwards.
\newblock In {\em Proceedings of Shores}, pages 3--4.
\bibitem[Tower, 1999]{bell1999}
Tower, H. (1999).
\newblock {\em Bells without ropes}.
\newblock Brass Press.""",
    "apacite.bst": r"""\bibitem [\protect \citeauthoryear {%
Moss%
\ \BBA {} Fern%
}{%
Moss%
\ \BBA {} Fern%
}{%
{\protect \APACyear {2001}}%
}]{%
lichen2001}
\APACinsertmetastar {%
lichen2001}%
\begin{APACrefauthors}%
Moss, I.%
\BCBT {}\ \BBA {} Fern, O.%
\end{APACrefauthors}%
\unskip\
\newblock
\APACrefYearMonthDay{2001}{}{}.
\newblock
{\BBOQ}\APACrefatitle {Lichen clocks on city walls} {Lichen clocks on city walls}.{\BBCQ}
\newblock
\APACjournalVolNumPages{Journal of Slow Growth}{4}{2}{1--9}.
\PrintBackRefs{\CurrentBib}
\bibitem [\protect \citeauthoryear {Strand}{Strand}{{\protect \APACyear {2010}}}]{tide2010}
\begin{APACrefauthors}Strand, M.\end{APACrefauthors}%
\newblock \APACrefYearMonthDay{2010}{}{}.
\newblock {\BBOQ}\APACrefatitle {Reading tide tables backwards} {Reading tide tables backwards}.{\BBCQ}
\newblock \BIn{} \APACrefbtitle {Proceedings of Shores} {Proceedings of shores}.
\bibitem [\protect \citeauthoryear {Tower}{Tower}{{\protect \APACyear {1999}}}]{bell1999}
\begin{APACrefauthors}Tower, H.\end{APACrefauthors}%
\newblock \APACrefYear{1999}. \newblock \APACrefbtitle {Bells without ropes} {Bells without ropes}.""",
    "REVTeX's apsrev": r"""\bibitem [{\citenamefont {Moss}\ and\ \citenamefont {Fern}(2001)}]{lichen2001}%
  \BibitemOpen
  \bibfield  {author} {\bibinfo {author} {\bibfnamefont {I.}~\bibnamefont {Moss}}\ and\ \bibinfo
  {author} {\bibfnamefont {O.}~\bibnamefont {Fern}},\ }\bibfield  {title} {\bibinfo {title} {Lichen
  clocks on city walls},\ }\href {https://doi.org/10.9999/l} {\bibfield  {journal} {\bibinfo
  {journal} {J. Slow Growth}\ }\textbf {\bibinfo {volume} {4}},\ \bibinfo {pages} {1} (\bibinfo
  {year} {2001})}\BibitemShut {NoStop}%
\bibitem [{\citenamefont {Strand}(2010)}]{tide2010}%
  \BibitemOpen
  \bibfield  {author} {\bibinfo {author} {\bibfnamefont {M.}~\bibnamefont {Strand}},\ }\bibfield
  {title} {\bibinfo {title} {Reading tide tables backwards},\ }in\ \href@noop {} {\emph {\bibinfo
  {booktitle} {Shores}}}\ (\bibinfo {year} {2010})\BibitemShut {NoStop}%
\bibitem [{\citenamefont {Tower}(1999)}]{bell1999}%
  \BibitemOpen
  \bibfield  {author} {\bibinfo {author} {\bibfnamefont {H.}~\bibnamefont {Tower}},\ }\href@noop {}
  {\emph {\bibinfo {title} {Bells without ropes}}}\ (\bibinfo  {publisher} {Brass},\ \bibinfo {year}
  {1999})\BibitemShut {NoStop}%""",
    "by hand, author and year": r"""\bibitem{lichen2001} Moss I, Fern O (2001) Lichen clocks on city walls.
Journal of Slow Growth 4:1--9
\bibitem{tide2010} Strand, M. 2010. Reading tide tables backwards. In \textit{Proceedings of Shores}.
\bibitem{bell1999} Tower, H. (1999). \textit{Bells without ropes}. Brass: Brass Press.""",
    "by hand, APA": r"""\bibitem{lichen2001} Moss, I., \& Fern, O. (2001). Lichen clocks on city walls.
\textit{Journal of Slow Growth}, \textit{4}(2), 1--9. https://doi.org/10.9999/lichen
\bibitem{tide2010} Strand, M. (2010, May). Reading tide tables backwards. In H. Tower (Ed.),
\textit{Proceedings of Shores} (pp. 3--4). Brass Press.
\bibitem{bell1999} Tower, H. (1999a). \textit{Bells without ropes} (2nd ed.). Brass Press.""",
    "by hand, Vancouver": r"""\bibitem{lichen2001} Moss I, Fern O. Lichen clocks on city walls. J Slow Growth.
2001;4(2):1-9.
\bibitem{tide2010} Strand M. Reading tide tables backwards. In: Proceedings of Shores; 2010. p. 3-4.
\bibitem{bell1999} Tower H. Bells without ropes. Brass: Brass Press; 1999.""",
    "by hand, IEEE": r"""\bibitem{lichen2001} I. Moss and O. Fern, ``Lichen clocks on city walls,''
\emph{J. Slow Growth}, vol. 4, no. 2, pp. 1--9, 2001.
\bibitem{tide2010} M. Strand, ``Reading tide tables backwards,'' in \emph{Proc. Shores}, 2010, pp. 3--4.
\bibitem{bell1999} H. Tower, \emph{Bells without ropes}. Brass, Bellgium: Brass Press, 1999.""",
    "by hand, quoted in the other way": r"""\bibitem{lichen2001} Moss, I., Fern, O.: "Lichen clocks on city walls",
Journal of Slow Growth (2001).
\bibitem{tide2010} Strand, M.: \enquote{Reading tide tables backwards}, Shores (2010).
\bibitem{bell1999} Tower, H.: `Bells without ropes', Brass Press (1999).""",
}
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
    printed = (_printed(name, _LIST % text) for name, text in _PRINTED.items())
    return (*printed, *_CITEPROCS, *_PLACES, *_NOISY)


def _printed(name: str, text: str) -> WrittenDraft:
    return WrittenDraft(PART, name, {"paper.tex": _SOURCE % text}, title="Walls", cited=CITED)


def _placed(
    name: str, place: str, files: Mapping[str, str | bytes], draft: str = "paper.tex"
) -> WrittenDraft:
    return WrittenDraft(PART, name, {draft: _SOURCE % place, **files}, draft, "Walls", keys=KEYS[:3])


_CITEPROCS = tuple(
    WrittenDraft(
        PART,
        name,
        {"paper.tex": "\\documentclass{article}\\title{Walls}\\begin{document}" + text},
        title="Walls",
        cited=("Lichen Clocks on City Walls", "Reading Tide Tables Backwards", "Bells Without Ropes"),
    )
    for name, text in {"pandoc, citeproc": _CITEPROC, "pandoc 2, citeproc": _OLD_CITEPROC}.items()
)
_WINDOWS = BIB.replace("Strand", "Stränd").replace("{Reading", "{Reading \u2013").encode("cp1252")
_PLACES = (
    _placed(".bbl of BibTeX", "\\bibliography{lost}", {"paper.bbl": _LIST % _PRINTED["plain.bst"]}),
    _placed(".bbl of biber", "\\printbibliography", {"paper.bbl": _BBL}),
    _placed(
        ".bbl of another name",
        "\\bibliography{lost}",
        {"output.bbl": _LIST % _PRINTED["plain.bst"]},
    ),
    _placed(".bbl by \\input", "\\input{paper.bbl}", {"paper.bbl": _LIST % _PRINTED["plain.bst"]}),
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
