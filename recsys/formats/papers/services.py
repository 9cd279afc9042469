"""What field maps cannot say of the records of services: functions that return fields of a work."""

import re
from collections.abc import Iterable
from typing import Any

from recsys.formats import identifiers
from recsys.formats.papers.field_maps import each_of
from recsys.formats.papers.paper_fields import (
    FieldError,
    Record,
    doi_of,
    first_text,
    id_of,
    ids_of,
    labelled,
    labels_of,
    listed,
    lower_doi,
    names_of,
    nested,
    person_in,
    required_id,
    required_title,
    text_of,
)
from recsys.formats.references.bibliography import (
    address_in,
    identified,
    kinds_by_word,
    names_in,
    numbers_of_pubmed,
    text_in,
    year_in,
)
from recsys.formats.references.people import name_of, natural, people_in
from recsys.records import Reference

NOT_WORKS = frozenset({"annotation", "attachment", "note"})
"""Types of Zotero's items that belong to a work and are none."""
_MOST_PLACES = 20
"""Places of a work of OpenAlex in which an arXiv id is looked for."""
_TITLES = ("article-title", "volume-title", "series-title")
"""Of the works that those of Crossref cite."""
_NUMBERED = re.compile(r" \d{4}\Z")
"""How dblp tells people of one name apart."""


_KINDS_OF_ZOTERO = kinds_by_word(
    """article: preprint; article-journal: journalarticle; article-magazine: magazinearticle
    article-newspaper: newspaperarticle; book: book; chapter: booksection; dataset: dataset
    entry-encyclopedia: encyclopediaarticle; manuscript: manuscript
    paper-conference: conferencepaper; patent: patent; post-weblog: blogpost; report: report
    software: computerprogram; song: audiorecording; thesis: thesis; webpage: webpage"""
)


_KINDS_OF_ZENODO = kinds_by_word(
    """article: preprint | workingpaper; article-journal: article; book: book; chapter: section
    dataset: dataset; paper-conference: conferencepaper | conferenceproceeding; patent: patent
    report: report | deliverable | milestone | technicalnote; software: software; thesis: thesis
    speech: presentation | lesson; graphic: poster | image; motion_picture: video"""
)


def own(record: Record) -> dict[str, Any]:
    """Take a record of ours as it stands, its DOI's capitals and its aliases, too."""
    return {
        "doi": doi_of(record.get("doi")),
        "labels": labels_of(record.get("labels")),
        "ids": ids_of(record.get("aliases")),
    }


def openalex(record: Record) -> dict[str, Any]:
    """Shorten https://openalex.org/W123 to W123, and look for arXiv among the places of a work."""
    address = required_id(record, "id")
    number = address.rsplit("/", 1)[-1]
    people = (item for item in listed(record.get("authorships")) if isinstance(item, dict))
    spoken = (
        nested(item, "author", "display_name") or item.get("raw_author_name") for item in people
    )
    places = (record.get("primary_location"), *listed(record.get("locations"))[:_MOST_PLACES])
    pages = (place.get("landing_page_url") for place in places if isinstance(place, dict))
    return {
        "id": number,
        "authors": names_of(list(spoken)),
        "cited_ids": tuple(
            cited.rsplit("/", 1)[-1] for cited in ids_of(record.get("referenced_works"))
        ),
        "url": address_in(address) or f"https://openalex.org/{number}",
        "names": [("arxiv", page) for page in pages if "arxiv.org/abs/" in str(page)],
    }


def arxiv(record: Record) -> dict[str, Any]:
    """Name a preprint by its number; its text of DOIs or of authors may hold several."""
    number = required_id(record, "id")
    doi, names, fields = record.get("doi"), record.get("authors"), record.get("categories")
    dois = doi.split() if isinstance(doi, str) else []
    labels = labelled(
        fields=tuple(fields.split()) if isinstance(fields, str) else names_of(fields),
        journal_ref=text_of(record.get("journal-ref")),
    )
    more: dict[str, Any] = {
        "url": f"https://arxiv.org/abs/{number}" if identifiers.arxiv(f"arXiv:{number}") else None,
        "kind": "article",
        "labels": labels,
        "names": [("arxiv", number), *(("doi", name) for name in dois[:1])],
    }
    if not listed(record.get("authors_parsed")):
        people = people_in(text_of(names) or "", commas="between")
        more["authors"] = names_in(people.spoken) if isinstance(names, str) else names_of(names)
    return more


def lens(record: Record) -> dict[str, Any]:
    """Give a work a page of its own, and name it as others do."""
    names = (item for item in listed(record.get("external_ids")) if isinstance(item, dict))
    urls = (item.get("url") for item in listed(record.get("source_urls")) if isinstance(item, dict))
    page = f"https://www.lens.org/lens/scholar/article/{id_of(record.get('lens_id'))}"
    return {
        "url": next(filter(None, map(address_in, urls)), page),
        "names": [(item.get("type"), item.get("value")) for item in names],
    }


def europe_pmc(record: Record) -> dict[str, Any]:
    """Drop the full stop of a title, and read authors where one text names them: "Smith J, ..."."""
    title = required_title(record, "title")
    number, source = text_of(record.get("id")), text_of(record.get("source"))
    more: dict[str, Any] = {
        "title": title[:-1] if title.endswith(".") and not title.endswith("..") else title,
        "url": f"https://europepmc.org/article/{source}/{number}" if number and source else None,
        "names": [("pmid", number if source == "MED" else None)],
    }
    if not listed(nested(record, "authorList", "author")):
        text = (text_of(record.get("authorString")) or "").rstrip(".")
        more["authors"] = names_in(
            name_of(name, order="index").natural for name in text.split(", ")
        )
    return more


def dblp(record: Record) -> dict[str, Any]:
    """Drop the full stop of a title, and the numbers that tell people of one name apart."""
    title = required_title(record, "title")
    people = map(person_in, each_of(nested(record, "authors", "author")))
    pages = [page for page in map(address_in, each_of(record.get("ee"))) if page]
    return {
        "title": title.removesuffix("."),
        "authors": names_in(_NUMBERED.sub("", name) for name in people if name),
        "names": [
            *(("arxiv", page) for page in pages if "arxiv.org/abs/" in page),
            *(("acl", page) for page in pages if "aclanthology.org/" in page),
        ],
    }


def zotero(item: Record) -> dict[str, Any]:
    """Tell authors from editors, and read what lines of the field Extra say."""
    if str(item.get("itemType")) in NOT_WORKS:
        raise FieldError("a note or an attachment")
    extra = item.get("extra")
    lines = extra.split("\n") if isinstance(extra, str) else []
    told = {
        name.strip().lower(): value
        for name, _, value in (line.partition(":") for line in reversed(lines))
    }
    key = text_in(item.get("key"))
    keys = (item.get("citationKey"), item.get("citekey"), told.get("citation key"), key)
    kind = _KINDS_OF_ZOTERO.get(str(item.get("itemType")).lower(), "document")
    people = (each for each in listed(item.get("creators")) if isinstance(each, dict))
    authors = (each for each in people if each.get("creatorType", "author") == "author")
    return {
        "key": next(filter(None, map(text_in, keys)), ""),
        "authors": names_in(map(person_in, authors)),
        "kind": kind,
        "labels": {"type": kind},
        "ids": (f"zotero:{key}",) if key and " " not in key else (),
        "names": numbers_of_pubmed(text_in(extra) or ""),
    }


def csl(item: Record) -> dict[str, Any]:
    """Take the type as it is, and numbers of PubMed out of the note."""
    note = first_text(item.get("note")) or ""
    return {"kind": first_text(item.get("type")), "names": numbers_of_pubmed(note)}


def people_of_archive(value: object) -> tuple[str, ...]:
    """Read people as repositories have them: in parts, or the family name first, and groups."""
    names: list[str | None] = []
    for item in listed(value):
        person = item.get("person_or_org", item) if isinstance(item, dict) else item
        if isinstance(person, dict) and {"familyName", "family_name"} & person.keys():
            person = {part: name for part, name in person.items() if part != "name"}
        kind = person.get("nameType") or person.get("type") if isinstance(person, dict) else ""
        name = person_in(person) or ""
        names.append(name if str(kind).lower().startswith("org") else natural(name))
    return names_in(names)


def datacite(record: Record) -> dict[str, Any]:
    """Read what DataCite has several of: titles, descriptions, and what a work is related to.

    Raises:
        FieldError: there is no title.
    """
    title = _main_text(record.get("titles"), "title", "titleType")
    if title is None:
        raise FieldError("missing title")
    return {
        "title": title,
        "abstract": _main_text(record.get("descriptions"), "description", "descriptionType"),
        "authors": people_of_archive(record.get("creators")),
        "kind": text_of(nested(record, "types", "citeproc")),
        "cites": _cited_by_archive(
            (item.get("relatedIdentifier"), item.get("relationType"))
            for item in listed(record.get("relatedIdentifiers"))
            if isinstance(item, dict)
        ),
    }


def _main_text(items: object, name: str, kind: str) -> str | None:
    """Return the text of no kind or called an abstract, else the first that says something."""
    texts = [item for item in listed(items) if isinstance(item, dict)]
    texts.sort(key=lambda item: item.get(kind) not in (None, "", "Abstract"))
    return next(filter(None, (text_of(item.get(name)) for item in texts)), None)


def invenio(record: Record) -> dict[str, Any]:
    """Read creators, what kind of thing it is, and what it cites, of both forms of a record."""
    kind = record.get("resource_type")
    kinds = (nested({"of": kind}, "of", name) for name in ("subtype", "id", "type"))
    said = next(filter(None, map(text_of, kinds)), "").rpartition("publication-")[2]
    related = (item for item in listed(record.get("related_identifiers")) if isinstance(item, dict))
    printed = [
        item.get("reference") if isinstance(item, dict) else item
        for item in listed(record.get("references"))
    ]
    return {
        "authors": people_of_archive(record.get("creators")),
        "kind": _KINDS_OF_ZENODO.get(said, "document"),
        "labels": labelled(type=said or None),
        "cites": (
            *_cited_by_archive(
                (
                    item.get("identifier"),
                    item.get("relation") or nested(item, "relation_type", "id"),
                )
                for item in related
            ),
            *filter(None, (_cited_by_crossref({"unstructured": text}) for text in printed)),
        ),
    }


def core(record: Record) -> dict[str, Any]:
    """Read authors, family name first, and the references, printed or in fields."""
    cited = []
    for item in listed(record.get("references")):
        told = item if isinstance(item, dict) else {"raw": item}
        authors = people_of_archive(told.get("authors"))
        work = {
            "DOI": told.get("doi"),
            "article-title": told.get("title"),
            "author": authors[0] if authors else None,
            "year": told.get("date"),
            "unstructured": told.get("raw"),
        }
        cited.append(_cited_by_crossref(work))
    return {
        "authors": people_of_archive(record.get("authors")),
        "cites": tuple(filter(None, cited)),
    }


def _cited_by_archive(pairs: Iterable[tuple[object, object]]) -> tuple[Reference, ...]:
    """Return the works that records name by identifier as what they cite or refer to."""
    texts = [
        text
        for name, relation in pairs
        if str(relation).lower() in ("cites", "references") and (text := text_in(name))
    ]
    works = (identified(Reference(), text) for text in texts)
    return tuple(work for work in works if work.doi or work.arxiv or work.acl)


def crossref(record: Record) -> dict[str, Any]:
    """Read title, references, and the arXiv ids under which a work lies there, too.

    Raises:
        FieldError: it has neither a DOI nor a title.
    """
    title, subtitle = first_text(record.get("title")), first_text(record.get("subtitle"))
    if title and subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title.rstrip(' :')}: {subtitle}"
    if not title and not lower_doi(record.get("DOI")):
        raise FieldError("missing title")
    relation = record.get("relation")
    preprints = listed(relation.get("has-preprint")) if isinstance(relation, dict) else []
    places = (item.get("id") for item in preprints if isinstance(item, dict))
    return {
        "title": title,
        "cites": tuple(filter(None, map(_cited_by_crossref, listed(record.get("reference"))))),
        "names": [("arxiv", place) for place in places if "arxiv" in str(place).lower()],
    }


def _cited_by_crossref(item: object) -> Reference | None:
    """Read a work of the list of references, None where it tells nothing."""
    if not isinstance(item, dict):
        return None
    doi, printed = lower_doi(item.get("DOI")), item.get("unstructured")
    title = next(filter(None, (text_in(item.get(name)) for name in _TITLES)), None)
    venue, author = text_in(item.get("journal-title")), text_in(item.get("author"))
    page = text_in(item.get("first-page"))
    if isinstance(printed, str) and not (doi or title or (author and page)):
        from recsys.formats.bodies.printed_works import LONGEST_ENTRY, printed_work  # Much code.

        plain = text_in(printed[:LONGEST_ENTRY])
        if not plain:
            return None
        work = printed_work(plain)  # What gives no title is one as a whole.
        known = work.title or work.doi or work.arxiv or work.acl
        return work if known else Reference(title=plain, year=work.year)
    if not (doi or title or venue or author):
        return None
    return Reference(
        title=title,
        authors=(name_of(author).natural,) if author else (),
        year=year_in(item.get("year")),
        venue=venue,
        doi=doi,
        arxiv=identifiers.arxiv(doi) if doi and "arxiv" in doi else None,
        volume=text_in(item.get("volume")),
        page=page,
    )
