"""Read the works of a typeset bibliography: of BibTeX, biblatex, amsrefs, pandoc, or by hand."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from recsys.formats.identifiers import acl, arxiv, doi
from recsys.formats.latex.latex_commands import group
from recsys.formats.latex.latex_text import plain
from recsys.formats.printed.printed_works import printed_work
from recsys.records import Reference

LONGEST_ITEM, LONGEST_LIST = 3_000, 300_000
"""Characters of one typeset work, and of all together, that are read."""
MOST_ENTRIES = 2_000
"""Works of biblatex that are read."""

_ITEM = re.compile(r"\\bibitem(?![A-Za-z@])")
_LABEL = re.compile(r"\s*\[")
_END = re.compile(r"\\end\s*\{thebibliography\}")
_BLOCK = re.compile(r"\\newblock(?![A-Za-z@])")
_QUOTED = re.compile(
    r"``(.{8,400}?)[,.?!]?''|(?<!\w)`([^`']{8,400}?)[,.?!]?'(?!\w)|\"(?=[A-Z])([^\"]{8,400}?)[,.?!]?\"",
    re.DOTALL,
)
_ENQUOTED = re.compile(r"\\(?:enquote|mkbibquote)\*?\s*(?=\{)")
_MARKED = tuple(
    re.compile(rf"\\(?:{names})\s*(?=\{{)")
    for names in (
        r"showarticletitle|bibinfo\s*\{title\}|APACrefatitle",
        r"APACrefbtitle|bibinfo\s*\{booktitle\}",
    )
)
_SLANTED = re.compile(r"\\(?:emph|textit|textsl)\s*(?=\{)|(?=\{\s*\\(?:em|it|sl|itshape)\b)")
_CITEPROC = re.compile(r"\\hypertarget\s*\{(ref-[^{}\s]{1,300})\}\s*\{\}\}?%?")
_AMSREFS = re.compile(r"\\bib\*?\s*\{([^{}]{1,300})\}\s*\{([^{}]{1,50})\}\s*(?=\{)")
_AMS_FIELD = re.compile(r"(?:\A|,)\s*([a-z]{2,20})\s*=\s*(?=\{)")
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n|\\end\s*\{|\\hypertarget\b")
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
    for key, text in (*_items(source), *_of_citeproc(source)):
        length += len(text)
        if length <= LONGEST_LIST and key not in works:
            works[key] = _typeset(key, text)
    for part in source.split("\\endentry", MOST_ENTRIES)[:-1]:
        entry = _ENTRY.search(part)
        if entry and entry[1] not in works:
            works[entry[1]] = _biblatex(entry[1], part)
    for match in islice(_AMSREFS.finditer(source), MOST_ENTRIES):
        fields = group(source, match.end())
        if fields is not None and match[1] not in works:
            works[match[1]] = _amsrefs(match[1], fields)
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


def _of_citeproc(source: str) -> Iterator[tuple[str, str]]:
    """Yield key and text of each work in the lists of an older pandoc."""
    parts = _CITEPROC.split(source)
    for key, text in zip(parts[1::2], parts[2::2], strict=True):
        yield key, _PARAGRAPH_END.split(text[:LONGEST_ITEM].lstrip(), maxsplit=1)[0]


def _amsrefs(key: str, text: str) -> Reference:
    found = [(match[1], group(text, match.end()) or "") for match in _AMS_FIELD.finditer(text)]
    fields = {name: plain(value) for name, value in reversed(found)}
    year = _YEAR.search(fields.get("date") or fields.get("year") or "")
    return Reference(
        key=key,
        title=fields.get("title") or None,
        authors=tuple(_spoken(plain(value)) for name, value in found if name == "author"),
        year=int(year[1]) if year else None,
        venue=fields.get("journal") or fields.get("booktitle") or None,
        doi=doi(fields.get("doi")),
        arxiv=arxiv(fields.get("eprint")),
        url=fields.get("url") or None,
    )


def _spoken(name: str) -> str:
    family, _, given = name.partition(", ")
    return f"{given} {family}".strip()


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
    printed = printed_work(whole, key)
    title = _title(text, blocks, printed.title)
    return replace(
        printed,
        title=title,
        authors=printed.authors if title else (),
        year=int(years.pop()) if len(years) == 1 else printed.year,
        venue=printed.venue if title == printed.title else None,
        doi=printed.doi or doi(text),
        arxiv=printed.arxiv or arxiv(text),
        acl=printed.acl or acl(text),
    )


def _title(text: str, blocks: list[str], printed: str | None) -> str | None:
    """Return the title where the style marks it, in quotes, in a block of its own, or in prose."""
    title = _marked(text)
    if title is None:
        slanted = _slanted(text)
        if printed and slanted and printed.startswith(slanted):
            title = slanted  # What is slanted after the names is a book.
        else:
            title = blocks[1] if len(blocks) > 2 else printed or ""
    title = title.strip(" .,;")
    fewest = FEWEST_TITLE_WORDS if title != printed else 2
    return title if len(title.split()) >= fewest else None


def _marked(text: str) -> str | None:
    for pattern in (*_MARKED[:1], _ENQUOTED):
        if marked := pattern.search(text):
            return plain(group(text, marked.end()) or "")
    if quoted := _QUOTED.search(text):
        return plain(quoted[1] or quoted[2] or quoted[3])
    marked = _MARKED[1].search(text)
    return plain(group(text, marked.end()) or "") if marked else None


def _slanted(text: str) -> str | None:
    """Return what is set in italics first."""
    match = _SLANTED.search(text)
    inside = group(text, match.end()) if match else None
    return plain(inside).strip(" .,;") if inside else None


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
