"""What editors are shown, in their own units."""

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from recsys.app.editors.open_drafts import EditedDraft, read_draft
from recsys.app.editors.shown import (
    Places,
    citation_edit,
    citations,
    cited_faults,
    entry_text,
    gap_diagnostic,
    hover_text,
    listed_faults,
    workspace_edit,
)
from recsys.checking.fields import Comparison
from recsys.checking.verdicts import Checked, Notice, Record, Remark, Verdict
from recsys.errors import InputError
from recsys.formats.local_answers.shown_gaps import GapKeys
from recsys.local.cite import end_of, marked
from recsys.records import Gap, Reference
from tests.recsys.formats.local_answers.made_answers import ITEMS, SPECTER, TREES
from tests.rows import each_row

UTF16, UTF8, UTF32 = (PositionCodec(kind) for kind in ("utf-16", "utf-8", "utf-32"))
KEYS = GapKeys({"specter": "cohan2020", "trees": "ash2004", "x1": "anon"}, frozenset({"trees"}))
WORK = Reference(key="ash2004", title="Growing trees", year=2003)
DIFFERS = Checked(
    WORK,
    Verdict.DIFFERS,
    "It is described otherwise.",
    Record("my.index", "trees", WORK, 0.9),
    (Comparison("year", "2003", "2004", False),),
)
RETRACTED = Checked(
    Reference(key="b"), Verdict.CONFIRMED, "", remarks=(Remark(Notice.RETRACTED, "It was."),)
)


def draft_of(name: str, text: str) -> EditedDraft:
    return read_draft(Path("/nowhere", name), {Path("/nowhere", name): text})


@each_row(
    ("codec", "columns"),
    [(UTF32, (0, 1, 2, 3)), (UTF16, (0, 2, 3, 4)), (UTF8, (0, 4, 5, 7))],
)
def test_a_client_counts_its_own_units(codec: PositionCodec, columns: tuple[int, ...]) -> None:
    text = "a\r\n\U0001f332b\u00e9\rc\x0cd\u2028e\nf"
    places = Places(text, codec)
    for at, column in enumerate(columns):
        assert places.position(3 + at) == lsp.Position(1, column)
        assert places.offset(lsp.Position(1, column)) == 3 + at
    assert places.position(text.index("f")) == lsp.Position(3, 0)
    assert places.offset(lsp.Position(1, 99)) == text.index("\rc")
    assert places.offset(lsp.Position(99, 0)) == len(text)


def test_a_gap_and_a_key_behind_astral_characters_are_where_the_editor_has_them() -> None:
    text = "\U0001f332\U0001f332 grow @ash2004 and [CITE].\n"
    draft, places = draft_of("a.typ", text), Places(text, UTF16)
    [gap] = marked(draft.sentences)
    shown = gap_diagnostic(Gap(gap.sentence, gap.at, gap.mark, None, ITEMS), KEYS, places)
    assert shown.range == lsp.Range(lsp.Position(0, 23), lsp.Position(0, 29))
    first, second = shown.message.split("\n")[:2]
    assert first == "citation missing"
    assert second.startswith("cohan2020, 93 %: SPECTER") and "named in the sentence" in second
    [cited] = citations(draft, places)
    assert text[cited.start : cited.end] == "ash2004"
    [fault] = cited_faults(draft, {"ash2004": DIFFERS}, places)
    assert fault.range == lsp.Range(lsp.Position(0, 11), lsp.Position(0, 18))


@each_row(
    ("name", "text", "edit"),
    [
        ("a.tex", "Trees grow [CITE]. On.", "Trees grow~\\cite{KEY}. On."),
        ("a.tex", "\U0001f332 grow \\cite{a,?}.", "\U0001f332 grow \\cite{a,KEY}."),
        ("a.tex", "Trees grow. On.", "Trees grow~\\cite{KEY}. On."),
        ("a.md", "Trees grow [@?].", "Trees grow [@KEY]."),
        ("a.md", "Trees grow. On.", "Trees grow [@KEY]. On."),
        ("a.typ", "Trees grow [CITE].", "Trees grow @KEY."),
        ("a.typ", "Trees grow\nhigh.\n\nOn.", "Trees grow\nhigh @KEY.\n\nOn."),
    ],
)
def test_a_place_is_filled_as_the_format_cites(name: str, text: str, edit: str) -> None:
    draft, places = draft_of(name, text), Places(text, UTF16)
    gap = next(iter(marked(draft.sentences)), None)
    if gap is None:
        gap = Gap(draft.sentences[0], end_of(draft.sentences[0]))
    made = citation_edit(draft, gap, "KEY", places)
    start, end = places.offset(made.range.start), places.offset(made.range.end)
    assert text[:start] + made.new_text + text[end:] == edit


def test_faults_are_shown_by_their_gravity() -> None:
    bib = "% \U0001f332\n@book{ash2004, title={Growing trees}, year=2003}\n@misc{b, title={B}}\n"
    differs, retracted = listed_faults({"ash2004": DIFFERS, "b": RETRACTED}, Places(bib, UTF16))
    assert (differs.code, differs.severity) == ("differs", lsp.DiagnosticSeverity.Warning)
    assert differs.range == lsp.Range(lsp.Position(1, 6), lsp.Position(1, 13))
    assert "year: given '2003', found '2004'" in differs.message
    assert (retracted.code, retracted.severity) == ("retracted", lsp.DiagnosticSeverity.Error)
    assert retracted.tags == [lsp.DiagnosticTag.Deprecated]
    fine = Checked(WORK, Verdict.NOT_FOUND, "No record of it.")
    assert list(listed_faults({"ash2004": fine}, Places(bib, UTF16))) == []


def test_a_hover_tells_of_the_work_and_of_its_place() -> None:
    draft = draft_of("a.md", "Trees grow [@ash2004].")
    [sentence] = draft.sentences
    gap = Gap(sentence, 10, sentence.marks[0], None, ITEMS)
    text = hover_text(WORK, DIFFERS, gap, TREES, "my.index")
    assert "Botany" in text and "**differs**" in text
    assert "number 2, **40 %**\n\n- named in the sentence" in text
    assert "not among the 20 papers" in hover_text(
        WORK, DIFFERS, Gap(sentence, 10), TREES, "my.index"
    )
    assert "Not in my.index." in hover_text(WORK, DIFFERS, gap, None, "my.index")


def test_an_entry_goes_to_the_end_of_the_bibliography(tmp_path: Path) -> None:
    paper, refs = tmp_path / "a.md", tmp_path / "refs.bib"
    text = "---\nbibliography: refs.bib\n---\nTrees grow [CITE]."
    refs.write_text("@misc{a, title={\U0001f332}}")
    draft = read_draft(paper, {paper: text})
    [gap] = marked(draft.sentences)
    added = entry_text(draft, gap, SPECTER, KEYS)
    assert added.startswith("\n\n@inproceedings{cohan2020,") and added.endswith("}\n")
    assert entry_text(draft, gap, TREES, KEYS) == ""
    edit = workspace_edit(draft, {"file:///a.md": []}, added, UTF16, creates=False)
    assert edit.changes is not None
    end = lsp.Position(0, 20)
    assert edit.changes[refs.as_uri()] == [lsp.TextEdit(lsp.Range(end, end), added)]
    refs.write_text("@misc{a, title={B}\n")
    with pytest.raises(InputError, match="ends within an entry"):
        entry_text(read_draft(paper, {paper: text}), gap, SPECTER, KEYS)


@pytest.mark.parametrize("creates", [True, False])
def test_a_first_bibliography_is_made_where_the_editor_can(creates: bool, tmp_path: Path) -> None:
    paper = tmp_path / "a.md"
    draft = read_draft(paper, {paper: "Trees grow [CITE]."})
    [gap] = marked(draft.sentences)
    added = entry_text(draft, gap, SPECTER, KEYS)
    edit = workspace_edit(draft, {paper.as_uri(): []}, added, UTF16, creates=creates)
    if creates:
        assert edit.document_changes is not None
        new, own, book = edit.document_changes
        assert isinstance(new, lsp.CreateFile) and new.uri.endswith("/references.bib")
        assert isinstance(own, lsp.TextDocumentEdit) and isinstance(book, lsp.TextDocumentEdit)
        assert book.text_document.uri == new.uri
    else:
        assert edit.changes == {paper.as_uri(): []}
