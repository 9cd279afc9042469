"""Small files in the XML formats, written after the documentation of each, and how they are read.

- EndNote: what Zotero's translator writes and reads, and the elements that bibutils lists:
  https://github.com/zotero/translators/blob/master/Endnote%20XML.js
- PubMed: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
- DBLP: https://dblp.org/faq/What+do+I+find+in+dblp+xml.html and, for `cite`, homonyms and keys,
  M. Ley, "DBLP - Some Lessons Learned", https://doi.org/10.14778/1687553.1687577
- JATS: https://jats.nlm.nih.gov/archiving/tag-library/1.3/ and its chapter of tagged examples,
  https://jats.nlm.nih.gov/archiving/tag-library/1.4/chapter/tag-cite-archiving-examp.html
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, TypeAlias

from recsys.formats.references.bibliography import Problem
from recsys.records import Reference

Reader: TypeAlias = Callable[[BinaryIO], Iterator[Reference | Problem]]
FILES = Path(__file__).with_name("files")


def text_of(name: str) -> str:
    """Return the file of a format."""
    return FILES.joinpath(f"{name}.xml").read_bytes().decode()


def works(read: Reader, text: str | bytes) -> list[Reference]:
    """Read what has no problems."""
    found = list(read(io.BytesIO(text.encode() if isinstance(text, str) else text)))
    assert [each for each in found if isinstance(each, Problem)] == []
    return [each for each in found if isinstance(each, Reference)]


def told(work: Reference) -> dict[str, object]:
    """Return what is known of a work, without what it cites."""
    return {name: value for name, value in asdict(work).items() if value and name != "cites"}
