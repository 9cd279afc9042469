"""Bring papers into the Zotero of this machine: the plan first, and never a duplicate.

Zotero 10 is written to by its local API, after https://www.zotero.org/support/dev/web_api/v3/local_api
("Authorizing Writes", "Server ID") and .../write_requests: the person is asked by Zotero itself, a
request carries 50 objects at most, and each names the version of the library that was read, so that
nothing is written over a change. Older ones import RIS by `/connector/import`, after
chrome/content/zotero/xpcom/server/server_connector.js, into what is selected in their window. No
request that writes is repeated: the same command is, and finds what is there already.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recsys.errors import AnswerNotUnderstood, InputError, KeyRefused, OnlineError
from recsys.formats import identifiers
from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME
from recsys.formats.references.reference_writers import ris
from recsys.formats.references.shown_facts import bare_doi, one_line
from recsys.formats.references.zotero_items import item_of
from recsys.pipelines.online.client import Question
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.sites import ZOTERO_KEY
from recsys.pipelines.online.zotero import OWN
from recsys.pipelines.online.zotero_library import (
    SITE,
    VERSION,
    Collection,
    LibraryPart,
    RunningZotero,
    found_collection,
)
from recsys.query.matching import THRESHOLD, Title, score, title_of
from recsys.records import Paper, Reference

APP = "recsys"
"""What Zotero calls this program when it asks the person."""
MOST = 50
"""Objects of one request that writes."""
_TELLING = 3
"""Words of a title, the rarest of the library, one of which an item has to share."""
_SHOWN = 10
"""Titles of a plan that are listed."""
_AGAIN = "Give the same command again: what is there already is not written twice."
_REFUSALS = frozenset(range(400, 600))


@dataclass(frozen=True, slots=True)
class Known:
    """An item that is there. collections: keys of those that it lies in."""

    key: str
    version: int
    title: str
    collections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WritePlan:
    """What is to be written.

    part: where to. server, version: of the database and of the library as it was read; no server
    before Zotero 10. target: the collection if it is there; of an older Zotero, what is selected in
    its window. new: papers to add. joining: items that are there, and are put into the collection.
    there: papers for which there is nothing to do.
    """

    part: LibraryPart
    server: str
    version: int
    target: Collection | None
    new: tuple[Paper, ...]
    joining: tuple[Known, ...]
    there: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.new and not self.joining

    def lines(self) -> Iterator[str]:
        """Say the plan."""
        if self.part.library != OWN:
            where = f"the group {self.part.library.partition('/')[2]}"
        else:
            where = "My Library"
        if not self.server:
            selected = self.target.name if self.target else where
            older = "This Zotero is older than 10"
            yield f"{older}: papers go to {selected!r}, its selected collection."
        elif self.target is None and self.part.collection:
            yield f"Zotero, {where}: the collection {self.part.collection!r} will be created."
        else:
            yield f"Zotero, {where}" + (f", {self.target.path!r}." if self.target else ".")
        yield f"New items: {len(self.new):,}."
        yield from _titles([one_line(paper.title) for paper in self.new])
        if self.joining:
            yield f"In the library already, only put into the collection: {len(self.joining):,}."
            yield from _titles([item.title for item in self.joining])
        if self.there:
            yield f"There already: {self.there:,}."
        if self.server and not self.is_empty:
            yield "Zotero will ask you to allow it, unless you have always allowed it."


def _titles(titles: Sequence[str]) -> Iterator[str]:
    yield from (f"  {title}" for title in titles[:_SHOWN])
    if len(titles) > _SHOWN:
        yield f"  and {len(titles) - _SHOWN:,} more"


def plan_writing(
    zotero: RunningZotero, part: LibraryPart, papers: Sequence[Paper], folder: Path
) -> WritePlan:
    """Look up what of some papers is in a library, and plan to write the rest; write nothing.

    folder: where what was read of the library is kept.

    Raises:
        InputError: several collections have the name; or, of an older Zotero, the one that is
            selected is another, or takes nothing.
        OnlineError: Zotero does not run, does not allow it, or answers something else.
    """
    library = zotero.library(part.library, folder / "library.json")
    collections = zotero.collections(part.library)
    wanted = part.collection
    target = found_collection(collections, wanted) if wanted else None
    if wanted and target is None and library.server and "/" in wanted:
        above = wanted.rpartition("/")[0]
        if found_collection(collections, above) is None:
            raise InputError(f"Zotero has no collection {above!r}.", "Create it in Zotero first.")
    if not library.server:
        target = _selected(zotero, part)
    known = _KnownWorks()
    for key, data in sorted(library.items.items()):
        with suppress(FieldError):  # What has no title cannot be found.
            known.add(key, BY_NAME["Zotero"].reference_of(dict(data)))
    new: list[Paper] = []
    joining: dict[str, Known] = {}
    there = 0
    for paper in papers:
        doi = identifiers.doi(bare_doi(paper))
        work = Reference(title=paper.title, authors=paper.authors, year=paper.year, doi=doi)
        found = known.find(work)
        data = library.items.get(found or "", {})
        lies_in = tuple(map(str, data.get("collections") or ()))
        if found is None:
            new.append(paper)
            known.add(f"new {len(new)}", work)
        elif data and library.server and wanted and (target is None or target.key not in lies_in):
            title, version = one_line(str(data.get("title", ""))), int(data.get("version") or 0)
            joining[found] = Known(found, version, title, lies_in)
        else:
            there += 1
    return WritePlan(
        part, library.server, library.version, target, tuple(new), tuple(joining.values()), there
    )


class _KnownWorks:
    """Finds what is there: by DOI, else by title, year and first author."""

    def __init__(self) -> None:
        self._works: dict[str, tuple[Reference, Title]] = {}
        self._by_doi: dict[str, str] = {}
        self._by_word: dict[str, list[str]] = defaultdict(list)

    def add(self, key: str, work: Reference) -> None:
        title = title_of(work.title or "")
        self._works[key] = work, title
        if work.doi:
            self._by_doi.setdefault(work.doi.lower(), key)
        for word in frozenset(title.words):
            self._by_word[word].append(key)

    def find(self, wanted: Reference) -> str | None:
        """Return the key of a work, None where it is not there."""
        if wanted.doi and (named := self._by_doi.get(wanted.doi.lower())):
            return named
        title = title_of(wanted.title or "")
        words = title.telling or frozenset(title.words)
        rarest = sorted(words, key=lambda word: (len(self._by_word[word]), word))[:_TELLING]
        best, found = THRESHOLD, None
        for key in sorted({key for word in rarest for key in self._by_word[word]}):
            work, offered = self._works[key]
            known = Paper("", work.title or "", None, work.year, work.authors)
            likeness = score(wanted, title, known, offered)
            if likeness > best or (likeness == best and found is None):
                best, found = likeness, key
        return found


def _selected(zotero: RunningZotero, part: LibraryPart) -> Collection:
    """Return what is selected in the window of an older Zotero: nothing else can be written to."""
    question = _connector("getSelectedCollection", document={})
    reply = zotero.client.ask(replace(question, json=True))
    facts = reply.value if isinstance(reply.value, dict) else {}
    name = str(facts.get("name") or "")
    if not name:
        raise AnswerNotUnderstood("Zotero does not say what is selected.", "Update Zotero.")
    if not (facts.get("libraryEditable") and facts.get("editable", True)):
        raise InputError(f"Zotero does not let {name!r} be changed.", "Select another in Zotero.")
    wanted = part.collection.rpartition("/")[2]
    if (wanted and wanted != name) or part.library != OWN:
        meant = part.collection or part.library
        raise InputError(
            f"This Zotero is older than 10, and {name!r} is selected in its window.",
            f"Select {meant!r} there and give the same command again, or update Zotero.",
        )
    return Collection(str(facts.get("id") or ""), name, name)


def _connector(verb: str, *, document: object = None, text: str = "", kind: str = "") -> Question:
    """Ask as the connector of a browser does; `Zotero-Allowed-Request` says that no page asks."""
    headers = (
        ("X-Zotero-Connector-API-Version", "3"),
        ("Zotero-Allowed-Request", "1"),
        *((("Content-Type", kind),) if kind else ()),
    )
    return Question(
        SITE, f"/connector/{verb}", document=document, text=text, headers=headers, kept=False
    )


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: items that are new, items put into the collection, and what was refused.

    remembered: the key that Zotero gave for good, "" where it gave none.
    """

    created: int = 0
    joined: int = 0
    refused: tuple[str, ...] = ()
    remembered: str = ""

    def lines(self) -> Iterator[str]:
        """Say it."""
        yield f"Added to Zotero: {self.created:,} new, {self.joined:,} put into the collection."
        yield from (f"Refused by Zotero: {why}" for why in self.refused)


class Writer:
    """Carries plans out, and keeps the key that Zotero gives."""

    def __init__(self, zotero: RunningZotero) -> None:
        """Write nothing yet."""
        self._client, self.remembered = zotero.client, ""

    def write(self, plan: WritePlan) -> Written:
        """Carry out a plan.

        Raises:
            OnlineError: the person or Zotero refuses it; what was written before is told.
        """
        if plan.is_empty:
            return Written()
        if not plan.server:
            return self._import(plan)
        done, version = Written(), plan.version
        try:
            keys: list[str] = [plan.target.key] if plan.target else []
            if plan.target is None and plan.part.collection:
                # A path that is not there yet: its last name, in the collection above.
                above, _, name = plan.part.collection.rpartition("/")
                made = {"name": name, "parentCollection": self._above(plan, above)}
                results, version = self._post(plan, "collections", [made], version)
                _, done = _counted(results, [made], done)
                keys = [str(key) for key in results.get("success", {}).values()]
                if not keys:
                    raise OnlineError("Zotero did not create the collection.", _AGAIN)
            objects = [item_of(paper, keys) for paper in plan.new]
            objects += [
                {
                    "key": item.key,
                    "version": item.version,
                    "collections": [*item.collections, *keys],
                }
                for item in plan.joining
            ]
            for begin in range(0, len(objects), MOST):
                batch = objects[begin : begin + MOST]
                results, version = self._post(plan, "items", batch, version)
                new, done = _counted(results, batch, done)
                joined = len(results["successful"]) + len(results.get("unchanged", ())) - new
                done = replace(done, created=done.created + new, joined=done.joined + joined)
        except OnlineError as error:
            before = done.created + done.joined
            if before:
                error.what = f"{error.what} {before:,} items were written before."
                error.args = (error.what,)
            raise
        return replace(done, remembered=self.remembered)

    def _above(self, plan: WritePlan, path: str) -> str | bool:
        """Return the key of the collection that a new one lies in, False for none."""
        if not path:
            return False
        found = found_collection(RunningZotero(self._client).collections(plan.part.library), path)
        return found.key if found else False

    def _post(
        self, plan: WritePlan, what: str, objects: Sequence[object], version: int
    ) -> tuple[dict[str, dict[str, Any]], int]:
        """Write objects; return the results of each, and the version of the library after it."""
        path = f"/api/{plan.part.library}/{what}"
        precondition = (("If-Unmodified-Since-Version", str(version)),)
        reply = self._sent(plan, path, objects, precondition)
        if reply.status == 401:  # Nothing was written: there is no key, or it was for once.
            self._authorize(plan)
            reply = self._sent(plan, path, objects, precondition)
        if reply.status in _REFUSALS:
            raise _refusal(reply)
        results = reply.value
        if not isinstance(results, dict) or not isinstance(results.get("successful"), dict):
            raise AnswerNotUnderstood("Zotero does not say what it has written.", _AGAIN)
        told = reply.headers.get(VERSION, "")
        return results, int(told) if told.isascii() and told.isdigit() else version

    def _sent(
        self, plan: WritePlan, path: str, document: object, headers: tuple[tuple[str, str], ...]
    ) -> Reply:
        key = self._client.config.keys.get(ZOTERO_KEY)
        named = (("Zotero-Server-ID", plan.server), ("Zotero-Allowed-Request", "1"), *headers)
        question = Question(
            SITE,
            path,
            (("v", "3"),),
            document=document,
            headers=(*named, *((("Zotero-API-Key", key),) if key else ())),
            passing=_REFUSALS,
            kept=False,
            once=True,
        )
        return self._client.ask(question)

    def _authorize(self, plan: WritePlan) -> None:
        """Have Zotero ask the person, and take the key that it gives."""
        reply = self._sent(plan, "/api/local/authorize", {"appName": APP}, ())
        if reply.status in _REFUSALS:
            raise _refusal(reply)
        facts = reply.value if isinstance(reply.value, dict) else {}
        key = facts.get("key")
        if not isinstance(key, str) or not key.isalnum():
            raise AnswerNotUnderstood("Zotero allows it without giving a key.", _AGAIN)
        config = self._client.config
        self._client.config = replace(config, keys=config.keys | {ZOTERO_KEY: key})
        if facts.get("remember") is True:
            self.remembered = key

    def _import(self, plan: WritePlan) -> Written:
        """Have an older Zotero import the new papers into what is selected."""
        text = ris(plan.new)
        kind = "application/x-research-info-systems"
        question = _connector("import", text=text, kind=kind)
        session = (("session", secrets.token_hex(8)),)
        reply = self._client.ask(
            replace(question, parameters=session, passing=_REFUSALS, once=True)
        )
        if reply.status in _REFUSALS:
            raise _refusal(reply)
        if not isinstance(reply.value, list):
            raise AnswerNotUnderstood("Zotero does not say what it has imported.", _AGAIN)
        return Written(created=len(reply.value))


def _counted(
    results: Mapping[str, Mapping[str, Any]], objects: Sequence[object], done: Written
) -> tuple[int, Written]:
    """Count the objects that are new, and note those that were refused, each with its reason."""
    refused = []
    for number, why in results.get("failed", {}).items():
        index = int(number) if str(number).isdecimal() else len(objects)
        item = objects[index] if index < len(objects) else {}
        name = (
            item.get("title") or item.get("name") or item.get("key")
            if isinstance(item, dict)
            else ""
        )
        said = f"{why.get('message')} ({why.get('code')})" if isinstance(why, dict) else str(why)
        changed = isinstance(why, dict) and why.get("code") in (412, 428)
        refused.append(
            f"{one_line(str(name))}: {one_line(said)}." + (f" {_AGAIN}" if changed else "")
        )
    new = 0
    for number in results["successful"]:
        index = int(number) if str(number).isdecimal() else len(objects)
        item = objects[index] if index < len(objects) else {}
        new += isinstance(item, dict) and "key" not in item
    return new, replace(done, refused=(*done.refused, *refused))


def _refusal(reply: Reply) -> OnlineError:
    """Say plainly why Zotero has not written."""
    said = one_line(reply.body[:300].decode("utf-8", "replace"))
    quoted = f" ({reply.status}: {said})" if said else f" ({reply.status})"
    if reply.status == 403 and "denied" in said and said.startswith("{"):
        return KeyRefused(
            "Writing was denied in Zotero's dialog: nothing was written.",
            "Give the same command again, and choose Allow or Always Allow.",
        )
    reasons: Mapping[int, tuple[str, str]] = {
        400: ("Zotero does not understand what it was sent", "Update Zotero and recsys."),
        401: ("Zotero does not know the key that it has just given", _AGAIN),
        403: ("Zotero does not allow it", "Allow other applications in Settings, Advanced."),
        404: ("Zotero has no such library", "Check the number of the group, or update Zotero."),
        409: ("The library is locked, or being imported into", _AGAIN),
        412: ("The library was changed meanwhile, or another Zotero runs now", _AGAIN),
        413: (f"Zotero takes no {MOST} items at once", "Update recsys."),
        428: (
            "Zotero wants to be told which library and which version it is about",
            "Update recsys.",
        ),
        429: ("Zotero was asked too often for its dialog", "Give the same command in a minute."),
    }
    what, hint = reasons.get(reply.status, ("Zotero failed while it was writing", _AGAIN))
    result = "nothing of this was written" if reply.status < 500 else "some may be written"
    return OnlineError(f"{what}{quoted}: {result}.", hint)
