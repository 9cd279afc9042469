"""Say what a gap is, where it is and what fits: as text for a terminal, as lines for an editor.

The papers of a whole answer are named by citation keys, those of the draft's bibliography kept.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recsys.errors import shortened
from recsys.formats import identifiers
from recsys.formats.answers import Line, named_place, paper_lines, path_in, percent, text_row
from recsys.formats.references.citation_keys import citation_keys, pattern_of
from recsys.formats.references.people import own_name
from recsys.formats.references.shown_facts import bare_doi, one_line
from recsys.records import Gap, LocalAnswer, Paper, PaperId, Recommendation, Reference, Span
from recsys.store.words import fold

_WORD = re.compile(r"[^\W_]+")
_USABLE = re.compile(r"[^\s,\\#{}~^$&%\"()]+")


@dataclass(frozen=True, slots=True)
class GapKeys:
    """The citation keys of the papers of an answer.

    names: by the paper's id. had: papers that a bibliography at hand has already, under that key.
    pattern: of new keys; None for the usual one.
    """

    names: Mapping[PaperId, str]
    had: frozenset[PaperId] = frozenset()
    pattern: str | None = None

    def entry_of(self, paper: Paper) -> str | None:
        """Write a paper as BibTeX; None where a bibliography at hand has it."""
        from recsys.formats.references.reference_writers import entry

        return None if paper.id in self.had else entry(self.names[paper.id], paper)


def keys_of(
    answer: LocalAnswer, others: Sequence[Reference] = (), pattern: str | None = None
) -> GapKeys:
    """Name each paper of an answer: as the draft does, else as `--format bibtex` would.

    A new key is none that the draft has. Works of the draft are found by identifier, or by title,
    year and first author.

    others: works of other bibliographies, whose keys count as the draft's. pattern: of new keys;
    None: that of the others' keys, else of the draft's, if they follow one.
    """
    by_identifier: dict[str, str] = {}
    by_title: dict[str, list[Reference]] = defaultdict(list)
    taken = {key for gap in answer.gaps for key in gap.sentence.cited}
    for reference in (*answer.references, *others):
        if _USABLE.fullmatch(reference.key):  # Another could not be cited.
            taken.add(reference.key)
            for scheme in ("doi", "arxiv", "acl", "pmid"):
                if number := getattr(reference, scheme):
                    by_identifier.setdefault(f"{scheme}:{number}".lower(), reference.key)
            for name in reference.ids:
                by_identifier.setdefault(name.lower(), reference.key)
            by_title[_folded(reference.title)].append(reference)
    works, had = works_of(answer), dict[PaperId, str]()
    for paper, work in works.values():
        named = [by_identifier[name] for name in _identifiers(paper) if name in by_identifier]
        title = _folded(paper.title)
        alike = by_title.get(title, ()) if title else ()
        named += (reference.key for reference in alike if _agree(reference, paper))
        if named:
            had.setdefault(work.id, named[0])
    new = [paper for paper in papers_of(answer) if paper.id not in had]
    pattern = pattern or pattern_of(others) or pattern_of(answer.references)
    keys = citation_keys(new, taken, pattern)
    names = {paper.id: key for paper, key in zip(new, keys, strict=True)} | had
    return GapKeys(
        {paper.id: names[work.id] for paper, work in works.values()},
        frozenset(paper.id for paper, work in works.values() if work.id in had),
        pattern,
    )


def _folded(title: str | None) -> str:
    return " ".join(_WORD.findall(fold(title or "")))


def _identifiers(paper: Paper) -> Iterator[str]:
    """Yield the identifiers of a paper with their schemes, in lower case."""
    if doi := bare_doi(paper):
        yield f"doi:{doi}".lower()
    for text in (paper.id, paper.url, doi):
        if arxiv := identifiers.arxiv(text):
            yield f"arxiv:{arxiv}".lower()
        if acl := identifiers.acl(text):
            yield f"acl:{acl}".lower()
    yield from (alias.lower() for alias in paper.aliases)


def works_of(answer: LocalAnswer) -> dict[PaperId, tuple[Paper, Paper]]:
    """Return each paper of an answer and its versions by id, with the version that is shown first.

    What is a preprint in one sentence and an article in another has one key.
    """
    works: dict[PaperId, tuple[Paper, Paper]] = {}
    for gap in answer.gaps:
        for item in gap.recommendations:
            versions = (item.paper, *item.versions)
            shown = (works[paper.id][1] for paper in versions if paper.id in works)
            first = next(shown, item.paper)
            for paper in versions:
                works.setdefault(paper.id, (paper, first))
    return works


def papers_of(answer: LocalAnswer) -> list[Paper]:
    """List the works of an answer, each once, in the order in which they come."""
    return list({work.id: work for _, work in works_of(answer).values()}.values())


def entries_of(answer: LocalAnswer, keys: GapKeys) -> str:
    """Write the papers that are shown and that no bibliography at hand has, as BibTeX."""
    shown = replace(answer, gaps=tuple(gap for gap in answer.gaps if gap.confident))
    return "\n".join(filter(None, map(keys.entry_of, papers_of(shown))))


def _agree(reference: Reference, paper: Paper) -> bool:
    """Whether works of one title may be the same: years differ by one from preprint to print."""
    if reference.year is not None and paper.year is not None:
        if abs(reference.year - paper.year) > 1:
            return False
    if not reference.authors or not paper.authors:
        return True
    one, other = (fold(own_name(work.authors[0]).surname) for work in (reference, paper))
    return one == other


MISSING, NEEDED = "missing-citation", "needs-citation"
"""The kinds of gaps: its author marked it, or its sentence needs a citation and has none."""
PASSAGE = "passage"
"""What stands for the file of a text that is none."""
HERE = "[?]"
"""The mark of a place in plain text."""

NOTHING_FITS = "No paper of the index fits."
NO_MATCH = "No confident match in this corpus"
INDENT = " " * 12

_OPENING, _CLOSING = "([{", ".,;:)]}!?"
_LONGEST_LIST = 6
_LONGEST_SENTENCE, _LONGEST_TITLE = 300, 200
"""Characters of a sentence and of a title on a line for editors."""


def kind_of_gap(gap: Gap) -> str:
    """Return MISSING or NEEDED."""
    return NEEDED if gap.mark is None else MISSING


def headline(gap: Gap) -> str:
    """Say what a gap is, and the chance that its sentence needs a citation, where that is known."""
    if gap.need is None:
        return "citation needed" if gap.mark is None else "citation missing"
    words = "may need a citation" if gap.mark is None else "citation missing"
    return f"{words}, {percent(gap.need)}"


def span_of(gap: Gap) -> Span | None:
    """Return where the mark of a gap stands, else where its sentence does."""
    return (gap.mark and gap.mark.span) or gap.sentence.span


def file_of(answer: LocalAnswer, gap: Gap) -> str:
    """Return the file that a gap is in, as seen from where the draft was named."""
    return path_in(answer.draft, gap.sentence.file, unnamed=PASSAGE)


def place_of(answer: LocalAnswer, gap: Gap) -> str:
    """Name a place as compilers do, `paper.tex:12:34`, or by what the lines of its file stand for.

    >>> place_of(LocalAnswer((), draft="a.docx", unit="paragraph"), Gap(Sentence("A."), 1))
    'a.docx'
    """
    span, file = span_of(gap), one_line(file_of(answer, gap))
    line, column = (None, None) if span is None else (span.line, span.column)
    return named_place(file, answer.unit, line, column)


def around(gap: Gap) -> tuple[str, str]:
    """Return a sentence's words before the place and after it, so that a mark fits in between."""
    text, at = gap.sentence.text, gap.at
    before, after = one_line(text[:at]), one_line(text[at:])
    if before and before[-1] not in _OPENING:
        before += " "
    if after and after[0] not in _CLOSING:
        after = f" {after}"
    return before, after


def marked_sentence(gap: Gap) -> str:
    """Return a sentence with HERE at the place that lacks a citation."""
    before, after = around(gap)
    return f"{before}{HERE}{after}"


def nothing_found(answer: LocalAnswer) -> str:
    """Say of an answer without gaps what was looked at."""
    looked = looked_at(answer)
    seen = f" Searched: {looked}." if looked else ""
    name = "the passage" if answer.draft is None else one_line(answer.draft)
    return f"No missing citation was found in {name}.{seen}"


def looked_at(answer: LocalAnswer) -> str:
    """Say what was counted: `120 sentences, 80 cited, 3 gaps`."""
    counted = list(answer.counts.items())[:_LONGEST_LIST]
    return ", ".join(f"{count:,} {one_line(name)}" for name, count in counted)


def key_line(keys: GapKeys, paper_id: str) -> str:
    """Say under which key a paper is cited, and whether that key is in use."""
    in_use = " (in your bibliography)" if paper_id in keys.had else ""
    return f"key: {keys.names[paper_id]}{in_use}"


def gap_lines(item: Recommendation, keys: GapKeys, *, verbose: bool = False) -> Iterator[Line]:
    """Yield what people read of a paper that fits a gap, the key last."""
    yield from paper_lines(item, verbose=verbose)
    yield "key", key_line(keys, item.paper.id)


def shown_papers(gap: Gap, *, verbose: bool = False) -> tuple[Sequence[Recommendation], str | None]:
    """Choose what people see of a gap: its papers, or a line on why there are none."""
    if gap.confident or (verbose and gap.recommendations):
        return gap.recommendations, None
    if not gap.recommendations:
        return (), NOTHING_FITS
    best = percent(gap.recommendations[0].probability)
    return (), f"{NO_MATCH}: the best paper has {best} (-v shows it)."


def gap_table(answer: LocalAnswer, keys: GapKeys, *, verbose: bool = False) -> str:
    """Render as text for a terminal: each sentence, and below it a paragraph a paper."""
    if not answer.gaps:
        return f"{nothing_found(answer)}\n"
    paragraphs = []
    for gap in answer.gaps:
        paragraphs.append(f"{place_of(answer, gap)}: {headline(gap)}\n    {marked_sentence(gap)}\n")
        papers, why = shown_papers(gap, verbose=verbose)
        for item in papers:
            paragraphs.append(text_row(item, *gap_lines(item, keys, verbose=verbose)))
        if why is not None:
            paragraphs.append(f"{INDENT}{why}\n")
    return "\n".join(paragraphs)


def editor_lines(answer: LocalAnswer, keys: GapKeys) -> str:
    """Render as compilers write messages, `file:line:column: message`, one line a gap."""
    lines = []
    for gap in answer.gaps:
        span, file = span_of(gap), one_line(file_of(answer, gap))
        line, column = (span.line, span.column) if span else (1, 1)
        counted = "" if answer.unit == "line" else f"{answer.unit} {line}, "
        lines.append(f"{file}:{line}:{column}: note: {counted}{message(gap, keys)}\n")
    return "".join(lines)


def message(gap: Gap, keys: GapKeys) -> str:
    """Say on one line what a gap is, which papers fit and why, and the sentence."""
    papers = []
    shown, no_papers = shown_papers(gap)
    for item in shown:
        title = shortened(one_line(item.paper.title), _LONGEST_TITLE)
        reasons = ", ".join(one_line(reason.text) for reason in item.reasons)
        why = f" ({reasons})" if reasons else ""
        papers.append(f"{keys.names[item.paper.id]}, {percent(item.probability)}: {title}{why}")
    sentence = shortened(marked_sentence(gap), _LONGEST_SENTENCE)
    return f"{headline(gap)}: {no_papers or '; '.join(papers) + '.'} In: {sentence}"
