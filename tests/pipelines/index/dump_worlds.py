"""Small worlds of works in which everything that can go wrong does: drawn files of records."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

Record = Mapping[str, Any]
World = Sequence[Sequence[Record]]
"""Records of each file."""

TITLES = (
    "Slow rivers of the northern plain",
    "Slow rivers of the northern plain: a survey",
    "Slow rivers of the northern plains",
    "SLOW RIVERS OF THE NORTHERN PLAIN",
    "How glaciers carve a wide valley",
    "Editorial",
    "Sand in deserts moves at night",
    "Über Flüsse im Winter und was sie tragen",
)
PEOPLE = ("Ash, Ada", "A. Ash", "Oak, Olaf", "Eve Elm", "Ben Birch", "Zoë Ästling")
NUMBERS = st.integers(0, 7)
YEARS = st.one_of(st.none(), st.integers(1999, 2003), st.just(3000))
IDS = st.sampled_from(("x", "x-2", "x-2-2", "y", "y-1", "Z", "10.5555/X", "10.5555/x", ""))
DOIS = NUMBERS.map("10.5555/W.{}".format) | st.sampled_from(
    ("10.48550/arXiv.2001.00001", "10.5555/w.1")
)
TITLE, WHO = st.sampled_from(TITLES), st.lists(st.sampled_from(PEOPLE), max_size=3)


def _optional(**fields: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    return {name: st.none() | values for name, values in fields.items()}


def _told(record: dict[str, Any]) -> Record:
    return {name: value for name, value in record.items() if value is not None}


def own() -> st.SearchStrategy[Record]:
    """Draw papers of ours."""
    return st.fixed_dictionaries(
        {
            "id": IDS,
            "title": TITLE,
            "authors": WHO,
            **_optional(year=YEARS, doi=DOIS, abstract=TITLE, venue=st.sampled_from(PEOPLE)),
            "references": st.lists(IDS | DOIS, max_size=4),
            "aliases": st.lists(DOIS, max_size=2),
            "keyphrases": WHO,
            "labels": st.fixed_dictionaries({}, optional={"tags": WHO}),
        }
    ).map(_told)


def openalex() -> st.SearchStrategy[Record]:
    """Draw works of OpenAlex, some without a title."""
    address = NUMBERS.map("https://openalex.org/W{}".format)
    return st.fixed_dictionaries(
        {
            "id": address,
            "publication_year": YEARS,
            "referenced_works": st.lists(address, max_size=5),
            "authorships": WHO.map(
                lambda names: [{"author": {"display_name": name}} for name in names]
            ),
            **_optional(title=TITLE, doi=DOIS.map("https://doi.org/{}".format)),
        }
    ).map(_told)


def crossref() -> st.SearchStrategy[Record]:
    """Draw works of Crossref, whose lists describe what they cite."""
    cited = st.fixed_dictionaries(
        _optional(
            DOI=DOIS,
            author=st.sampled_from(("Ash", "Oak O", "Elm E", "Birch")),
            year=st.integers(1999, 2003).map(str),
            volume=st.sampled_from(("3", "12")),
            **{"first-page": st.sampled_from(("7", "101")), "article-title": TITLE},
        )
    ).map(_told)
    person = st.sampled_from((("Ash", "Ada"), ("Oak", "Olaf"), ("Oak", "Otto"), ("Elm", "Eve")))
    return st.fixed_dictionaries(
        {
            "DOI": DOIS,
            "title": TITLE.map(lambda title: [title]),
            "prefix": st.just("10.5555"),
            "author": st.lists(
                person.map(lambda name: {"family": name[0], "given": name[1]}), max_size=2
            ),
            "issued": st.integers(1999, 2003).map(lambda year: {"date-parts": [[year]]}),
            "reference": st.lists(cited, max_size=5),
            **_optional(volume=st.sampled_from(("3", "12")), page=st.sampled_from(("7-9", "101"))),
        }
    ).map(_told)


def s2_parts() -> st.SearchStrategy[Record]:
    """Draw what the datasets of Semantic Scholar tell of citations alone."""
    return st.fixed_dictionaries({"citingcorpusid": NUMBERS, "citedcorpusid": NUMBERS})


def s2_papers() -> st.SearchStrategy[Record]:
    """Draw papers of those datasets."""
    return st.fixed_dictionaries(
        {
            "corpusid": NUMBERS,
            "title": TITLE,
            "year": YEARS,
            "authors": WHO.map(lambda names: [{"name": name} for name in names]),
            "externalids": st.fixed_dictionaries(_optional(DOI=DOIS)),
        }
    )


BROKEN: st.SearchStrategy[Record] = st.just({"flaw": True})


def worlds() -> st.SearchStrategy[World]:
    """Draw files, each of one format."""
    kinds = (own(), openalex(), crossref(), s2_parts(), s2_papers())
    files = st.one_of(*(st.lists(kind | BROKEN, min_size=1, max_size=8) for kind in kinds))
    return st.lists(files, min_size=1, max_size=4)


def write_world(world: World, folder: Path) -> Path:
    """Write each file into a folder, some packed; what is broken is no JSON."""
    folder.mkdir(parents=True)
    for number, records in enumerate(world):
        lines = ("{" if "flaw" in each else json.dumps(each) for each in records)
        text = "".join(f"{line}\n" for line in lines).encode()
        packed = number % 2 == 1
        path = folder / (f"{number}.jsonl" + (".gz" if packed else ""))
        path.write_bytes(gzip.compress(text, mtime=0) if packed else text)
    return folder
