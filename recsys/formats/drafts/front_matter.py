"""Read the YAML front matter of a Markdown draft, in the forms that pandoc knows.

Every scalar is read as text (`yaml.BaseLoader`): no type is guessed, no object is made, and an
alias repeats nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from recsys.errors import DraftError
from recsys.formats.drafts.objects import EARLIEST_YEAR, LATEST_YEAR
from recsys.formats.drafts.wording import clean, short
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.formats.stated_keyphrases import told_apart
from recsys.keyphrases import cleaned
from recsys.records import Reference

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

    Raises:
        DraftError: the front matter is not YAML, or no mapping.
    """
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter(), text
    # YAML forbids tabs where they indent.
    lines = "\n".join(line.expandtabs(4).rstrip() for line in block[1].split("\n"))
    value, repaired = _yaml(lines, name)
    if not isinstance(value, dict):
        raise DraftError(
            f"The front matter of {name} is {short(value)} instead of keys and values.",
            'Write lines such as "title: ..." between the lines of dashes.',
        )
    notes = (*repaired, *_said_twice(lines))
    return replace(_front_matter(value), notes=notes), text[block.end() :]


def _said_twice(text: str) -> Iterator[str]:
    times = Counter(_TOP_KEY.findall(text))
    twice = [key for key, count in times.items() if count > 1]
    if twice:
        named = ", ".join(short(key) for key in twice[:MOST_NAMED])
        yield f"{named} occurs twice in the front matter; what is said last counts."


def _yaml(text: str, name: str) -> tuple[object, tuple[str, ...]]:
    """Read YAML, else what it is when the values that are none are taken for text."""
    try:
        return _parsed(text, name), ()
    except DraftError:
        lines = text.split("\n")
        changed = [_as_text(line) for line in lines]
        places = [str(at + 2) for at, line in enumerate(lines) if changed[at] != line]
        if not places:
            raise
        value = _parsed("\n".join(changed), name)
    told = f"line{'s' * (len(places) > 1)} {', '.join(places[:MOST_NAMED])}"
    return value, (f"The front matter is no YAML in {told}: read as text.",)


def _as_text(line: str) -> str:
    """Put a value that cannot be one of YAML into quotes."""
    match = _VALUE.match(line)
    if match is None or not (_NO_VALUE.search(match[2]) and match[2][0] not in "\"'[{|>&*!#"):
        return line
    return f"{match[1]}'{match[2].replace(chr(39), chr(39) * 2)}'"


def _parsed(text: str, name: str) -> object:
    if len(text) > LONGEST:
        raise DraftError(
            f"The front matter of {name} is longer than {LONGEST:,} characters.",
            "Give long lists of references as a bibliography file.",
        )
    if _depth(text) > DEEPEST:
        raise DraftError(
            f"The front matter of {name} is nested too deeply: more than {DEEPEST} brackets deep.",
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


def _depth(text: str) -> int:
    """Return how many brackets are open at once, those in quotes too."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth = max(depth + (1 if bracket in "[{" else -1), 0)
        deepest = max(deepest, depth)
    return deepest


def _front_matter(value: Mapping[Any, Any]) -> FrontMatter:
    title, subtitle = _string(value.get("title")), _string(value.get("subtitle"))
    years = (_year(value.get(key)) for key in ("as_of", "year", "date"))
    authors = value.get("authors", value.get("author"))
    return FrontMatter(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        authors=tuple(name for item in _items(authors) for name in _names(item)),
        abstract=_string(value.get("abstract")) or None,
        year=next((year for year in years if year is not None), None),
        bibliography=tuple(filter(None, map(_string, _items(value.get("bibliography"))))),
        references=tuple(
            work
            for work in map(_reference, _items(value.get("references")))
            if work.title or work.doi or work.arxiv or work.acl
        ),
        cited=_string(value.get("nocite")),
        keyphrases=_keyphrases(value.get("keywords", value.get("keyphrases"))),
    )


def _keyphrases(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return told_apart(_string(value))
    return cleaned(filter(None, map(_string, _items(value))))


def _string(value: object) -> str:
    return value if isinstance(value, str) and value not in _NONE else ""


def _items(value: object) -> list[Any]:
    """Return a list as it is, anything else as a list of one; nothing as an empty one."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items[:MOST_ITEMS] if item not in (*_NONE, None)]


def _year(value: object) -> int | None:
    found = _YEAR.search(_string(value))
    year = int(found[1]) if found else None
    return year if year and EARLIEST_YEAR <= year <= LATEST_YEAR else None


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
            yield from names if all(" " in each for each in names) else (whole,)
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
