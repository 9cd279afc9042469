"""Read the works of a typeset bibliography: a thebibliography, or a .bbl of BibTeX or biblatex."""

import re
from collections.abc import Iterator

from recsys.formats.drafts.latex_commands import group
from recsys.formats.drafts.latex_text import plain
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Reference

LONGEST_ITEM, LONGEST_LIST = 3_000, 300_000
"""Characters of one typeset work, and of all together, that are read."""
MOST_ENTRIES = 2_000
"""Works of biblatex that are read."""

_ITEM = re.compile(r"\\bibitem(?![A-Za-z@])")
_LABEL = re.compile(r"\s*\[")
_END = re.compile(r"\\end\s*\{thebibliography\}")
_BLOCK = re.compile(r"\\newblock(?![A-Za-z@])")
_QUOTED = re.compile(r"``(.{8,400}?)[,.?!]?''", re.DOTALL)
_MARKED = re.compile(r"\\(?:showarticletitle|bibinfo\s*\{title\}|newblock\s*\\emph)\s*(?=\{)")
_YEAR = re.compile(r"(?<![\d./:-])(1[89]\d\d|20\d\d)(?![\d/-])")
_ENTRY = re.compile(r"\\entry\{([^{}]{1,300})\}")
_FIELD = re.compile(r"\\(?:field|strng)\{(title|year|journaltitle|booktitle)\}\s*(?=\{)")
_VERBATIM = re.compile(r"\\verb\{(doi|eprint|url)\}\s*\\verb ([^\n]{1,500})")
_FAMILY = re.compile(r"\bfamily=\s*(?=\{)")
_GIVEN = re.compile(r"\bgiven=\s*(?=\{)")
FEWEST_TITLE_WORDS = 3
"""A shorter part of an item is not taken for its title: it may be a name or a venue."""


def listed_works(source: str) -> tuple[Reference, ...]:
    """Return the works of every typeset bibliography in a source, with what is safe to tell."""
    works: dict[str, Reference] = {}
    length = 0
    for key, text in _items(source):
        length += len(text)
        if length <= LONGEST_LIST and key not in works:
            works[key] = _typeset(key, text)
    for part in source.split("\\endentry", MOST_ENTRIES)[:-1]:
        entry = _ENTRY.search(part)
        if entry and entry[1] not in works:
            works[entry[1]] = _biblatex(entry[1], part)
    return tuple(works.values())


def _items(source: str) -> Iterator[tuple[str, str]]:
    """Yield key and text of each `\\bibitem[label]{key} text`."""
    for part in _ITEM.split(source)[1:]:
        text = part[:LONGEST_ITEM]
        end = _END.search(text)
        text = text[: end.start()] if end else text
        at = _after_label(text)
        key = group(text, at)
        if key is not None:
            yield key.strip(), text[text.index("{", at) + len(key) + 2 :]


def _after_label(text: str) -> int:
    """Return where the optional label ends: it has braces and brackets of its own."""
    opening = _LABEL.match(text)
    depth, at = 0, opening.end() if opening else 0
    while opening and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if text[at - 1] == "]" and depth == 0:
            return at
    return 0


def _typeset(key: str, text: str) -> Reference:
    blocks = [plain(block) for block in _BLOCK.split(text)]
    whole = " ".join(blocks)
    years = set(_YEAR.findall(whole))
    return Reference(
        key=key,
        title=_title(text, blocks),
        year=int(years.pop()) if len(years) == 1 else None,
        doi=doi(whole) or doi(text),
        arxiv=arxiv(whole) or arxiv(text),
        acl=acl(whole) or acl(text),
    )


def _title(text: str, blocks: list[str]) -> str | None:
    """Return the title where the style marks it, in quotes, or in a block of its own; else None."""
    marked = _MARKED.search(text)
    if marked:
        title = plain(group(text, marked.end()) or "")
    elif quoted := _QUOTED.search(text):
        title = plain(quoted[1])
    else:
        title = blocks[1] if len(blocks) > 2 else ""
    title = title.strip(" .,;")
    return title if len(title.split()) >= FEWEST_TITLE_WORDS else None


def _biblatex(key: str, entry: str) -> Reference:
    fields = {match[1]: plain(group(entry, match.end()) or "") for match in _FIELD.finditer(entry)}
    verbatim = dict(_VERBATIM.findall(entry))
    families, given = _names(entry, _FAMILY), _names(entry, _GIVEN)
    pairs = zip(families, given, strict=False)
    year = _YEAR.search(fields.get("year", ""))
    eprint, url = verbatim.get("eprint"), verbatim.get("url")
    return Reference(
        key=key,
        title=fields.get("title") or None,
        authors=tuple(f"{first} {last}" for last, first in pairs) or families,
        year=int(year[1]) if year else None,
        venue=fields.get("journaltitle") or fields.get("booktitle") or None,
        doi=doi(verbatim.get("doi")) or doi(url),
        arxiv=arxiv(eprint) or arxiv(url),
        acl=acl(url),
        url=url,
    )


def _names(entry: str, part: re.Pattern[str]) -> tuple[str, ...]:
    found = (group(entry, match.end()) for match in part.finditer(entry))
    return tuple(plain(name) for name in found if name)
