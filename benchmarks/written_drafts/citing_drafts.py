"""Drafts in LaTeX that cite in the ways of many packages."""

from benchmarks.written_drafts.written_draft import BIB, KEYS, WrittenDraft

PART = "citations"

_CITATIONS = {
    "apacite": r"\shortciteA{lichen2001} \citeNP<see>[p.~2]{tide2010} \fullciteA{bell1999} "
    r"\citeauthorNP{rope2015}",
    "apacite with <...>": r"\cite<e.g.,>{lichen2001,tide2010} \citeA<see>[p.~2]{bell1999} "
    r"\maskcite{rope2015}",
    "natbib": r"\citep[see][p.~3]{lichen2001} \citealt{tide2010} \Citet*{bell1999} "
    r"\citeyearpar{rope2015}",
    "biblatex": r"\parencite[][12]{lichen2001} \Textcite{tide2010} \footcite{bell1999} "
    r"\smartcite{rope2015}",
    "biblatex, plural": r"\autocites(see)(etc.)[1]{lichen2001}[2]{tide2010} "
    r"\textcites{bell1999}{rope2015}",
    "biblatex, full": r"\fullcite{lichen2001} \footfullcite{tide2010} \supercite{bell1999} "
    r"\citetitle*{rope2015}",
    "biblatex, volumes": r"\volcite{2}[33]{lichen2001} \pvolcite{1}{tide2010} "
    r"\ftvolcite{3}{bell1999} \avolcite[see]{4}[5]{rope2015}",
    "csquotes": r"\textcquote[3]{lichen2001}{slow} \blockcquote{tide2010}{a long one} "
    r"\foreigntextcquote{german}[2]{bell1999}{Glocke} \hyphentextcquote{german}{rope2015}{Seil}",
    "csquotes, environments": r"\begin{displaycquote}[4]{lichen2001}Slow.\end{displaycquote} "
    r"\textelp{} \cite{tide2010,bell1999,rope2015}",
    "harvard": r"\citeasnoun{lichen2001} \possessivecite{tide2010} \citeaffixed{bell1999}{e.g.} "
    r"\harvardcite{rope2015}",
    "revtex": r"\onlinecite{lichen2001} \Onlinecite{tide2010} \textcite{bell1999} "
    r"\citenum{rope2015}",
    "aas": r"\citep{lichen2001} \citealp{tide2010} \citetalias{bell1999} \citepalias{rope2015}",
    "acl": r"\newcite{lichen2001} \citeposs{tide2010} \citealp{bell1999} \citeyearp{rope2015}",
    "acm": r"\citeyear{lichen2001} \citeauthor{tide2010} \shortcite{bell1999} \citeNN{rope2015}",
    "nature, overcite": r"\citen{lichen2001} \citeonline{tide2010} \ocite{bell1999} "
    r"\Cite{rope2015}",
    "jurabib, bibentry": r"\fullcite{lichen2001} \bibentry{tide2010} \citefullauthor{bell1999} "
    r"\footciteauthor{rope2015}",
    "abntex": r"\citeonline{lichen2001} \apudonline{tide2010}{bell1999} \Idem{rope2015}",
    "multicite in braces": "{\\cite{lichen2001, tide2010,\n bell1999,%\nrope2015}}",
    "space before the keys": "\\cite {lichen2001} \\citep [see] {tide2010} \\citet\n{bell1999} "
    r"\cite{ rope2015 }",
    "inside a caption and a note": r"\footnote{See \cite{lichen2001}.} \caption[Short]{By "
    r"\citet{tide2010}.} \textbf{\cite{bell1999}} \emph{as \citep{rope2015} says}",
    r"\nocite{*}": r"\nocite{*}",
    r"\nocite of keys": r"\nocite{lichen2001,tide2010}\nocite{bell1999,rope2015}",
    "a new name of a known key": r"\zitat{lichen2001} \refwork{tide2010} \seealso[p. 2]{bell1999} "
    r"\Lit{rope2015}",
}
_ALIASES = {
    r"\newcommand alias": (
        r"\newcommand{\q}[1]{\citep{#1}}",
        r"\q{lichen2001} \q{tide2010} \q{bell1999,rope2015}",
    ),
    r"\let alias": (r"\let\q\citep", r"\q{lichen2001} \q[see][]{tide2010} \q{bell1999,rope2015}"),
    r"alias with a default": (
        r"\newcommand{\q}[2][]{\cite[#1]{#2}}",
        r"\q[p. 1]{lichen2001} \q{tide2010} \q{bell1999,rope2015}",
    ),
    r"alias with the key in it": (
        r"\newcommand{\slow}{Lichen~\cite{lichen2001,tide2010}\xspace}"
        r"\def\loud{\cite{bell1999,rope2015}}",
        r"\slow and \loud",
    ),
    r"alias with a key's beginning": (
        r"\newcommand{\y}[1]{\cite{#1}}\newcommand{\z}[1]{\y{lichen#1}}",
        r"\z{2001} \y{tide2010,bell1999} \y{rope2015}",
    ),
    r"\DeclareCiteCommand": (
        r"\DeclareCiteCommand{\q}{}{}{}{}",
        r"\q{lichen2001} \q[1]{tide2010} \q{bell1999,rope2015}",
    ),
    r"\NewDocumentCommand alias": (
        r"\NewDocumentCommand{\q}{o m}{\cite[#1]{#2}}",
        r"\q{lichen2001} \q[1]{tide2010} \q{bell1999,rope2015}",
    ),
    r"\newrobustcmd alias": (
        r"\newrobustcmd*{\q}[1]{\parencite{#1}}",
        r"\q{lichen2001} \q{tide2010} \q{bell1999,rope2015}",
    ),
}
_NONE = {
    "no citation": r"\label{lichen2001} \ref{tide2010} \cref{bell1999} \eqref{rope2015}",
    "a definition": r"\newcommand{\q}[1]{\cite{#1}} \def\r#1{\citep{#1}}",
    "settings": r"\citestyle{nature} \setcitestyle{square} \defcitealias{lichen2001}{L} "
    r"\citereset",
}
_SOURCE = r"""\documentclass{article}
%s
\title{Walls and bells}
\begin{document}
\begin{abstract}Short.\end{abstract}
\section{One}
Text %s ends.
\bibliography{refs}
\end{document}
"""


def citing_drafts() -> tuple[WrittenDraft, ...]:
    """Write a draft for each way of citing; all cite the four works of a bibliography, or none."""
    found = [_draft(name, "", text, KEYS) for name, text in _CITATIONS.items()]
    found += [_draft(name, head, text, KEYS) for name, (head, text) in _ALIASES.items()]
    found += [_draft(name, "", text, ()) for name, text in _NONE.items()]
    return tuple(found)


def _draft(name: str, head: str, text: str, keys: tuple[str, ...]) -> WrittenDraft:
    files = {"paper.tex": _SOURCE % (head, text), "refs.bib": BIB}
    return WrittenDraft(PART, name, files, title="Walls and bells", keys=keys)
