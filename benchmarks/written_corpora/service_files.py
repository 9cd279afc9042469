"""Write works as the services of Crossref, OpenAlex and Semantic Scholar give them."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha1
from pathlib import Path
from typing import Any

from benchmarks.written_corpora.cited_forms import (
    Citation,
    Cite,
    initials,
    last_page,
)
from benchmarks.written_corpora.known_works import KnownWork


def write_crossref(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write works of Crossref, one a line."""
    _write(works, cite, folder / "crossref.jsonl", _crossref)


def write_openalex(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write works of OpenAlex, one a line."""
    _write(works, cite, folder / "openalex.jsonl", _openalex)


def write_semantic_scholar(works: Iterable[KnownWork], cite: Cite, folder: Path) -> None:
    """Write papers of Semantic Scholar's graph, one a line."""
    _write(works, cite, folder / "s2.jsonl", _semantic_scholar)


def crossref_doi(work: KnownWork) -> str:
    """Return the DOI of a work; Crossref has none without."""
    return work.doi or f"10.5555/made.{work.number}"


def openalex_id(work: KnownWork) -> str:
    """Return the id of a work in OpenAlex."""
    return f"W{2_000_000_000 + work.number}"


def s2_id(work: KnownWork) -> str:
    """Return the id of a paper in Semantic Scholar."""
    return sha1(str(work.number).encode(), usedforsecurity=False).hexdigest()


def _write(
    works: Iterable[KnownWork],
    cite: Cite,
    path: Path,
    record: Callable[[KnownWork, list[Citation]], dict[str, Any]],
) -> None:
    with path.open("w", encoding="utf-8") as file:
        for work in works:
            file.write(json.dumps(record(work, cite(work)), ensure_ascii=False) + "\n")


def _crossref(work: KnownWork, cited: list[Citation]) -> dict[str, Any]:
    people = [{"given": name.given, "family": name.family} for name in work.authors]
    return _told(
        {
            "DOI": crossref_doi(work),
            "type": "journal-article" if work.volume else "proceedings-article",
            "title": [work.title],
            "author": people,
            "issued": {"date-parts": [[work.year]]},
            "container-title": [work.venue] if work.venue else [],
            "volume": work.volume,
            "page": f"{work.page}-{last_page(work.page)}" if work.page else None,
            "abstract": f"<jats:p>{work.abstract}</jats:p>" if work.abstract else None,
            "reference-count": len(cited),
            "reference": [_deposited(place, each) for place, each in enumerate(cited)],
            "URL": f"https://doi.org/{crossref_doi(work)}",
            "source": "Crossref",
        }
    )


def _deposited(place: int, each: Citation) -> dict[str, Any]:
    """Write a reference as publishers deposit it: a fifth of them as text, most without title."""
    way = (each.work.number * 7919 + place * 104_729) % 10
    key: dict[str, Any] = {"key": f"ref{place}"}
    if each.doi:
        key |= {"doi-asserted-by": "publisher", "DOI": each.doi}
    if way < 2:
        return key | {"unstructured": printed(each)}
    author = each.authors[0] if each.authors else None
    return _told(
        key
        | {
            "author": (author.family if way % 2 else author.natural) if author else None,
            "year": str(each.year) if each.year else None,
            "journal-title": each.venue,
            "article-title": each.title if way < 6 else None,
            "volume": each.volume,
            "first-page": each.page,
        }
    )


def printed(each: Citation) -> str:
    """Print a reference as a journal of medicine does."""
    people = ", ".join(f"{name.family} {initials(name)}".strip() for name in each.authors[:6])
    parts = [f"{part}." for part in (people, each.title, each.venue) if part]
    if not each.page:
        where = ";".join(filter(None, (str(each.year or ""), each.volume)))
    else:
        span = f"{each.page}-{last_page(each.page)}" if each.page.isdigit() else each.page
        where = f"{each.year};{each.volume}:{span}" if each.volume else f"{each.year}. p. {span}"
    return " ".join([*parts, f"{where}." if where else "In press."])


def _openalex(work: KnownWork, cited: list[Citation]) -> dict[str, Any]:
    people = [{"author": {"display_name": name.natural}} for name in work.authors]
    return {
        "id": f"https://openalex.org/{openalex_id(work)}",
        "doi": f"https://doi.org/{work.doi}" if work.doi else None,
        "display_name": work.title,
        "title": work.title,
        "publication_year": work.year,
        "type": "article",
        "authorships": people,
        "primary_location": {"source": {"display_name": work.venue}},
        "biblio": {"volume": work.volume, "first_page": work.page},
        "abstract_inverted_index": _inverted(work.abstract),
        "referenced_works": [f"https://openalex.org/{openalex_id(each.work)}" for each in cited],
        "cited_by_count": 0,
    }


def _inverted(text: str | None) -> dict[str, list[int]] | None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate((text or "").split()):
        places.setdefault(word, []).append(place)
    return places or None


def _semantic_scholar(work: KnownWork, cited: list[Citation]) -> dict[str, Any]:
    return {
        "paperId": s2_id(work),
        "corpusId": 10_000 + work.number,
        "externalIds": {"DOI": work.doi} if work.doi else {},
        "title": work.title,
        "abstract": work.abstract,
        "year": work.year,
        "venue": work.venue or "",
        "authors": [{"authorId": None, "name": name.natural} for name in work.authors],
        "references": [{"paperId": s2_id(each.work), "title": each.title} for each in cited],
    }


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [], "")}
