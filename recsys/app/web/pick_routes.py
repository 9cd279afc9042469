"""Cite as you write: an editor asks, a page opens, and what is picked there is what it is answered.

The protocol is that of Better BibTeX, so that editors with a key bound to it work:
https://retorque.re/zotero-better-bibtex/citing/cayw/ as of 2026-11-22.
"""

import asyncio
import json
import re
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from recsys.app.terminal import say
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.middleware import check_origin
from recsys.app.web.page_routes import FOR_PASSAGE, PER_PAGE, see
from recsys.app.web.page_writing import papers_at, render, site_of
from recsys.app.web.questions import answer_passage, papers_named
from recsys.app.web.replies import Problem, RequestError, problem_of
from recsys.app.web.service import Service, service_of
from recsys.app.web.uploads import read_form
from recsys.errors import RecsysError
from recsys.formats.references.citation_keys import citation_keys, key_parts
from recsys.formats.references.reference_writers import entry
from recsys.local.cite import LocalQuestion
from recsys.pipelines.online.sites import is_loopback
from recsys.query.search import search
from recsys.records import Manuscript, Paper, PaperId, Recommendation

CAYW = "/better-bibtex/cayw"
SECONDS = 600.0
"""An editor waits so long for a pick at most."""
MOST_PICKS = 4
"""Editors that one process lets wait at once."""
MOST_PICKED = 50
NONE = "Tick a paper, or cancel."
_LOOK = 0.2
"""Seconds between two looks at what became of a pick."""
_LONGEST_PASSAGE = 20_000
_COMMAND = re.compile(r"[A-Za-z]*\*?")

Cited = Callable[[Sequence[str], "Pick"], str]


@dataclass(frozen=True, slots=True)
class Pick:
    """What an editor waits for.

    form, command, brackets: how a citation is written, see FORMS. index, keys: of which papers, and
    by which pattern of keys. passage, words: what is asked on the page. ids: papers chosen so far.
    none: somebody wanted to cite them, and there were none. done: "" as long as the editor waits,
    else `cited`, `cancelled`, or `late`.
    """

    form: str
    command: str = ""
    brackets: bool = False
    index: str | None = None
    keys: str | None = None
    passage: str = ""
    words: str = ""
    ids: tuple[PaperId, ...] = ()
    none: bool = False
    done: str = ""

    def packed(self) -> bytes:
        """Write it down."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def unpacked(cls, raw: bytes) -> "Pick | None":
        """Read what `packed` wrote; None where it is no longer kept."""
        facts = json.loads(raw) if raw else None
        return facts and cls(**{**facts, "ids": tuple(facts["ids"])})


def _latex(usual: str) -> Cited:
    return lambda keys, pick: f"\\{pick.command or usual}{{{','.join(keys)}}}"


def _pandoc(keys: Sequence[str], pick: Pick) -> str:
    text = "; ".join(f"@{key}" for key in keys)
    return f"[{text}]" if pick.brackets else text


FORMS: Mapping[str, Cited] = {
    "latex": _latex("cite"),
    "cite": _latex("cite"),
    "biblatex": _latex("autocite"),
    "mmd": lambda keys, _: "".join(f"[#{key}][]" for key in keys),
    "pandoc": _pandoc,
    "typst": lambda keys, _: " ".join(f"@{key}" for key in keys),
}
"""Value of `format` -> how several keys are cited."""


async def cayw(request: Request) -> Response:
    """Open the page, wait until something is picked there, and answer with its citation.

    Nothing but this machine may ask, and no page of another site. Nothing is picked: the answer is
    empty.
    """
    service, query = service_of(request), request.query_params
    check_origin(request.headers.items(), request.headers.get("host", ""))
    if request.client is None or not is_loopback(request.client.host):
        what = "Pages are opened on this machine only, for an editor that runs here."
        raise RequestError(HTTPStatus.FORBIDDEN, what, "Run recsys serve where the editor runs.")
    if query.get("probe"):
        return PlainTextResponse("ready")
    form, command = query.get("format") or "latex", query.get("command", "")
    if form not in FORMS or not _COMMAND.fullmatch(command):
        what = f"There is no format {form[:40]!r}." if form not in FORMS else "That is no command."
        hint = f"The formats are {', '.join(FORMS)}; a command has letters alone."
        raise RequestError(HTTPStatus.BAD_REQUEST, what, hint)
    keys = query.get("keys") or None
    if keys is not None:
        key_parts(keys)
    brackets, index = bool(query.get("brackets")), query.get("index") or None
    passage = query.get("text", "")[-_LONGEST_PASSAGE:]
    await service.ask(index, lambda opened: opened.name)  # It is there.
    if service.picks >= MOST_PICKS:
        what = f"{service.picks} editors wait for a pick already."
        raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, what, "Finish or cancel one.", wait=5)
    pick = Pick(form, command, brackets, index, keys, passage)
    key = service.store.put(pick.packed())
    token = f"?token={service.settings.token}" if service.settings.token else ""
    address = f"http://{request.headers['host']}/pick/{key}"
    threading.Thread(target=_open, args=(address, token), daemon=True).start()
    service.picks += 1
    try:
        return await _picked(request, service, key, pick)
    finally:
        service.picks -= 1


def _open(address: str, token: str) -> None:
    if not webbrowser.open(address + token):
        say(f"No browser could be opened. Pick at {address} what to cite.")


async def _picked(request: Request, service: Service, key: str, pick: Pick) -> Response:
    until = time.monotonic() + SECONDS
    now: Pick | None = pick
    while now is not None and not now.done:
        if service.ending() or time.monotonic() > until or await request.is_disconnected():
            service.store.change(key, replace(now, done="late").packed())
            return PlainTextResponse("", HTTPStatus.GATEWAY_TIMEOUT)
        await asyncio.sleep(_LOOK)
        now = Pick.unpacked(service.store.get(key))
    if now is None or now.done != "cited":
        return PlainTextResponse("")
    papers = await service.ask(now.index, partial(_named, now))
    return PlainTextResponse(cited(now, papers))


def _named(pick: Pick, opened: OpenIndex) -> list[Paper]:
    return papers_named(opened, pick.ids)[0] if pick.ids else []


def cited(pick: Pick, papers: Sequence[Paper]) -> str:
    """Write the citation of what was picked; "" for nothing."""
    return FORMS[pick.form](citation_keys(papers, pattern=pick.keys), pick) if papers else ""


async def pick(request: Request) -> Response:
    """Show what would be cited here, and what words find; take what is chosen."""
    service, key = service_of(request), request.path_params["key"]
    now = Pick.unpacked(service.store.get(key))
    if now is None:
        what = "No editor waits for this pick any more."
        raise RequestError(HTTPStatus.GONE, what, "Press the key in your editor again.")
    if request.method == "POST":
        if not now.done:
            service.store.change(key, _chosen(now, (await read_form(request)).pairs).packed())
        return see(f"/pick/{key}")
    return HTMLResponse(await service.ask(now.index, partial(_page, service, key, now)))


def _chosen(pick: Pick, pairs: Sequence[tuple[str, str]]) -> Pick:
    """Take a form that was sent."""
    ids = tuple(dict.fromkeys(value for name, value in pairs if name == "paper"))[:MOST_PICKED]
    fields = dict(pairs)
    done = {"cite": "cited", "cancel": "cancelled"}.get(fields.get("do", ""), "")
    passage, words = fields.get("passage", "")[-_LONGEST_PASSAGE:], fields.get("words", "").strip()
    none = done == "cited" and not ids
    done = "" if none else done
    return replace(pick, ids=ids, passage=passage, words=words[:1_000], none=none, done=done)


def _page(service: Service, key: str, pick: Pick, opened: OpenIndex) -> str:
    papers, problem = _named(pick, opened), None
    offered: Sequence[Recommendation] = ()
    found: Sequence[Paper] = ()
    if not pick.done:
        problem, offered = _fitting(pick, opened)
        if pick.none:
            problem = Problem(HTTPStatus.BAD_REQUEST, "Nothing is chosen.", NONE)
        if pick.words:
            rows = search(opened.recommender.collection, pick.words)[:PER_PAGE]
            found = papers_at(opened, rows)
    known = {paper.id for paper in papers}
    return render(
        "pick",
        site_of(service, opened.name),
        key=key,
        pick=pick,
        problem=problem,
        chosen=papers,
        offered=[each for each in offered if each.paper.id not in known],
        found=[each for each in found if each.id not in known],
        text=cited(pick, papers),
        entries="\n".join(map(entry, citation_keys(papers, pattern=pick.keys), papers)),
    )


def _fitting(pick: Pick, opened: OpenIndex) -> tuple[Problem | None, Sequence[Recommendation]]:
    """Return what fits the sentence, or why nothing does."""
    if not pick.passage.strip():
        return None, ()
    try:
        question = LocalQuestion(FOR_PASSAGE)
        answer = answer_passage(opened, Manuscript(), pick.passage, None, question)
    except RecsysError as error:
        return problem_of(error), ()
    return None, answer.gaps[0].recommendations if answer.gaps else ()
