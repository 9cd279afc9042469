"""The front matter of drafts in the classes of the larger publishers and of pandoc."""

_ABSTRACT = "\\begin{abstract}\nWe ring bells without ropes. It is loud.\n\\end{abstract}\n"
_HEAD = "\\begin{document}\\maketitle\n"
CLASS_FRONTS = {
    r"article, \and": r"""\documentclass{article}
\title{Bells without ropes\thanks{Paid for by the parish, grant 12.}}
\author{Ivy Moss\thanks{ivy@bells.example} \and Otto van der Fern \and Mia Str\"and}
\date{\today}
"""
    + _HEAD
    + _ABSTRACT,
    r"article, \\ and affiliations": r"""\documentclass{article}
\title{Bells \\ without ropes}
\author{Ivy Moss \\ Department of Bells \\ University of Brass \\ \texttt{ivy@bells.example}
\and Otto van der Fern \\ Institute of Ropes \\ Hemp City
\and Mia Str{\"a}nd \\ Shore College}
"""
    + _HEAD
    + _ABSTRACT,
    "article, numbers and commas": r"""\documentclass{article}
\title{Bells without ropes}
\author{Ivy Moss$^{1,2}$, Otto van der Fern$^{2,*}$, and Mia Str\"{a}nd\textsuperscript{3}\\
$^1$University of Brass, $^2$Institute of Ropes\\ \{ivy,otto\}@bells.example}
"""
    + _HEAD
    + _ABSTRACT,
    "authblk": r"""\documentclass{article}\usepackage{authblk}
\title{Bells without ropes}
\author[1]{Ivy Moss}
\author[1,2,*]{Otto van der Fern}
\author[2]{Mia Str\"and}
\affil[1]{Department of Bells, University of Brass}
\affil[2]{Institute of Ropes}
"""
    + _HEAD
    + _ABSTRACT,
    "acmart": r"""\documentclass[sigconf,review]{acmart}
\begin{document}
\title[Ropeless bells]{Bells without ropes}
\titlenote{Both authors rang.}
\subtitlenote{Not us.}
\author{Ivy Moss}
\authornote{Both authors rang the same bell.}
\email{ivy@bells.example}
\orcid{0000-0001-0002-0003}
\affiliation{\institution{University of Brass}\city{Brass}\country{Bellgium}}
\author{Otto van der Fern}\authornotemark[1]
\affiliation{\institution{Institute of Ropes}\country{Ropeland}}
\author{Mia Str\"and}
\renewcommand{\shortauthors}{Moss et al.}
"""
    + _ABSTRACT
    + r"\begin{CCSXML}<ccs2012></ccs2012>\end{CCSXML}\keywords{bells}\maketitle",
    r"acm_proc, \alignauthor": r"""\documentclass{acm_proc_article-sp}
\begin{document}
\title{Bells without ropes}
\numberofauthors{3}
\author{
\alignauthor Ivy Moss\titlenote{Dr.~Moss insisted.}\\
  \affaddr{Institute for Clarity}\\ \affaddr{1932 Wall Lane}\\ \email{ivy@bells.example}
\alignauthor Otto van der Fern\\ \affaddr{Ropes and Sons}
\and
\alignauthor Mia Str\"and\\ \affaddr{Shore College}
}
\maketitle
"""
    + _ABSTRACT,
    "IEEEtran, blocks": r"""\documentclass[conference]{IEEEtran}
\title{Bells without ropes\\
{\footnotesize \textsuperscript{*}Note: not the final bell}
\thanks{Identify the parish here. If none, delete this.}}
\author{\IEEEauthorblockN{1\textsuperscript{st} Ivy Moss}
\IEEEauthorblockA{\textit{Dept. of Bells} \\ \textit{University of Brass}\\ Brass, Bellgium \\
ivy@bells.example}
\and
\IEEEauthorblockN{2\textsuperscript{nd} Otto van der Fern}
\IEEEauthorblockA{\textit{Institute of Ropes}}
\and
\IEEEauthorblockN{3\textsuperscript{rd} Mia Str\"and}
\IEEEauthorblockA{\textit{Shore College}}}
"""
    + _HEAD
    + _ABSTRACT
    + r"\begin{IEEEkeywords}bells\end{IEEEkeywords}",
    "IEEEtran, journal": r"""\documentclass[journal]{IEEEtran}
\title{Bells without ropes}
\author{Ivy~Moss,~\IEEEmembership{Member,~IEEE,}
        Otto~van~der~Fern,~\IEEEmembership{Fellow,~OSA,}
        and~Mia~Str\"and,~\IEEEmembership{Life~Fellow,~IEEE}%
\thanks{I. Moss was with the University of Brass, Brass, 30332 Bellgium
e-mail: (see the tower).}% <-this % stops a space
\thanks{O. van der Fern and M. Str\"and are with Shore College.}}
\markboth{Journal of Bells, Vol. 14, August 2015}{Moss \MakeLowercase{\textit{et al.}}: Bells}
"""
    + _HEAD
    + _ABSTRACT,
    "elsarticle": r"""\documentclass[preprint,12pt]{elsarticle}
\begin{document}
\begin{frontmatter}
\title{Bells without ropes\tnoteref{t1}}
\tnotetext[t1]{This document is a result of ringing.}
\author[brass]{Ivy Moss\corref{cor1}\fnref{fn1}}
\ead{ivy@bells.example}
\author[ropes]{Otto van der Fern}
\author[ropes,brass]{Mia Str\"and}
\cortext[cor1]{Corresponding author}
\affiliation[brass]{organization={University of Brass}, city={Brass}}
\address[ropes]{Institute of Ropes}
"""
    + _ABSTRACT
    + r"\begin{keyword}bell \sep rope\end{keyword}\end{frontmatter}",
    "llncs": r"""\documentclass[runningheads]{llncs}
\begin{document}
\title{Bells without ropes\thanks{Supported by a parish.}}
\titlerunning{Bells}
\author{Ivy Moss\inst{1}\orcidID{0000-1111-2222-3333} \and
Otto van der Fern\inst{2,3}\orcidID{1111-2222-3333-4444} \and
Mia Str\"and\inst{3}}
\authorrunning{I. Moss et al.}
\institute{University of Brass, Brass 08544, Bellgium \and Institute of Ropes
\email{otto@ropes.example}\\ \url{http://ropes.example} \and Shore College}
\maketitle
\begin{abstract}
We ring bells without ropes. It is loud.
\keywords{Bells \and Ropes.}
\end{abstract}""",
    r"llncs, \authororcid": r"""\documentclass{lipics-v2021}
\title{Bells without ropes}
\author{Ivy Moss}{University of Brass, Bellgium \and \url{http://brass.example}}{ivy@bells.example}%
{https://orcid.org/0000-0002-1825-0097}{(Optional) funding}
\author{Otto van der Fern\footnote{Optional footnote}}{Institute of Ropes}{}{}{}
\author{Mia Str\"and}{Shore College}{}{}{}
\authorrunning{I. Moss et al.}
\Copyright{Ivy Moss and others}
"""
    + _HEAD
    + _ABSTRACT,
    "eptcs, \\authororcid": r"""\documentclass{eptcs}
\title{Bells without ropes}
\author{\authororcid{Ivy Moss}{0000-0002-1825-0097}\institute{University of Brass}\email{ivy@bells.ex}
\and \authororcid{Otto van der Fern}{} \qquad\qquad Mia Str\"and \institute{Institute of Ropes\\ Hemp}
\email{\quad otto@ropes.example}}
\def\titlerunning{Bells}\def\authorrunning{I. Moss}
"""
    + _HEAD
    + _ABSTRACT,
    "revtex": r"""\documentclass[aps,prl,twocolumn]{revtex4-2}
\begin{document}
\preprint{APS/123-QED}
\title{Bells without ropes}
\thanks{A footnote to the title}
\author{Ivy Moss}
\altaffiliation[Also at ]{Physics Department, Brass}
\email{ivy@bells.example}
\author{Otto \surname{van der Fern}}
\affiliation{Institute of Ropes\\ This line break forced}
\collaboration{BELL Collaboration}
\author{Mia Str\"and}
\homepage{http://shore.example}
\date{\today}
"""
    + _ABSTRACT
    + r"\maketitle",
    "aastex": r"""\documentclass[twocolumn]{aastex631}
\begin{document}
\title{Bells without ropes}
\author[0000-0002-0001-1111]{Ivy Moss}
\altaffiliation{Parish Fellow}
\affiliation{University of Brass, 1667 K Street}
\author{Otto van der Fern}
\collaboration{20}{(BELL collaboration)}
\author[0000-0002-0001-2222]{Mia Str\"and}
\nocollaboration{3}
"""
    + _ABSTRACT,
    "JMLR": r"""\documentclass[twoside,11pt]{article}\usepackage{jmlr2e}
\ShortHeadings{Bells}{Moss and others}
\title{Bells without ropes}
\author{\name Ivy Moss \email ivy@bells.example \\
       \addr Department of Bells\\ University of Brass\\ Brass, WA 98195-4322, USA
       \AND
       \name Otto van der Fern \email otto@ropes.example \\ \addr Institute of Ropes
       \AND \name Mia Str\"and\thanks{Now elsewhere.} \email mia@shore.example \\ \addr Shore College}
\editor{Hal Tower}
"""
    + _HEAD
    + _ABSTRACT,
    "PMLR": r"""\documentclass[wcp]{jmlr}
\title[Bells]{Bells without ropes\titletag{\thanks{sample}}}
\author{\Name{Ivy Moss} \Email{ivy@bells.example}\\ \addr University of Brass
\AND \Name{Otto van der Fern} \Email{otto@ropes.example}\\ \addr Institute of Ropes
\AND \Name{Mia Str\"and}\nametag{\thanks{with a note}} \Email{mia@shore.example}\\ \addr Shore}
"""
    + _HEAD
    + _ABSTRACT,
    "sn-jnl": r"""\documentclass[pdflatex,sn-mathphys-num]{sn-jnl}
\begin{document}
\title[Article Title]{Bells without ropes}
\author*[1,2]{\fnm{Ivy} \sur{Moss}}\email{ivy@bells.example}
\author[2,3]{\fnm{Otto} \spfx{van der} \sur{Fern}}\equalcont{These authors rang equally.}
\author[1]{\fnm{Mia} \sur{Str\"and} \sfx{}}
\affil*[1]{\orgdiv{Bells}, \orgname{University of Brass}, \country{Bellgium}}
\abstract{We ring bells without ropes. It is loud.}
\keywords{bells}
\maketitle""",
    "pandoc": r"""\PassOptionsToPackage{unicode}{hyperref}
\documentclass[]{article}
\newlength{\cslhangindent}
\providecommand{\subtitle}[1]{\usepackage{titling}\posttitle{\par\large#1\end{center}}}
\title{Bells without ropes}
\author{Ivy Moss \and Otto van der Fern \and Mia Str\"and}
\date{2021-05-01}
"""
    + _HEAD
    + _ABSTRACT,
}
