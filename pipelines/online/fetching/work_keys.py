"""How a source names works: by what they are asked for, and which of them a link means."""

from collections.abc import Iterator, Sequence

from recsys.records import Reference


def names_at(work: Reference, schemes: Sequence[str]) -> tuple[str, ...]:
    """List the names of a work that a source understands, in the order of its schemes."""
    names = list(dict.fromkeys(_names(work)))
    ordered = (name for scheme in schemes for name in names if name.startswith(f"{scheme}:"))
    return tuple(ordered)


def key_at(work: Reference, schemes: Sequence[str]) -> str | None:
    """Return the name by which a source's works refer to this one; None where it has none."""
    return next(iter(names_at(work, schemes)), None)


def cited_at(work: Reference, schemes: Sequence[str]) -> tuple[str, ...]:
    """List the keys of the works that a work of this source cites, each once."""
    ids = (f"{schemes[0]}:{each}" for each in work.cited_ids)
    described = (key_at(each, schemes) for each in work.cites)
    return tuple(dict.fromkeys((*ids, *(key for key in described if key is not None))))


def _names(work: Reference) -> Iterator[str]:
    """Name a work with schemes, whoever gave the names."""
    yield from work.ids
    for scheme, value in (
        ("doi", work.doi),
        ("arxiv", work.arxiv),
        ("pmid", work.pmid),
        ("acl", work.acl),
    ):
        if value:
            yield f"{scheme}:{value}"
    if work.id and ":" in work.id:
        yield work.id
