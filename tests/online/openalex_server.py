"""Works as the API of OpenAlex answers, after https://developers.openalex.org (as of 2026-11-22).

Written after the documentation: pages `api-reference/authentication`, `guides/searching`,
`guides/page-through-results`, `guides/filter-entity-lists`. Not recorded.
"""

import base64
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.online.catalogue import Catalogue
from tests.online.loopback import Asked, Fault, Given, as_json, page_of, spoilt

MOST_PER_PAGE, MOST_VALUES, MOST_PAGED = 100, 100, 10_000
_FIRST_WORK = 2_000_000_000
_PHRASE = re.compile(r'"([^"]*)"|[^\s()"]+')


@dataclass(eq=False)
class OpenAlexSite:
    """What OpenAlex would say of a catalogue.

    keys: those that are valid. spent: credits.
    """

    catalogue: Catalogue
    keys: frozenset[str] = frozenset()
    spent: float = 0.0

    def __post_init__(self) -> None:
        self._by_work = {self.work_id(n): n for n in range(len(self.catalogue.papers))}
        self._all = [n for n in self._by_work.values() if not self.catalogue.is_gone(n)]

    def work_id(self, number: int) -> str:
        """The id of a work; a paper that has one of OpenAlex keeps it."""
        own = self.catalogue.papers[number].id
        return own if re.fullmatch(r"W\d+", own) else f"W{_FIRST_WORK + number}"

    def answer(self, asked: Asked) -> Given:
        """Answer /works and /works/ID."""
        key = asked.parameters.get("api_key", "")
        if key and self.keys and key not in self.keys:
            return _error(401, "Invalid API key", f"API key {key} is not known.")
        if asked.path.startswith("/works/"):
            return self._single(asked.path.removeprefix("/works/"), asked)
        if asked.path != "/works":
            return _error(404, "Not found", asked.path)
        try:
            return self._list(asked)
        except ValueError as error:
            return _error(400, "Invalid query parameters error.", str(error))

    def _single(self, name: str, asked: Asked) -> Given:
        name = name.removeprefix("https://doi.org/").removeprefix("doi:")
        number = self._by_work.get(name, self.catalogue.number_of.get(name))
        if number is None or self.catalogue.is_gone(number):
            told = {"error": "Not found", "message": f"{name} is not known."}
            return as_json(told, 404, self._meter(0))
        if re.fullmatch(r"W\d+", name) and name != self.work_id(number):
            return Given(b"", 301, {"Location": f"/works/{self.work_id(number)}"})
        return as_json(self._work(number, asked), headers=self._meter(0))

    def _list(self, asked: Asked) -> Given:
        parameters = asked.parameters
        searched = "search" in parameters or ".search:" in parameters.get("filter", "")
        price = 10.0 if searched else 1.0
        self.spent += price
        scores = self._scores(parameters)
        numbers = self._sorted(self._filtered(parameters, scores), parameters, scores)
        size = int(parameters.get("per_page", "25"))
        if not 1 <= size <= MOST_PER_PAGE:
            raise ValueError("per-page parameter must be between 1 and 100")
        start, cursor = self._start(asked, size)
        shown = page_of(numbers, start, size, asked)
        results: object = [self._work(number, asked, scores) for number in shown]
        meta: dict[str, object] = {
            "count": len(numbers),
            "per_page": size,
            "cost_usd": price / 10_000,
        }
        if cursor:
            more = start + size < len(numbers)
            meta["next_cursor"] = _cursor(start + size) if more else None
        if asked.fault is Fault.NOT_A_LIST:
            results = {"message": "not as documented"}
        return as_json(
            {"meta": meta, "results": results, "group_by": []}, headers=self._meter(price)
        )

    def _start(self, asked: Asked, size: int) -> tuple[int, bool]:
        cursor = asked.parameters.get("cursor")
        if cursor is None:
            page = int(asked.parameters.get("page", "1"))
            if page < 1 or page * size > MOST_PAGED:
                raise ValueError("Maximum results size of 10,000 records is exceeded.")
            return (page - 1) * size, False
        if cursor == "*":
            return 0, True
        if asked.fault is Fault.EXPIRED:
            raise ValueError("The cursor value is invalid or has expired.")
        return int(json.loads(base64.urlsafe_b64decode(cursor))[0]), True

    def _scores(self, parameters: Mapping[str, str]) -> Mapping[int, float] | None:
        filters = dict(_filters(parameters.get("filter", "")))
        words = filters.get("title.search", parameters.get("search"))
        if words is None:
            return None
        groups = [_words_of(part) for part in re.split(r"\sOR\s|\|", words)]
        return self.catalogue.search(group for group in groups if group)

    def _filtered(
        self, parameters: Mapping[str, str], scores: Mapping[int, float] | None
    ) -> list[int]:
        found: Iterable[int] = self._all if scores is None else sorted(scores)
        tests: list[Callable[[int], bool]] = []
        for name, value in _filters(parameters.get("filter", "")):
            if name.endswith(".search"):
                continue
            values = value.split("|")
            if len(values) > MOST_VALUES:
                raise ValueError(f"Maximum number of values exceeded for {name}.")
            if name in ("openalex", "doi", "pmid", "cites"):
                wanted = set(self._named(name, values))
                found = [
                    n for n in (found if scores is not None else sorted(wanted)) if n in wanted
                ]
            else:
                tests.append(self._test(name, value))
        return [number for number in found if all(test(number) for test in tests)]

    def _named(self, name: str, values: Sequence[str]) -> Iterable[int]:
        for value in values:
            key = f"pmid:{value}" if name == "pmid" else value
            number = self._by_work.get(key, self.catalogue.number_of.get(key))
            if number is None or self.catalogue.is_gone(number):
                continue
            yield from self.catalogue.citing.get(number, ()) if name == "cites" else (number,)

    def _test(self, name: str, value: str) -> Callable[[int], bool]:
        years = self.catalogue.years
        if name == "publication_year":
            first, last = _span(value)
            return lambda number: first <= years[number] <= last
        if name == "from_created_date":
            return lambda number: self._published(number) >= value
        raise ValueError(f"{name} is not a valid field.")

    def _sorted(
        self,
        numbers: list[int],
        parameters: Mapping[str, str],
        scores: Mapping[int, float] | None,
    ) -> list[int]:
        name, _, direction = parameters.get("sort", "").partition(":")
        if scores is not None and name in ("", "relevance_score"):
            return sorted(numbers, key=lambda number: (-scores[number], number))
        if not name:
            return numbers
        keys: Mapping[str, Callable[[int], Any]] = {
            "cited_by_count": lambda number: len(self.catalogue.citing.get(number, ())),
            "publication_date": self._published,
        }
        if name not in keys:
            raise ValueError(f"{name} cannot be sorted by.")
        return sorted(numbers, key=keys[name], reverse=direction == "desc")

    def _published(self, number: int) -> str:
        year = int(self.catalogue.years[number])
        return f"{year}-01-01" if year else ""

    def _work(
        self, number: int, asked: Asked, scores: Mapping[int, float] | None = None
    ) -> dict[str, Any]:
        work = self._whole(number)
        if scores is not None:
            work["relevance_score"] = scores.get(number, 0.0)
        chosen = asked.parameters.get("select")
        if chosen:
            unknown = set(chosen.split(",")) - set(work) - {"relevance_score"}
            if unknown:
                raise ValueError(f"{sorted(unknown)} are not valid select fields.")
            work = {name: work[name] for name in chosen.split(",") if name in work}
        odd = {"authorships": "Ash", "referenced_works": {"a": 1}}
        return spoilt(work, asked, [name for name in ("id", "title") if name in work], odd)

    def _whole(self, number: int) -> dict[str, Any]:
        paper = self.catalogue.papers[number]
        name = f"https://openalex.org/{self.work_id(number)}"
        doi = self.catalogue.doi_of[number]
        address = f"https://doi.org/{doi}" if doi else None
        place = {"landing_page_url": address, "source": {"display_name": paper.venue}}
        return {
            "id": name,
            "doi": address,
            "title": paper.title,
            "display_name": paper.title,
            "publication_year": paper.year,
            "publication_date": self._published(number) or None,
            "ids": {"openalex": name, "doi": address, **_aliases(paper.aliases)},
            "language": "en",
            "primary_location": place if paper.venue or doi else None,
            "locations": [place],
            "type": "article",
            "authorships": [
                {"author": {"display_name": person}, "raw_author_name": person}
                for person in paper.authors
            ],
            "cited_by_count": len(self.catalogue.citing.get(number, ())),
            "biblio": {"volume": None, "issue": None, "first_page": None, "last_page": None},
            "is_retracted": False,
            "is_paratext": False,
            "primary_topic": None,
            "keywords": [{"display_name": phrase} for phrase in paper.keyphrases],
            "referenced_works": [
                f"https://openalex.org/{self.work_id(other)}"
                for other in self.catalogue.cited[number]
            ],
            "abstract_inverted_index": _inverted(paper.abstract),
            "created_date": self._published(number) or None,
            "updated_date": self._published(number) or None,
        }

    def _meter(self, price: float) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": "10000",
            "X-RateLimit-Remaining": f"{max(10_000 - self.spent, 0):.0f}",
            "X-RateLimit-Credits-Used": f"{price:.0f}",
            "X-RateLimit-Reset": "40000",
        }


def _error(status: int, error: str, message: str) -> Given:
    return as_json({"error": error, "message": message}, status)


def _filters(text: str) -> list[tuple[str, str]]:
    pairs = [part.partition(":") for part in text.split(",") if part]
    if any(not colon for _, colon, _ in pairs):
        raise ValueError(f"Invalid filter: {text}")
    return [(name, value) for name, _, value in pairs]


def _words_of(text: str) -> list[str]:
    found = (match[1] or match[0] for match in _PHRASE.finditer(text))
    return [word for word in found if word not in ("AND", "NOT")]


def _span(value: str) -> tuple[int, int]:
    if value.startswith("<"):
        return 1, int(value[1:]) - 1
    if value.startswith(">"):
        return int(value[1:]) + 1, 9999
    first, _, last = value.partition("-")
    return int(first or 1), int(last or (9999 if value.endswith("-") else first))


def _cursor(place: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([place, "https://openalex.org"]).encode()).decode()


def _aliases(names: Sequence[str]) -> dict[str, str]:
    pairs = (name.partition(":") for name in names)
    return {scheme: value for scheme, _, value in pairs if scheme in ("pmid", "pmcid", "mag")}


def _inverted(text: str | None) -> dict[str, list[int]] | None:
    if not text:
        return None
    found: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(text.split()):
        found[word].append(place)
    return dict(found)
