"""Drafts in LaTeX whose words stand in commands: none may be lost."""

from benchmarks.written_drafts.written_draft import WrittenDraft

PART = "words"

_COMMANDS = {
    r"\textsf": r"\textsf{R} and \texttt{grep} in \textsc{Bash} scripts",
    r"\mbox, \hbox": r"\mbox{R} and \hbox{grep} in \mbox{Bash} scripts",
    r"\href, \url": r"\href{https://r.example}{R} and grep in \nolinkurl{Bash} scripts",
    r"\underline, \uline": r"\underline{R} and \uline{grep} in \ul{Bash} scripts",
    r"\text, \ensuremath": r"\text{R} and \ensuremath{\mathrm{grep}} in \textnormal{Bash} scripts",
    r"\textcolor, \colorbox": r"\textcolor[rgb]{1,0,0}{R} and {\color{red}grep} in \colorbox{red}{Bash} "
    "scripts",
    r"\scalebox, \resizebox": r"\scalebox{2}[1]{R} and \resizebox{1cm}{!}{grep} in "
    r"\raisebox{1ex}{Bash} scripts",
    r"\fontsize, \selectfont": r"{\fontsize{12}{14}\selectfont R and} \Large grep in "
    r"\bfseries Bash scripts",
    r"\foreignlanguage, \textlatin": r"\textbf{\textit{R}} and \foreignlanguage{german}{grep} in "
    r"\textlatin{Bash} scripts",
    r"\MakeUppercase, \lowercase": r"\MakeUppercase{r} and \MakeLowercase{GREP} in Bash scripts",
    r"\parbox, minipage": r"\parbox[t]{3cm}{R and grep} in \begin{minipage}{3cm}Bash\end{minipage} "
    "scripts",
    r"\textls, \hl, \Gls": r"\textls[-20]{R} and \hl{grep} in \Gls{Bash} scripts",
    r"\protect, \ignorespaces": r"R\textsuperscript{} and grep\protect{} in Bash\ignorespaces{} scripts",
    r"\proglang, \pkg": r"\proglang{R} and \code{grep} in \pkg{Bash} scripts",
    r"\unknown{}": r"\mystery{R} and \Unheard{grep} in \ODD{Bash} scripts",
    r"\texorpdfstring": r"\texorpdfstring{\textsf{R}}{R} and grep\texorpdfstring{ in}{ in} Bash "
    "scripts",
    r"\\ within": r"R and grep \\[2mm] in \newline Bash\linebreak[4] scripts",
    r"\break, \hfill": r"R and\break grep \hfill\ in \vspace{1cm} Bash \hspace*{2em}scripts",
    r"\begin{center}": r"\begin{center}R and grep\end{center} in \centerline{Bash} scripts",
    r"\label within": r"\label{sec:x}R and\index{grep!use} grep in \hypertarget{a}{Bash} scripts",
    r"braces nested": r"{{{R}} and} {\em {grep} {\bf in}} {{Bash} scripts}",
    r"\rotatebox, \phantom": r"\rotatebox{90}{R} and \smash{grep} in \fbox{Bash}\phantom{x} scripts",
    r"math names": r"$\mathsf{R}$ and $\operatorname{grep}$ in \(\textrm{Bash}\) scripts",
}
_MACROS = {
    r"\newcommand": (r"\newcommand{\sys}{Grep}", r"\sys{} for all"),
    r"\newcommand and \xspace": (r"\newcommand\sys{\textsc{Grep}\xspace}", r"\sys for all"),
    r"\newcommand with an argument": (r"\newcommand{\sys}[1]{\textbf{#1}}", r"\sys{Grep} for all"),
    r"\newcommand with a default": (
        r"\newcommand{\sys}[2][Grep]{#1 #2}",
        r"\sys{for} all",
    ),
    r"\newcommand with an option given": (
        r"\newcommand{\sys}[2][Sed]{#1 #2}",
        r"\sys[Grep]{for} all",
    ),
    r"\DeclareRobustCommand": (r"\DeclareRobustCommand{\sys}{Grep}", r"\sys\ for all"),
    r"\NewDocumentCommand": (r"\NewDocumentCommand{\sys}{m}{#1}", r"\sys{Grep} for all"),
    r"\NewDocumentCommand with an option": (
        r"\NewDocumentCommand\sys{O{Grep} m}{#1 #2}",
        r"\sys{for} all",
    ),
    r"\def": (r"\def\sys{Grep}", r"\sys{} for all"),
    r"\def with an argument": (r"\def\sys#1{#1}", r"\sys{Grep} for all"),
    r"\def with a delimiter": (r"\def\sys/{Grep}", r"\sys/ for all"),
    r"\long\def, \gdef": (r"\long\gdef\sys{Grep}", r"\sys{} for all"),
    r"\let": (r"\newcommand{\tool}{Grep}\let\sys=\tool", r"\sys{} for all"),
    r"macro of macros": (r"\newcommand{\g}{G}\newcommand{\sys}{\g{}rep}", r"\sys{} for all"),
    r"argument without braces": (r"\newcommand{\sys}[1]{\textbf{#1}}", r"\sys Grep for all"),
    r"\newcommand twice, the last counts": (
        r"\newcommand{\sys}{Sed}\renewcommand{\sys}{Grep}",
        r"\sys{} for all",
    ),
    r"\providecommand of what is there": (
        r"\newcommand{\sys}{Grep}\providecommand{\sys}{Sed}",
        r"\sys{} for all",
    ),
    r"\newacronym": (r"\newacronym{sys}{Grep}{Global Print}", r"\acrshort{sys} for all"),
    r"\DeclareMathOperator": (r"\DeclareMathOperator{\sys}{Grep}", r"$\sys$ for all"),
    r"\newenvironment": (
        r"\newenvironment{sys}[1]{\begin{quote}\textbf{#1}}{\end{quote}}",
        r"\begin{sys}{Grep} for all\end{sys}",
    ),
}
_SOURCE = r"""\documentclass{article}
%s
\title{%s}
\author{Ivy Moss}
\begin{document}
\maketitle
\begin{abstract}
We look at %s, once more.
\end{abstract}
\section{One}
Text.
\end{document}
"""


def worded_drafts() -> tuple[WrittenDraft, ...]:
    """Write a draft for each command, and for each way to define one."""
    found = [_draft(name, "", words, _WORDS.get(name, _SAID)) for name, words in _COMMANDS.items()]
    found += [_draft(name, head, words, "Grep for all") for name, (head, words) in _MACROS.items()]
    return tuple(found)


_SAID = "R and grep in Bash scripts"
_WORDS = {r"\MakeUppercase, \lowercase": "R and grep in Bash scripts"}


def _draft(name: str, head: str, words: str, said: str) -> WrittenDraft:
    return WrittenDraft(
        PART,
        name,
        {"paper.tex": _SOURCE % (head, words, words)},
        title=said,
        abstract=f"We look at {said}, once more.",
    )
