"""Read a plain list: an identifier, an address or a title per line."""

from collections.abc import Iterable, Iterator

from recsys.formats.references.bibliography import address_in, identified, text_in
from recsys.records import Reference


def read(lines: Iterable[str]) -> Iterator[Reference]:
    """Read one work per line; empty lines and those that begin with # are passed over."""
    stripped = (line.strip() for line in lines)
    return (reference_of(line) for line in stripped if line and not line.startswith("#"))


def reference_of(line: str) -> Reference:
    """Read one line: what holds no identifier and more than a word is a title."""
    plain = text_in(line.strip().lstrip("-*\u2022").strip()) or ""
    found = identified(Reference(key=plain, url=address_in(plain)), plain)
    if " " not in plain:
        return Reference(
            key=plain, id=plain, doi=found.doi, arxiv=found.arxiv, acl=found.acl, url=found.url
        )
    known = found.doi or found.arxiv or found.acl or found.url
    return found if known else Reference(key=plain, title=plain)
