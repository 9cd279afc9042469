"""Read a draft written in LaTeX: title, authors, abstract, keywords, what it cites, sentences."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from recsys.formats.bodies.headings import is_beside_title, is_section_name
from recsys.formats.drafts.draft_files import Folder, folder_of
from recsys.formats.drafts.included import Source
from recsys.formats.drafts.wording import (
    GUESSED_TITLE,
    LONGEST_KEYWORDS,
    NO_TITLE,
    paragraphs,
    stand_in,
    told_apart,
)
from recsys.formats.latex.latex_cited import cited_works, without_citations
from recsys.formats.latex.latex_source import (
    MOST_COMMANDS,
    after_group,
    after_options,
    commands,
    definitions,
    expand,
    first_text,
    gather,
    group,
    groups,
    is_template,
    looked_at,
)
from recsys.formats.latex.latex_text import LONGEST_PIECE, plain
from recsys.formats.references.people import people_in
from recsys.records import Body, Manuscript, Reference

MOST_TERMS = 2_000

_DEFINED = re.compile(
    r"\\(?P<how>newacronym|newabbreviation|newglossaryentry|DeclareAcronym|acrodef|newacro|acro)"
    r"(?![A-Za-z@])"
)
_USED = re.compile(
    r"\\(?P<how>(?:[Gg]ls|GLS)(?:pl|xtrshort|xtrlong|entryshort|entrylong|entrytext|entryname)?"
    r"|(?:[Aa]cr|ACR)(?:short|long|full)(?:pl)?|[Aa]c[slfa]?p?)\*?(?:\[[^\[\]]{0,100}\])?"
    r"\{(?P<label>[^{}]{1,100})\}"
)
_LONG = re.compile(r"[Aa]clp?\Z|(?i:\w*long(?:pl)?\Z)")
_SHORT_FIELD = re.compile(
    r"\b(?:short|name|text)\s*=\s*(?=\{)|\b(?:short|name|text)\s*=\s*([^,{}]+)"
)
_LONG_FIELD = re.compile(r"\blong\s*=\s*(?=\{)|\blong\s*=\s*([^,{}]+)")
LONGEST_PAGE = 5_000
"""Characters of the first page among which a title is guessed."""
FEWEST_WORDS, MOST_WORDS = 2, 40

_TITLES = "title|Title|icmltitle|aistatstitle|papertitle|thesistitle|thesisTitle|doctitle"
# A line below the title in small letters is a note.
_SMALL = re.compile(
    r"\\\\\s*(?:\[[^\[\]]{0,20}\]\s*)?(?=\{\s*\\(?:tiny|scriptsize|footnotesize)(?![A-Za-z@]))"
)
_INFORMATION = re.compile(r"\\(?:hypersetup|pdfinfo)\s*(?=\{)")
_OF_FILE = re.compile(r"\b(?:pdftitle\s*=|/Title)\s*(?=[{(])")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_FRONT_ENDS = re.compile(
    r"\\(?:begin\s*\{(?:abstract|thebibliography)|(?:chapter|section|addchap|tableofcontents|maketitle|abstract)"
    r"(?![A-Za-z@])|end\s*\{titlepage)"
)
_SIZES = ("Huge", "huge", "LARGE", "Large")
_SIZED = re.compile(
    r"(?:\{\s*)\\(Huge|huge|LARGE|Large)(?![A-Za-z@])|"
    r"\\(Huge|huge|LARGE|Large)(?![A-Za-z@])\s*(?:\\[a-z]{2,10}\s*){0,3}"
)
_NO_TITLE = re.compile(r"(?i)\b(?:universit|institut|department|faculty|school|college|thesis\b)")
MOST_NAME_WORDS = 7
MOST_CUT = 500
"""Commands within one list of authors that are looked at."""

_AUTHORS = (
    "author|Author|icmlauthor|aistatsauthor|IEEEauthorblockN|authorblockN|authorname|authorsnames"
)
_BLOCKS = "oneauthor|twoauthors|threeauthors|fourauthors|multauthor"
"""Blocks of names and addresses, in turn, as signal processing and music retrieval have them."""
_SEPARATOR = re.compile(r"\\(?:and|And|AND|quad|qquad|hfill|alignauthor)(?![A-Za-z@])|(?<!\\)&")
_LINE_END = re.compile(r"\\\\(?:\s*\[[^\]\n]{0,20}\])?|\\(?:newline|par)(?![A-Za-z@])|\n\s*\n")
_MARK = re.compile(
    r"\$[^$]{0,50}\$|\\(?:textsuperscript|textsubscript)\s*\{[^{}]{0,50}\}|[*\u2020\u2021]"
)
# What stands beside a name, with its argument; its own "\and" and line ends separate no authors.
_BESIDE = re.compile(
    r"\\(?:institute|institution|affil(?:iation)?s?|address|addr|affaddr|email|Email|ead|thanks|"
    r"sthanks|footnote|titlenote|authornote|authormark|funding|orcid(?:ID|link)?|url|texttt)(?![A-Za-z@])"
)
_NAMED = re.compile(
    r"\\(?:name|Name)(?![A-Za-z@])(.*?)"
    r"(?=\\(?:name|Name|email|Email|addr|AND|And|and)(?![A-Za-z@])|\\\\|\Z)",
    re.DOTALL,
)
_COLUMNS = re.compile(r"\\multicolumn\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,50}\}\s*(?=\{)")
_LEADING, _TRAILING = re.compile(r"\A[\d\s.,*]+"), re.compile(r"[\d\s.*]+\Z")
_NO_NAME = re.compile(
    r"(?i)[\d@/:]|\b(?:anonymous|universit|institut|department|school of|et al|authors?)"
)
_ABSTRACTS = "abstract|Abstract|abst"
_ENVIRONMENT = re.compile(r"\\begin\s*\{((?:onecol|sci)?abstract\*?|Abstract|quickabstract)\}")
_LEVELS = r"(?:addchap|chapter|addsec|minisec|(?:sub)*section|(?:sub)?paragraph)"
_HEADING = re.compile(
    rf"\\(?P<level>{_LEVELS})\*?\s*\{{\s*(?:\\\w+\s*)*(?i:abstract|(?P<summary>summary))\s*\}}"
)
# As a switch: what it says follows, most often out of a file of its own.
_SWITCH = re.compile(r"(?m)^[^\S\n]*\\abstract(?![A-Za-z@])(?=\s+[^\s{\[=])")
_NUMBERED = re.compile(r"\\(?:chapter|section)\s*(?=[\{\[])")
_NEXT_HEADING = re.compile(
    rf"\\(?:part|{_LEVELS}|tableofcontents|bibliography|printbibliography|appendix|maketitle|"
    r"endabstract|end\s*\{(?:document|center|titlepage|frontmatter)\})(?![A-Za-z@])"
)
_BODY = re.compile(r"\\(?:maketitle|begin\s*\{document\})(?![A-Za-z@])")
_ENVIRONMENTS = re.compile(
    r"\\begin\s*\{(figure\*?|table\*?|tabular\*?|equation\*?|align\*?|thebibliography|algorithm\*?|"
    r"tikzpicture|CCSXML|IEEEkeywords|keywords?|titlepage)\}"
)
_SECTIONING = re.compile(rf"\\{_LEVELS}\*?\s*(?=\{{|\[)")
_SETUP = re.compile(r"\\(?:documentclass|usepackage|(?:re)?newcommand|def|author|title)\b")
_WITHIN = re.compile(r"\\(?:sub)*section\*?\s*\{([^{}]{0,100})\}")
_KEYWORDS = re.compile(
    r"(?i)\s*\W?(?:key\s?-?\s?words?(?: and phrases)?|index terms|keyphrases)\W?\s?[:.\u2013\u2014]"
)
_LEAD_IN = re.compile(r"(?i)\Aabstract\s*(?:[.:\u2013\u2014-]+\s*(?=\S)|\Z)")
_KEYPHRASES = re.compile(
    r"\\begin\s*\{((?:IEEE)?[kK]ey[wW]ords?|keyphrases)\}(?:\[[^\[\]]{0,200}\])?"
)
_COMMANDS = "[kK]ey[wW]ords?|IEEEkeywords|keyphrases"
_BETWEEN = re.compile(r"\\(?:sep|and|unskip\\sep|newline|\\)(?![A-Za-z@])\s?|\\(?:kwd|item)\s?")
_CODES = re.compile(r"\\(?:PACS|MSC|JEL)(?![A-Za-z@])")
_FOLDED = re.compile(r"\\(?:textbf|textit|emph|bf|it|bfseries|itshape|textsc|noindent)\b\s?|[{}]")

_HEADED = re.compile(
    r"(?im)^(?:\\(?:noindent|textbf|textit|emph|bf|it|bfseries|itshape|textsc|par|smallskip|medskip|"
    r"small|keyFont|paragraph\*?|(?:sub)?section\*?)(?![A-Za-z@])|"
    r"\\begin\{[a-z]{1,16}\}|[{}]|[^\S\n]){0,24}"
    r"(?P<name>key[ -]?words?(?:\s+and\s+phrases)?|index terms)\b(?=[\s}]{0,4}[:.\-\u2013\u2014}])"
)
_BARE = re.compile(r"(?m)^[^\S\n]*\\(?P<name>[kK]ey[wW]ords?)(?=\s+[^\s{\[\\])")
"""The command as old classes have it: what it lists follows up to the next empty line."""
_ITEMS = re.compile(r"\\(?:begin|end)\{(?:itemize|enumerate|compactitem)\}\s*")


def parse(raw: bytes, path: Path, folder: Folder | None = None) -> "LatexDraft":
    """Gather a LaTeX draft with the files that it inputs.

    Only files below the draft's own folder or its repository are read, or those of `folder` in
    their place.

    Raises:
        InputError: the file is no text, or too long.
    """
    folder = folder or folder_of(path)
    return LatexDraft(gather(raw, path, folder), path.stem, folder)


@dataclass(frozen=True, slots=True)
class LatexDraft:
    """The source of a draft. stem: of its main file. folder: holds the files that it may name."""

    source: Source
    stem: str
    folder: Folder

    def manuscript(self) -> Manuscript:
        """Return front matter and references.

        The references are the works that it cites by key, and all of a bibliography that is typed
        into the source.
        """
        source = self.source.text
        words = Words(source)
        title, guessed, beside = _title(source, words)
        abstract, notes = _abstract(source, words), []
        if not title:
            notes.append(NO_TITLE)
        elif guessed:
            notes.append(GUESSED_TITLE)
        if not abstract:
            # The first words, without headings, figures and displayed formulas.
            abstract, note = stand_in(_first_paragraphs(source, words))
            notes += note or ["No abstract was found."]
        cited = cited_works(self.source, self.stem, self.folder, words.macros)
        return Manuscript(
            title=title,
            abstract=abstract,
            authors=_authors(source, words) or beside,
            references=cited.works,
            notes=(*self.source.notes, *notes, *cited.notes),
            details=cited.details,
            keyphrases=_keyphrases(source, words),
        )

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences and their marks; without `\\begin{document}`, all of it is text."""
        from recsys.formats.latex.latex_body import read_body  # Few commands need sentences.

        sentences, notes = read_body(self.source, self.folder.draft)
        return Body(sentences, references=tuple(references), notes=notes)


class Words:
    """What a draft's own commands and acronyms stand for."""

    def __init__(self, source: str) -> None:
        """Collect what a source defines."""
        self.macros = definitions(source)
        self.terms = terms(source)

    def expanded(self, latex: str) -> str:
        """Put what they stand for in place of commands and acronyms."""
        return expand(spelt_out(expand(latex, self.macros), self.terms), self.macros)

    def text(self, latex: str) -> str:
        """Return the text of a piece, without its citations."""
        return plain(without_citations(self.expanded(latex)))


def terms(source: str) -> dict[str, tuple[str, str]]:
    """Collect acronyms and terms that a source defines: label -> (in short, in full)."""
    defined: dict[str, tuple[str, str]] = {}
    for match in islice(_DEFINED.finditer(source), MOST_TERMS):
        at = after_options(source, match.end())
        label = group(source, at)
        if label is None:
            continue
        behind = after_group(source, at, label)
        at = after_options(source, behind)
        if match["how"] in ("newglossaryentry", "DeclareAcronym"):
            fields = group(source, behind) or ""
            short, long = (
                (match[1] or "").strip() or group(fields, match.end()) or "" if match else ""
                for match in (_SHORT_FIELD.search(fields), _LONG_FIELD.search(fields))
            )
            given = [short or long, long or short] if short or long else []
        elif match["how"] in ("acrodef", "newacro", "acro"):
            given = [source[behind:at].strip(" []\n") or label, *groups(source, at, 1)]
        else:
            given = groups(source, at, 2)
        if len(given) == 2:
            defined.setdefault(label.strip(), (given[0], given[1]))
    return defined


def without(text: str, parts: Iterable[tuple[int, int]], *, shown: str = "") -> str:
    """Take parts of a text out, given in order; what begins within another one goes with it."""
    pieces, at = list[str](), 0
    for start, end in parts:
        if start >= at:
            pieces += [text[at:start], shown]
            at = end
    return "".join(pieces) + text[at:]


def spelt_out(text: str, defined: Mapping[str, tuple[str, str]]) -> str:
    """Put acronyms in place of their labels."""

    def shown(match: re.Match[str]) -> str:
        short, long = defined.get(match["label"].strip(), (None, None))
        return match[0] if short is None else f"{{{long if _LONG.match(match['how']) else short}}}"

    return _USED.sub(shown, text) if defined else text


def _title(source: str, words: Words) -> tuple[str, bool, tuple[str, ...]]:
    """Find the title with its subtitle, else that of the file, else the largest words.

    Returns:
        The title, empty where there is none; whether it is a guess; the authors beside it then.
    """
    whole = (arguments[0] for _, arguments in commands(source, _TITLES))
    titles = (title for piece in whole for title in (without(piece, _small(piece)), piece))
    if title := first_text(titles, words.text):
        below = (arguments[0] for _, arguments in commands(source, "subtitle"))
        subtitle = first_text(below, words.text)
        return f"{title}: {subtitle}" if subtitle else title, False, ()
    # What the source tells readers of the PDF.
    facts = (group(source, match.end()) or "" for match in _INFORMATION.finditer(source))
    of_file = (
        group(inside, match.end()) or inside[match.end() + 1 :].partition(")")[0]
        for inside in facts
        for match in _OF_FILE.finditer(inside)
    )
    if title := first_text(of_file, words.text):
        return title, True, ()
    # The size of its letters tells, and the authors are on the line below it.
    begin = _BEGIN.search(source)
    page = source[begin.end() : begin.end() + LONGEST_PAGE] if begin else ""
    page = _FRONT_ENDS.split(page, maxsplit=1)[0]
    sized = []
    for match in _SIZED.finditer(page):
        start = match.start() if match[1] else match.end()
        size = _SIZES.index(match[1] or match[2])
        if (inside := group(page, start)) is not None:
            sized.append((size, after_group(page, start, inside), inside))
        elif match[2]:  # To the end of the line.
            inside = _LINE_END.split(page[start:], maxsplit=1)[0].partition("}")[0]
            sized.append((size, start + len(inside), inside))
    for _, at, inside in sorted(sized):
        title = words.text(inside)
        if FEWEST_WORDS <= len(title.split()) <= MOST_WORDS and not (
            _NO_TITLE.search(title) or is_section_name(title) or is_beside_title(title)
        ):
            return title, True, tuple(names_in_piece(page[at:], words))
    return "", False, ()


def _small(title: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines in small letters of a title stand, up to one that never ends."""
    for small in _SMALL.finditer(title):
        if (inside := group(title, small.end())) is None:
            break
        yield small.start(), after_group(title, small.end(), inside)


def _authors(source: str, words: Words) -> tuple[str, ...]:
    """Read the names of all commands for authors; blocks of IEEE go before what holds them."""
    every = list(commands(source, _AUTHORS, most=2))
    pieces = [arguments[0] for name, arguments in every if name.endswith("blockN")]
    # Speech and language resources: what stands beside no name within an \author.
    for name, arguments in [] if pieces else every or commands(source, "name", most=2):
        # A name may be written in two arguments, given and family.
        in_two = name in ("Author", "name") and len(arguments) == 2 and arguments[1].strip()
        pieces.append(" ".join(arguments) if in_two else arguments[0])
    for name, arguments in [] if pieces else commands(source, _BLOCKS, most=8):
        pieces += arguments[:1] if name == "multauthor" else arguments[::2]
    own = (piece for piece in pieces if not is_template(piece))
    names = (name for piece in looked_at(own) for name in names_in_piece(piece, words))
    return tuple(dict.fromkeys(names))


def names_in_piece(piece: str, words: Words) -> Iterator[str]:
    """Yield the names in one argument: the first line of each part, and lines that go on."""
    # Affiliations, addresses and notes go with their arguments; what spans the names of a table is
    # no name either.
    latex = _COLUMNS.sub(r"\\institute", words.expanded(piece))
    beside = (
        (match.start(), after_group(latex, behind, inside))
        for match in islice(_BESIDE.finditer(latex), MOST_CUT + 1)
        for behind in [after_options(latex, match.end())]
        if (inside := group(latex, behind)) is not None
    )
    expanded = without(latex, beside)
    named = [match[1] for match in _NAMED.finditer(expanded)]
    for part in named or _SEPARATOR.split(expanded):
        listed = ""
        for line in _LINE_END.split(part):
            text = plain(_MARK.sub(" ", line)).strip()
            if text or listed:
                listed = f"{listed} {text}"
                if not text.endswith((",", " and")):
                    break
        names = people_in(listed.strip(" ,;"), commas="between").spoken
        for name in names:
            name = _LEADING.sub("", _TRAILING.sub("", name)).strip()
            fewest = 1 if len(names) == 1 else 2  # One of several words is a degree.
            if fewest <= len(name.split()) <= MOST_NAME_WORDS and not _NO_NAME.search(name):
                yield name


def _abstract(source: str, words: Words) -> str | None:
    """Return the abstract: of an environment, a command, a heading, or a paragraph that says so."""

    def text(latex: str) -> str:
        """Turn it into text: without headings of its own, and without the keywords."""
        text = words.text(_WITHIN.sub(r" \1 ", latex))
        keywords = _KEYWORDS.search(text, min(len(text), 10))
        return text[: keywords.start()] if keywords else text

    if marked := first_text(_abstracts(source), text):
        return marked
    # A paragraph that begins with "Abstract", or that follows this word alone.
    parts = _first_paragraphs(source, words)
    for part in islice(parts, 20):
        if lead_in := _LEAD_IN.match(part):
            return part[lead_in.end() :] or next(parts, None)
    return None


def _abstracts(source: str) -> Iterator[str]:
    for match in islice(_ENVIRONMENT.finditer(source), MOST_COMMANDS):
        at = match.end()
        if source.startswith("[", at):
            at = after_options(source, at)
        end = source.find(f"\\end{{{match[1]}}}", at, at + LONGEST_PIECE)
        if end >= 0:
            yield source[at:end]
    for _, arguments in commands(source, _ABSTRACTS, most=6):
        # Astronomy & Astrophysics: context, aims, methods, results, conclusions.
        yield " ".join(arguments) if len(arguments) == 5 else arguments[0]
    for match in islice(_SWITCH.finditer(source), MOST_COMMANDS):
        rest = source[match.end() : match.end() + LONGEST_PIECE]
        yield _NEXT_HEADING.split(rest, maxsplit=1)[0]
    numbered = _NUMBERED.search(source)
    text_begins = numbered.start() if numbered else len(source)
    for match in islice(_HEADING.finditer(source), MOST_COMMANDS):
        # That of a chapter or of a section is not that of the whole.
        of_part = match["level"] not in ("chapter", "addchap") and match.start() >= text_begins
        if not (match["summary"] and of_part):
            rest = source[match.end() : match.end() + LONGEST_PIECE]
            yield _NEXT_HEADING.split(rest, maxsplit=1)[0]


def _first_paragraphs(source: str, words: Words) -> Iterator[str]:
    """Yield the paragraphs of the text, without what interrupts it and without headings."""
    starts = [match.end() for match in _BODY.finditer(source)]
    text = source[starts[-1] if starts else 0 :][:LONGEST_PIECE]
    ends = ((m, text.find(f"\\end{{{m[1]}}}", m.end())) for m in _ENVIRONMENTS.finditer(text))
    text = without(
        text, ((m.start(), len(text) if end < 0 else end + len(m[1]) + 6) for m, end in ends)
    )
    headings = (
        (match.start(), after_group(text, behind, name))
        for match in _SECTIONING.finditer(text)
        for behind in [after_options(text, match.end())]
        if (name := group(text, behind)) is not None
    )
    # A paragraph of commands is no text, as in a preamble.
    every = paragraphs(without(text, headings, shown="\n\n"))
    return (words.text(part) for part in every if not _SETUP.match(part))


def _keyphrases(source: str, words: Words) -> tuple[str, ...]:
    """Return the keywords that a source without comments states, none where it does not."""

    def text(latex: str) -> str:
        latex = _CODES.split(latex, maxsplit=1)[0]
        return words.text(_BETWEEN.sub("; ", latex)).strip("; ")

    environments = (
        source[match.end() : end]
        for match in islice(_KEYPHRASES.finditer(source), MOST_COMMANDS)
        for end in [
            source.find(f"\\end{{{match[1]}}}", match.end(), match.end() + LONGEST_KEYWORDS)
        ]
        if end >= 0
    )
    named = (arguments[0] for _, arguments in commands(source, _COMMANDS))
    if listed := first_text(chain(environments, named), text):
        return told_apart(listed)
    # What stands behind "\textbf{Keywords:}" or "\keywords", where that begins a line.
    headed = chain(_HEADED.finditer(source), _BARE.finditer(source))
    for match in islice(headed, MOST_COMMANDS):
        rest = _ITEMS.sub(" ", source[match.end("name") : match.end("name") + LONGEST_KEYWORDS])
        listed = re.split(r"\n\s*\n|\\(?:end|begin|section|maketitle)\b", rest, maxsplit=1)[0]
        listed = words.text(_BETWEEN.sub("; ", _FOLDED.sub(" ", listed)))
        if phrases := told_apart(listed.lstrip(" .:;-\u2013\u2014")):
            return phrases
    return ()
