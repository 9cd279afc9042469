"""Read a draft in Markdown, a notebook's, too: front matter, citations, sentences."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, zip_longest
from pathlib import Path
from typing import Any

from recsys.errors import DraftError
from recsys.formats.bodies.headings import ends_text
from recsys.formats.bodies.printed_citations import named_works, split_keys
from recsys.formats.bodies.running_text import Lines, RunningText
from recsys.formats.drafts.draft_files import Folder, Shelf, folder_of, look_up, resolve, shelf
from recsys.formats.drafts.plain import PlainDraft, split_list
from recsys.formats.drafts.wording import (
    EARLIEST_YEAR,
    LATEST_YEAR,
    MOST_SECTIONS,
    abstract_in,
    clean,
    clipped,
    paragraphs,
    sections,
    short,
    stated_on_lines,
    told_apart,
)
from recsys.formats.files import decode, display_name
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Body, Manuscript, Reference
from recsys.store.words import cleaned_keyphrases

LONGEST = 200_000
"""Characters of front matter; more is refused, for YAML is slow to read."""
DEEPEST = 100
"""Brackets within brackets: at each, PyYAML looks at all those around it."""
MOST_ITEMS = 2_000
"""How many authors, files or references are read."""

_BLOCK = re.compile(
    r"\A---[^\S\n]*\n(.*?)^(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_YEAR = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_SEVERAL = re.compile(r"[;,](?:\s+and\s)?|\sand\s")
_BOTH = re.compile(r"\s*;\s*|\sand\s")
_NAME_PARTS = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
_RAISED = re.compile(r"\^[^^]{0,50}\^")
_BRACKET = re.compile(r"[\[\]{}]")
_TOP_KEY = re.compile(r"(?m)^([A-Za-z][\w-]{0,50})[^\S\n]*:(?=\s)")
_VALUE = re.compile(r"([^\S\n]*(?:-[^\S\n]+)?[\w.-]{1,100}:[^\S\n]+)(\S.*)\Z")
_NO_VALUE = re.compile(r":(?:\s|\Z)|\A[`@%]|\s#")
MOST_NAMED = 5
_NONE = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the front matter says.

    bibliography: names of files; cited: what `nocite` holds. notes: what of it is no YAML.
    keyphrases: the keywords.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    abstract: str | None = None
    year: int | None = None
    bibliography: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    cited: str = ""
    notes: tuple[str, ...] = ()
    keyphrases: tuple[str, ...] = ()


def split_front_matter(text: str, name: str) -> tuple[FrontMatter, str]:
    """Return the front matter of a text, empty where there is none, and what follows it.

    It is YAML in the forms that pandoc knows. Every scalar is read as text (`yaml.BaseLoader`): no
    type is guessed, no object is made, and an alias repeats nothing.

    Raises:
        DraftError: the front matter is not YAML, or no mapping.
    """
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter(), text
    # YAML forbids tabs where they indent.
    lines = [line.expandtabs(4).rstrip() for line in block[1].split("\n")]
    value, notes = _yaml(lines, name)
    if not isinstance(value, dict):
        raise DraftError(
            f"The front matter of {name} is {short(value)} instead of keys and values.",
            'Write lines such as "title: ..." between the lines of dashes.',
        )
    times = Counter(_TOP_KEY.findall("\n".join(lines)))
    if twice := [short(key) for key, count in times.items() if count > 1]:
        named = ", ".join(twice[:MOST_NAMED])
        notes.append(f"{named} occurs twice in the front matter; what is said last counts.")
    title, subtitle = _string(value.get("title")), _string(value.get("subtitle"))
    years = (_year(value.get(key)) for key in ("as_of", "year", "date"))
    authors = value.get("authors", value.get("author"))
    works = map(_reference, _items(value.get("references")))
    keywords = value.get("keywords", value.get("keyphrases"))
    if isinstance(keywords, str):
        keyphrases = told_apart(_string(keywords))
    else:
        keyphrases = cleaned_keyphrases(filter(None, map(_string, _items(keywords))))
    front = FrontMatter(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=tuple(name for item in _items(authors) for name in _names(item)),
        abstract=_string(value.get("abstract")) or None,
        year=next((year for year in years if year is not None), None),
        bibliography=tuple(filter(None, map(_string, _items(value.get("bibliography"))))),
        references=tuple(w for w in works if w.title or w.doi or w.arxiv or w.acl),
        cited=_string(value.get("nocite")),
        notes=tuple(notes),
        keyphrases=keyphrases,
    )
    return front, text[block.end() :]


def _yaml(lines: list[str], name: str) -> tuple[object, list[str]]:
    """Read YAML, else what it is when the values that are none are taken for text, and a note."""
    try:
        return _parsed("\n".join(lines), name), []
    except DraftError:
        quoted = {
            at: "{}'{}'".format(match[1], match[2].replace("'", "''"))
            for at, line in enumerate(lines)
            if (match := _VALUE.match(line))
            and _NO_VALUE.search(match[2])
            and match[2][0] not in "\"'[{|>&*!#"
        }
        if not quoted:
            raise
        value = _parsed("\n".join(quoted.get(at, line) for at, line in enumerate(lines)), name)
    where = f"line{'s' * (len(quoted) > 1)} "
    where += ", ".join(str(at + 2) for at in [*quoted][:MOST_NAMED])
    return value, [f"The front matter is no YAML in {where}: read as text."]


def _parsed(text: str, name: str) -> object:
    """Parse YAML within limits: how long it is, and how many brackets are open at once."""
    if len(text) > LONGEST:
        raise DraftError(
            f"The front matter of {name} is longer than {LONGEST:,} characters.",
            "Give long lists of references as a bibliography file.",
        )
    depth = 0
    for bracket in _BRACKET.findall(text):  # Those in quotes count, too.
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        if depth > DEEPEST:
            raise DraftError(
                f"The front matter of {name} is nested too deeply: more than {DEEPEST} brackets "
                "deep.",
                "Put values that have brackets in them into quotes.",
            )
    import yaml

    try:
        return yaml.load(text, Loader=yaml.BaseLoader) or {}
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" on line {mark.line + 2}" if mark else ""
        problem = f"The front matter of {name} is not YAML: {error.problem}{where}."
    except yaml.YAMLError as error:
        problem = f"The front matter of {name} is not YAML: {clean(str(error))[:80]}."
    except RecursionError:
        problem = f"The front matter of {name} is nested too deeply."
    raise DraftError(problem, "Put values that have colons or quotes in them into quotes.")


def _string(value: object) -> str:
    return value if isinstance(value, str) and value not in _NONE else ""


def _items(value: object) -> list[Any]:
    """Return a list as it is, anything else as a list of one; nothing as an empty one."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items[:MOST_ITEMS] if item not in (*_NONE, None)]


def _year(value: object) -> int | None:
    match = _YEAR.search(_string(value))
    return int(match[1]) if match and EARLIEST_YEAR <= int(match[1]) <= LATEST_YEAR else None


def _names(author: object) -> Iterator[str]:
    """Yield the names of an author: text, a mapping with a name, or a name with a mapping."""
    if isinstance(author, str):
        names = [name.strip() for name in _SEVERAL.split(_RAISED.sub("", author))]
        yield from names if all(" " in name for name in names) else (author,)
    elif isinstance(author, dict):
        name = author.get("name", author.get("literal"))
        if isinstance(name, dict):
            author, name = name, name.get("literal")
        parts = (_string(author.get(part)) for part in _NAME_PARTS)
        if whole := _string(name):
            names = _BOTH.split(whole)
            yield from names if all(" " in name for name in names) else (whole,)
        elif whole := " ".join(filter(None, parts)):
            yield whole
        elif len(author) == 1:
            yield str(next(iter(author)))


def _reference(value: object) -> Reference:
    """Make a reference of an item in the form of CSL."""
    item = value if isinstance(value, dict) else {}
    issued = item.get("issued")
    parts = issued.get("date-parts", issued.get("year")) if isinstance(issued, dict) else issued
    for _ in range(3):  # A list of lists of year, month, day; or of mappings.
        parts = parts[0] if isinstance(parts, list) and parts else parts
        parts = parts.get("year") if isinstance(parts, dict) else parts
    url, number = _string(item.get("URL")), _string(item.get("number"))
    return Reference(
        key=_string(item.get("id")),
        title=clean(_string(item.get("title"))) or None,
        authors=tuple(clean(name) for one in _items(item.get("author")) for name in _names(one)),
        year=_year(parts),
        venue=clean(_string(item.get("container-title"))) or None,
        doi=doi(_string(item.get("DOI"))) or doi(url),
        arxiv=arxiv(number) or arxiv(url),
        acl=acl(url),
        url=url or None,
        kind=_string(item.get("type")) or None,
    )


_LONGEST_HEADING = 1_000
_FENCE = re.compile(r"(?ms)^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}\1[^\n]*(?:\n|\Z)|\Z)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SETEXT = re.compile(r"(?m)^(\S[^\n]{0,500})\n(=|-)\2{2,}[^\S\n]*$")
_HEADING = re.compile(r"(?m)^ {0,3}(#{1,6})[^\S\n]+([^\n]*)$")
_ATTRIBUTES = re.compile(r"\{[^{}]{0,200}\}\s*\Z")
_ABSTRACT = re.compile(r"(?i)(?:\d{1,2}\.?\s+)?(?:abstract|summary)\W*\Z")
_ABSTRACT_DIV = re.compile(
    r"(?ms)^:{3,} *\{?[^\n]{0,40}\babstract\b[^\n]{0,40}\n(.*?)(?:^:{3,}|\Z)"
)
_LEAD_IN = re.compile(r"(?i)\A[*_]{0,3}abstract[*_]{0,3}\s*[:.\u2013\u2014-]+[*_]{0,3}\s*")
_KEY = re.compile(
    r"(?<![\w.@\\/])-?@(?:\{([^{}\s]{1,300})\}|(\*(?![\w*])|(?:doi|arxiv|https?):[^\s\];,]{1,300}|"
    r"\w(?:\w|[:.#$%&\-+?<>~/](?=\w)){0,200}))"
)
_ROLE = re.compile(r"\{cite(?::[a-z]{1,10})?\}`([^`]{1,500})`")  # As MyST has it.
_BRACKETED = re.compile(r"\[[^\[\]@]{0,500}(@[^\[\]]{1,1500})\]")
_MARKUP = (
    (re.compile(r"\s?" + _ROLE.pattern), ""),
    (re.compile(r"`r [^`\n]{1,300}`"), ""),  # What R works out.
    (re.compile(r"!\[[^\[\]\n]{0,500}\]\([^()\n]{0,500}\)(?:\{[^{}\n]{0,200}\})?"), " "),
    (re.compile(r"\[\^[^\[\]\n]{1,100}\]|\^\[[^\[\]]{0,1000}\]"), ""),
    (re.compile(r"\s?\[(?=[^\[\]@]{0,500}@)[^\[\]]{1,1500}\]"), ""),
    (re.compile(r"\[([^\[\]]{1,1000})\]\([^()\s]{0,1000}(?: \"[^\"\n]{0,500}\")?\)"), r"\1"),
    (re.compile(r"\[([^\[\]]{1,1000})\](?:\[[^\[\]]{0,200}\]|\{[^{}\n]{0,200}\})"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>]{0,500}>"), " "),
    (re.compile(r"(?m)^ {0,3}(?:>|[-*+]|\d{1,3}[.)])[^\S\n]+"), ""),
    (re.compile(r"(?<!\\)\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~|(?<!\\)\$+"), ""),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
LONGEST_FORMULA = 60
"""Characters of a formula that is read as a word of its sentence."""

_BLOCKS = re.compile(  # What is no running text, over several lines.
    r"""
    ^[ ]{0,9}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ ]{0,9}(?P=fence)[^\n]*(?:\n|\Z)|\Z)
    | <!--.*?(?:-->|\Z)
    | <(?P<tag>table|pre|script|style|figure|math|svg)\b[^>]{0,500}>.*?(?:</(?P=tag)>|\Z)
    | ^:{3,}[ ]*\{?[^\n]{0,40}\b(?:abstract|figure|table|fig-|tbl-)[^\n]{0,80}\n
        .*?(?:^:{3,}[^\S\n]*$|\Z)
    | \$\$.{0,10000}?\$\$
    | \\begin\{(?P<environment>[a-z]{1,20}\*?)\}.{0,3000}?\\end\{(?P=environment)\}
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"[ ]{0,3}\[\^[^\]\n]{1,100}\]:[^\S\n]*")
_TARGET = re.compile(r"[ ]{0,3}\[[^\]\n]{1,200}\]:[^\S\n]*<?(?:[a-z]+:|[./#]|www\.)[^\n]*\Z")
_HEADING_LINE = re.compile(r"[ ]{0,3}(#{1,6})[^\S\n]+(.*)\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{2,})[^\S\n]*\Z")
_NO_PROSE = re.compile(  # Rules, tables and their captions, fenced divs, code by indent.
    r"""[ ]{0,3}(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})\Z
    | [^\S\n]*\| | [^\S\n]*[+|:=-][-+|:=\s]{3,}\Z | (?:[^|\n]*[^\\|\n]\|){2,}[^|\n]*\Z
    | [^\S\n]*(?:(?i:table)?:[^\S\n]+\S|(?i:table|figure|fig\.)[^\S\n]\d+[:.])
    | [ ]{0,3}:{3,} | \\(?:begin|end|newpage|clearpage|appendix|bibliography)\b""",
    re.VERBOSE,
)
_ITEM = re.compile(
    r"\s*(?:[-*+\u2022]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4}|@)[.)])[^\S\n]+(?:\[[ xX]\] )?"
)
_QUOTE = re.compile(r"[ ]{0,3}(?:>[ ]?)+")
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")

_ADDRESS = r"\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)"
_INSIDE = r"(?:[^\[\]]|\[[^\[\]]{0,300}\])"
_TARGETED = rf"(?:{_ADDRESS}|\[[^\[\]\n]{{0,200}}\]|\{{[^{{}}\n]{{0,200}}\}})"
_INLINE = re.compile(
    rf"""
    (?P<bookdown>\\?@ref\([^()\s]{{1,100}}\))
    | (?P<escape>\\[!-/:-@\[-`{{-~])
    | (?P<code>(?P<ticks>`{{1,5}})(?!`)[^`](?:(?!\n\s*\n).){{0,1000}}?(?<!`)(?P=ticks)(?!`))
    | (?P<image>!\[{_INSIDE}{{0,1500}}\](?:{_ADDRESS})?(?:\{{[^{{}}\n]{{0,300}}\}})?)
    | (?P<noted>\[\^[^\[\]\n]{{1,100}}\])
    | (?P<note>\^\[(?P<inner>{_INSIDE}{{0,2000}})\])
    | (?P<citation>\[(?=[^\[\]@]{{0,500}}@){_INSIDE}{{1,1500}}\](?![(\[{{]))
    | (?P<link>\[(?P<label>{_INSIDE}{{1,1000}})\]{_TARGETED})
    | (?P<formula>(?<![\\$\w])\$(?![\s$])(?:\\.|(?!\n\s*\n)[^$\\]){{1,1000}}?(?<!\s)\$(?!\d))
    | (?P<latex>\\[A-Za-z]{{1,20}}\*?(?:\[[^\]\n]{{0,200}}\]){{0,2}}(?:\{{[^{{}}\n]{{0,1000}}\}})?)
    | (?P<address><(?:https?|mailto|ftp):[^<>\s]{{1,500}}>)
    | (?P<html></?[A-Za-z][A-Za-z0-9-]{{0,30}}(?:\s[^<>]{{0,500}})?/?>)
    | (?P<bare>(?<![\w.@\\/])-?@(?:\{{[^{{}}\n]{{0,300}}\}}|(?:doi|arxiv|https?):[^\s\];,]{{1,300}}
        |\w(?:\w|[:.\#$%&\-+?<>~/](?=\w)){{0,200}}|\?+)(?:[ ]\[[^\[\]\n@]{{0,100}}\])?)
    | (?P<mask>\*{{1,3}}|(?<!\w)_{{1,3}}(?=\S)|(?<=\S)_{{1,3}}(?!\w)|~~)
    """,
    re.VERBOSE | re.DOTALL,
)
_CROSS = re.compile(r"-?@\{?(?:fig|tbl|tab|eq|sec|lst|thm|lem|cor|prp|cnj|def|exm|exr)[-:]")
_KEY_PARTS = re.compile(r"-?@(?:\{([^{}\n]{0,300})\}|([^\s,;\]]{0,300}))")
_NO_BREAK = re.compile(r"[^\n]")
_HINT = "Save it again as a notebook (.ipynb), or give its text as Markdown."


def parse(raw: bytes, path: Path, folder: Folder | None = None) -> "MarkdownDraft":
    """Decode a file of Markdown; `folder` holds the files that it may name.

    Raises:
        InputError: the file is no text.
    """
    return MarkdownDraft(decode(raw, display_name(path)), path, folder)


@dataclass(frozen=True, slots=True)
class MarkdownDraft:
    """A text in Markdown: pandoc's, Quarto's, R Markdown, GitHub's."""

    text: str
    path: Path
    folder: Folder | None = None

    def manuscript(self) -> Manuscript:
        """Read the front matter first, then headings and paragraphs for what it does not say.

        The references are the works that are cited by key, and those that a list at the end names.

        Raises:
            DraftError: the front matter is broken.
        """
        front, body = split_front_matter(self.text, display_name(self.path))
        body, notes = clipped(body)
        body = _COMMENT.sub("", _FENCE.sub("", body))
        body = _SETEXT.sub(lambda match: f"{'#' if match[2] == '=' else '##'} {match[1]}", body)
        body, listed, unnamed = split_list(body, stripped)
        notes += (*front.notes, *unnamed)
        title, abstract, guess = _title_and_abstract(body)
        citing = "\n".join((front.abstract or "", body, front.cited))
        cited = _cited(citing, front, self.folder or folder_of(self.path))
        works = tuple(dict.fromkeys((*cited.works, *listed)))
        if not (works or cited.notes):
            text = "\n".join((stripped(front.abstract or ""), stripped(body)))
            works, named = named_works(text)
            notes += named
        if front.year is not None:
            notes += (f"The draft is dated {front.year}: nothing newer is considered.",)
        return Manuscript(
            title=stripped(front.title) or title,
            abstract=stripped(front.abstract or "") or abstract,
            authors=tuple(map(stripped, front.authors)),
            references=works,
            as_of=front.year,
            notes=(*notes, *(() if front.abstract else guess), *cited.notes),
            details=cited.details,
            keyphrases=tuple(map(stripped, front.keyphrases)) or stated_on_lines(body),
        )

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences and their marks."""
        text, notes = clipped(self.text)
        front = _BLOCK.match(text)
        begin = front.end() if front else 0
        # Spaces stand for the front matter and for what is no running text.
        prose = _BLOCKS.sub(lambda match: _NO_BREAK.sub(" ", match[0]), text[begin:])
        reader = _Reader(_NO_BREAK.sub(" ", text[:begin]) + prose)
        return Body(
            sentences=reader.text.sentences(Lines(text)), notes=notes, references=tuple(references)
        )


def stripped(text: str) -> str:
    """Remove the markup of Markdown from a piece of text, its citations too."""
    if "\\" in text:
        from recsys.formats.latex.latex_cited import without_citations  # Few drafts need it.

        text = without_citations(text)
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return clean(text)


def citation_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites in pandoc's way, `[@key; @other]` or `@key`, in order."""
    places = [(match.start(), match[1] or match[2]) for match in _KEY.finditer(text)]
    for role in _ROLE.finditer(text):
        places += [(role.start(), key.strip()) for key in role[1].split(",")]
    places.sort(key=lambda place: place[0])
    return tuple(dict.fromkeys(filter(None, (key.rstrip(".:;,?") for _, key in places))))


def _title_and_abstract(body: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Return title and abstract of a text, and a note where the abstract is a guess."""
    headings = list(islice(_HEADING.finditer(body), MOST_SECTIONS))
    if not headings:
        plain = PlainDraft(body).manuscript()
        return stripped(plain.title), stripped(plain.abstract or "") or None, plain.notes
    title = _heading_text(min(headings, key=lambda heading: len(heading[1])))
    title = "" if _ABSTRACT.match(title) else title
    parts = sections(body, _HEADING, _heading_text)
    abstract, guess = abstract_in(parts, _ABSTRACT, stripped)
    if guess or abstract is None:
        if marked := _ABSTRACT_DIV.search(body):
            return title, stripped(marked[1]), ()
        for part in (part for _, text in parts for part in paragraphs(text)):
            if lead_in := _LEAD_IN.match(part):
                return title, stripped(part[lead_in.end() :]), ()
    return title, abstract, guess


def _heading_text(heading: re.Match[str]) -> str:
    """Return a heading without pandoc's attributes and closing number signs."""
    text = _ATTRIBUTES.sub("", heading[2][:_LONGEST_HEADING]).strip()
    stem = text.rstrip("#")
    return stripped(stem if stem.endswith(" ") else text)


def _cited(text: str, front: FrontMatter, folder: Folder) -> Shelf:
    """Return the works that are cited, and all that the front matter itself describes."""
    books = shelf(folder, front.bibliography, (".bib",)) if front.bibliography else Shelf()
    keys = dict.fromkeys(citation_keys(text))
    if "\\" in text:
        from recsys.formats.latex.latex_cited import cited_keys

        keys |= dict.fromkeys(cited_keys(text))
    cited = tuple(key for key in keys if key != "*")
    if not (front.bibliography or front.references):
        # Then @name is a person or a place, but for what stands in the brackets of a citation.
        sure = " ".join(_BRACKETED.findall(text) + [match[0] for match in _ROLE.finditer(text)])
        return Shelf(resolve(cited, ()).works, resolve(citation_keys(sure), ()).notes)
    if "*" in keys:  # All of them.
        cited += tuple(work.key for work in (*front.references, *books.works))
    looked_up = look_up(cited, books, front.references)
    return replace(looked_up, works=tuple(dict.fromkeys((*looked_up.works, *front.references))))


class _Reader:
    """A way down the lines of a draft, which collects the running text."""

    def __init__(self, masked: str) -> None:
        """Read a draft in which blocks that are no running text are spaces."""
        self.masked = masked
        self.text = RunningText(numbers=True)
        self.skipping = 0  # The level of the section that is left out.
        self.pieces: list[tuple[int, int]] = []  # Where the lines of a paragraph begin and end.
        self.listed = False
        at, lines = 0, masked.split("\n")
        for line, following in zip_longest(lines, lines[1:], fillvalue=""):
            self._line(at, line, following)
            at += len(line) + 1
        self._end_paragraph()

    def _line(self, at: int, line: str, following: str) -> None:
        if not line.strip() or _NO_PROSE.match(line) or _TARGET.match(line):
            if self.pieces and _UNDERLINE.match(line):
                self.pieces.clear()
            else:
                self._end_paragraph()
                self.listed = self.listed and not line.strip()
        elif heading := _HEADING_LINE.match(line):
            self._heading(len(heading[1]), heading[2])
        elif not self.pieces and _UNDERLINE.match(following) and not _ITEM.match(line):
            self._heading(1 if "=" in following else 2, line)
        elif self.pieces or self.listed or not _INDENTED.match(line):
            self._prose(at, line)

    def _prose(self, at: int, line: str) -> None:
        start = 0
        for pattern in (_QUOTE, _NOTE, _ITEM):
            if prefix := pattern.match(line, start):
                if pattern is not _QUOTE:
                    self._end_paragraph()
                    self.listed = True
                start = prefix.end()
        if not self.skipping:
            self.pieces.append((at + start, at + len(line)))

    def _heading(self, level: int, title: str) -> None:
        self._end_paragraph()
        self.listed = False
        if self.skipping and level > self.skipping:
            return
        shown = stripped(_ATTRIBUTES.sub("", title[:_LONGEST_HEADING]).strip().rstrip("#"))
        # In a paper of JOSS, the summary is where the text begins.
        self.skipping = level if ends_text(shown) and not _ABSTRACT.match(shown) else 0
        self.text.heading(shown)

    def _end_paragraph(self) -> None:
        """Read the lines of a paragraph together: what is marked in it may go over several."""
        if self.pieces:
            start, end = self.pieces[0][0], self.pieces[-1][1]
            text = self.masked[start:end]
            for (_, before), (after, _) in pairwise(self.pieces):
                text = text[: before - start] + " " * (after - before) + text[after - start :]
            self._inline(text, start)
            self.text.end_paragraph()
        self.pieces = []

    def _inline(self, text: str, base: int) -> None:
        at = 0
        for match in _INLINE.finditer(text):
            self.text.words(text[at : match.start()], base + at)
            self._token(match, base)
            at = match.end()
        self.text.words(text[at:], base + at)

    def _token(self, match: re.Match[str], base: int) -> None:
        start, end = base + match.start(), base + match.end()
        kind = match.lastgroup or ""
        if kind in _SHOWN:
            self.text.words(_SHOWN[kind](match[0]), start, end, opaque=kind != "escape")
        elif kind == "formula":
            from recsys.formats.latex.latex_text import plain

            shown = plain(match[0]) if len(match[0]) <= LONGEST_FORMULA else ""
            self.text.words(shown, start, end, opaque=True)
        elif kind == "note":
            self.text.begin_aside()
            self._inline(match["inner"], base + match.start("inner"))
            self.text.end_aside(end)
        elif kind == "link":
            self._inline(match["label"], base + match.start("label"))
        elif kind in ("citation", "bare"):
            if not _CROSS.match(match[0].lstrip("[")):
                self._citation(match[0], start, end, textual=kind == "bare")
        elif kind == "latex":
            from recsys.formats.latex.latex_cited import citation_at

            if citation := citation_at(match[0], 0):
                keys, gap = split_keys(citation.keys)
                self.text.mark(start, end, keys, gap=gap)

    def _citation(self, printed: str, start: int, end: int, *, textual: bool) -> None:
        written = [braced or bare for braced, bare in _KEY_PARTS.findall(printed)]
        cited = citation_keys(printed)
        _, gap = split_keys([key.strip(" .:,?") or "?" for key in written])
        keys, _ = split_keys(cited)
        if textual or cited or gap:
            self.text.mark(start, end, keys, gap=gap or not written, textual=textual)


_SHOWN: dict[str, Callable[[str], str]] = {
    "escape": lambda printed: printed[1],
    "code": lambda printed: printed.strip("`").strip(),
    "address": lambda printed: printed[1:-1],
}


def read_notebook(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a notebook as the Markdown in it; code and what it printed are passed over.

    Raises:
        DraftError: it is no notebook, or its front matter is broken.
    """
    name = display_name(path)
    try:
        value = json.loads(decode(raw, name))
    except RecursionError as error:
        raise DraftError(f"{name} is nested too deeply.", _HINT) from error
    except ValueError as error:
        raise DraftError(f"{name} is no notebook: it is not JSON.", _HINT) from error
    if not isinstance(value, dict):
        raise DraftError(f"{name} is no notebook: it holds no cells.", _HINT)
    cells = value.get("cells")
    if not isinstance(cells, list):  # As notebooks were kept before version 4.
        sheets = value.get("worksheets")
        first = sheets[0] if isinstance(sheets, list) and sheets else {}
        cells = first.get("cells") if isinstance(first, dict) else None
    texts = []
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict):
            source = cell.get("source")
            lines = source if isinstance(source, list) else [source]
            text = "".join(line for line in lines if isinstance(line, str)).strip("\n")
            kind = cell.get("cell_type")
            # Quarto's front matter stands in a raw cell.
            if kind == "markdown" or (kind == "raw" and text.startswith("---")):
                texts.append(text)
            elif kind == "heading":
                texts.append(f"# {text}")
    return MarkdownDraft("\n\n".join(texts), path, folder).manuscript()
