"""Say in an editor's terms what an index knows: diagnostics, completions, actions, hovers."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lsprotocol import types as lsp
from pygls.uris import from_fs_path
from pygls.workspace import PositionCodec

from recsys.app.editors.desk import MOST_PAPERS, Offered
from recsys.app.editors.open_drafts import EditedDraft, TypedKey
from recsys.checking.verdicts import Checked, Notice, Verdict
from recsys.errors import shortened
from recsys.formats.answers import percent
from recsys.formats.check_formats import RULES, said_of
from recsys.formats.local_answers.filled_drafts import Accepted, DraftLines, filled
from recsys.formats.local_answers.shown_gaps import GapKeys, headline, kind_of_gap
from recsys.formats.references.bibtex_entries import entry_spans
from recsys.formats.references.reference_writers import escaped, markdown_item
from recsys.formats.references.shown_facts import one_line
from recsys.records import Gap, Mark, Paper, Recommendation, Reference, Sentence, Span

NAME = "recsys"
ADD_ENTRY = "recsys.addEntry"
"""The command that adds the entry of a completed paper to the bibliography."""
SHOWN = 3
"""Papers that are shown for a gap."""
MOST_ENTRIES = 50
"""Entries of the bibliographies that a completion shows."""
FAULTS: Mapping[Verdict | Notice, tuple[lsp.DiagnosticTag, ...]] = {
    Notice.RETRACTED: (lsp.DiagnosticTag.Deprecated,),
    Notice.CONCERN: (),
    Verdict.DIFFERS: (),
    Notice.SUPERSEDED: (lsp.DiagnosticTag.Deprecated,),
}
"""What is shown of a reference, the gravest first; what is deprecated is struck through."""
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_LINE_END = re.compile(r"\r\n|\r|\n")
_BEFORE = 200
"""Characters that tell how a citation hangs on what precedes it."""
_LONGEST_TITLE = 120


class Places:
    """Where the characters of a text stand for a client, which counts code units of its own.

    Lines end where the protocol says so; Python and pygls know of further ends, such as form feeds.
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        """Split a text into its lines."""
        self.text, self._units = text, codec.client_num_units
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        bounds = pairwise([*self._starts, len(text)])
        self._lines = [text[start:end].rstrip("\r\n") for start, end in bounds]

    def offset(self, position: lsp.Position) -> int:
        """Return the character at a position; beyond the end of a line, its end."""
        if position.line >= len(self._lines):
            return len(self.text)
        units, line = 0, self._lines[position.line]
        for place, character in enumerate(line):
            if units >= position.character:
                return self._starts[position.line] + place
            units += self._units(character)
        return self._starts[position.line] + len(line)

    def position(self, offset: int) -> lsp.Position:
        """Return where a character stands."""
        line = bisect_right(self._starts, offset) - 1
        return lsp.Position(line, self._units(self.text[self._starts[line] : offset]))

    def range(self, start: int, end: int) -> lsp.Range:
        """Return where a part of the text stands."""
        return lsp.Range(self.position(start), self.position(end))

    def offsets(self, span: Span) -> tuple[int, int]:
        """Return where a span begins and ends."""
        last = len(self._starts) - 1
        start = self._starts[min(span.line - 1, last)] + span.column - 1
        end = self._starts[min(span.end_line - 1, last)] + span.end_column - 1
        return min(start, len(self.text)), min(end, len(self.text))


# Diagnostics.


def gap_diagnostic(gap: Gap, keys: GapKeys, places: Places) -> lsp.Diagnostic:
    """Show a place that lacks a citation, and the papers that fit there, a line each."""
    lines = [headline(gap), *(cited_as(item, keys) for item in gap.recommendations[:SHOWN])]
    return lsp.Diagnostic(
        places.range(*offsets_of(gap, places)),
        "\n".join(lines),
        severity=lsp.DiagnosticSeverity.Information,
        code=kind_of_gap(gap),
        source=NAME,
    )


def offsets_of(gap: Gap, places: Places) -> tuple[int, int]:
    """Return where the mark of a gap stands, else its sentence."""
    span = (gap.mark and gap.mark.span) or gap.sentence.span
    return (0, 0) if span is None else places.offsets(span)


def touches(where: tuple[int, int], start: int, end: int) -> bool:
    """Tell whether a part of the text and a range have a place in common."""
    return where[0] <= end and start <= where[1]


def cited_as(item: Recommendation, keys: GapKeys) -> str:
    """Say on one line which paper fits, how likely, and why."""
    title = shortened(one_line(item.paper.title), _LONGEST_TITLE)
    why = f" ({one_line(item.why)})" if item.why else ""
    return f"{keys.names[item.paper.id]}, {percent(item.probability)}: {title}{why}"


def fault_of(item: Checked) -> Verdict | Notice | None:
    """Return the gravest thing that is wrong with a reference, None where nothing is."""
    found = {item.verdict, *(remark.notice for remark in item.remarks)}
    return next((fault for fault in FAULTS if fault in found), None)


@dataclass(frozen=True, slots=True)
class CitedKey:
    """A key that a draft cites, and where it stands in the text."""

    key: str
    sentence: Sentence
    mark: Mark
    start: int
    end: int


def citations(draft: EditedDraft, places: Places) -> Iterator[CitedKey]:
    """Find each key that a draft cites, in the order of the text."""
    for sentence in draft.sentences:
        for mark in sentence.marks:
            if mark.span is not None:
                start, end = places.offsets(mark.span)
                for key in mark.keys:
                    yield CitedKey(key, sentence, mark, *key_in(places.text, start, end, key))


def cited_faults(
    draft: EditedDraft, checked: Mapping[str, Checked], places: Places
) -> Iterator[lsp.Diagnostic]:
    """Show at each citation what is wrong with the work that it cites."""
    for cited in citations(draft, places):
        if cited.key in checked:
            yield from _faults(checked[cited.key], places, (cited.start, cited.end))


def listed_faults(checked: Mapping[str, Checked], places: Places) -> Iterator[lsp.Diagnostic]:
    """Show at the entries of a BibTeX file what is wrong with them."""
    for span in entry_spans(places.text):
        if span.key in checked:
            where = key_in(places.text, span.begin, span.after, span.key)
            yield from _faults(checked[span.key], places, where)


def key_in(text: str, start: int, end: int, key: str) -> tuple[int, int]:
    """Return where a key stands in a part of a text, whatever its case; else that part."""
    whole = re.compile(rf"(?<![\w-]){re.escape(key)}(?![\w-])", re.IGNORECASE)
    found = whole.search(text, start, end)
    return found.span() if found else (start, end)


def _faults(item: Checked, places: Places, where: tuple[int, int]) -> Iterator[lsp.Diagnostic]:
    if (fault := fault_of(item)) is not None:
        said = said_of(item)
        if item.verdict is Verdict.CONFIRMED:
            said = said or [RULES[fault][1]]
        yield lsp.Diagnostic(
            places.range(*where),
            "\n".join((f"{item.reference.key}: {fault}", *said)),
            severity=_SEVERITIES[RULES[fault][0]],
            code=str(fault).replace(" ", "-"),
            source=NAME,
            tags=list(FAULTS[fault]) or None,
        )


# Completions.


def completions(
    offered: Offered, typed: TypedKey, places: Places, uri: str, *, marked: bool
) -> Iterator[lsp.CompletionItem]:
    """Offer what may be cited, in its order: the entries first; papers bring theirs along.

    marked: see `markup`.
    """
    where = places.range(typed.start, typed.end)
    known = [(entry.key, paper_of(entry)) for entry in offered.entries]
    fitting = [(key, paper) for key, paper in known if _fits(typed.typed, key, paper)]
    new = [(offered.keys.names[item.paper.id], item.paper) for item in offered.papers]
    new = [(key, paper) for key, paper in new if _fits(typed.typed, key, paper)]
    for number, (key, paper) in enumerate((*fitting[:MOST_ENTRIES], *new)):
        told = offered.chances.get(key)
        chance = "" if told is None else percent(told.probability)
        add = lsp.Command("Add the entry", ADD_ENTRY, arguments=[uri, paper.id, key])
        yield lsp.CompletionItem(
            key,
            label_details=lsp.CompletionItemLabelDetails(description=chance),
            kind=lsp.CompletionItemKind.Reference,
            detail="  ".join(filter(None, (chance, one_line(paper.title)))),
            documentation=markup(paper_text(paper, told), marked=marked),
            sort_text=f"{number:03}",
            filter_text=_found_by(key, paper),
            text_edit=lsp.TextEdit(where, key),
            command=add if number >= len(fitting[:MOST_ENTRIES]) else None,
        )


def _found_by(key: str, paper: Paper) -> str:
    return one_line(f"{key} {paper.title} {' '.join(paper.authors[:5])} {paper.year or ''}")


def _fits(typed: str, key: str, paper: Paper) -> bool:
    return typed.casefold() in _found_by(key, paper).casefold()


def paper_of(entry: Reference) -> Paper:
    """Describe an entry of a bibliography as papers are."""
    return Paper(
        entry.id or entry.key,
        entry.title or entry.key,
        authors=entry.authors,
        year=entry.year,
        venue=entry.venue,
        doi=entry.doi,
        url=entry.url,
    )


# Hovers.


def markup(text: str, *, marked: bool) -> lsp.MarkupContent:
    """Give a text in Markdown. marked: whether the client shows it so, and not as it stands."""
    kind = lsp.MarkupKind.Markdown if marked else lsp.MarkupKind.PlainText
    return lsp.MarkupContent(kind, text)


def paper_text(paper: Paper, told: Recommendation | None) -> str:
    """Describe a paper in Markdown, with the chance and the reasons that recommend it."""
    lines = [markdown_item(paper)]
    if told is not None:
        lines += [f"**{percent(told.probability)}**", reasons_text(told)]
    return "\n\n".join(filter(None, lines))


def reasons_text(told: Recommendation) -> str:
    """List the reasons for a paper in Markdown."""
    return "\n".join(f"- {escaped(reason.text)}" for reason in told.reasons)


def hover_text(entry: Reference, item: Checked, gap: Gap, paper: Paper | None, index: str) -> str:
    """Say of a cited work what it is, what is wrong with it, and how it fits where it is cited.

    gap: its place, answered as if it were cited nowhere. paper: what the corpus holds of it.
    """
    lines = [markdown_item(paper or paper_of(entry))]
    if (fault := fault_of(item)) is not None:
        lines.append(f"**{fault}**: {escaped('; '.join(said_of(item)))}")
    if paper is None:
        lines.append(f"Not in {escaped(index)}.")
        return "\n\n".join(lines)
    versions = (
        (each, {p.id for p in (each.paper, *each.versions)}) for each in gap.recommendations
    )
    told = next((each for each, ids in versions if paper.id in ids), None)
    if told is None:
        lines.append(f"It is not among the {MOST_PAPERS} papers that fit this sentence best.")
    else:
        chance = percent(told.probability)
        lines += [f"For this sentence: number {told.rank}, **{chance}**", reasons_text(told)]
    return "\n\n".join(filter(None, lines))


# Edits.


def citation_edit(draft: EditedDraft, gap: Gap, key: str, places: Places) -> lsp.TextEdit:
    """Cite a key at a place: in the mark that stands there, else before the sentence's end."""
    start, end = offsets_of(gap, places)
    mark = gap.mark
    if mark is None:
        while start < end and places.text[end - 1] in ".!?:; \t\r\n":
            end -= 1
        start, mark = end, Mark(gap.at)
    before = places.text[max(start - _BEFORE, 0) : start]
    back, put = filled(mark, key, before, draft.command)
    return lsp.TextEdit(places.range(start - back, end), put)


def entry_text(draft: EditedDraft, gap: Gap, paper: Paper, keys: GapKeys) -> str:
    """Return what is added to the bibliography of a draft for a paper; "" where it has it.

    Raises:
        InputError: the file ends within an entry.
    """
    if not draft.books or paper.id in keys.had:
        return ""
    book, taken = draft.books[0], Accepted(gap, paper, keys.names[paper.id])
    return text_of(book.with_entries((taken,), keys).new)[len(text_of(book.raw or b"")) :]


def text_of(raw: bytes) -> str:
    """Decode a bibliography as it is written again."""
    return DraftLines.of(raw, "").text


def workspace_edit(
    draft: EditedDraft,
    cited: Mapping[str, Sequence[lsp.TextEdit]],
    added: str,
    codec: PositionCodec,
    *,
    creates: bool,
) -> lsp.WorkspaceEdit:
    """Put changes of a draft and an entry of its bibliography together, so that both are undone.

    cited: by the draft's address. creates: whether the client makes files: a first entry needs one.
    """
    if not added or (draft.books[0].raw is None and not creates):
        return lsp.WorkspaceEdit(changes=dict(cited))
    book, uri = draft.books[0], from_fs_path(str(draft.books[0].path)) or ""
    text = text_of(book.raw or b"")
    edit = lsp.TextEdit(Places(text, codec).range(len(text), len(text)), added)
    if book.raw is not None:
        return lsp.WorkspaceEdit(changes={**cited, uri: [edit]})
    edits = [
        lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(of), list(every))
        for of, every in {**cited, uri: [edit]}.items()
    ]
    new = lsp.CreateFile(uri, options=lsp.CreateFileOptions(ignore_if_exists=True))
    return lsp.WorkspaceEdit(document_changes=[new, *edits])
