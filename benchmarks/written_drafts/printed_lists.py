"""Lists of works as styles of BibTeX and people print them, within a thebibliography."""

PRINTED = {
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
