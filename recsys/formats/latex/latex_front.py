"""Find the title, the authors, the abstract and the keywords of a LaTeX source."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice

from recsys.formats.drafts.wording import opening, paragraphs
from recsys.formats.latex.latex_cited import without_citations
from recsys.formats.latex.latex_source import (
    MOST_COMMANDS,
    Definition,
    after_group,
    after_options,
    commands,
    definitions,
    expand,
    first_text,
    group,
    groups,
    is_template,
    looked_at,
)
from recsys.formats.latex.latex_text import LONGEST_PIECE, plain
from recsys.formats.stated_keyphrases import LONGEST_LIST, told_apart

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

_TITLES = "title|Title|icmltitle|aistatstitle|papertitle"
# A line below the title in small letters is a note.
_SMALL = re.compile(
    r"\\\\\s*(?:\[[^\[\]]{0,20}\]\s*)?(?=\{\s*\\(?:tiny|scriptsize|footnotesize)(?![A-Za-z@]))"
)
_INFORMATION = re.compile(r"\\(?:hypersetup|pdfinfo)\s*(?=\{)")
_OF_FILE = re.compile(r"\b(?:pdftitle\s*=|/Title)\s*(?=[{(])")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_FRONT_ENDS = re.compile(
    r"\\(?:begin\s*\{(?:abstract|thebibliography)|(?:chapter|section|addchap|tableofcontents|maketitle)"
    r"(?![A-Za-z@])|end\s*\{titlepage)"
)
_SIZES = ("Huge", "huge", "LARGE", "Large")
_SIZED = re.compile(
    r"(?:\{\s*)\\(Huge|huge|LARGE|Large)(?![A-Za-z@])|\\(Huge|huge|LARGE|Large)\s*(?=\{)"
)
_NO_TITLE = re.compile(r"(?i)\b(?:universit|institut|department|faculty|school|college|thesis\b)")
MOST_NAME_WORDS = 7
MOST_CUT = 500
"""Commands within one list of authors that are looked at."""

_AUTHORS = (
    "author|Author|icmlauthor|aistatsauthor|IEEEauthorblockN|authorblockN|authorname|authorsnames"
)
_SEPARATOR = re.compile(r"\\(?:and|And|AND|quad|qquad|hfill|alignauthor)(?![A-Za-z@])|(?<!\\)&")
_LINE_END = re.compile(r"\\\\(?:\s*\[[^\]\n]{0,20}\])?|\\(?:newline|par)(?![A-Za-z@])|\n\s*\n")
_MARK = re.compile(
    r"\$[^$]{0,50}\$|\\(?:textsuperscript|textsubscript)\s*\{[^{}]{0,50}\}|[*\u2020\u2021]"
)
# What stands beside a name, with its argument; its own "\and" and line ends separate no authors.
_BESIDE = re.compile(
    r"\\(?:institute|institution|affil(?:iation)?s?|address|addr|affaddr|email|Email|ead|thanks|"
    r"footnote|titlenote|authornote|authormark|funding|orcid(?:ID|link)?|url|texttt)(?![A-Za-z@])"
)
_NAMED = re.compile(
    r"\\(?:name|Name)(?![A-Za-z@])(.*?)"
    r"(?=\\(?:name|Name|email|Email|addr|AND|And|and)(?![A-Za-z@])|\\\\|\Z)",
    re.DOTALL,
)
_COLUMNS = re.compile(r"\\multicolumn\s*\{[^{}]{0,20}\}\s*\{[^{}]{0,50}\}\s*(?=\{)")
_LEADING, _TRAILING = re.compile(r"\A[\d\s.,*]+"), re.compile(r"[\d\s.*]+\Z")
_DEGREES = re.compile(r"\A(?:(?:Prof(?:essor)?|Dr|Mrs?|Ms)\b\.?(?:-Ing\.)?\s*)+(?=\w)")
_NAMES = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+")
_NO_NAME = re.compile(
    r"(?i)[\d@/:]|\b(?:anonymous|universit|institut|department|school of|et al|authors?)"
)
_ABSTRACTS = "abstract|Abstract|abst"
_ENVIRONMENT = re.compile(r"\\begin\s*\{((?:onecol|sci)?abstract\*?|Abstract|quickabstract)\}")
_LEVELS = r"(?:addchap|chapter|addsec|minisec|(?:sub)*section|(?:sub)?paragraph)"
_HEADING = re.compile(
    rf"\\(?P<level>{_LEVELS})\*?\s*\{{\s*(?:\\\w+\s*)*(?i:abstract|(?P<summary>summary))\s*\}}"
)
_NUMBERED = re.compile(r"\\(?:chapter|section)\s*(?=[\{\[])")
_NEXT_HEADING = re.compile(
    rf"\\(?:part|{_LEVELS}|tableofcontents|bibliography|printbibliography|appendix)(?![A-Za-z@])"
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


@dataclass(frozen=True, slots=True)
class Words:
    """What a draft's own commands and acronyms stand for."""

    macros: Mapping[str, Definition] = field(default_factory=dict)
    terms: Mapping[str, "Term"] = field(default_factory=dict)

    def expanded(self, latex: str) -> str:
        """Put what they stand for in place of commands and acronyms."""
        return expand(spelt_out(expand(latex, self.macros), self.terms), self.macros)

    def text(self, latex: str) -> str:
        """Return the text of a piece, without its citations."""
        return plain(without_citations(self.expanded(latex)))


def words_of(source: str) -> Words:
    """Collect what a source defines."""
    return Words(definitions(source), terms(source))


@dataclass(frozen=True, slots=True)
class Term:
    """An acronym: what it is in short, and in full."""

    short: str
    long: str


def terms(source: str) -> dict[str, Term]:
    """Collect the acronyms and terms that a source defines, by their labels."""
    found: dict[str, Term] = {}
    for match in islice(_DEFINED.finditer(source), MOST_TERMS):
        at = after_options(source, match.end())
        label = group(source, at)
        if label is None:
            continue
        behind = after_group(source, at, label)
        if match["how"] in ("acrodef", "newacro", "acro"):
            given = groups(source, after_options(source, behind), 1)
            short = source[behind : after_options(source, behind)].strip(" []\n") or label
            term = Term(short, given[0]) if given else None
        elif match["how"] in ("newglossaryentry", "DeclareAcronym"):
            term = _described(groups(source, behind, 1))
        else:
            given = groups(source, after_options(source, behind), 2)
            term = Term(*given) if len(given) == 2 else None
        if term is not None:
            found.setdefault(label.strip(), term)
    return found


def spelt_out(text: str, known: Mapping[str, Term]) -> str:
    """Put acronyms in place of their labels."""

    def shown(match: re.Match[str]) -> str:
        term = known.get(match["label"].strip())
        if term is None:
            return match[0]
        return f"{{{term.long if _LONG.match(match['how']) else term.short}}}"

    return _USED.sub(shown, text) if known else text


def _described(fields: list[str]) -> Term | None:
    short = _field(_SHORT_FIELD, fields[0]) if fields else None
    long = _field(_LONG_FIELD, fields[0]) if fields else None
    return Term(short or long or "", long or short or "") if short or long else None


def _field(name: re.Pattern[str], fields: str) -> str | None:
    match = name.search(fields)
    if match is None:
        return None
    return match[1].strip() if match[1] else group(fields, match.end())


@dataclass(frozen=True, slots=True)
class Title:
    """A title, empty where none was found. sure: no guess. authors: guessed together with it."""

    text: str
    sure: bool = True
    authors: tuple[str, ...] = ()


def title_of(source: str, words: Words) -> Title:
    """Return the title with its subtitle, else that of the file, else the largest words."""
    whole = (arguments[0] for _, arguments in commands(source, _TITLES))
    given = (title for each in whole for title in (_without_small(each), each))
    title = first_text(given, words.text)
    if title:
        below = (arguments[0] for _, arguments in commands(source, "subtitle"))
        subtitle = first_text(below, words.text)
        return Title(f"{title}: {subtitle}" if subtitle else title)
    guessed = first_text(_of_file(source), words.text)
    return Title(guessed, sure=False) if guessed else _printed(source, words)


def _without_small(title: str) -> str:
    """Remove lines in small letters from a title."""
    while small := _SMALL.search(title):
        inside = group(title, small.end())
        if inside is None:
            break
        title = title[: small.start()] + title[after_group(title, small.end(), inside) :]
    return title


def _of_file(source: str) -> Iterator[str]:
    """Yield what the source tells readers of the PDF as its title."""
    for match in _INFORMATION.finditer(source):
        inside = group(source, match.end()) or ""
        for title in _OF_FILE.finditer(inside):
            yield group(inside, title.end()) or inside[title.end() + 1 :].partition(")")[0]


def _printed(source: str, words: Words) -> Title:
    """Guess the title by the size of its letters, and the authors by the line below it."""
    begin = _BEGIN.search(source)
    page = source[begin.end() : begin.end() + LONGEST_PAGE] if begin else ""
    end = _FRONT_ENDS.search(page)
    page = page[: end.start()] if end else page
    found = [(_SIZES.index(size), at, inside) for size, at, inside in _sized(page)]
    for _, at, inside in sorted(found, key=lambda each: each[:2]):
        text = words.text(inside)
        if FEWEST_WORDS <= len(text.split()) <= MOST_WORDS and not _NO_TITLE.search(text):
            return Title(text, sure=False, authors=tuple(names_in_piece(page[at:], words)))
    return Title("")


def _sized(page: str) -> Iterator[tuple[str, int, str]]:
    """Yield what is set in large letters: (the size, where it ends, what it is)."""
    for match in _SIZED.finditer(page):
        start = match.start() if match[1] else match.end()
        inside = group(page, start)
        if inside is not None:
            yield match[1] or match[2], after_group(page, start, inside), inside


def authors_of(source: str, words: Words) -> tuple[str, ...]:
    """Read the names of all commands for authors; blocks of IEEE go before what holds them."""
    found = list(commands(source, _AUTHORS, most=2))
    blocks = [arguments[0] for name, arguments in found if name.endswith("blockN")]
    pieces = blocks or [_whole(name, arguments) for name, arguments in found]
    given = (piece for piece in pieces if not is_template(piece))
    names = (name for piece in looked_at(given) for name in names_in_piece(piece, words))
    return tuple(dict.fromkeys(names))


def _whole(name: str, arguments: list[str]) -> str:
    """Return a name that is written in two arguments, given and family, as one."""
    in_two = name == "Author" and len(arguments) == 2 and arguments[1].strip()
    return f"{arguments[0]} {arguments[1]}" if in_two else arguments[0]


def names_in_piece(piece: str, words: Words) -> Iterator[str]:
    """Yield the names in one argument: the first line of each part, and lines that go on."""
    expanded = _without_beside(words.expanded(piece))
    named = [match[1] for match in _NAMED.finditer(expanded)]
    for part in named or _SEPARATOR.split(expanded):
        names = [_bare(name) for name in _NAMES.split(_name_lines(part))]
        for name in names:
            length = len(name.split())  # One word among others is a degree or a membership.
            if (1 if len(names) == 1 else 2) <= length <= MOST_NAME_WORDS:
                yield from () if _NO_NAME.search(name) else (name,)


def _bare(name: str) -> str:
    return _DEGREES.sub("", _LEADING.sub("", _TRAILING.sub("", name))).strip()


def _without_beside(piece: str) -> str:
    """Cut out affiliations, addresses and notes with their arguments."""
    piece = _COLUMNS.sub(r"\\institute", piece)  # What spans the names of a table is no name.
    pieces, at = list[str](), 0
    for number, match in enumerate(_BESIDE.finditer(piece)):
        if match.start() < at or number > MOST_CUT:
            continue
        behind = after_options(piece, match.end())
        inside = group(piece, behind)
        if inside is not None:
            pieces.append(piece[at : match.start()])
            at = after_group(piece, behind, inside)
    return "".join(pieces) + piece[at:]


def _name_lines(part: str) -> str:
    """Return the first line of a part that has text, and those that it goes on into."""
    taken = ""
    for line in _LINE_END.split(part):
        text = plain(_MARK.sub(" ", line)).strip()
        if not text and not taken:
            continue
        taken = f"{taken} {text}"
        if not text.endswith((",", " and")):
            break
    return taken.strip(" ,;")


def abstract_of(source: str, words: Words) -> str | None:
    """Return the abstract: of an environment, a command, a heading, or a paragraph that says so."""
    marked = first_text(_abstracts(source), partial(_abstract_text, words=words))
    return marked or _lead_in(source, words)


def opening_of(source: str, words: Words) -> str | None:
    """Return the first words of the text, without headings, figures and displayed formulas."""
    return opening(_first_paragraphs(source, words))


def _abstract_text(latex: str, words: Words) -> str:
    """Turn an abstract into text: without headings of its own, and without the keywords."""
    text = words.text(_WITHIN.sub(r" \1 ", latex))
    found = _KEYWORDS.search(text, min(len(text), 20))
    return text[: found.start()] if found else text


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
    text_begins = next((match.start() for match in _NUMBERED.finditer(source)), len(source))
    for match in islice(_HEADING.finditer(source), MOST_COMMANDS):
        # That of a chapter or of a section is not that of the whole.
        of_part = match["level"] not in ("chapter", "addchap") and match.start() >= text_begins
        if not (match["summary"] and of_part):
            rest = source[match.end() : match.end() + LONGEST_PIECE]
            yield _NEXT_HEADING.split(rest, maxsplit=1)[0]


def _lead_in(source: str, words: Words) -> str | None:
    """Return the paragraph that begins with "Abstract", or that follows this word alone."""
    parts = _first_paragraphs(source, words)
    for part in islice(parts, 20):
        if lead_in := _LEAD_IN.match(part):
            return part[lead_in.end() :] or next(parts, None)
    return None


def _first_paragraphs(source: str, words: Words) -> Iterator[str]:
    starts = [match.end() for match in _BODY.finditer(source)]
    text = source[starts[-1] if starts else 0 :][:LONGEST_PIECE]
    # A paragraph of commands is no text, as in a preamble.
    kept = (part for part in paragraphs(_without_floats(text)) if not _SETUP.match(part))
    return (words.text(part) for part in kept)


def _without_floats(text: str) -> str:
    """Remove what interrupts the text, and put a blank line in place of each heading."""
    pieces, at = [], 0
    while match := _ENVIRONMENTS.search(text, at):
        pieces.append(text[at : match.start()])
        end = text.find(f"\\end{{{match[1]}}}", match.end())
        at = len(text) if end < 0 else end + len(match[1]) + 6
    text = "".join(pieces) + text[at:]
    pieces, at = [], 0
    for heading in _SECTIONING.finditer(text):
        behind = after_options(text, heading.end())
        name = group(text, behind)
        if name is not None and heading.start() >= at:
            pieces += [text[at : heading.start()], "\n\n"]
            at = after_group(text, behind, name)
    return "".join(pieces) + text[at:]


def keyphrases_of(source: str, words: Words) -> tuple[str, ...]:
    """Return the keywords that a source without comments states, none where it does not."""
    listed = first_text(_listed(source), partial(_keyphrase_text, words=words))
    return told_apart(listed) if listed else _on_lines(source, words)


def _listed(source: str) -> Iterator[str]:
    for match in islice(_KEYPHRASES.finditer(source), MOST_COMMANDS):
        end = source.find(f"\\end{{{match[1]}}}", match.end(), match.end() + LONGEST_LIST)
        if end >= 0:
            yield source[match.end() : end]
    yield from (arguments[0] for _, arguments in commands(source, _COMMANDS))


def _keyphrase_text(latex: str, words: Words) -> str:
    latex = _CODES.split(latex, maxsplit=1)[0]
    return words.text(_BETWEEN.sub("; ", latex)).strip("; ")


def _on_lines(source: str, words: Words) -> tuple[str, ...]:
    r"""Read what stands behind "\textbf{Keywords:}" or "\keywords", where that begins a line."""
    headed = chain(_HEADED.finditer(source), _BARE.finditer(source))
    for match in islice(headed, MOST_COMMANDS):
        rest = _ITEMS.sub(" ", source[match.end("name") : match.end("name") + LONGEST_LIST])
        listed = re.split(r"\n\s*\n|\\(?:end|begin|section|maketitle)\b", rest, maxsplit=1)[0]
        said = words.text(_BETWEEN.sub("; ", _FOLDED.sub(" ", listed)))
        if found := told_apart(said.lstrip(" .:;-\u2013\u2014")):
            return found
    return ()


@dataclass(frozen=True, slots=True)
class Front:
    """What a draft says of itself.

    opening: its first words, where there is no abstract. guess: whether the title is one.
    keyphrases: the keywords that it states.
    """

    title: str
    abstract: str | None
    authors: tuple[str, ...]
    opening: str | None = None
    guess: bool = False
    keyphrases: tuple[str, ...] = ()


def front_matter(source: str, words: Words) -> Front:
    """Read title, abstract and authors from a source without comments."""
    title, abstract = title_of(source, words), abstract_of(source, words)
    return Front(
        title=title.text,
        abstract=abstract,
        authors=authors_of(source, words) or title.authors,
        opening=None if abstract else opening_of(source, words),
        guess=bool(title.text) and not title.sure,
        keyphrases=keyphrases_of(source, words),
    )
