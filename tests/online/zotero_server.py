"""A library as Zotero answers, here and on the web.

After https://www.zotero.org/support/dev/web_api/v3/basics and its page on the local API (as of
2026-11-22); not recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.online.catalogue import Catalogue
from tests.online.loopback import Asked, Fault, Given, as_json, spoilt

MOST_PER_PAGE, MOST_KEYS = 100, 50


@dataclass(eq=False)
class ZoteroSite:
    """What Zotero would say of a catalogue.

    keys: asked for under /groups, as on the web. modified: day of an item, by id of the paper.
    notes: so many items are none that are works.
    """

    catalogue: Catalogue
    keys: frozenset[str] = frozenset()
    modified: Mapping[str, str] = field(default_factory=dict)
    notes: int = 0

    def key(self, number: int) -> str:
        """The key of an item: eight letters and digits."""
        return f"KEY{number:05d}"

    def answer(self, asked: Asked) -> Given:
        """Answer the top items of a library."""
        local = asked.path.startswith("/api/")
        if self.keys and not local and asked.headers.get("zotero-api-key") not in self.keys:
            return Given(b"Forbidden", 403)
        parts = asked.path.removeprefix("/api").strip("/").split("/")
        if len(parts) != 4 or parts[2:] != ["items", "top"] or asked.parameters.get("v") != "3":
            return Given(b"Not found", 404)
        return self._list(asked)

    def _list(self, asked: Asked) -> Given:
        parameters = asked.parameters
        found = [n for n, p in enumerate(self.catalogue.papers) if self._fits(n, parameters)]
        if parameters.get("sort") == "dateModified":
            found.sort(key=lambda n: (self._day(n), n), reverse=parameters["direction"] == "desc")
        items: list[Any] = [self._item(number, asked) for number in found]
        items += [{"key": f"NOTE{i}", "data": {"itemType": "note"}} for i in range(self.notes)]
        start, size = int(parameters.get("start", "0")), int(parameters.get("limit", "25"))
        shown: object = items[start : start + min(size, MOST_PER_PAGE)]
        if asked.fault is Fault.NOT_A_LIST:
            shown = {"items": shown}
        return as_json(shown, headers={"Total-Results": str(len(items))})

    def _fits(self, number: int, parameters: Mapping[str, str]) -> bool:
        paper = self.catalogue.papers[number]
        if self.catalogue.is_gone(number):
            return False
        if keys := parameters.get("itemKey"):
            return len(keys.split(",")) <= MOST_KEYS and self.key(number) in keys.split(",")
        words = parameters.get("q", "").lower().split()
        text = f"{paper.title} {' '.join(paper.authors)} {paper.year}".lower()
        return all(word in text for word in words)

    def _day(self, number: int) -> str:
        paper = self.catalogue.papers[number]
        return self.modified.get(paper.id, f"{paper.year}-01-01T00:00:00Z")

    def _item(self, number: int, asked: Asked) -> dict[str, Any]:
        paper = self.catalogue.papers[number]
        data: dict[str, Any] = {
            "key": self.key(number),
            "itemType": "journalArticle",
            "title": paper.title,
            "abstractNote": paper.abstract or "",
            "date": str(paper.year or ""),
            "DOI": self.catalogue.doi_of[number] or "",
            "publicationTitle": paper.venue or "",
            "dateModified": self._day(number),
            "creators": [
                {"creatorType": "author", "firstName": given, "lastName": family}
                for given, family in self.catalogue.people(number)
            ],
        }
        sure = ("key", "itemType", "title")
        return {"key": self.key(number), "data": spoilt(data, asked, sure)}
