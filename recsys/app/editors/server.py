"""The language server: what an editor sends, when it is worked on, and what goes back.

One thread asks the index, a step at a time: a request that is cancelled ends at its next step.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from recsys.app.editors import shown
from recsys.app.editors.desk import Desk
from recsys.app.editors.open_drafts import (
    SUFFIXES,
    EditedDraft,
    book_of,
    content,
    read_draft,
    typed_key,
)
from recsys.checking.verdicts import Checked
from recsys.errors import InputError, RecsysError
from recsys.formats.drafts.draft_formats import FORMATS
from recsys.formats.local_answers.shown_gaps import GapKeys
from recsys.local.cite import end_of
from recsys.records import LEAST_CHANCE, Gap, Reference, Sentence
from recsys.store.artifacts import VERSION

PAUSE = 0.4
"""Seconds without a change after which a draft is looked through."""
AT_ONCE = 10
"""Texts that are encoded, and references that are looked up, in one step."""
MOST_GAPS = 3
"""Places whose papers are offered at once by the actions at a range."""
BOOK = ".bib"
_KNOWN = frozenset(suffix for form in FORMATS for suffix in form.suffixes)
_Arguments = ParamSpec("_Arguments")
_CREATES = (lsp.ResourceOperationKind.Create, "workspace", "workspace_edit", "resource_operations")
_COMPLETED = ("text_document", "completion", "completion_item", "documentation_format")
_HOVERED = ("text_document", "hover", "content_format")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Server(LanguageServer):
    """Answers one editor out of one index."""

    def __init__(self, open_desk: Callable[[], Desk], index: str) -> None:
        """Open nothing yet. index: what the index is called."""
        # Full texts: pygls takes form feeds for ends of lines when it applies single changes.
        super().__init__("recsys", VERSION, lsp.TextDocumentSyncKind.Full)
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # It logs what it is sent.
        self.index = index
        self._open_desk = open_desk
        self._desk: asyncio.Future[Desk] | None = None
        self._worker = ThreadPoolExecutor(1)
        self._read: dict[str, tuple[int | None, EditedDraft]] = {}
        self._looking: dict[str, asyncio.Task[None]] = {}
        self._shown: dict[str, set[str]] = {}  # Draft -> bibliographies whose faults it shows.

    def shutdown(self) -> None:
        """Leave what waits undone, so that the process ends."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]  # pygls has no types there.

    # Work.

    def open(self) -> "asyncio.Future[Desk]":
        """Begin to open the index, if nobody has yet; an error is shown once."""
        if self._desk is None:
            loop = asyncio.get_running_loop()
            self._desk = loop.run_in_executor(self._worker, self._open_desk)
            self._desk.add_done_callback(self._opened)
        return self._desk

    def _opened(self, opening: "asyncio.Future[Desk]") -> None:
        if opening.cancelled():
            return
        if (error := opening.exception()) is not None:
            told = str(error) if isinstance(error, RecsysError) else f"{self.index}: {error}"
            message = lsp.ShowMessageParams(lsp.MessageType.Error, f"recsys: {told}")
            self.window_show_message(message)
        for said in () if error else opening.result().said:
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, said))

    async def ask(
        self,
        work: Callable[Concatenate[Desk, _Arguments], _Result],
        *arguments: _Arguments.args,
        **named: _Arguments.kwargs,
    ) -> _Result:
        """Do a step of work with the open index, when the steps before it are done."""
        desk = await asyncio.shield(self.open())
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, lambda: work(desk, *arguments, **named))

    # Texts.

    def path(self, uri: str) -> Path:
        """Return the path of a text; one without a telling name gets the suffix of its language."""
        path = Path(to_fs_path(uri) or uri.rpartition("/")[2])
        language = self.workspace.get_text_document(uri).language_id or ""
        named = path.suffix.lower() in _KNOWN or language not in SUFFIXES
        return path if named else path.with_name(path.name + SUFFIXES[language])

    def places(self, uri: str) -> shown.Places:
        """Return where the characters of an open text stand."""
        document = self.workspace.get_text_document(uri)
        return shown.Places(document.source, document.position_codec)

    async def draft(self, uri: str, *, stale: bool = False) -> EditedDraft:
        """Read a draft as it stands, or remember how it was read.

        stale: whether an earlier state will do.
        """
        version = self.workspace.get_text_document(uri).version
        if uri not in self._read or not (stale or self._read[uri][0] == version):
            opened: dict[Path, str] = {}
            for each, text in self.workspace.text_documents.items():
                path = self.path(each)
                opened |= {path: text.source, path.resolve(): text.source}
            root = self.workspace.root_path
            read = await asyncio.get_running_loop().run_in_executor(
                self._worker, read_draft, self.path(uri), opened, Path(root) if root else None
            )
            self._read[uri] = version, read
        return self._read[uri][1]

    # Diagnostics.

    def look(self, uri: str, pause: float = PAUSE) -> None:
        """Look a text through after a pause, and no longer for its earlier state."""
        self.rest(uri)
        self._looking[uri] = asyncio.ensure_future(self._look(uri, pause))

    def rest(self, uri: str) -> None:
        """Look no longer through a text."""
        if task := self._looking.pop(uri, None):
            task.cancel()

    async def _look(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        with suppress(RecsysError):
            if self.path(uri).suffix.lower() == BOOK:
                await self._look_at_book(uri)
            else:
                await self._look_at_draft(uri)

    async def _look_at_book(self, uri: str) -> None:
        path, places = self.path(uri), self.places(uri)
        raw, loop = content(path, {path: places.text}), asyncio.get_running_loop()
        book = await loop.run_in_executor(self._worker, book_of, path, raw)
        checked = await self._checked(book.references)
        self._publish(uri, shown.listed_faults(checked, places))

    async def _look_at_draft(self, uri: str) -> None:
        places, draft = self.places(uri), await self.draft(uri)
        gaps: list[Gap] = []
        for works in _parts(draft.entries):
            await self.ask(Desk.look_up, works)
        for gap in await self.ask(Desk.gaps, draft):
            gaps.append(await self.ask(Desk.answered, draft, gap))
        keys = await self.ask(Desk.keys, draft, gaps)
        found = [shown.gap_diagnostic(gap, keys, places) for gap in gaps]
        self._publish(uri, found)
        checked = await self._checked(draft.entries)
        self._publish(uri, [*found, *shown.cited_faults(draft, checked, places)])
        self._show_books(uri, draft, checked)
        for works in _parts(draft.entries):
            await self.ask(Desk.encode, works)

    async def _checked(self, entries: Sequence[Reference]) -> dict[str, Checked]:
        """Check references against the index, some at a time."""
        checked: dict[str, Checked] = {}
        for part in _parts(entries):
            items = await self.ask(Desk.check, part)
            checked |= {item.reference.key: item for item in items}
        return checked

    def _show_books(self, uri: str, draft: EditedDraft, checked: dict[str, Checked]) -> None:
        """Show the faults of bibliographies that are not open themselves, where they are."""
        opened = {self.path(each) for each in self.workspace.text_documents}
        for book in draft.books:
            if book.raw is not None and book.path not in opened:
                address = from_fs_path(str(book.path)) or ""
                places = shown.Places(shown.text_of(book.raw), self.workspace.position_codec)
                self._publish(address, shown.listed_faults(checked, places))
                self._shown.setdefault(uri, set()).add(address)

    def _publish(self, uri: str, found: Iterable[lsp.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, [*found]))

    def forget(self, uri: str) -> None:
        """Take back what is shown of a text that is no longer open."""
        self.rest(uri)
        self._read.pop(uri, None)
        for each in (uri, *self._shown.pop(uri, ())):
            self._publish(each, ())

    def look_again(self, uri: str, pause: float = PAUSE, *, reread: bool = False) -> None:
        """Look a text through again; after a change of a bibliography, all that is open.

        reread: whether what lies beside the drafts may have changed, too.
        """
        is_book = self.path(uri).suffix.lower() == BOOK
        if is_book or reread:
            self._read.clear()
        for each in self.workspace.text_documents if is_book else (uri,):
            self.look(each, pause)

    def can(self, what: lsp.ResourceOperationKind | lsp.MarkupKind, *names: str) -> bool:
        """Tell whether the editor says that it can do something, where its capabilities name it."""
        value: object = self.client_capabilities
        for name in names:
            value = getattr(value, name, None)
        return isinstance(value, Sequence) and what in value


def _parts(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """Yield a sequence in parts of which each is a step of work."""
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


# What the editor sends.


def initialized(ls: Server, params: lsp.InitializedParams) -> None:
    """Open the index, so that it is there when it is asked."""
    ls.open()


def did_open(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    """Look a text through at once."""
    ls.look_again(params.text_document.uri, pause=0)


def did_change(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Look a text through after a pause."""
    ls.look_again(params.text_document.uri)


def did_save(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """Read anew what is beside a text, too, such as a bibliography that another program wrote."""
    ls.look_again(params.text_document.uri, pause=0, reread=True)


def did_close(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """Show nothing of a text any more."""
    ls.forget(params.text_document.uri)


async def complete(ls: Server, params: lsp.CompletionParams) -> lsp.CompletionList | None:
    """Offer what may be cited where a key is being typed."""
    uri = params.text_document.uri
    places = ls.places(uri)
    typed = typed_key(ls.path(uri), places.text, places.offset(params.position))
    if typed is None or typed.gap is None:
        return None
    ls.rest(uri)  # Who waits for a completion does not wait for what comes after a pause.
    try:
        draft = await ls.draft(uri, stale=True)
        offered = await ls.ask(Desk.offered, draft, typed.gap)
    except RecsysError:
        return None
    finally:
        ls.look(uri)
    marked = ls.can(lsp.MarkupKind.Markdown, *_COMPLETED)
    items = shown.completions(offered, typed, places, uri, marked=marked)
    return lsp.CompletionList(True, [*items])


async def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """Tell of the work that is cited at a place, and how it fits there."""
    places = ls.places(params.text_document.uri)
    at = places.offset(params.position)
    with suppress(RecsysError):
        draft = await ls.draft(params.text_document.uri)
        for cited in shown.citations(draft, places):
            entry = draft.entry(cited.key)
            if cited.start <= at <= cited.end and entry is not None:
                [item] = await ls.ask(Desk.check, [entry])
                gap = await ls.ask(Desk.reasons, draft, cited.sentence, cited.mark, entry.key)
                paper = await ls.ask(Desk.paper_of, entry)
                text = shown.hover_text(entry, item, gap, paper, ls.index)
                marked = ls.can(lsp.MarkupKind.Markdown, *_HOVERED)
                where = places.range(cited.start, cited.end)
                return lsp.Hover(shown.markup(text, marked=marked), where)
    return None


async def act(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Offer to cite the best papers at the gaps of a range; where there are none, if asked to.

    An editor asks by itself wherever the cursor goes: only then a sentence without a gap has none.
    """
    uri, context = params.text_document.uri, params.context
    places = ls.places(uri)
    start, end = places.offset(params.range.start), places.offset(params.range.end)
    actions: list[lsp.CodeAction] = []
    with suppress(RecsysError):
        draft = await ls.draft(uri)
        gaps = [
            gap
            for gap in await ls.ask(Desk.gaps, draft)
            if shown.touches(shown.offsets_of(gap, places), start, end)
        ]
        if not gaps and context.trigger_kind is not lsp.CodeActionTriggerKind.Automatic:
            gaps = [
                Gap(sentence, end_of(sentence))
                for sentence in draft.sentences
                if sentence.span and shown.touches(places.offsets(sentence.span), start, end)
            ]
        for gap in gaps[:MOST_GAPS]:
            answered = await ls.ask(Desk.answered, draft, gap)
            keys = await ls.ask(Desk.keys, draft, [answered])
            actions += _cite_actions(ls, uri, draft, answered, keys, context.diagnostics)
    return actions


def _cite_actions(
    ls: Server,
    uri: str,
    draft: EditedDraft,
    gap: Gap,
    keys: GapKeys,
    diagnostics: Sequence[lsp.Diagnostic],
) -> Iterator[lsp.CodeAction]:
    """Offer to cite each of the best papers of a place."""
    places = ls.places(uri)
    where = places.range(*shown.offsets_of(gap, places))
    for item in gap.recommendations[: shown.SHOWN]:
        cited = shown.citation_edit(draft, gap, keys.names[item.paper.id], places)
        action = lsp.CodeAction(
            f"Cite {shown.cited_as(item, keys)}",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[each for each in diagnostics if each.range == where],
            is_preferred=item.rank == 1 and item.probability >= LEAST_CHANCE,
        )
        try:
            added = shown.entry_text(draft, gap, item.paper, keys)
            codec = ls.workspace.position_codec
            action.edit = shown.workspace_edit(
                draft, {uri: [cited]}, added, codec, creates=ls.can(*_CREATES)
            )
        except InputError as error:
            action.disabled = lsp.CodeActionDisabled(str(error))
        yield action


async def add_entry(ls: Server, uri: str, paper_id: str, key: str) -> None:
    """Add the entry of a completed paper to the bibliography of its draft."""
    with suppress(RecsysError):
        draft = await ls.draft(uri)
        paper = await ls.ask(Desk.paper, paper_id)
        if paper is None or not draft.books or draft.entry(key) is not None:
            return
        gap = Gap(Sentence(""), 0)
        try:
            added = shown.entry_text(draft, gap, paper, GapKeys({paper.id: key}))
        except InputError as error:
            ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, str(error)))
            return
        codec = ls.workspace.position_codec
        edit = shown.workspace_edit(draft, {}, added, codec, creates=ls.can(*_CREATES))
        ls.workspace_apply_edit(lsp.ApplyWorkspaceEditParams(edit, f"Add the entry of {key}"))


def server_of(open_desk: Callable[[], Desk], index: str) -> Server:
    """Make a server that answers out of one index."""
    server = Server(open_desk, index)
    for name, handler, options in (
        (lsp.INITIALIZED, initialized, None),
        (lsp.TEXT_DOCUMENT_DID_OPEN, did_open, None),
        (lsp.TEXT_DOCUMENT_DID_CHANGE, did_change, None),
        (lsp.TEXT_DOCUMENT_DID_SAVE, did_save, None),
        (lsp.TEXT_DOCUMENT_DID_CLOSE, did_close, None),
        (lsp.TEXT_DOCUMENT_HOVER, hover, None),
        (
            lsp.TEXT_DOCUMENT_COMPLETION,
            complete,
            lsp.CompletionOptions(trigger_characters=["{", ",", "@", "<"]),
        ),
        (
            lsp.TEXT_DOCUMENT_CODE_ACTION,
            act,
            lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
        ),
    ):
        server.feature(name, options)(handler)
    server.command(shown.ADD_ENTRY)(add_entry)
    return server
