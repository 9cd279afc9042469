"""Read a draft written in Markdown, with its YAML front matter and pandoc's citations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from recsys.formats.bodies.printed_citations import named_works
from recsys.formats.drafts.citing import Shelf, cited_twice, resolve, shelf
from recsys.formats.drafts.folder import Folder, folder_of
from recsys.formats.drafts.front_matter import FrontMatter, split_front_matter
from recsys.formats.drafts.plain import PlainDraft, split_list
from recsys.formats.drafts.wording import clean, clipped, counted, opening, paragraphs
from recsys.formats.files import decode, display_name
from recsys.formats.latex.latex_cited import cited_keys, without_citations
from recsys.formats.stated_keyphrases import stated_on_lines
from recsys.passages import Body
from recsys.records import Manuscript, Reference

MOST_HEADINGS = 1_000

_EVERYTHING = "*"
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
        body = _SETEXT.sub(_as_heading, _COMMENT.sub("", _FENCE.sub("", body)))
        body, listed, unnamed = split_list(body)
        notes += (*front.notes, *unnamed)
        title, abstract, guess = _read_body(body)
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
        from recsys.formats.bodies.markdown_body import read_text  # Few commands need sentences.

        return replace(read_text(self.text), references=tuple(references))


def stripped(text: str) -> str:
    """Remove the markup of Markdown from a piece of text, its citations too."""
    text = without_citations(text)
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return clean(text)


def citation_keys(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites in pandoc's way, `[@key; @other]` or `@key`, in order."""
    found = [(match.start(), match[1] or match[2]) for match in _KEY.finditer(text)]
    for role in _ROLE.finditer(text):
        found += [(role.start(), key.strip()) for key in role[1].split(",")]
    keys = (key.rstrip(".:;,?") for _, key in sorted(found, key=lambda each: each[0]))
    return tuple(dict.fromkeys(filter(None, keys)))


def _read_body(body: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Return title and abstract of a text, and a note where the abstract is a guess."""
    headings = list(islice(_HEADING.finditer(body), MOST_HEADINGS))
    if not headings:
        plain = PlainDraft(body).manuscript()
        return stripped(plain.title), stripped(plain.abstract or "") or None, plain.notes
    starts = [match.end() for match in headings]
    ends = [match.start() for match in headings[1:]] + [len(body)]
    sections = [body[start:end] for start, end in zip(starts, ends, strict=True)]
    names = [_heading_text(match[2]) for match in headings]
    highest = min(range(len(headings)), key=lambda place: len(headings[place][1]))
    title = "" if _ABSTRACT.match(names[highest]) else names[highest]
    for name, section in zip(names, sections, strict=True):
        if _ABSTRACT.match(name) and section.strip():
            return title, stripped(section), ()
    if marked := _ABSTRACT_DIV.search(body):
        return title, stripped(marked[1]), ()
    return title, *_opening([body[: headings[0].start()], *sections])


def _opening(sections: list[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return a paragraph that begins with "Abstract:", else the first ones, with a note."""
    parts = [part for section in sections for part in paragraphs(section)]
    for part in parts:
        if lead_in := _LEAD_IN.match(part):
            return stripped(part[lead_in.end() :]), ()
    text = opening(stripped(part) for part in parts)
    if text is None:
        return None, ()
    words = counted(len(text.split()), "word")
    return text, (f"No abstract was found; the first {words} of the text stand in for it.",)


def _cited(text: str, front: FrontMatter, folder: Folder) -> Shelf:
    """Return the works that are cited, and all that the front matter itself describes."""
    books = shelf(folder, front.bibliography, (".bib",)) if front.bibliography else Shelf()
    works = (*front.references, *books.works)
    keys = tuple(dict.fromkeys((*citation_keys(text), *cited_keys(text))))
    wanted = tuple(key for key in keys if key != _EVERYTHING)
    if _EVERYTHING in keys:
        wanted += tuple(work.key for work in works)
    if not (front.bibliography or front.references):
        # Then @name is a person or a place, but for what stands in the brackets of a citation.
        sure = " ".join(_BRACKETED.findall(text) + [each[0] for each in _ROLE.finditer(text)])
        found = resolve(wanted, ())
        return Shelf(found.works, resolve(citation_keys(sure), ()).notes)
    found = resolve(wanted, works)
    both = tuple(dict.fromkeys((*found.works, *front.references)))
    notes = (*books.notes, *cited_twice(books, wanted), *found.notes)
    return Shelf(both, notes, books.details)


def _heading_text(line: str) -> str:
    """Return a heading without pandoc's attributes and closing number signs."""
    text = _ATTRIBUTES.sub("", line[:_LONGEST_HEADING]).strip()
    stem = text.rstrip("#")
    return stripped(stem if stem.endswith(" ") else text)


def _as_heading(match: re.Match[str]) -> str:
    return f"{'#' if match[2] == '=' else '##'} {match[1]}"
