"""Read a draft written in Org or in Typst: what its keywords and headings say, and whom it cites.

Org cites as org-cite, org-ref or LaTeX do. Of Typst, what stands where templates have it is read,
with brackets matched in one pass; no program is run.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from recsys.formats.drafts.draft_files import Folder, folder_of, look_up, shelf
from recsys.formats.drafts.plain import split_list
from recsys.formats.drafts.wording import (
    abstract_in,
    clean,
    clipped,
    sections,
    stated_on_lines,
    told_apart,
)
from recsys.formats.files import decode, display_name
from recsys.formats.latex.latex_cited import cited_keys, without_citations
from recsys.records import Manuscript
from recsys.store.words import cleaned_keyphrases

_KEYWORD = re.compile(
    r"(?im)^[^\S\n]*#\+(title|subtitle|author|date|bibliography|keywords)(?:\[[^\]\n]*\])?:(.*)$"
)
_ORG_ABSTRACT = re.compile(r"(?ims)^[^\S\n]*#\+begin_abstract[^\n]*\n(.*?)^[^\S\n]*#\+end_abstract")
_LEFT_OUT = re.compile(
    r"(?ims)^[^\S\n]*#\+begin_(src|example|export|comment|latex|html)\b[^\n]*\n.*?"
    r"(?:^[^\S\n]*#\+end_\1[^\n]*$|\Z)"
)
_DRAWER_END = re.compile(r"(?im)^[^\S\n]*:END:[^\S\n]*$")
_DRAWER = re.compile(rf"(?ims)^[^\S\n]*:[A-Za-z_-]+:[^\S\n]*\n.*?{_DRAWER_END.pattern[5:]}")
_REMARK = re.compile(r"(?m)^[^\S\n]*#(?:[^\S\n][^\n]*)?$")
_LINE_OFF = re.compile(r"(?m)^[^\S\n]*(?:#(?:\+[^\n]*|[^\S\n][^\n]*)?|\|[^\n]*|:[^\S\n][^\n]*)$")
_ORG_HEADING = re.compile(
    r"(?m)^(\*+)[^\S\n]+(?:(?:TODO|DONE|NEXT|WAIT)[^\S\n]+)?(?:\[#.\][^\S\n]+)?([^\n]*)$"
)
_TAGS = re.compile(r"[^\S\n]+:[\w@:%#]+:[^\S\n]*\Z")
_ABSTRACT_HEADING = re.compile(r"(?i)(?:abstract|summary)\W*\Z")
_ORG_CITE = re.compile(r"\[cite(?:/[\w/-]{0,40})?:([^\[\]]{1,2000})\]")
_AT_KEY = re.compile(r"@([\w:.#$%&\-+?<>~/]{1,200})")
_ORG_REF = re.compile(
    r"(?<![\w:])(?:no)?(?:cite|[Cc]ite(?:p|t|alp|alt|author|year|yearpar|title|num|text)|parencite|[Tt]extcite|autocite|footcite)\*?:"
    r"([\w&;:,./+-]{0,2000}\w)"
)
_LISTED = re.compile(
    r"(?<!\w)(?:no)?bibliography:([^\s\]]{1,500})|\\(?:bibliography|addbibresource)\{([^{}]{1,500})\}"
)
_ORG_MARKUP = (
    (_ORG_CITE, ""),
    (re.compile(r"\[\[(?:[^\[\]]{1,500})\]\[([^\[\]]{1,500})\]\]"), r"\1"),
    (re.compile(r"\s?\[\[(?:no)?[a-zA-Z]*cite[a-z]*:[^\[\]]{1,500}\]\]"), ""),
    (re.compile(r"\[\[([^\[\]]{1,500})\]\]"), r"\1"),
    (re.compile(r"\s?" + _ORG_REF.pattern), ""),
    (re.compile(r"\[fn:[^\[\]]{0,500}\]"), ""),
    (re.compile(r"(?<!\w)([*/_=~+])(?=\S)([^\n*/=~+]{1,500}?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\\\[^\S\n]*(?=\n|\Z)"), " "),
)
_BETWEEN_NAMES = re.compile(r"\s*[;,]\s*(?:and\s+)?|\s+and\s+|\s{3,}")


def read_org(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a file of Org; `folder` holds the files that it may name."""
    text, notes = clipped(decode(raw, display_name(path)))
    keywords: dict[str, list[str]] = defaultdict(list)
    for match in _KEYWORD.finditer(text):
        keywords[match[1].lower()].append(match[2].strip())
    marked = _ORG_ABSTRACT.search(text)
    text = _LEFT_OUT.sub("", text)
    # Behind the last end each drawer would be followed to the end of the text, in vain.
    end = max((match.end() for match in _DRAWER_END.finditer(text)), default=0)
    text = _DRAWER.sub("", text[:end]) + text[end:]
    citing = _REMARK.sub("", text)
    named = [name.strip("\"' ") for name in keywords["bibliography"]]
    for match in _LISTED.finditer(citing):
        named += (match[1] or match[2]).split(",")
    books = shelf(folder or folder_of(path), dict.fromkeys(filter(None, named)), (".bib",))
    # What is exported to LaTeX may cite as LaTeX does.
    cited = look_up(tuple(dict.fromkeys((*org_keys(citing), *cited_keys(citing)))), books)
    body = _LINE_OFF.sub("", _ORG_ABSTRACT.sub("", text))
    parts = sections(body, _ORG_HEADING, lambda match: _TAGS.sub("", match[2]))
    abstract, guess = abstract_in(parts, _ABSTRACT_HEADING, org_text)
    if marked:
        abstract, guess = org_text(marked[1]), ()
    title, subtitle = (org_text(" ".join(keywords[name])) for name in ("title", "subtitle"))
    heading = _ORG_HEADING.search(body)
    if not title and heading and not _ABSTRACT_HEADING.match(heading[2]):
        title = org_text(_TAGS.sub("", heading[2]))
    authors = (_BETWEEN_NAMES.split(org_text(names)) for names in keywords["author"])
    _, listed, unnamed = split_list(body, org_text)
    return Manuscript(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        abstract=abstract or None,
        authors=tuple(chain.from_iterable(authors)),
        references=tuple(dict.fromkeys((*cited.works, *listed))),
        notes=(*notes, *guess, *cited.notes, *unnamed),
        details=cited.details,
        keyphrases=told_apart(org_text(", ".join(keywords["keywords"]))) or stated_on_lines(body),
    )


def org_text(text: str) -> str:
    """Remove the mark-up of Org from a piece of text, its citations too.

    >>> org_text("*Dust* in /the/ [[https://wind.example][wind]] [cite:@dust2020], =now=")
    'Dust in the wind, now'
    """
    text = without_citations(text)
    for pattern, replacement in _ORG_MARKUP:
        text = pattern.sub(replacement, text)
    return re.sub(r" (?=[,.;:)](?:\s|\Z))", "", clean(text))


def org_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites, in the ways of org-cite and of org-ref."""
    places = [
        (match.start(), key.rstrip(".:;,?"))
        for match in _ORG_CITE.finditer(text)
        for key in _AT_KEY.findall(match[1])
    ]
    for match in _ORG_REF.finditer(text):
        keys = re.split(r"[,;]", match[1])
        places += [(match.start(), key.lstrip("&").rstrip(".:")) for key in keys]
    places.sort(key=lambda place: place[0])
    return tuple(dict.fromkeys(key for _, key in places if key))


LONGEST_VALUE = 50_000
"""Characters of one argument that are read_typst; a longer one counts as unclosed."""
DEEPEST = 100

_COMMENT = re.compile(
    r"(?<![:/])//[^\n]*|/\*.*?(?:\*/|\Z)|```.*?(?:```|\Z)|`[^`\n]{0,500}`", re.DOTALL
)
_ARGUMENT = r"(?<![\w-])(?:%s)[^\S\n]*(?::|=)\s*(?=[\[\"(])|#(?:%s)(?=[\[(])"
_TITLE, _TYPST_ABSTRACT, _AUTHORS, _SUBTITLE, _KEYPHRASES = (
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
_TYPST_HEADING = re.compile(r"(?m)^(=+)[^\S\n]+([^\n]*)$")
_CODE = re.compile(r"(?m)^[^\S\n]*#(?:import|include|set|show|let)\b[^\n]*$")
_LABEL = re.compile(r"<([\w:.-]{1,200})>")
_CITED = re.compile(r"(?<![\w.@\\])@([\w:.-]{1,200})|#cite\(\s*<([\w:.-]{1,200})>")
_LABELLED = re.compile(r'label\(\s*"([^"\n]{1,200})"\s*\)')
_BOOKS = re.compile(r"(?<![\w-])bibliography\s*\(\s*([^()]{0,500}|\([^()]{0,500}\)[^()]{0,200})\)")
_BOOK = re.compile(r'"([^"\n]{1,300}\.(?:bib|ya?ml))"')
_TYPST_MARKUP = (
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


def read_typst(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a file of Typst; `folder` holds the files that it may name."""
    text, notes = clipped(decode(raw, display_name(path)))
    text = _COMMENT.sub(" ", text)
    title, subtitle, marked = (
        next(filter(None, (typst_text(value) for value, _ in _values(text, name))), "")
        for name in (_TITLE, _SUBTITLE, _TYPST_ABSTRACT)
    )
    parts = sections(_CODE.sub("", text), _TYPST_HEADING, lambda match: typst_text(match[2]))
    abstract, guess = abstract_in(parts[len(parts) > 1 :], _ABSTRACT_HEADING, typst_text)
    if marked:
        abstract, guess = marked, ()
    if not title and len(parts) > 1 and not _ABSTRACT_HEADING.match(parts[1][0]):
        title = parts[1][0]
    keywords = (
        cleaned_keyphrases(typst_text(said or written) for said, written in _ITEM.findall(value))
        if listed
        else told_apart(typst_text(value))
        for value, listed in _values(text, _KEYPHRASES)
    )
    authors = (_typst_names(value, listed) for value, listed in _values(text, _AUTHORS))
    named = [name for books in _BOOKS.findall(text) for name in _BOOK.findall(books)]
    keys = [(match[1] or match[2]).rstrip(".:-") for match in _CITED.finditer(text)]
    keys += _LABELLED.findall(text)
    books = shelf(folder or folder_of(path), dict.fromkeys(named), (".bib",))
    # "@" refers to what has a label, too.
    labels = set(_LABEL.findall(re.sub(r"#cite\([^()]{0,300}\)", "", text)))
    labels -= {work.key for work in books.works}
    keys = list(dict.fromkeys(key for key in keys if key not in labels))
    cited = look_up(keys, books) if named else books
    return Manuscript(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        abstract=abstract or None,
        authors=tuple(next(authors, ())),
        references=cited.works,
        notes=(*notes, *guess, *cited.notes),
        details=cited.details,
        keyphrases=next(filter(None, keywords), ()),
    )


def _values(text: str, name: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Yield the arguments of a name that are not empty, and whether each is a list."""
    for match in name.finditer(text[: 4 * LONGEST_VALUE]):
        if value := value_at(text, match.end()):
            yield value, text.startswith("(", match.end())


def _typst_names(value: str, listed: bool) -> list[str]:
    """Return the names in an argument: what is called so, else strings of a list, else one text."""
    names = []
    for match in _NAME.finditer(value):
        name = value_at(value, match.end()) or ""
        if match[0].startswith("name"):
            names.append(typst_text(name))
        elif family := _FAMILY.search(value, match.end(), match.end() + 500):
            names.append(typst_text(f"{name} {value_at(value, family.end()) or ''}"))
    if names or not listed:
        return names or re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", typst_text(value))
    # A mapping has the names before its colons.
    strings = _STRING.findall(value)
    return [name for name, colon in strings if colon] or [name for name, _ in strings]


def typst_text(text: str) -> str:
    """Remove the mark-up of Typst from a piece of text, its citations too.

    >>> typst_text("*Dust* in _the_ #link(\\"https://w.example\\")[wind] @dust2020, #emph[now] <x>")
    'Dust in the wind, now'
    """
    for pattern, replacement in _TYPST_MARKUP:
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
