"""The library of the Zotero that runs on this machine: its collections, its items, its PDFs.

Reading follows https://www.zotero.org/support/dev/web_api/v3/basics and .../local_api, both as of
2026-11-22, and chrome/content/zotero/xpcom/server/server_localAPI.js of Zotero 7 to 10. Nothing but
the loopback is asked. Zotero 10 counts changes by versions of its own, and names its database by
`Zotero-Server-ID`: with both, only what is new is asked for. Older ones have no version of what was
never synchronised, so that they are read whole.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from recsys.errors import AnswerNotUnderstood, InputError, near_miss
from recsys.formats.exports.zotero_database import ITEMS
from recsys.formats.papers.paper_fields import listed as rows
from recsys.formats.papers.paper_fields import nested
from recsys.formats.papers.services import NOT_WORKS
from recsys.formats.replacing import write_whole
from recsys.pipelines.online.answered_works import listed
from recsys.pipelines.online.client import Client, Question
from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.zotero import OWN

SITE = "zotero"
SERVER, VERSION = "zotero-server-id", "last-modified-version"
"""Headers, in lower case: of which database an answer is, and of which version."""
PAGE = 500
"""Items of one answer: nothing touches the network."""
_PART = re.compile(r"(?:(groups/\d+|users/0)(?:/|\Z))?(.*?)/*(?:\?tag=(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LibraryPart:
    """What of a library is meant.

    library: `users/0`, or a group as `groups/NUMBER`. collection: its name, its path as in
    `Thesis/Methods`, or its key, with the collections inside it; "": all. tag: items have it.
    """

    library: str = OWN
    collection: str = ""
    tag: str = ""

    @classmethod
    def named(cls, words: str) -> "LibraryPart":
        """Read `[groups/NUMBER/][COLLECTION][?tag=TAG]`."""
        match = _PART.fullmatch(words)
        assert match is not None  # Every part of it may be missing.
        return cls(match[1] or OWN, match[2], match[3] or "")


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection. path: its name behind those that it lies in. parent: a key, "" for none."""

    key: str
    name: str
    path: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """All items of a library, by key, as its API gives their `data`.

    server: names the database, "" before Zotero 10. version: of the library when it was read. pdfs:
    by the key of an attachment, the key of its item and a path, between them a space. changed,
    gone: items that were read anew, and that are no longer there, since the last time.
    """

    items: Mapping[str, Mapping[str, Any]]
    server: str = ""
    version: int = 0
    pdfs: Mapping[str, str] = field(default_factory=dict)
    changed: int = 0
    gone: int = 0


class RunningZotero:
    """Asks the Zotero of this machine. client: speaks to no other site."""

    def __init__(self, client: Client) -> None:
        """Ask nothing yet."""
        self.client = client

    def get(self, path: str, *parameters: tuple[str, str], json: bool = True) -> Reply:
        """Return an answer of the local API; no answer is stored."""
        question = Question(SITE, f"/api/{path}", (("v", "3"), *parameters), json=json, kept=False)
        return self.client.ask(question)

    def server(self) -> str:
        """Return what names its database, "" before Zotero 10."""
        return self.get("", json=False).headers.get(SERVER, "")

    def pages(self, path: str, *parameters: tuple[str, str]) -> Iterator[tuple[list[Any], int]]:
        """Yield the pages of a list, each with the version of the library."""
        start = 0
        while True:
            where = (("start", str(start)), ("limit", str(PAGE)))
            reply = self.get(path, *parameters, *where)
            found = listed(SITE, reply)
            yield found, _number(reply, VERSION)
            start += len(found)
            if not found or start >= _number(reply, "total-results"):
                return

    def collections(self, library: str) -> tuple[Collection, ...]:
        """List the collections of a library."""
        records = {
            str(record["key"]): (str(data.get("name")), str(data.get("parentCollection") or ""))
            for page, _ in self.pages(f"{library}/collections")
            for record in page
            if isinstance(record, dict) and isinstance(data := record.get("data"), dict)
        }

        def path(key: str, inside: frozenset[str] = frozenset()) -> str:
            name, parent = records[key]
            above = parent if parent in records and parent not in inside | {key} else ""
            return f"{path(above, inside | {key})}/{name}" if above else name

        return tuple(
            Collection(key, name, path(key), parent) for key, (name, parent) in records.items()
        )

    def library(self, name: str, file: Path) -> Library:
        """Read a library, asking only for what is new since a file was written; write it.

        Raises:
            OnlineError: Zotero does not run, does not allow it, or answers something else.
        """
        server, known = self.server(), Library({})
        if server:
            known = _read(file, server)
        items, pdfs = dict(known.items), dict(known.pdfs)
        changed, versions = 0, list[int]()
        for page, version in self.pages(f"{name}/items", ("since", str(known.version))):
            versions.append(version)
            changed += sum(_take(item, items, pdfs) for item in page)
        gone = set[str]()
        if known.items:
            reply = self.get(f"{name}/items", ("format", "keys"), json=False)
            gone = {*items, *pdfs} - {*reply.body.decode("utf-8", "replace").split()}
        items = {key: data for key, data in items.items() if key not in gone}
        pdfs = {key: path for key, path in pdfs.items() if key not in gone}
        # What changes while pages are read is asked for again the next time.
        counted = len(gone & known.items.keys())
        read = Library(items, server, min(versions), pdfs, changed, counted)
        _write(read, file)
        return read


def _number(reply: Reply, header: str) -> int:
    """Return the number in a header, 0 where there is none."""
    text = reply.headers.get(header, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _take(item: object, items: dict[str, Mapping[str, Any]], pdfs: dict[str, str]) -> int:
    """Put an item of an answer to the others; return 1 for a work, 0 for what belongs to one."""
    data = nested({"of": item}, "of", "data")
    key = data.get("key") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(key, str) or not key.isalnum():
        raise AnswerNotUnderstood(
            "Zotero answers with an item that has no key.", "Try again, or update Zotero."
        )
    if data.get("itemType") not in NOT_WORKS:
        items[key] = data
        return 1
    parent, address = data.get("parentItem"), nested({"of": item}, "of", "links", "enclosure")
    is_pdf = data.get("itemType") == "attachment" and data.get("contentType") == "application/pdf"
    place = urlsplit(str(address.get("href"))) if isinstance(address, dict) else None
    if is_pdf and parent and place is not None and place.scheme == "file":
        pdfs[key] = f"{parent} {url2pathname(place.path)}"
    return 0


def _read(file: Path, server: str) -> Library:
    """Read what was written of the same database; nothing of another, or of a damaged file."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        facts = json.loads(file.read_text(encoding="utf-8"))
        if facts["server"] == server:
            return Library(facts["items"], server, int(facts["version"]), facts["pdfs"])
    return Library({}, server)


def _write(library: Library, file: Path) -> None:
    facts = {name: getattr(library, name) for name in ("server", "version", "items", "pdfs")}
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(file, json.dumps(facts, ensure_ascii=False))


def found_collection(collections: Sequence[Collection], wanted: str) -> Collection | None:
    """Return the collection that a name, a path or a key means; None for none.

    Raises:
        InputError: several have the name.
    """
    found = [each for each in collections if wanted in (each.key, each.path)]
    found = found or [each for each in collections if each.name == wanted]
    if len(found) > 1:
        paths = ", ".join(f"{each.path} ({each.key})" for each in found)
        raise InputError(f"Zotero has several collections {wanted!r}: {paths}.", "Give a key.")
    return found[0] if found else None


def write_part(zotero: RunningZotero, part: LibraryPart, folder: Path) -> tuple[Path, Library]:
    """Write the items of a part of a library as ITEMS; return the file, and the library.

    folder: of the library, where it is found again.

    Raises:
        InputError: there is no such collection, or it holds nothing.
        OnlineError: see `RunningZotero.library`.
    """
    inside: frozenset[str] | None = None
    if part.collection:
        collections = zotero.collections(part.library)
        top = found_collection(collections, part.collection)
        if top is None:
            names = [each.path for each in collections]
            what = (
                f"Zotero has no collection {part.collection!r}.{near_miss(part.collection, names)}"
            )
            raise InputError(what, "Give its name, its path as in Thesis/Methods, or its key.")
        below = f"{top.path}/"
        inside = frozenset(c.key for c in collections if f"{c.path}/".startswith(below))
    library = zotero.library(part.library, folder / "library.json")
    attachments = [library.pdfs[key].partition(" ") for key in sorted(library.pdfs, reverse=True)]
    pdfs = {item: path for item, _, path in attachments}  # The first of several.
    lines = [
        json.dumps({"data": data, "pdf": pdfs.get(key)}, ensure_ascii=False)
        for key, data in sorted(library.items.items())
        if (inside is None or not inside.isdisjoint(map(str, rows(data.get("collections")))))
        and part.tag in ("", *(nested({"": tag}, "", "tag") for tag in rows(data.get("tags"))))
    ]
    if not lines:
        raise InputError("Zotero holds no items there.", "Check the collection and the tag.")
    name = re.sub(r"[^\w-]+", "-", f"{part.collection} {part.tag}").strip("-") or "all"
    file = folder / name / ITEMS
    file.parent.mkdir(exist_ok=True)
    write_whole(file, "".join(f"{line}\n" for line in lines))
    return file, library
