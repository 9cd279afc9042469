"""What the commands and environments of LaTeX do to the running text: tables."""

import re

LEFT_OUT = frozenset(
    "figure wrapfigure SCfigure sidewaysfigure teaserfigure subfigure marginfigure table "
    "wraptable sidewaystable margintable deluxetable threeparttable tabular tabularx tabulary "
    "tabularray tblr longtable longtblr supertabular xtabular tabbing array algorithm "
    "algorithmic algorithm2e algorithmicx procedure pseudocode lstlisting verbatim Verbatim "
    "minted alltt Sinput Soutput Schunk Code CodeChunk CodeInput CodeOutput example_code "
    "tikzpicture pgfpicture picture pspicture forest axis circuitikz dependency thebibliography "
    "references abstract Abstract onecolabstract sciabstract quickabstract keywords keyword "
    "IEEEkeywords CCSXML acks acknowledgments titlepage acknowledgements acknowledgement "
    "acknowledgment frontmatter comment filecontents biography IEEEbiography "
    "IEEEbiographynophoto prooftree bytefield overpic knitrout kframe thenomenclature "
    "contributions funding conflicts".split()
)
"""Environments of which nothing is read; without their star."""

FORMULAS = frozenset(
    "equation align gather multline eqnarray displaymath math flalign alignat xalignat dmath "
    "dgroup empheq IEEEeqnarray split numcases subnumcases".split()
)
"""Environments that hold a displayed formula; without their star."""

ARGUMENTS = dict(
    (name, int(count))
    for count, names in (
        (
            "0",
            "noindent indent centering par protect newline linebreak pagebreak newpage "
            "clearpage cleardoublepage maketitle tableofcontents listoffigures listoftables "
            "appendix smallskip medskip bigskip footnotemark printbibliography hfill vfill "
            "hline raggedright frontmatter mainmatter backmatter balance printindex "
            "makeatletter makeatother ifCLASSOPTIONcompsoc fi else onecolumn twocolumn sloppy "
            "FloatBarrier",
        ),
        (
            "1",
            "label ref eqref autoref cref Cref Autoref pageref nameref vref Vref fref Fref sref "
            "subref labelcref vspace hspace vskip pagestyle thispagestyle title subtitle "
            "shorttitle author date affil affiliation address institute institution email "
            "urladdr keywords Keywords Plainkeywords Plaintitle Plainauthor Shorttitle Abstract "
            "Address abstract authorrunning titlerunning orcid orcidID orcidlink inst thanks "
            "thanksref tnoteref corref cortext fnref fntext ead bibliography bibliographystyle "
            "addbibresource documentclass documentstyle usepackage RequirePackage graphicspath "
            "hypersetup lstset tikzset includegraphics includepdf caption captionsetup "
            "subcaption index glsadd marginpar marginnote color pagecolor definecolor phantom "
            "hphantom vphantom nocite citestyle setcitestyle bibpunct VignetteIndexEntry "
            "VignetteDepends VignetteEngine SweaveOpts Sexpr received accepted acmConference "
            "acmBooktitle acmDOI acmISBN acmPrice acmYear copyrightyear setcopyright ccsdesc "
            "CCSDESC IEEEpubid IEEEPARstart@ input include fontsize@ markright theoremstyle "
            "affiliations corresponding correspondingauthor note@ tag pdfbookmark@ bibinfo@ "
            "textcolor hypertarget colorbox parbox@ multicolumn@ href selectlanguage "
            "foreignlanguage inputminted graphicspath url@ volume issue pubyear DOI doi",
        ),
        (
            "2",
            "setlength addtolength setcounter addtocounter newtheorem markboth captionof rule "
            "resizebox setkeys fontsize newcounter@ pdfbookmark crefrange Crefrange definecolor@ "
            "crefname Crefname newenvironment@ fcolorbox specialcomment settowidth icmlauthor "
            "icmlaffiliation icmlcorrespondingauthor",
        ),
        ("3", "addcontentsline definecolor newenvironment renewenvironment"),
    )
    for name in names.split()
    if not name.endswith("@")
)
"""Commands that show nothing themselves, with how many arguments in braces are theirs.

An argument behind these is text: that of `\\href{address}{text}`.
"""

SECTIONS = {
    "part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4,
    "acknowledgments": 2, "acknowledgements": 2, "acknowledgment": 2,
    "acknowledgement": 2, "acks": 2, "ack": 2,
}  # fmt: skip
"""Commands that begin a section, with their depth; the last ones need no title."""
RUN_IN = frozenset("paragraph subparagraph minisec".split())
"""Headings that stand within their paragraph."""

NOTES = frozenset("footnote footnotetext endnote sidenote tablefootnote footnoteA".split())
TODOS = frozenset(
    "todo todoi todox TODO Todo todoinline inlinetodo missingref missingcite fixme FIXME fxnote "
    "fxwarning fxerror fxfatal XXX xxx note".split()
)
"""Notes to oneself: they are a gap if they ask for a citation."""
GAP_COMMANDS = re.compile(
    r"(?i:(?:need|needs|needed|add|missing|todo|insert|fix)_?(?:a)?(?:cite|citation|citations|ref|reference)s?"
    r"|(?:cite|citation|ref|reference)s?_?(?:needed|missing|todo|here|me|required)"
    r"|(?:cite|citation)todo|citneeded|needcit|cn)\Z"
)
"""Commands by which writers say that a citation is missing; they may hold a remark."""

SKIPPED_SECTION = re.compile(
    r"""\W*(?:[\divx.]+\s+)?(?:
        abstract | keywords | references | bibliography | literature\ cited | works\ cited
        | acknowledge?ments?(?:\ and\ .{0,60})?
        | fundings?(?:\ (?:statement|information|sources?))?
        | (?:declarations?\ of\ )?(?:conflicts?|competing|declarations?)(?:\ of)?(?:\ financial)?
          (?:\ interests?)?
        | authors?['\u2019s]*\s+contributions?(?:\ statement)? | credit\b.{0,60}
        | about\ the\ authors? | computational\ details | session\ info(?:rmation)?
    )\W*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""Sections in which nothing is cited, or that are no running text."""
