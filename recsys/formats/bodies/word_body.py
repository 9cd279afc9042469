"""Read the body of a draft written in a word processor, and what reference managers cite in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from recsys.formats.bodies.gap_signs import Sign, asks_for_citation
from recsys.formats.bodies.headings import bare, ends_text, is_caption, is_heading
from recsys.formats.bodies.printed_citations import CitedList, apart, cited_list
from recsys.formats.bodies.running_text import RunningText, Units
from recsys.formats.drafts.pdf_front import names_of_line
from recsys.formats.drafts.word_draft import begin_of_text, is_contents, split_list
from recsys.formats.drafts.wording import counted
from recsys.formats.references.word_fields import cited_works
from recsys.formats.references.word_sources import cited_tags
from recsys.formats.word.word_text import WordText
from recsys.formats.word.word_walk import Paragraph
from recsys.passages import Body
from recsys.records import Reference

_LEFT_OUT = re.compile(
    r".*\b(?:caption|source ?code|code|verbatim|html preformatted|title|subtitle|authors?|"
    r"affiliations?|keywords?|abstract|equation)\b.*|toc.*"
)
"""Styles of what is no running text."""
_FRONT = re.compile(r"(?i)(?:author )?key ?-?words?\b|index terms\b|ccs concepts\b|jel\b")
_MANAGED = re.compile(r"\s*(?:ADDIN\b|CITATION\b|MENDELEY_CITATION)", re.IGNORECASE)
_CITES = re.compile(r"ZOTERO_ITEM|CSL_CITATION|EN\.CITE|CitaviPlaceholder|CITATION", re.IGNORECASE)
_NUMBER = re.compile(r"\[(\d{1,3})\]")
_LONGEST_CAPTION = 1_500
_SENTENCE = 12
"""Words from which on what is left out is counted: shorter cells of a table are no sentences."""
_FEWEST_NUMBERS = 3
"""Printed numbers "[12]" that show that an automatically numbered list is cited by number."""


@dataclass(frozen=True, slots=True)
class _Section:
    """The paragraphs below one heading, each with its number in the body."""

    title: str
    paragraphs: tuple[tuple[int, Paragraph], ...]


def read_body(document: WordText, works: Sequence[Reference]) -> Body:
    """Read the sentences of a file of Word's; `Span.line` counts its paragraphs, from 1.

    Those in tables and text boxes are not counted. A note whose field cites something is a mark
    where the note's number stands; so is a comment that asks for a citation: a gap.

    works: the references, as `manuscript_of` finds them.
    """
    numbered = _numbered(document.paragraphs)
    sections = list(_sections(document, numbered))
    listed = _listed(document, sections, works)
    keys = {_identity(work): work.key for work in listed.references}
    text = RunningText(listed, numbers=True, fewest_words=2)
    for section in sections:
        text.heading(section.title)
        for number, paragraph in section.paragraphs:
            _add(text, number, paragraph, _anchored(paragraph, document, listed, keys))
    notes = _notes(document)
    return Body(
        text.sentences(Units()), unit="paragraph", references=listed.references, notes=notes
    )


def _add(text: RunningText, number: int, paragraph: Paragraph, marks: dict[Sign, str]) -> None:
    """Add a paragraph with its marks, and what is printed of them; `number` counts from 1."""
    start, at = Units.offset(number - 1, paragraph.lead), 0
    for sign in apart(marks):
        text.words(paragraph.text[at : sign.start], start + at)
        text.mark(
            start + sign.start, start + sign.end, sign.keys, gap=sign.gap, printed=marks[sign]
        )
        at = sign.end
    text.words(paragraph.text[at:], start + at)
    text.end_paragraph()


def _numbered(paragraphs: Sequence[Paragraph]) -> list[tuple[int, Paragraph]]:
    """Count the paragraphs that stand in no table or box; the others are left out."""
    return list(enumerate((each for each in paragraphs if not each.boxed), start=1))


def _sections(document: WordText, numbered: Sequence[tuple[int, Paragraph]]) -> Iterator[_Section]:
    """Yield the sections of the running text; what stands below thanks and lists is none."""
    text = _running(document, numbered)
    styled = any(each.level is not None for _, each in text)
    title, paragraphs = "", list[tuple[int, Paragraph]]()
    left_out: int | None = None
    for at, each in text:
        level = each.level if styled else 1 if is_heading(each.text) else None
        if level is None:
            if left_out is None and _is_text(each):
                paragraphs.append((at, each))
        elif left_out is None or level <= left_out:
            yield _Section(title, tuple(paragraphs))
            title, paragraphs = bare(each.text), []
            left_out = level if ends_text(each.text) else None
    yield _Section(title, tuple(paragraphs))


def _running(
    document: WordText, numbered: Sequence[tuple[int, Paragraph]]
) -> list[tuple[int, Paragraph]]:
    """Return what stands between the front and the list of references, and after that."""
    said = [(at, each) for at, each in numbered if each.text and not is_contents(each)]
    body, entries = split_list([each for _, each in said])
    own = {id(each) for each in body}
    kept = [(at, each) for at, each in said if id(each) in own and not each.listed]
    begin = begin_of_text(document, [each for _, each in kept])
    # Beside entries and text, there is the heading of the list, if it has one.
    headed = len(body) + len(entries) < len(said)
    after = said[len(body) + 1 + len(entries) :] if headed else []
    return [*kept[begin:], *((at, each) for at, each in after if not each.listed)]


def _is_text(paragraph: Paragraph) -> bool:
    if _LEFT_OUT.fullmatch(paragraph.style) or _FRONT.match(paragraph.text):
        return False
    if paragraph.text[-1].isalpha() and names_of_line(paragraph.text):
        return False
    return not (is_caption(paragraph.text) and len(paragraph.text) < _LONGEST_CAPTION)


def _listed(
    document: WordText, sections: Sequence[_Section], works: Sequence[Reference]
) -> CitedList:
    """Return the references, each with a key; entries that Word numbers get their numbers."""
    printed = chain.from_iterable(
        _NUMBER.findall(each.text) for section in sections for _, each in section.paragraphs
    )
    numbers = [int(number) for number in printed]
    said = [each for each in document.paragraphs if each.text and not is_contents(each)]
    # Where an entry could not be read, the numbers of those below it are unknown.
    whole = len(split_list(said)[1]) == len(works) and not any(work.key for work in works)
    if whole and len(numbers) >= _FEWEST_NUMBERS and max(numbers) <= len(works):
        works = tuple(replace(work, key=str(at)) for at, work in enumerate(works, start=1))
    return cited_list(works)


def _identity(work: Reference) -> tuple[object, ...]:
    return work.title, work.doi, work.year, work.authors


def _anchored(
    paragraph: Paragraph,
    document: WordText,
    listed: CitedList,
    works: Mapping[tuple[object, ...], str],
) -> dict[Sign, str]:
    """Return what fields, notes and comments cite or ask for, and what is printed of each."""
    found: dict[Sign, str] = {}
    for anchor in paragraph.anchors:
        said = anchor.said[0] if anchor.said else ""
        if (remark := document.remarks.get(said)) is not None:
            if asks_for_citation(remark):
                found[Sign(anchor.end, anchor.end, gap=True)] = remark
        elif said in document.note_fields:
            if keys := _keys(document.note_fields[said], listed, works):
                found[Sign(anchor.end, anchor.end, keys)] = said
        elif _MANAGED.match(said):
            keys = _keys(anchor.said, listed, works)
            if keys or _CITES.search(said):
                printed = paragraph.text[anchor.begin : anchor.end]
                found[Sign(anchor.begin, anchor.end, keys)] = printed
    return found


def _keys(
    fields: Sequence[str], listed: CitedList, works: Mapping[tuple[object, ...], str]
) -> tuple[str, ...]:
    described = (works.get(_identity(work)) for work in cited_works(fields))
    tags = (listed.keys.get(tag.casefold()) for said in fields for tag in cited_tags(said))
    return tuple(dict.fromkeys(key for key in chain(described, tags) if key))


def _notes(document: WordText) -> tuple[str, ...]:
    """Say what is left out that may hold sentences."""
    boxed = sum(each.boxed and len(each.text.split()) > _SENTENCE for each in document.paragraphs)
    noted = sum(len(text.split()) > _SENTENCE for text in document.noted)
    return (
        *((f"{counted(boxed, 'paragraph')} in tables or text boxes left out.",) if boxed else ()),
        *((f"The words of {counted(noted, 'note')} left out.",) if noted else ()),
    )
