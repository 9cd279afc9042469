"""Read the front matter of a draft in Markdown: blocks of YAML, or a file of a project."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.wording import (
    EARLIEST_YEAR,
    LATEST_YEAR,
    before_keywords,
    short,
    told_apart,
)
from recsys.formats.files import yaml_value
from recsys.formats.papers.paper_fields import person_in
from recsys.formats.references.people import people_in
from recsys.records import Reference
from recsys.store.words import cleaned_keyphrases

LONGEST = 200_000
"""Characters of front matter; more is refused, for YAML is slow to read."""
MOST_BLOCKS = 20
"""Further metadata blocks that are looked for within a text."""
MOST_ITEMS = 2_000
"""How many authors, files or references are read."""

BLOCK = re.compile(
    r"\A---[^\S\n]*\n(.*?)^(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_TOML_BLOCK = re.compile(r"(?ms)\A\+\+\+[^\S\n]*\n(.*?)^\+\+\+[^\S\n]*(?:\n|\Z)")
_LATE_BLOCK = re.compile(
    r"(?ms)(?:\A|(?<=\n))[^\S\n]*\n---[^\S\n]*\n((?:#[^\n]*\n){0,20}[A-Za-z][\w-]{0,50}[^\S\n]*:"
    r"\s.*?)^(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)"
)
_YEAR = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_ITEM = re.compile(r"(?:\A|\n)\s*[-*]\s+")
_LINE_BLOCK = re.compile(r"(?m)^\| ")
_RAISED = re.compile(r"\^[^^]{0,50}\^")
_TOP_KEY = re.compile(r"(?m)^([A-Za-z][\w-]{0,50})[^\S\n]*:(?=\s)")
_VALUE = re.compile(r"([^\S\n]*(?:-[^\S\n]+)?[\w.-]{1,100}:[^\S\n]+)(\S.*)\Z")
_NO_VALUE = re.compile(r":(?:\s|\Z)|\A[`@%]|\s#")
FENCE = re.compile(r"(?ms)^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}\1[^\n]*(?:\n|\Z)|\Z)")
_NO_BREAK = re.compile(r"[^\n]")
MOST_NAMED = 5
_NONE = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the front matter says.

    bibliography: names of files; cited: what `nocite` holds. notes: what of it is no YAML.
    keyphrases: the keywords. beside: bibliographies that nothing names, but that may be meant.
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
    beside: tuple[str, ...] = ()

    def within(self, project: "FrontMatter") -> "FrontMatter":
        """Add what the project says: its lists of works, and what the draft itself does not say."""
        return FrontMatter(
            title=self.title or project.title,
            authors=self.authors or project.authors,
            abstract=self.abstract or project.abstract,
            year=self.year if self.year is not None else project.year,
            bibliography=tuple(dict.fromkeys((*self.bibliography, *project.bibliography))),
            references=(*self.references, *project.references),
            cited="\n".join(filter(None, (self.cited, project.cited))),
            notes=(*self.notes, *project.notes),
            keyphrases=self.keyphrases or project.keyphrases,
            beside=project.beside,
        )


def split_front_matter(text: str, name: str) -> tuple[FrontMatter, str]:
    """Return what the metadata blocks of a text say, and the text with spaces in their place.

    They are YAML in the forms that pandoc knows, at the beginning or below an empty line.

    Raises:
        DraftError: the block at the beginning is not YAML, or no mapping.
    """
    values: dict[str, Any] = {}
    notes: list[str] = []
    block = BLOCK.match(text)
    if block is not None:
        values, notes = mapping(block[1], f"The front matter of {name}", line=2)
        text = blank(block) + text[block.end() :]
    elif (block := _TOML_BLOCK.match(text)) and len(block[1]) <= LONGEST:  # As Hugo has it.
        with suppress(tomllib.TOMLDecodeError, RecursionError):
            told = json.dumps(tomllib.loads(block[1]), default=str)
            values = json.loads(told, parse_int=str, parse_float=str)
            text = blank(block) + text[block.end() :]
    at = 0
    masked = FENCE.sub(blank, text) if "\n---" in text else ""
    for _ in range(MOST_BLOCKS):
        late = _LATE_BLOCK.search(masked, at)
        if late is None:
            break
        at = late.end()
        try:
            line = text.count("\n", 0, late.start(1)) + 1
            further, doubts = mapping(late[1], f"A metadata block of {name}", line=line)
        except DraftError:  # Rules around text.
            at = late.start() + 3
            continue
        values, notes = {**values, **further}, [*notes, *doubts]
        text = text[: late.start()] + blank(late) + text[late.end() :]
    return front_matter(values, tuple(notes)), text


def mapping(yaml: str, what: str, *, line: int = 1) -> tuple[dict[str, Any], list[str]]:
    """Read keys and values of YAML, and say what of it is none, or occurs twice.

    what: how errors call it. line: of its file, where it begins.

    Raises:
        DraftError: it is not YAML, or no mapping.
    """
    # YAML forbids tabs where they indent.
    lines = [line.expandtabs(4).rstrip() for line in yaml.split("\n")]
    value, notes = _yaml(lines, what, line)
    if not isinstance(value, dict):
        raise DraftError(
            f"{what} is {short(value)} instead of keys and values.",
            'Write lines such as "title: ..." between the lines of dashes.',
        )
    times = Counter(_TOP_KEY.findall("\n".join(lines)))
    if twice := [short(key) for key, count in times.items() if count > 1]:
        named = ", ".join(twice[:MOST_NAMED])
        notes.append(f"{named} occurs twice in the front matter; the last value is used.")
    return value, notes


def front_matter(value: Mapping[str, Any], notes: tuple[str, ...] = ()) -> FrontMatter:
    """Read the keys that pandoc, Quarto, bookdown, MyST and Manubot have for what a draft is."""
    title, subtitle = _string(value.get("title")), _string(value.get("subtitle"))
    dates = (_YEAR.search(_string(value.get(key))) for key in ("as_of", "year", "date"))
    years = (int(date[1]) for date in dates if date)
    authors = value.get("authors", value.get("author"))
    items = [item for item in _items(value.get("references")) if isinstance(item, dict)]
    works: list[Reference] = []
    if items:
        from recsys.formats.papers.paper_formats import BY_NAME

        works = [BY_NAME["CSL-JSON"].reference_of(item) for item in items]
    keywords = value.get("keywords", value.get("keyphrases"))
    if isinstance(keywords, str):
        keyphrases = told_apart(_string(keywords))
    else:
        keyphrases = cleaned_keyphrases(filter(None, map(_string, _items(keywords))))
    parts = value.get("parts")
    within = parts.get("abstract") if isinstance(parts, dict) else None
    return FrontMatter(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=tuple(name for item in _items(authors) for name in _names(item)),
        abstract=before_keywords(_string(value.get("abstract")) or _string(within)) or None,
        year=next((year for year in years if EARLIEST_YEAR <= year <= LATEST_YEAR), None),
        bibliography=tuple(filter(None, map(_string, _items(value.get("bibliography"))))),
        references=tuple(w for w in works if w.title or w.doi or w.arxiv or w.acl),
        cited=_string(value.get("nocite")),
        notes=notes,
        keyphrases=keyphrases,
    )


def blank(match: re.Match[str]) -> str:
    """Return spaces in the place of a match, so that every line stays where it is."""
    return _NO_BREAK.sub(" ", match[0])


def _yaml(lines: list[str], what: str, first: int) -> tuple[object, list[str]]:
    """Read YAML, else what it is when the values that are none are taken for text, and a note."""
    try:
        return _parsed("\n".join(lines), what, first), []
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
        text = "\n".join(quoted.get(at, line) for at, line in enumerate(lines))
        value = _parsed(text, what, first)
    where = f"line{'s' * (len(quoted) > 1)} "
    where += ", ".join(str(at + first) for at in [*quoted][:MOST_NAMED])
    return value, [f"{what} is not YAML in {where}: read as text."]


def _parsed(text: str, what: str, first: int) -> object:
    """Parse YAML within limits; what it says by `<<` or `*name` is there once."""
    try:
        return yaml_value(text, what, first=first, longest=LONGEST) or {}
    except InputError as error:
        hint = "Put values that have colons, brackets or quotes in them into quotes."
        if len(text) > LONGEST:
            hint = "Give long lists of references as a bibliography file."
        raise DraftError(error.what, hint) from error


def _string(value: object) -> str:
    """Return a text, also of pandoc's line block, whose lines begin with "|"."""
    return _LINE_BLOCK.sub("", value) if isinstance(value, str) and value not in _NONE else ""


def _items(value: object) -> list[Any]:
    """Return a list as it is, anything else as a list of one; nothing as an empty one."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items[:MOST_ITEMS] if item not in (*_NONE, None)]


def _names(author: object) -> Iterator[str]:
    """Yield the names of an author: text, a mapping with a name, or a name with a mapping."""
    if isinstance(author, str):
        yield from people_in(_ITEM.sub("; ", _RAISED.sub("", author))).spoken
    elif isinstance(author, dict):
        name = author.get("name", author.get("literal"))
        if isinstance(name, dict):
            author, name = name, name.get("literal")
        if whole := _string(name):
            yield from people_in(whole).spoken
        elif spoken := person_in(author):
            yield spoken
        elif len(author) == 1:
            yield str(next(iter(author)))
