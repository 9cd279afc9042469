"""Works as Crossref's REST API answers, after https://api.crossref.org (as of 2026-11-22).

Written after the documentation, its pages on filters, cursors and limits; not recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.online.catalogue import Catalogue
from tests.online.loopback import Asked, Fault, Given, as_json, page_of, spoilt

MOST_ROWS = 1000
_LIMITS = {
    "X-Rate-Limit-Limit": "5",
    "X-Rate-Limit-Interval": "1s",
    "X-Concurrency-Limit": "1",
}


@dataclass(eq=False)
class CrossrefSite:
    """What Crossref would say of a catalogue; a record is of the first day of the work's year."""

    catalogue: Catalogue
    limits: Mapping[str, str] = field(default_factory=lambda: dict(_LIMITS))

    def answer(self, asked: Asked) -> Given:
        """Answer /works and /works/DOI."""
        if asked.path == "/works":
            return self._list(asked)
        number = self._number(unquote(asked.path.removeprefix("/works/")))
        if number is None:
            return Given(b"Resource not found.", 404)
        return self._message("work", self._work(number, asked))

    def _list(self, asked: Asked) -> Given:
        cursor = asked.parameters.get("cursor")
        if cursor not in (None, "*") and asked.fault is Fault.EXPIRED:
            return self._message("validation-failure", [{"type": "cursor-expired"}], 400)
        rows = int(asked.parameters.get("rows", "20"))
        if rows > MOST_ROWS:
            return self._message("validation-failure", [{"type": "parameter-not-allowed"}], 400)
        found = self._found(asked)
        start = 0 if cursor in (None, "*") else int(cursor.removeprefix("DnF1"))
        shown = page_of(found, start, rows, asked)
        items: object = [self._work(number, asked) for number in shown]
        if asked.fault is Fault.NOT_A_LIST:
            items = None
        message = {"total-results": len(found), "items": items, "items-per-page": rows}
        if cursor is not None:  # It comes with the last page, too, which is empty then.
            message["next-cursor"] = f"DnF1{start + rows}"
        return self._message("work-list", message)

    def _found(self, asked: Asked) -> list[int]:
        filters = [
            part.partition(":") for part in asked.parameters.get("filter", "").split(",") if part
        ]
        words = asked.parameters.get("query.bibliographic")
        if words is None:
            dois = [value for name, _, value in filters if name == "doi"]
            numbers = [number for doi in dois if (number := self._number(doi)) is not None]
            return sorted(dict.fromkeys(numbers))
        found = self.catalogue.ranked([word] for word in words.split())
        for name, _, value in filters:
            found = [number for number in found if self._fits(number, name, value)]
        return found

    def _fits(self, number: int, name: str, value: str) -> bool:
        year = int(self.catalogue.years[number])
        if name == "from-pub-date":
            return year >= int(value)
        if name == "until-pub-date":
            return year <= int(value)
        return f"{year}-01-01" >= value

    def _number(self, doi: str) -> int | None:
        return self.catalogue.number_of.get(doi.lower())

    def _work(self, number: int, asked: Asked) -> dict[str, Any]:
        work = self._whole(number)
        chosen = asked.parameters.get("select")
        if chosen:
            work = {name: work[name] for name in chosen.split(",") if name in work}
        return spoilt(work, asked, ("DOI", "title"))

    def _whole(self, number: int) -> dict[str, Any]:
        paper = self.catalogue.papers[number]
        work: dict[str, Any] = {
            "DOI": self.catalogue.doi_of[number],
            "URL": f"https://doi.org/{self.catalogue.doi_of[number]}",
            "title": [paper.title],
            "author": [
                {"given": given, "family": family, "sequence": "first"}
                for given, family in self.catalogue.people(number)
            ],
            "issued": {"date-parts": [[paper.year]]},
            "container-title": [paper.venue] if paper.venue else [],
            "type": "journal-article",
            "reference": [self._cited(other) for other in self.catalogue.cited[number]],
        }
        if paper.abstract:
            work["abstract"] = f"<jats:p>{paper.abstract}</jats:p>"
        return work

    def _cited(self, number: int) -> dict[str, Any]:
        paper, doi = self.catalogue.papers[number], self.catalogue.doi_of[number]
        told = {"key": f"ref{number}", "article-title": paper.title, "year": str(paper.year)}
        return {**told, "DOI": doi} if doi else told

    def _message(self, kind: str, message: object, status: int = 200) -> Given:
        told = "ok" if status == 200 else "failed"
        value = {"status": told, "message-type": kind, "message": message}
        return as_json(value, status, self.limits)
