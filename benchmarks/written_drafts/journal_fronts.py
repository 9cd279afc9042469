"""The front matter of drafts in the classes of journals and conferences."""

_ABSTRACT = "\\begin{abstract}\nWe ring bells without ropes. It is loud.\n\\end{abstract}\n"
_HEAD = "\\begin{document}\\maketitle\n"
JOURNAL_FRONTS = {
    "ACL": r"""\documentclass[11pt]{article}\usepackage[review]{acl}
\title{Bells without ropes}
\author{Ivy Moss \\ University of Brass \\ \texttt{ivy@bells.example} \\\And
  Otto van der Fern \\ Institute of Ropes \\\AND Mia Str\"and$^\dagger$ \\ Shore College}
"""
    + _HEAD
    + _ABSTRACT,
    "NeurIPS": r"""\documentclass{article}\usepackage{neurips_2023}
\title{Bells without ropes}
\author{%
  Ivy Moss\thanks{Use footnote for providing further information.} \\
  Department of Bells\\ University of Brass\\ Brass, PA 15213 \\ \texttt{ivy@bells.example} \\
  % examples of more authors
  \And
  Otto van der Fern \\ Institute of Ropes \\
  \And Mia Str\"and \\ Shore College
}
"""
    + _HEAD
    + _ABSTRACT,
    "ICML": r"""\documentclass{article}\usepackage{icml2024}
\icmltitlerunning{Bells}
\begin{document}
\twocolumn[
\icmltitle{Bells without ropes}
\begin{icmlauthorlist}
\icmlauthor{Ivy Moss}{equal,brass}
\icmlauthor{Otto van der Fern}{ropes}
\icmlauthor{Mia Str\"and}{brass,ropes}
\end{icmlauthorlist}
\icmlaffiliation{brass}{University of Brass}
\icmlcorrespondingauthor{Ivy Moss}{ivy@bells.example}
]
"""
    + _ABSTRACT,
    "MNRAS": r"""\documentclass{mnras}
\title[Short title]{Bells without ropes}
\author[I. Moss et al.]{
Ivy Moss,$^{1}$\thanks{E-mail: ivy@bells.example}
Otto van der Fern,$^{2}$
and Mia Str\"and$^{2,3}$
\\
% List of institutions
$^{1}$University of Brass, Brass\\
$^{2}$Institute of Ropes, Hemp Road\\
$^{3}$Shore College}
"""
    + _HEAD
    + _ABSTRACT,
    "A&A": r"""\documentclass{aa}
\title{Bells without ropes}
\subtitle{}
\author{I. Moss\inst{1} \and O. van der Fern\inst{2}\fnmsep\thanks{Just to show} \and M. Str\"and}
\institute{University of Brass\\ \email{ivy@bells.example} \and Institute of Ropes}
\abstract{We ring}{bells}{without}{ropes.}{It is loud.}
"""
    + _HEAD,
    "amsart": r"""\documentclass{amsart}
\title[Bells]{Bells without ropes}
\author[I. Moss]{Ivy Moss}
\address{University of Brass}
\email{ivy@bells.example}
\thanks{The first author was supported.}
\author{Otto van der Fern}
\author{Mia Str\"and}
\subjclass[2020]{Primary 54C40}
\dedicatory{To all bells}
\begin{document}
"""
    + _ABSTRACT
    + r"\maketitle",
    "MDPI": r"""\documentclass[journal,article]{Definitions/mdpi}
\Title{Bells without ropes}
\TitleCitation{Ropeless bells}
\newcommand{\orcidauthorA}{0000-0000-0000-000X}
\Author{Ivy Moss $^{1,\dagger,\ddagger}$\orcidA{}, Otto van der Fern $^{2,\ddagger}$ and Mia Str\"and $^{2,}$*}
\AuthorNames{Ivy Moss, Otto van der Fern and Mia Str\"and}
\address{$^{1}$ \quad University of Brass; ivy@bells.example}
\corres{Correspondence: mia@shore.example}
\abstract{We ring bells without ropes. It is loud.}
\keyword{bell}
\begin{document}
""",
    "frontiers": r"""\documentclass[utf8]{FrontiersinHarvard}
\def\firstAuthorLast{Moss {et~al.}}
\def\Authors{Ivy Moss\,$^{1,*}$, Otto van der Fern\,$^{2}$ and Mia Str\"and\,$^{1,2}$}
\def\Address{$^{1}$University of Brass}
\begin{document}
\onecolumn
\title {Bells without ropes}
\author[\firstAuthorLast ]{\Authors}
\address{}
\correspondance{}
\maketitle
\begin{abstract}
\section{}
We ring bells without ropes. It is loud.
\tiny
 \keyFont{ \section{Keywords:} bell, rope}
\end{abstract}""",
    "PLOS": r"""\documentclass[10pt,letterpaper]{article}
\begin{document}
\begin{flushleft}
{\Large
\textbf\newline{Bells without ropes} % Please use "sentence case"
}
\newline
\\
Ivy Moss\textsuperscript{1,2\Yinyang},
Otto van der Fern\textsuperscript{2},
Mia Str\"and\textsuperscript{3*}
\\
\bigskip
\textbf{1} Department of Bells, University of Brass
\\
* ivy@bells.example
\end{flushleft}
\section*{Abstract}
We ring bells without ropes. It is loud.
\section*{Introduction}
Text.""",
    "Optica": r"""\documentclass{optica-article}
\begin{document}
\title{Bells without ropes}
\author{Ivy Moss,\authormark{1} Otto van der Fern,\authormark{2,*} and Mia Str\"and\authormark{3}}
\address{\authormark{1}University of Brass}
\email{\authormark{*}otto@ropes.example}
\begin{abstract*}
We ring bells without ropes. It is loud.
\end{abstract*}""",
    "Copernicus": r"""\documentclass[journal abbreviation, manuscript]{copernicus}
\begin{document}
\title{Bells without ropes}
\Author[1][ivy@bells.example]{Ivy}{Moss}
\Author[2]{Otto}{van der Fern}
\Author[2,3]{Mia}{Str\"and}
\affil[1]{University of Brass}
\runningtitle{Bells}
\maketitle
"""
    + _ABSTRACT,
    "apa7": r"""\documentclass[man]{apa7}
\title{Bells without ropes}
\shorttitle{Bells}
\authorsnames[1,{1,2},2]{Ivy Moss, Otto van der Fern, Mia Str\"and}
\authorsaffiliations{{University of Brass}, {Institute of Ropes}}
\leftheader{Moss}
\abstract{We ring bells without ropes. It is loud.}
\keywords{bell}
\begin{document}\maketitle
""",
    "CVPR": r"""\documentclass[10pt,twocolumn,letterpaper]{article}\usepackage{cvpr}
\title{Bells without ropes}
\author{Ivy Moss\\University of Brass\\Brass address\\{\tt\small ivy@bells.example}
\and Otto van der Fern\\Institute of Ropes
% For a paper whose authors are all at the same institution, omit the following
\and {Mia Str\"and}\\Shore College}
"""
    + _HEAD
    + _ABSTRACT,
    "SIAM": r"""\documentclass{siamart220329}
\title{Bells without ropes\thanks{Submitted to the editors. \funding{Paid.}}}
\author{Ivy Moss\thanks{University of Brass (\email{ivy@bells.example},
\url{http://bells.example/}).} \and Otto van der Fern\footnotemark[2]
\and Mia Str\"and\thanks{Shore College.}}
"""
    + _HEAD
    + _ABSTRACT,
    "CEUR": r"""\documentclass[hf]{ceurart}
\begin{document}
\title{Bells without ropes}
\author[1]{Ivy Moss}[orcid=0000-0002-0877-7063, email=ivy@bells.example, url=https://bells.example]
\cormark[1]
\fnmark[1]
\address[1]{University of Brass}
\author[2]{Otto van der Fern}[%
orcid=0000-0001-7116-9338]
\author[3]{Mia Str\"and}[]
\cortext[1]{Corresponding author.}
"""
    + _ABSTRACT
    + r"\maketitle",
    "AAAI": r"""\documentclass[letterpaper]{article}\usepackage[submission]{aaai24}
\title{Bells without ropes}
\author{
    %Authors
    Ivy Moss\textsuperscript{\rm 1}\equalcontrib,
    Otto van der Fern\textsuperscript{\rm 2}\thanks{With help.},
    Mia Str\"and\textsuperscript{\rm 1,\rm 2}
}
\affiliations{
    \textsuperscript{\rm 1}University of Brass\\
    ivy@bells.example
}
"""
    + _HEAD
    + _ABSTRACT,
    "interact, tandf": r"""\documentclass[]{interact}
\begin{document}
\articletype{ARTICLE TEMPLATE}
\title{Bells without ropes}
\author{
\name{Ivy Moss\textsuperscript{a}\thanks{CONTACT I.~Moss. Email: ivy@bells.example}, Otto van der
Fern\textsuperscript{b} and Mia Str\"and\textsuperscript{b}}
\affil{\textsuperscript{a}University of Brass; \textsuperscript{b}Institute of Ropes}
}
\maketitle
"""
    + _ABSTRACT,
    "beamer": r"""\documentclass{beamer}
\title[Short]{Bells without ropes}
\author[Moss et al.]{Ivy~Moss\inst{1} \and Otto~van~der~Fern\inst{2} \and Mia~Str\"and\inst{2}}
\institute[Brass]{\inst{1}University of Brass \and \inst{2}Institute of Ropes}
\begin{document}\frame{\titlepage}
"""
    + _ABSTRACT,
}
