"""The Zotero of a desk, as it answers other programs on its machine; not recorded.

After https://www.zotero.org/support/dev/web_api/v3/local_api (Server ID, Authorizing Writes, Write
Requests) and .../write_requests, .../basics, as of 2026-11-22, and after Zotero's own sources:
chrome/content/zotero/xpcom/server/server_localAPI.js and server_connector.js.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.online.loopback import Asked, Given, as_json

MOST_WRITTEN = 50
KEY_LENGTH = 32
_OBJECTS = re.compile(r"/api/(users/0|groups/7)/(items|items/top|collections)")
_CONNECTOR = "/connector/"


class Lost(Exception):
    """The connection ends here, without an answer."""


@dataclass(eq=False)
class ZoteroDesktop:
    """A running Zotero with one library, and a group 7 that has the same items.

    server: names the database, from Zotero 10 on; "" for an older one. says: what the person at the
    desk chooses in the next dialogs: "Allow", "Always Allow" or "Deny". enabled: whether other
    programs may speak to it. selected: the collection in its window, by key. failing: answers of
    the next writes, in order, None for a right one, "lost" for one that is written and never
    answered. before: changes made by somebody else before the next write.
    """

    server: str = "AbCdEf123456"
    says: list[str] = field(default_factory=list)
    enabled: bool = True
    selected: str = ""
    failing: list[Given | str | None] = field(default_factory=list)
    meddling: bool = False
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: int = 100
    dialogs: int = 0
    _keys: dict[str, bool] = field(default_factory=dict)
    _counted: int = 0

    def add(self, *collections: str, **data: object) -> str:
        """Put an item into the library, as a person does; return its key."""
        facts = {"itemType": "journalArticle", "creators": [], "tags": [], **data}
        return self._store(self.items, facts | {"collections": [*collections]})

    def add_collection(self, name: str, parent: str | bool = False) -> str:
        """Make a collection; return its key."""
        return self._store(self.collections, {"name": name, "parentCollection": parent})

    def change(self, key: str, **data: object) -> None:
        """Change an item, as a person does."""
        self.version += 1
        self.items[key] |= {**data, "version": self.version}

    def titles(self, collection: str = "") -> list[str]:
        """List the titles of the works, of all or of a collection."""
        works = (d for d in self.items.values() if d["itemType"] not in ("attachment", "note"))
        return sorted(
            d.get("title", "") for d in works if not collection or collection in d["collections"]
        )

    def answer(self, asked: Asked) -> Given:
        """Answer a request."""
        if asked.path.startswith(_CONNECTOR):
            return self._connector(asked)
        given = self._api(asked)
        named = {"Zotero-Server-ID": self.server} if self.server else {}
        return Given(given.body, given.status, {**given.headers, **named})

    def _store(self, objects: dict[str, dict[str, Any]], data: Mapping[str, Any]) -> str:
        self._counted += 1
        self.version += 1
        key = f"{'C' if objects is self.collections else 'K'}{self._counted:07d}"
        objects[key] = {**data, "key": key, "version": self.version}
        return key

    def _api(self, asked: Asked) -> Given:
        if not self.enabled:
            return Given(b"Local API is not enabled", 403)
        if asked.path == "/api/":
            return Given(b"Nothing to see here.")
        told = asked.headers.get("zotero-server-id")
        if self.server and told not in (None, self.server):
            return Given(b"Zotero-Server-ID does not match this server", 412)
        if asked.method == "POST" and not self.server:
            return Given(b"Endpoint does not support method\n", 400)
        if asked.method == "POST" and told is None:
            return Given(b"Zotero-Server-ID not provided", 428)
        if asked.path == "/api/local/authorize" and asked.method == "POST":
            return self._authorize(asked)
        match = _OBJECTS.fullmatch(asked.path)
        if match is None:
            return Given(b"Not found", 404)
        return (
            self._write(match[2], asked) if asked.method == "POST" else self._list(match[2], asked)
        )

    def _authorize(self, asked: Asked) -> Given:
        name = json.loads(asked.body).get("appName")
        if not isinstance(name, str) or not name.strip():
            return Given(b"appName is required", 400)
        self.dialogs += 1
        if self.dialogs > 5:
            return Given(b"Too many authorization requests", 429, {"Retry-After": "60"})
        chosen = self.says.pop(0) if self.says else "Deny"
        if chosen == "Deny":
            return as_json({"denied": True}, 403)
        key = f"{self.dialogs:0{KEY_LENGTH}d}"
        self._keys[key] = chosen == "Always Allow"
        return as_json({"key": key, "remember": self._keys[key]})

    def allowed_for_good(self, key: str) -> None:
        """Know a key that was given for good some time ago."""
        self._keys[key] = True

    def _list(self, what: str, asked: Asked) -> Given:
        parameters = asked.parameters
        objects = self.collections if what == "collections" else self.items
        since = int(parameters.get("since", "0"))
        # Before Zotero 10, what was never synchronised has version 0.
        shown = [d for d in objects.values() if self.server or not since]
        shown = [d for d in shown if not since or d["version"] > since]
        if what == "items/top":
            shown = [d for d in shown if not d.get("parentItem")]
        if words := parameters.get("q", "").lower().split():
            shown = [d for d in shown if all(w in str(d.get("title")).lower() for w in words)]
        if parameters.get("format") == "keys":
            return Given("\n".join(d["key"] for d in shown).encode(), headers=self._versions())
        start = int(parameters.get("start", "0"))
        page = shown[start : start + int(parameters.get("limit") or len(shown))]
        records = [self._record(data) for data in page]
        return as_json(records, headers={"Total-Results": str(len(shown)), **self._versions()})

    def _record(self, data: Mapping[str, Any]) -> dict[str, Any]:
        facts = {name: value for name, value in data.items() if name != "file"}
        links = {"self": {"href": f"http://localhost:23119/api/users/0/items/{data['key']}"}}
        if "file" in data:
            links["enclosure"] = {"type": facts["contentType"], "href": data["file"]}
        return {"key": data["key"], "version": data["version"], "links": links, "data": facts}

    def _versions(self) -> dict[str, str]:
        return {"Last-Modified-Version": str(self.version if self.server else 0)}

    def _write(self, what: str, asked: Asked) -> Given:
        key = asked.headers.get("zotero-api-key", "")
        if key not in self._keys:
            said = b"Invalid or expired API key" if key else b"API key required"
            realm = {"WWW-Authenticate": 'Zotero-API-Key realm="Zotero Local API"'}
            return Given(said, 401, realm)
        if not self._keys[key]:
            del self._keys[key]  # It was for one write.
        if self.meddling:
            self.add(title="Somebody else's")
        wrong = self.failing.pop(0) if self.failing else None
        if isinstance(wrong, Given):
            return wrong
        expected = asked.headers.get("if-unmodified-since-version")
        if expected is not None and int(expected) < self.version:
            return Given(b"Library has been modified since specified version", 412)
        body = json.loads(asked.body)
        if len(body) > MOST_WRITTEN:
            return Given(f"Cannot add more than {MOST_WRITTEN} {what} at a time".encode(), 413)
        results = self._written(self.collections if what == "collections" else self.items, body)
        if wrong == "lost":
            raise Lost
        return as_json(results, headers=self._versions())

    def _written(
        self, objects: dict[str, dict[str, Any]], body: Sequence[Mapping[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        results: dict[str, dict[str, Any]] = {
            "successful": {}, "success": {}, "unchanged": {}, "failed": {}
        }  # fmt: skip
        for number, data in enumerate(body):
            index, key = str(number), str(data.get("key", ""))
            if key and objects[key]["version"] != data.get("version"):
                said = f"version mismatch: found {objects[key]['version']}"
                results["failed"][index] = {"key": key, "code": 412, "message": said}
                continue
            if not key and objects is self.items and "itemType" not in data:
                said = "itemType property not provided"
                results["failed"][index] = {"key": "", "code": 400, "message": said}
                continue
            if "refuse me" in str(data.get("title")):
                results["failed"][index] = {"key": "", "code": 400, "message": "Invalid value"}
                continue
            if key:
                self.version += 1
                objects[key] |= {**data, "version": self.version}
            else:
                key = self._store(objects, {"tags": [], "collections": [], **data})
            results["successful"][index] = self._record(objects[key])
            results["success"][index] = key
        return results

    def _connector(self, asked: Asked) -> Given:
        if asked.headers.get("user-agent", "").startswith("Mozilla/"):
            raise Lost
        name = self.collections.get(self.selected, {"name": "My Library"})["name"]
        if asked.path == "/connector/getSelectedCollection":
            facts = {"libraryID": 1, "libraryName": "My Library", "libraryEditable": True}
            return as_json({**facts, "editable": True, "id": 3, "name": name})
        if asked.path != "/connector/import" or asked.method != "POST":
            return Given(b"No endpoint found", 404)
        wrong = self.failing.pop(0) if self.failing else None
        if isinstance(wrong, Given):
            return wrong
        text = asked.body.decode()
        if not text.startswith("TY  - "):
            return Given(b"", 400)
        entries = [dict(_RIS.findall(entry)) for entry in text.split("\nER  - ") if entry.strip()]
        inside = [self.selected] if self.selected else []
        keys = [self.add(*inside, title=e["TI"], DOI=e.get("DO", "")) for e in entries]
        return as_json([self.items[key] for key in keys], 201)


_RIS = re.compile(r"^([A-Z][A-Z0-9])  - (.*)$", re.MULTILINE)
