"""`recsys lsp` as editors meet it: processes of their own, spoken to by the protocol."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, make_test_lsp_client

from recsys.app.editors.desk import Desk
from recsys.app.editors.server import server_of
from recsys.errors import shortened
from tests.conftest import ROOT
from tests.docs.written_pages import blocks

CREATE = lsp.ResourceOperationKind.Create
CAPABILITIES = lsp.ClientCapabilities(
    workspace=lsp.WorkspaceClientCapabilities(
        apply_edit=True,
        workspace_edit=lsp.WorkspaceEditClientCapabilities(
            document_changes=True, resource_operations=[CREATE]
        ),
    ),
    text_document=lsp.TextDocumentClientCapabilities(
        completion=lsp.CompletionClientCapabilities(
            completion_item=lsp.ClientCompletionItemOptions(
                documentation_format=[lsp.MarkupKind.Markdown]
            )
        ),
        hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.Markdown]),
    ),
)
DIFFERENT = """
@inproceedings{devlin2017, title={{BERT}: Pre-training of Deep Bidirectional Transformers for
Language Understanding}, author={Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova,
Kristina}, year={2017}, booktitle={NAACL}, doi={10.18653/v1/n19-1423}}
"""
UPDATE = bool(os.environ.get("RECSYS_UPDATE_GOLDEN"))
"""Set to write the transcript anew, as the goldens of tests/test_golden.py are."""
T = TypeVar("T")


class Editor:
    """What an editor does with one draft."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client, self.path, self.uri, self.version = client, path, path.as_uri(), 0
        self.text = path.read_text(encoding="utf-8")
        self.edits: list[lsp.ApplyWorkspaceEditParams] = []

    def open(self, language: str = "latex") -> None:
        item = lsp.TextDocumentItem(self.uri, language, self.version, self.text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, old: str, new: str) -> None:
        self.version, self.text = self.version + 1, self.text.replace(old, new)
        named = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(self.text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(named, [change]))

    def position(self, words: str) -> lsp.Position:
        """Return where some words end, in UTF-16."""
        before = self.text[: self.text.index(words) + len(words)]
        line = before.rpartition("\n")[2]
        return lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    async def shown(self, uri: str, code: str) -> Sequence[lsp.Diagnostic]:
        """Wait until something of a kind is shown of a file, and return all that is."""
        for _ in range(5000):
            found = self.client.diagnostics.get(uri, ())
            if any(each.code == code for each in found):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(f"no {code}: {self.client.diagnostics}, {self.client.messages}")

    async def completed(self, words: str) -> list[lsp.CompletionItem]:
        named = lsp.TextDocumentIdentifier(self.uri)
        params = lsp.CompletionParams(named, self.position(words))
        found = await self.client.text_document_completion_async(params)
        assert isinstance(found, lsp.CompletionList) and found.is_incomplete
        return list(found.items)

    async def hovered(self, words: str) -> str:
        named = lsp.TextDocumentIdentifier(self.uri)
        hover = await self.client.text_document_hover_async(
            lsp.HoverParams(named, self.position(words))
        )
        assert hover is not None and isinstance(hover.contents, lsp.MarkupContent)
        return hover.contents.value

    def asking(
        self, words: str, trigger: lsp.CodeActionTriggerKind | None = None
    ) -> lsp.CodeActionParams:
        where = lsp.Range(self.position(words), self.position(words))
        context = lsp.CodeActionContext([], trigger_kind=trigger)
        return lsp.CodeActionParams(lsp.TextDocumentIdentifier(self.uri), where, context)

    async def actions(
        self, words: str, trigger: lsp.CodeActionTriggerKind | None = None
    ) -> list[lsp.CodeAction]:
        asked = self.asking(words, trigger)
        found = await self.client.text_document_code_action_async(asked)
        return [each for each in found or () if isinstance(each, lsp.CodeAction)]


@asynccontextmanager
async def editing(
    folder: Path, *options: str, name: str = "unfinished.tex"
) -> AsyncIterator[Editor]:
    """Start a server as an editor does, and end it."""
    client = make_test_lsp_client()
    await client.start_io(sys.executable, "-m", "recsys", "lsp", *options)
    root = folder.as_uri()
    params = lsp.InitializeParams(capabilities=CAPABILITIES, root_uri=root)
    await asyncio.wait_for(client.initialize_session(params), 300)
    try:
        editor = Editor(client, folder / name)

        def applied(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            editor.edits.append(params)
            return lsp.ApplyWorkspaceEditResult(True)

        client.feature(lsp.WORKSPACE_APPLY_EDIT)(applied)
        yield editor
        await client.shutdown_session()
    except BaseException:
        if client._server is not None:
            client._server.kill()  # Else one waits for its end.
        raise
    finally:
        await client.stop()  # type: ignore[no-untyped-call]  # pygls has no types there.


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 600))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("unfinished.tex", "paper.bib"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    return tmp_path


def test_an_editor_is_served(folder: Path) -> None:
    """The transcript in the documentation is this session's; one process serves all of it."""
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text(
        "# On graphs\n\nVectors of papers serve many tasks.\n\nOn.\n"
    )

    async def session() -> list[str]:
        async with editing(folder) as editor:
            editor.open()
            await a_request_is_cancelled_while_the_index_opens(editor)
            told = await from_gap_to_entry(editor)
            await an_open_bibliography(Editor(editor.client, folder / "paper.bib"))
            await a_sentence_without_a_gap(Editor(editor.client, folder / "notes" / "a.md"))
        return told

    told = run(session())
    shown = next(each for each in blocks("docs/guide/editors.md", "text") if "Opened" in each)
    if UPDATE:
        page = ROOT / "docs/guide/editors.md"
        text = page.read_text(encoding="utf-8").replace(shown, "\n".join(told) + "\n")
        page.write_text(text, encoding="utf-8")
        return
    # Products in 8 bits saturate on processors without VNNI: figures of near papers move a bit.
    assert rounded("\n".join(told)) == rounded(shown.rstrip("\n"))


async def from_gap_to_entry(editor: Editor) -> list[str]:
    folder, told = editor.path.parent, list[str]()

    def tell(step: str, *texts: str) -> None:
        lines = [line for text in texts for line in text.split("\n") if line]
        told.extend((step, *(f"  {shortened(line, 104)}" for line in lines), ""))

    with (folder / "paper.bib").open("a", encoding="utf-8") as file:
        file.write(DIFFERENT)
    [first, *_] = await editor.shown(editor.uri, "missing-citation")
    at = first.range.start
    tell("Opened:", f"unfinished.tex:{at.line + 1}:{at.character + 1}: {first.message}")
    faults = await editor.shown((folder / "paper.bib").as_uri(), "differs")
    tell("Shown in paper.bib:", *(fault.message for fault in faults))
    [action, *_] = await editor.actions(r"\citep{?")
    assert action.edit is not None and action.edit.changes is not None
    [cited] = action.edit.changes[editor.uri]
    tell("The first action at the gap:", action.title, f"puts {cited.new_text}")
    editor.change("within a second [CITE]", "within a \U0001f332 second \\cite{")
    items = await editor.completed("second \\cite{")
    shown = [f"{item.label:17} {item.detail}" for item in items[:8]]
    tell("Completed behind \\cite{ in another sentence:", *shown)
    tell("Hover over strohman2007:", await editor.hovered("strohman2007"))
    await add_the_first_new_entry(editor, items)
    return told[:-1]


def rounded(text: str) -> str:
    return re.sub(r"[\d.]+(?= [%o])", "N", text)


async def add_the_first_new_entry(editor: Editor, items: Sequence[lsp.CompletionItem]) -> None:
    item = next(item for item in items if item.command is not None)
    assert isinstance(item.text_edit, lsp.TextEdit) and item.command is not None
    start = item.text_edit.range.start
    assert start == editor.position("second \\cite{")  # Behind a character of two units.
    asked = lsp.ExecuteCommandParams(item.command.command, item.command.arguments)
    await editor.client.workspace_execute_command_async(asked)
    [applied] = editor.edits
    assert applied.edit.changes is not None
    [(uri, [edit])] = applied.edit.changes.items()
    assert uri == (editor.path.parent / "paper.bib").as_uri()
    assert f"{{{item.label}," in edit.new_text


async def an_open_bibliography(editor: Editor) -> None:
    editor.client.diagnostics.clear()
    editor.open("bibtex")
    [fault] = await editor.shown(editor.uri, "differs")
    assert fault.range.end == editor.position("{devlin2017")
    editor.change("year={2017}", "year={2019}")
    for _ in range(5000):
        if not editor.client.diagnostics[editor.uri]:
            break
        await asyncio.sleep(0.05)
    assert not editor.client.diagnostics[editor.uri]


async def a_sentence_without_a_gap(editor: Editor) -> None:
    editor.open("markdown")
    actions = await editor.actions("serve")
    assert len(actions) == 3 and actions[0].edit is not None
    new, draft, book = actions[0].edit.document_changes or ()
    assert isinstance(new, lsp.CreateFile) and new.uri.endswith("references.bib")
    assert isinstance(draft, lsp.TextDocumentEdit) and isinstance(book, lsp.TextDocumentEdit)
    [edit] = draft.edits
    assert isinstance(edit, lsp.TextEdit) and edit.new_text.startswith(" [@")
    assert await editor.actions("serve", lsp.CodeActionTriggerKind.Automatic) == []


async def a_request_is_cancelled_while_the_index_opens(editor: Editor) -> None:
    asked, protocol = editor.asking("{?"), editor.client.protocol
    waiting = protocol.send_request(lsp.TEXT_DOCUMENT_CODE_ACTION, asked, msg_id="x")
    editor.client.cancel_request(lsp.CancelParams("x"))
    with pytest.raises(JsonRpcException, match="canceled"):
        await asyncio.wrap_future(waiting)


def test_an_index_that_is_missing_is_said_and_nothing_fails(folder: Path) -> None:
    async def session() -> None:
        async with editing(folder, "--index", str(folder / "no.index")) as editor:
            editor.open()
            assert await editor.actions(r"\citep{?") == []
            [message] = editor.client.messages
            assert "no.index" in message.message and "recsys build" in message.message
            assert message.type is lsp.MessageType.Error

    run(session())


def test_an_editor_that_is_gone_ends_the_server() -> None:
    command = [sys.executable, "-m", "recsys", "lsp"]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_is_cancelled_is_never_asked() -> None:
    asked, held = list[str](), threading.Event()

    def work(desk: Desk, name: str) -> None:
        held.wait(10)
        asked.append(name)

    async def session() -> None:
        server = server_of(lambda: SimpleNamespace(said=()), "none")  # type: ignore[arg-type, return-value]
        first = asyncio.ensure_future(server.ask(work, "first"))
        second = asyncio.ensure_future(server.ask(work, "second"))
        await asyncio.sleep(0.05)
        second.cancel()
        await asyncio.wait([second])  # Before the worker is free to begin it.
        held.set()
        await first
        third = asyncio.ensure_future(server.ask(work, "third"))
        await third
        server.shutdown()

    run(session())
    assert asked == ["first", "third"]
