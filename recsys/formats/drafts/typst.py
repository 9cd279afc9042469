"""Read a draft written in Typst: its title, authors and abstract, and the keys that it cites.

No program is run: what stands where templates have it is read, with brackets matched in one pass.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from recsys.formats.drafts.draft_files import Folder, Shelf, folder_of, look_up, shelf
from recsys.formats.drafts.wording import abstract_in, clean, clipped, sections
from recsys.formats.files import decode, display_name
from recsys.formats.stated_keyphrases import told_apart
from recsys.keyphrases import cleaned
from recsys.records import Manuscript

LONGEST_VALUE = 50_000
"""Characters of one argument that are read; a longer one counts as unclosed."""
DEEPEST = 100

_COMMENT = re.compile(
    r"(?<![:/])//[^\n]*|/\*.*?(?:\*/|\Z)|```.*?(?:```|\Z)|`[^`\n]{0,500}`", re.DOTALL
)
_ARGUMENT = r"(?<![\w-])(?:%s)[^\S\n]*(?::|=)\s*(?=[\[\"(])|#(?:%s)(?=[\[(])"
_TITLE, _ABSTRACT, _AUTHORS, _SUBTITLE, _KEYPHRASES = (
    re.compile(_ARGUMENT % (names, names))
    for names in (
        *("title|paper-title", "abstract", "authors?", "subtitle"),
        "keywords|keyphrases|index-terms",
    )
)
_ITEM = re.compile(r'"([^"\n]{1,200})"|\[([^\[\]]{1,200})\]')
_NAME = re.compile(
    r"(?<![\w-])name\s*:\s*(?=[\[\"(])|(?<![\w-])(?:given|first)[\w-]*\s*:\s*(?=[\[\"])"
)
_FAMILY = re.compile(r"(?<![\w-])(?:family|last|surname)[\w-]*\s*:\s*(?=[\[\"])")
_STRING = re.compile(r'"((?:[^"\\]|\\.){0,2000})"(\s*:)?')
_JOINED = re.compile(r'\s*\+\s*"((?:[^"\\]|\\.){0,2000})"')
_BRACKET = re.compile(r'[\[\](){}]|"(?:[^"\\]|\\.){0,5000}"|\\.', re.DOTALL)
_HEADING = re.compile(r"(?m)^(=+)[^\S\n]+([^\n]*)$")
_ABSTRACT_HEADING = re.compile(r"(?i)(?:abstract|summary)\W*\Z")
_CODE = re.compile(r"(?m)^[^\S\n]*#(?:import|include|set|show|let)\b[^\n]*$")
_LABEL = re.compile(r"<([\w:.-]{1,200})>")
_CITED = re.compile(r"(?<![\w.@\\])@([\w:.-]{1,200})|#cite\(\s*<([\w:.-]{1,200})>")
_LABELLED = re.compile(r'label\(\s*"([^"\n]{1,200})"\s*\)')
_BOOKS = re.compile(r"(?<![\w-])bibliography\s*\(\s*([^()]{0,500}|\([^()]{0,500}\)[^()]{0,200})\)")
_BOOK = re.compile(r'"([^"\n]{1,300}\.(?:bib|ya?ml))"')
_MARKUP = (
    (re.compile(r'#link\((?:"[^"]{0,500}"|<[^<>]{0,200}>)\)\[([^\[\]]{0,1000})\]'), r"\1"),
    (re.compile(r'#link\("([^"]{0,500})"\)'), r"\1"),
    (
        re.compile(
            r"\s?#footnote\[[^\[\]]{0,2000}\]|\s?#cite\([^()]{0,300}\)|#[hv]\([^()]{0,50}\)"
        ),
        "",
    ),
    (re.compile(r"\s?(?<![\w.@\\])@[\w:.-]{0,199}\w(?:\[[^\[\]]{0,300}\])?|<[\w:.-]{1,200}>"), ""),
    (re.compile(r"#linebreak\(\)|\\(?=\s)"), " "),
    (re.compile(r"#[\w.-]{1,50}(?:\([^()]{0,300}\))?(?=\[)|#(?=\w)"), ""),
    (re.compile(r"(?<![\w\\])[*_](?=\S)|(?<=\S)(?<!\\)[*_](?!\w)|[\[\]]|(?<!\\)\$"), ""),
    (re.compile(r"\\([^\w\s])"), r"\1"),
    (re.compile(r"~"), " "),
)


def read(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a file of Typst; `folder` holds the files that it may name."""
    text, notes = clipped(decode(raw, display_name(path)))
    text = _COMMENT.sub(" ", text)
    title, subtitle = _told(text, _TITLE), _told(text, _SUBTITLE)
    parts = sections(_CODE.sub("", text), _HEADING, lambda match: stripped(match[2]))
    abstract, guess = abstract_in(parts[len(parts) > 1 :], _ABSTRACT_HEADING, stripped)
    if marked := _told(text, _ABSTRACT):
        abstract, guess = marked, ()
    if not title and len(parts) > 1 and not _ABSTRACT_HEADING.match(parts[1][0]):
        title = parts[1][0]
    cited = _cited(text, folder or folder_of(path))
    return Manuscript(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        abstract=abstract or None,
        authors=tuple(_authors(text)),
        references=cited.works,
        notes=(*notes, *guess, *cited.notes),
        details=cited.details,
        keyphrases=_keyphrases(text),
    )


def stripped(text: str) -> str:
    """Remove the mark-up of Typst from a piece of text, its citations too.

    >>> stripped("*Dust* in _the_ #link(\\"https://w.example\\")[wind] @dust2020, #emph[now] <x>")
    'Dust in the wind, now'
    """
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return clean(text)


def value_at(text: str, at: int) -> str | None:
    """Return what stands in the brackets or quotation marks that open at a place; None without."""
    if (string := _STRING.match(text, at)) is not None:
        said = string[1]
        while joined := _JOINED.match(text, string.end()):
            said, string = said + joined[1], joined
        return said
    depth = 0
    for match in _BRACKET.finditer(text, at, at + LONGEST_VALUE):
        sign = match[0]
        depth += (sign in "[({") - (sign in "])}") if len(sign) == 1 else 0
        if depth == 0:
            return text[at + 1 : match.start()]
        if depth > DEEPEST:
            return None
    return None


def _told(text: str, name: re.Pattern[str]) -> str:
    """Return the first argument of a name that says something."""
    for match in name.finditer(text[: 4 * LONGEST_VALUE]):
        if (value := value_at(text, match.end())) and (said := stripped(value)):
            return said
    return ""


def _authors(text: str) -> Iterator[str]:
    """Yield the names: those that are called so, else the strings of a list, or one text."""
    for match in _AUTHORS.finditer(text[: 4 * LONGEST_VALUE]):
        value = value_at(text, match.end())
        if not value:
            continue
        if names := list(_names(value)):
            yield from names
        elif text.startswith("(", match.end()):
            # A mapping has the names before its colons.
            strings = _STRING.findall(value)
            keyed = [name for name, colon in strings if colon]
            yield from keyed or [name for name, _ in strings]
        else:
            yield from re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", stripped(value))
        return


def _keyphrases(text: str) -> tuple[str, ...]:
    """Return the strings or contents of a list, or what one text lists."""
    for match in _KEYPHRASES.finditer(text[: 4 * LONGEST_VALUE]):
        value = value_at(text, match.end()) or ""
        if text.startswith("(", match.end()):
            items = (said or written for said, written in _ITEM.findall(value))
            found = cleaned(map(stripped, items))
        else:
            found = told_apart(stripped(value))
        if found:
            return found
    return ()


def _names(value: str) -> Iterator[str]:
    for match in _NAME.finditer(value):
        name = value_at(value, match.end()) or ""
        if match[0].startswith("name"):
            yield stripped(name)
        elif family := _FAMILY.search(value, match.end(), match.end() + 500):
            yield stripped(f"{name} {value_at(value, family.end()) or ''}")


def _cited(text: str, folder: Folder) -> Shelf:
    named = [name for found in _BOOKS.findall(text) for name in _BOOK.findall(found)]
    keys = [(each[1] or each[2]).rstrip(".:-") for each in _CITED.finditer(text)]
    keys += _LABELLED.findall(text)
    labels = set(_LABEL.findall(re.sub(r"#cite\([^()]{0,300}\)", "", text)))
    books = shelf(folder, dict.fromkeys(named), (".bib",))
    # "@" refers to what has a label, too.
    known = {work.key for work in books.works}
    cited = dict.fromkeys(key for key in keys if key in known or key not in labels)
    return look_up(tuple(cited), books) if named else books
