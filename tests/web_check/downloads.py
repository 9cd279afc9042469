"""Read what the page gives to download with libraries that know nothing of recsys."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping

READERS: "Mapping[str, Callable[[str], list[str]]]"


def plain(title: str) -> str:
    """Return the letters and digits of a title: marks of LaTeX and accents are left out."""
    apart = unicodedata.normalize("NFKD", title).casefold()
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\\[a-z]+\b|[{}\\]", "", apart))


def _bibtex(text: str) -> list[str]:
    from bibtexparser.entrypoint import parse_string

    library = parse_string(text)
    if library.failed_blocks:
        raise ValueError(f"{len(library.failed_blocks)} blocks of BibTeX cannot be read")
    return [str(entry.fields_dict["title"].value) for entry in library.entries]


def _ris(text: str) -> list[str]:
    import rispy

    found = rispy.loads(text)
    return [str(each.get("title") or each.get("primary_title")) for each in found]


def _csl(text: str) -> list[str]:
    return [str(each["title"]) for each in json.loads(text)]


def _csv(text: str) -> list[str]:
    rows = list(csv.DictReader(io.StringIO(text)))
    names = [name for name in (rows[0] if rows else {}) if name.casefold() == "title"]
    return [str(row[names[0]]) for row in rows]


READERS = {"bibtex": _bibtex, "ris": _ris, "csl-json": _csl, "csv": _csv}
"""The titles that a file holds, by format."""
