"""What the commands and environments of LaTeX do to the running text: tables."""

import re

from recsys.formats.latex.latex_text import ARGUMENTS as TEXT_ARGUMENTS

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

ARGUMENTS = {
    name: count
    for count, names in (
        (
            0,
            "par newline newpage clearpage cleardoublepage tableofcontents listoffigures "
            "listoftables appendix smallskip medskip bigskip printbibliography hfill vfill hline "
            "raggedright frontmatter mainmatter backmatter balance printindex makeatletter "
            "makeatother ifCLASSOPTIONcompsoc fi else onecolumn twocolumn sloppy FloatBarrier",
        ),
        (
            1,
            "Autoref nameref vref Vref fref Fref sref subref labelcref title subtitle shorttitle "
            "author date institute institution urladdr Keywords Plainkeywords Plaintitle "
            "Plainauthor Shorttitle Abstract Address abstract fntext addbibresource documentstyle "
            "graphicspath lstset tikzset includepdf caption captionsetup subcaption marginpar "
            "marginnote nocite citestyle setcitestyle bibpunct VignetteIndexEntry VignetteDepends "
            "VignetteEngine SweaveOpts Sexpr received accepted acmConference acmBooktitle acmDOI "
            "acmISBN acmPrice acmYear copyrightyear setcopyright ccsdesc CCSDESC IEEEpubid "
            "theoremstyle affiliations corresponding correspondingauthor tag inputminted volume "
            "issue pubyear DOI doi",
        ),
        (
            2,
            "newtheorem captionof setkeys pdfbookmark crefrange Crefrange crefname Crefname "
            "specialcomment settowidth icmlauthor icmlaffiliation icmlcorrespondingauthor",
        ),
    )
    for name in names.split()
} | {name: form.count("-") for name, form in TEXT_ARGUMENTS.items() if "command" not in name}
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
