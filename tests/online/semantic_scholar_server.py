"""Papers as Semantic Scholar's API answers, after https://api.semanticscholar.org/api-docs.

Written after the documentation of the Academic Graph and Recommendations APIs as of 2026-11-22; not
recorded.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tests.online.catalogue import Catalogue
from tests.online.loopback import Asked, Fault, Given, as_json, page_of, spoilt

MOST_BATCH, MOST_RANKED, BULK_PAGE = 500, 1000, 1000
_GRAPH = "/graph/v1/paper"
_SCHEMES: Mapping[str, str] = {"ARXIV": "arxiv", "PMID": "pmid", "ACL": "acl", "MAG": "mag"}


@dataclass(eq=False)
class SemanticScholarSite:
    """What Semantic Scholar would say of a catalogue; page: works of a page of `search/bulk`."""

    catalogue: Catalogue
    keys: frozenset[str] = frozenset()
    page: int = BULK_PAGE

    def __post_init__(self) -> None:
        self._by_hash = {self.paper_id(n): n for n in range(len(self.catalogue.papers))}

    def paper_id(self, number: int) -> str:
        """The id of a paper: 40 hexadecimal digits, as they are there."""
        return _hash(self.catalogue.papers[number].id)

    def answer(self, asked: Asked) -> Given:
        """Answer the batch, lists of citations, and searches."""
        key = asked.headers.get("x-api-key")
        if key and self.keys and key not in self.keys:
            return as_json({"message": f"Forbidden: {key}"}, 403)
        path = asked.path.removeprefix(_GRAPH)
        places = {
            "/batch": self._batch,
            "/search": self._ranked,
            "/search/bulk": self._bulk,
            "/search/match": self._match,
        }
        if path in places:
            return places[path](asked)
        if path.endswith("/citations"):
            return self._citations(asked, unquote(path.removesuffix("/citations")[1:]))
        return as_json({"error": f"{path} not found"}, 404)

    def _batch(self, asked: Asked) -> Given:
        ids = json.loads(asked.body)["ids"]
        if not 0 < len(ids) <= MOST_BATCH:
            return as_json({"error": "Too many ids"}, 400)
        numbers = [self._number(name) for name in ids]
        if not any(number is not None for number in numbers):
            return as_json({"error": "No valid paper ids given"}, 400)
        found: object = [None if n is None else self._paper(n, asked) for n in numbers]
        return as_json({"oops": found} if asked.fault is Fault.NOT_A_LIST else found)

    def _match(self, asked: Asked) -> Given:
        found = self._scored(asked.parameters["query"].split(), together=True)
        if not found:
            return as_json({"error": "Title match not found"}, 404)
        return as_json({"data": [{**self._paper(found[0], asked), "matchScore": 100.0}]})

    def _ranked(self, asked: Asked) -> Given:
        offset, limit = int(asked.parameters["offset"]), int(asked.parameters["limit"])
        if limit > 100 or offset + limit > MOST_RANKED:
            return as_json({"error": "Requested data is too far"}, 400)
        found = self._scored(asked.parameters["query"].split())
        found = [n for n in found if self._within(n, asked.parameters.get("year", ""))]
        return self._page(asked, found)

    def _bulk(self, asked: Asked) -> Given:
        token = asked.parameters.get("token", "")
        if token and asked.fault is Fault.EXPIRED:
            return as_json({"error": "Invalid or expired token"}, 400)
        start = int(token.removeprefix("PAGE")) if token else 0
        since = asked.parameters.get("publicationDateOrYear", "").partition(":")[0][:4]
        found = sorted(self._scored(asked.parameters["query"].split("|")))
        found = [n for n in found if self.catalogue.years[n] >= int(since or 0)]
        shown = page_of(found, start, self.page, asked)
        more = f"PAGE{start + self.page}" if start + self.page < len(found) else None
        papers = [self._paper(number, asked) for number in shown]
        return as_json({"total": len(found), "token": more, "data": papers})

    def _citations(self, asked: Asked, name: str) -> Given:
        number = self._number(name)
        if number is None:
            return as_json({"error": f"Paper with id {name} not found"}, 404)
        return self._page(asked, self.catalogue.citing.get(number, ()), within="citingPaper")

    def _page(self, asked: Asked, found: Sequence[int], within: str = "") -> Given:
        offset, limit = int(asked.parameters["offset"]), int(asked.parameters["limit"])
        papers = [self._paper(number, asked) for number in page_of(found, offset, limit, asked)]
        papers = [{within: paper} for paper in papers] if within else papers
        more = {"next": offset + limit} if offset + limit < len(found) else {}
        data: object = {"no": "list"} if asked.fault is Fault.NOT_A_LIST else papers
        return as_json({"offset": offset, "data": data, "total": len(found), **more})

    def _number(self, name: str) -> int | None:
        scheme, colon, bare = name.partition(":")
        if scheme == "DOI":
            found = self.catalogue.number_of.get(bare.lower())
        elif colon:
            found = self.catalogue.number_of.get(f"{_SCHEMES.get(scheme, scheme)}:{bare}")
        else:
            merged = {_hash(old): new for old, new in self.catalogue.merged.items()}
            found = self._by_hash.get(name, self.catalogue.number_of.get(merged.get(name, "")))
        return None if found is None or self.catalogue.is_gone(found) else found

    def _scored(self, words: Sequence[str], *, together: bool = False) -> list[int]:
        groups: Iterable[Sequence[str]] = [words] if together else [[word] for word in words]
        return self.catalogue.ranked(groups)

    def _within(self, number: int, span: str) -> bool:
        first, _, last = span.partition("-")
        return int(first or 0) <= int(self.catalogue.years[number]) <= int(last or 9999)

    def _paper(self, number: int, asked: Asked) -> dict[str, Any]:
        """Write the fields that were asked for; the id comes in any case."""
        whole = self._whole(number)
        fields = asked.parameters.get("fields", "title").split(",")
        names = {"paperId", *(field.partition(".")[0] for field in fields)}
        sure = [name for name in ("paperId", "title") if name in names]
        return spoilt({name: whole[name] for name in names}, asked, sure)

    def _whole(self, number: int) -> dict[str, Any]:
        paper = self.catalogue.papers[number]
        pairs = (name.partition(":") for name in paper.aliases)
        others = {_EXTERNAL[scheme]: bare for scheme, _, bare in pairs if scheme in _EXTERNAL}
        doi = self.catalogue.doi_of[number]
        return {
            "paperId": self.paper_id(number),
            "corpusId": number + 1,
            "externalIds": {**({"DOI": doi} if doi else {}), **others, "CorpusId": number + 1},
            "url": f"https://www.semanticscholar.org/paper/{self.paper_id(number)}",
            "title": paper.title,
            "abstract": paper.abstract,
            "year": paper.year,
            "venue": paper.venue or "",
            "journal": None,
            "authors": [{"authorId": "1", "name": name} for name in paper.authors],
            "publicationTypes": None,
            "fieldsOfStudy": None,
            "references": [
                {"paperId": self.paper_id(other), "title": self.catalogue.papers[other].title}
                for other in self.catalogue.cited[number]
            ],
        }


def _hash(name: str) -> str:
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()


_EXTERNAL: Mapping[str, str] = {"arxiv": "ArXiv", "pmid": "PubMed", "acl": "ACL", "mag": "MAG"}
