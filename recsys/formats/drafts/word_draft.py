"""Read a draft written in a word processor: by its styles and headings, else by its words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, takewhile
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.bodies.headings import (
    ABSTRACT_NAMES,
    INTRODUCTION_NAMES,
    KEYWORDS_NAMES,
    bare,
    ends_text,
    is_caption,
    is_heading,
)
from recsys.formats.bodies.printed_citations import (
    CitedList,
    Sign,
    apart,
    asks_for_citation,
    cited_list,
    named_works,
)
from recsys.formats.bodies.printed_works import MOST_REFERENCES, marked_work
from recsys.formats.bodies.running_text import RunningText, Units
from recsys.formats.drafts.bylines import names_of_line
from recsys.formats.drafts.draft_files import Archive
from recsys.formats.drafts.pdf_front import (
    LONGEST_TITLE_WORDS,
    is_file_title,
    is_no_title,
    letters,
)
from recsys.formats.drafts.word_file import Paragraph, WordText, open_document_text, word_text
from recsys.formats.drafts.wording import clean, counted, opening, stand_in, stated_in
from recsys.formats.files import display_name
from recsys.formats.references.bibliography import says_something
from recsys.formats.references.people import people_in
from recsys.formats.references.word_works import cited_tags, cited_works, sources_in
from recsys.records import Body, Manuscript, Reference

FRONT = 60
"""Paragraphs in which title, authors and abstract are looked for, where no section ends them."""
LONGEST_ABSTRACT_WORDS = 600
LONGEST_ENTRY = 2_000
"""Characters of a paragraph that are read as one reference."""

_OLD = b"\xd0\xcf\x11\xe0"
_NUMBER = r"(?:(?:\d{1,2}|[IVX]{1,4})(?:\.\d{1,2})*[.)]?\s{1,4})?"
_ABSTRACT = re.compile(
    rf"(?i){_NUMBER}{ABSTRACT_NAMES}"
    r"\s*(?:[:.\u2013\u2014\uff1a-]+\s*|\n\s*|\Z)"
)
_AFTER_ABSTRACT = re.compile(rf"(?i){_NUMBER}(?:{INTRODUCTION_NAMES}[\s:.]*\Z|{KEYWORDS_NAMES})")
_LIST = re.compile(
    rf"(?i){_NUMBER}(?:references(?: cited| and notes)?|list of references|bibliography|"
    r"literature(?: cited)?|works cited|reading list|literatur(?:verzeichnis)?|"
    r"r\u00e9f\u00e9rences(?: bibliographiques)?|bibliographie|bibliograf[i\u00ed]a|"
    r"refer(?:encias|\u00eancias)(?: bibliogr\u00e1ficas)?|riferimenti(?: bibliografici)?|"
    r"literatuur(?:lijst)?|referenties|referenser|k\u00e4llor|kaynak(?:\u00e7a|lar)|"
    r"\u043b\u0438\u0442\u0435\u0440\u0430\u0442\u0443\u0440\u0430|\u53c2\u8003\u6587\u732e|\u53c3\u8003\u6587\u737b)\s*:?\Z"
)
_TITLE_STYLE = re.compile(
    r"(?:(?:paper|article|document|main|els|mdpi[\d._]*|rsc|t1)[ _-]?)?title"
    r"(?:[ _-]?(?:document|page|paper))?"
)
_AUTHOR_STYLE = re.compile(
    r"(?:(?:paper|article|els|mdpi[\d._]*|ieee)[ _-]?)?authors?(?:[ _-]?names?)?"
)
_ABSTRACT_STYLE = re.compile(r"(?:\w{1,12}[ _-]?)?abstract(?:[ _-]?(?:text|body))?")
_LIST_STYLE = re.compile(
    r"(?:\w{1,12}[ _-])?(?:bibliography|references?|bib[ _-]?entry|reference[ _-]?(?:item|list))"
    r"(?: ?\d)?"
)
_CONTENTS_STYLE = re.compile(r"toc(?: ?\d| heading)|contents.*|table of figures|header|footer")
_MARKER = re.compile(r"\s*(?:\[[^\]\s]{1,30}\]|\d{1,4}[.)])\s")
_LEFT_OUT = re.compile(
    r".*\b(?:caption|source ?code|code|verbatim|html preformatted|title|subtitle|authors?|"
    r"affiliations?|keywords?|abstract|equation)\b.*|toc.*"
)
"""Styles of what is no running text."""
_FRONT = re.compile(r"(?i)(?:author )?key ?-?words?\b|index terms\b|ccs concepts\b|jel\b")
_MANAGED = re.compile(r"\s*(?:ADDIN\b|CITATION\b|MENDELEY_CITATION)", re.IGNORECASE)
_CITES = re.compile(r"ZOTERO_ITEM|CSL_CITATION|EN\.CITE|CitaviPlaceholder|CITATION", re.IGNORECASE)
_PRINTED_NUMBER = re.compile(r"\[(\d{1,3})\]")
_LONGEST_CAPTION = 1_500
_SENTENCE = 12
"""Words from which on what is left out is counted: shorter cells of a table are no sentences."""
_FEWEST_NUMBERS = 3
"""Printed numbers "[12]" that show that an automatically numbered list is cited by number."""


def parse(raw: bytes, path: Path) -> "WordDraft":
    """Read a file of Word's.

    Raises:
        DraftError: it is damaged, encrypted, too large, or no document of Word.
        MissingExtraError: python-docx is not installed.
    """
    name = display_name(path)
    if raw.startswith(_OLD):
        raise DraftError(
            f"{name} is an old Word file, or has a password.",
            "Save it as PDF, Markdown or plain text.",
        )
    return WordDraft(word_text(raw, Archive(raw, name)))


def read_open_document(raw: bytes, path: Path) -> Manuscript:
    """Read a file of OpenDocument, as LibreOffice writes it.

    Raises:
        DraftError: it is damaged, encrypted, too large, or no text document.
    """
    return manuscript_of(open_document_text(Archive(raw, display_name(path))))


@dataclass(frozen=True)
class WordDraft:
    """What a document of Word says, and its front matter and references."""

    document: WordText

    def manuscript(self) -> Manuscript:
        """Return title, authors, abstract and references."""
        return self._facts

    @cached_property
    def _facts(self) -> Manuscript:
        return manuscript_of(self.document)

    def body(self, references: Sequence[Reference]) -> Body:
        """Read the sentences; `Span.line` counts paragraphs, from 1.

        Those in tables and text boxes are not counted. Marks name what fields cite, or entries of
        the list. A note whose field cites something is a mark where the note's number stands; so is
        a comment that asks for a citation: a gap.
        """
        document = self.document
        sections = list(_sections(document))
        works, texts = self._facts.references, [part.text for _, run in sections for _, part in run]
        numbers = [int(number) for text in texts for number in _PRINTED_NUMBER.findall(text)]
        entries = split_list(_said(document.paragraphs))[1]
        # Entries that Word numbers get their numbers. Where one could not be read, the numbers of
        # those below it are unknown.
        whole = len(entries) == len(works) and not any(work.key for work in works)
        if whole and len(numbers) >= _FEWEST_NUMBERS and max(numbers) <= len(works):
            works = tuple(replace(work, key=str(at)) for at, work in enumerate(works, start=1))
        listed = cited_list(works)
        keys = {_identity(work): work.key for work in listed.references}
        text = RunningText(listed, numbers=True, fewest_words=2)
        for title, paragraphs in sections:
            text.heading(title)
            for number, paragraph in paragraphs:
                marks = _anchored(paragraph, document, listed, keys)
                start, at = Units.offset(number - 1, paragraph.lead), 0
                for sign in apart(marks):
                    text.words(paragraph.text[at : sign.start], start + at)
                    text.mark(
                        start + sign.start,
                        start + sign.end,
                        sign.keys,
                        gap=sign.gap,
                        printed=marks[sign],
                    )
                    at = sign.end
                text.words(paragraph.text[at:], start + at)
                text.end_paragraph()
        # What is left out may hold sentences.
        boxed = [paragraph.text for paragraph in document.paragraphs if paragraph.boxed]
        notes = tuple(
            what.format(counted(number, noun))
            for what, noun, texts in (
                ("{} in tables or text boxes left out.", "paragraph", boxed),
                ("The words of {} left out.", "note", document.noted),
            )
            if (number := sum(len(text.split()) > _SENTENCE for text in texts))
        )
        return Body(
            text.sentences(Units()), unit="paragraph", references=listed.references, notes=notes
        )


def manuscript_of(document: WordText) -> Manuscript:
    """Find title, authors, abstract and references in what a document says."""
    body, entries = split_list(_said(document.paragraphs))
    start, abstract, sure_abstract = find_abstract(body)
    end, title, sure_title = find_title(document, body[:start])
    authors = _authors(document, body[end:start])
    notes = [] if sure_title else ["The title is a guess: give --title if it is wrong."]
    if not sure_abstract:
        texts = [part.text for part in body[end:] if part.level is None]
        abstract, guess = stand_in(clean(text) for text in texts if len(text.split()) > 8)
        notes += guess
    # Word's own list of works also keeps what is no longer cited.
    sources = {work.key: work for source in document.sources for work in sources_in(source)}
    tags = dict.fromkeys(tag for said in document.fields for tag in cited_tags(said))
    cited = [*cited_works(document.fields), *(sources[tag] for tag in tags if tag in sources)]
    listed, unread = _listed(entries, cited)
    if unread:
        notes.append(f"{counted(unread, 'listed reference')} could not be read.")
    noted = [marked_work(clean(text[:LONGEST_ENTRY])) for text in document.noted]
    named = [work for work in noted if work.doi or work.arxiv or work.acl]
    works = tuple(dict.fromkeys((*cited, *listed, *named)))
    if not works:
        works, guess = named_works("\n".join(part.text for part in body))
        notes += guess
    return Manuscript(
        title=title,
        abstract=abstract,
        authors=authors,
        references=tuple(dict.fromkeys((*works, *document.works))),
        notes=tuple(notes),
        keyphrases=stated_in([part.text for part in body[:FRONT]]),
    )


def _said(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Leave out what is empty, a table of contents, or stands above or below the text."""
    return [part for part in paragraphs if part.text and not _CONTENTS_STYLE.fullmatch(part.style)]


def split_list(said: Sequence[Paragraph]) -> tuple[Sequence[Paragraph], list[str]]:
    """Split the list of references off: what follows its heading, else what is styled so."""
    places = [place for place, part in enumerate(said) if _LIST.fullmatch(part.text)]
    if not places:
        entries = [part.text for part in said if _LIST_STYLE.fullmatch(part.style)]
        return [part for part in said if not _LIST_STYLE.fullmatch(part.style)], entries
    place = places[-1]
    level = said[place].level or 9
    below = takewhile(lambda part: part.level is None or part.level > level, said[place + 1 :])
    return said[:place], [part.text for part in below]


def find_abstract(body: Sequence[Paragraph]) -> tuple[int, str | None, bool]:
    """Find the abstract: (where it begins, its text, whether there is one)."""

    def words(texts: Sequence[str]) -> str | None:
        words = [word for text in texts for word in text.split()]
        return " ".join(words[:LONGEST_ABSTRACT_WORDS]) or None

    front = body[: end_of_front(body)]
    styled = [place for place, part in enumerate(front) if _ABSTRACT_STYLE.fullmatch(part.style)]
    if text := words([_ABSTRACT.sub("", front[place].text, count=1) for place in styled]):
        return styled[0], text, True
    for place, part in enumerate(front):
        lead_in = _ABSTRACT.match(part.text)
        if lead_in is None:
            continue
        rest = part.text[lead_in.end() :]
        below = takewhile(
            lambda part: part.level is None and not _AFTER_ABSTRACT.match(part.text),
            body[place + 1 : place + 1 + FRONT],
        )
        following = [part.text for part in below]
        whole = place + 1 + len(following) < len(body)  # Something says where it ends.
        # What begins with "Abstract:" ends with the paragraph, unless what follows is marked.
        texts = [rest] if rest and not (whole and len(following) <= 4) else [rest, *following]
        text = words(texts) if whole or rest else opening(texts)
        if text:
            return place, text, True
    return len(front), None, False


def end_of_front(body: Sequence[Paragraph]) -> int:
    """Return where the text proper begins: at its first section."""
    sections = (
        place
        for place, part in enumerate(body[:FRONT])
        if place and _AFTER_ABSTRACT.match(part.text) and not _ABSTRACT.match(part.text)
    )
    return next(sections, min(len(body), FRONT))


def find_title(document: WordText, front: Sequence[Paragraph]) -> tuple[int, str, bool]:
    """Find the title: (the paragraph after it, its text, whether it is sure)."""
    styled = [place for place, part in enumerate(front) if _TITLE_STYLE.fullmatch(part.style)]
    if styled:
        run = [place for at, place in enumerate(styled) if place == styled[0] + at]
        return run[-1] + 1, clean(" ".join(front[place].text for place in run)), True
    of_file = clean(document.title)
    printed = [letters(part.text) for part in front]
    known = letters(of_file) if is_file_title(of_file) else ""
    if known and known in "".join(printed):
        # The title may be printed in several paragraphs.
        ends = (at for at, text in enumerate(printed, 1) if text and known.endswith(text))
        return next(ends, 0), of_file, True
    for place, part in enumerate(front):
        text = clean(part.text)
        if len(text.split()) > LONGEST_TITLE_WORDS:
            break
        if not is_no_title(text) and sum(map(str.isalpha, text)) >= 6:
            return place + 1, text, part.level is not None
    return 0, of_file if is_file_title(of_file) else "", False


def _authors(document: WordText, byline: Sequence[Paragraph]) -> tuple[str, ...]:
    """Read names: what is styled so, the lines below the title, or the file's own if printed."""
    styled = [part for part in byline if _AUTHOR_STYLE.fullmatch(part.style)]
    lines = [line for part in styled or byline for line in part.text.split("\n") if line.strip()]
    authors: list[str] = []
    for line in lines:
        names = names_of_line(clean(line))
        if not names and not styled:
            break
        authors += names
    if authors:
        return tuple(dict.fromkeys(authors))
    known = people_in(clean(document.author)).spoken
    printed = "".join(letters(part.text) for part in byline)
    named = all(len(name.split()) > 1 and letters(name) in printed for name in known)
    return known if named else ()


def _listed(paragraphs: Sequence[str], cited: Sequence[Reference]) -> tuple[list[Reference], int]:
    """Read the entries that are none of the works that fields describe better.

    Returns:
        The works, and how many entries could not be read.
    """
    titles = {letters(work.title) for work in cited if work.title} - {""}
    identifiers = {work.doi for work in cited if work.doi}
    entries: list[str] = []
    for text in paragraphs[:MOST_REFERENCES]:
        lines = [line for line in text.split("\n") if line.strip()]
        # A paragraph is a work, or each of its lines where all are marked as works.
        entries += lines if len(lines) > 1 and all(map(_MARKER.match, lines)) else [text]
    works, unread = [], 0
    for entry in (clean(entry)[:LONGEST_ENTRY] for entry in entries[:MOST_REFERENCES]):
        printed = letters(entry)
        work = marked_work(entry)
        if work.doi in identifiers or any(title in printed for title in titles):
            continue
        if says_something(work):
            works.append(work)
        else:
            unread += 1
    return works, unread


def _sections(document: WordText) -> Iterator[tuple[str, list[tuple[int, Paragraph]]]]:
    """Yield the sections of the running text: a title, and paragraphs with their numbers.

    The text stands between the front and the list of references, and after that. What stands below
    thanks and lists is none.
    """
    unboxed = [part for part in document.paragraphs if not part.boxed]
    numbers = {id(part): number for number, part in enumerate(unboxed, start=1)}
    said = _said(unboxed)
    body, entries = split_list(said)
    above = [part for part in body if not part.listed]
    text = above[_begin_of_text(document, above) :]
    if len(body) + len(entries) < len(said):  # Beside both, there is the heading of the list.
        text += [part for part in said[len(body) + 1 + len(entries) :] if not part.listed]
    styled = any(part.level is not None for part in text)
    title, paragraphs = "", list[tuple[int, Paragraph]]()
    left_out: int | None = None
    for part in text:
        level = part.level if styled else 1 if is_heading(part.text) else None
        if level is None:
            if left_out is None and not (
                _LEFT_OUT.fullmatch(part.style)
                or _FRONT.match(part.text)
                or (part.text[-1].isalpha() and names_of_line(part.text))
                or (is_caption(part.text) and len(part.text) < _LONGEST_CAPTION)
            ):
                paragraphs.append((numbers[id(part)], part))
        elif left_out is None or level <= left_out:
            yield title, paragraphs
            title, paragraphs = bare(part.text), []
            left_out = level if ends_text(part.text) else None
    yield title, paragraphs


def _begin_of_text(document: WordText, body: Sequence[Paragraph]) -> int:
    """Return where the text begins: at its first section, else after the abstract or the title.

    body: the paragraphs before the list of references, as `split_list` returns them.
    """
    end = end_of_front(body)
    if end < min(len(body), FRONT):
        return end
    start, _, has_abstract = find_abstract(body)
    if not has_abstract:
        end, title, sure = find_title(document, body[:start])
        return end if sure or not title.endswith((".", "!", "?")) else 0
    headings = (at for at in range(start + 1, len(body)) if body[at].level is not None)
    alone = _ABSTRACT.fullmatch(body[start].text) is not None
    return next(headings, start + 1 + alone)


def _anchored(
    paragraph: Paragraph,
    document: WordText,
    listed: CitedList,
    works: Mapping[tuple[object, ...], str],
) -> dict[Sign, str]:
    """Return what fields, notes and comments cite or ask for, and what is printed of each.

    works: the keys of the listed ones, by `_identity`.
    """
    signs: dict[Sign, str] = {}
    for anchor in paragraph.anchors:
        said = anchor.said[0] if anchor.said else ""
        if (remark := document.remarks.get(said)) is not None:
            if asks_for_citation(remark):
                signs[Sign(anchor.end, anchor.end, gap=True)] = remark
        elif said in document.note_fields:
            if keys := _keys(document.note_fields[said], listed, works):
                signs[Sign(anchor.end, anchor.end, keys)] = said
        elif _MANAGED.match(said):
            keys = _keys(anchor.said, listed, works)
            if keys or _CITES.search(said):
                printed = paragraph.text[anchor.begin : anchor.end]
                signs[Sign(anchor.begin, anchor.end, keys)] = printed
    return signs


def _keys(
    fields: Sequence[str], listed: CitedList, works: Mapping[tuple[object, ...], str]
) -> tuple[str, ...]:
    described = (works.get(_identity(work)) for work in cited_works(fields))
    tags = (listed.keys.get(tag.casefold()) for said in fields for tag in cited_tags(said))
    return tuple(dict.fromkeys(filter(None, chain(described, tags))))


def _identity(work: Reference) -> tuple[object, ...]:
    return work.title, work.doi, work.year, work.authors
