"""Read a draft written in Org: what its keywords and headings say, and whom it cites.

It cites as org-cite, org-ref or LaTeX do.
"""

import re
from collections import defaultdict
from itertools import islice
from pathlib import Path

from recsys.formats.bodies.headings import ABSTRACT_NAMES
from recsys.formats.drafts.draft_files import Folder, folder_of, look_up, shelf
from recsys.formats.drafts.plain import split_list
from recsys.formats.drafts.wording import (
    MOST_SECTIONS,
    abstract_in,
    before_keywords,
    clean,
    clipped,
    first_title,
    sections,
    stated_on_lines,
    told_apart,
)
from recsys.formats.files import decode, display_name
from recsys.formats.latex.latex_cited import cited_keys, without_citations
from recsys.formats.references.people import people_in
from recsys.records import Manuscript

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
_ABSTRACT_HEADING = re.compile(rf"(?i){ABSTRACT_NAMES}\W*\Z")
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
_WIDE = re.compile(r"\s{3,}")


def read(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
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
        abstract, guess = org_text(before_keywords(marked[1])), ()
    title, subtitle = (org_text(" ".join(keywords[name])) for name in ("title", "subtitle"))
    if not title:
        headings = islice(_ORG_HEADING.finditer(body), MOST_SECTIONS)
        title, doubt = first_title((len(h[1]), org_text(_TAGS.sub("", h[2]))) for h in headings)
        guess += doubt
    authors = (_WIDE.sub("; ", org_text(names)) for names in keywords["author"])
    _, listed, unnamed = split_list(body, org_text)
    return Manuscript(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        abstract=abstract or None,
        authors=people_in(*authors, commas="between").spoken,
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
