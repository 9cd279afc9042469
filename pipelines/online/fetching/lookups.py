"""Look the references of a draft up: by identifier, else by title and a second field."""

from collections.abc import Sequence
from dataclasses import dataclass

from recsys.pipelines.online.contract import Kind, Source
from recsys.pipelines.online.fetching.allowance import Allowance, asked_names
from recsys.pipelines.online.fetching.work_keys import names_at
from recsys.query.matching import contradicts, title_of
from recsys.records import Reference


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What became of references.

    named, titled: the works found by identifier and by title. missing: references that were not
    found. unasked: those for whose title the plan had no request left.
    """

    named: tuple[Reference, ...] = ()
    titled: tuple[Reference, ...] = ()
    missing: tuple[Reference, ...] = ()
    unasked: tuple[Reference, ...] = ()


def look_up(source: Source, references: Sequence[Reference], allowance: Allowance) -> LookedUp:
    """Look references up, as far as the allowance goes."""
    facts = source.facts
    found = _by_name(source, references, allowance)
    titled, missing, unasked = [], [], []
    for place, reference in enumerate(references):
        if place in found:
            continue
        if not (reference.title and Kind.FIND in facts.kinds):
            missing.append(reference)
        elif not allowance.pays(source.cost(Kind.FIND, 1)):
            unasked.append(reference)
        elif (work := source.find(reference)) is not None:
            titled.append(work)
        else:
            missing.append(reference)
    named = tuple(found[place] for place in sorted(found))
    return LookedUp(named, tuple(titled), tuple(missing), tuple(unasked))


def _by_name(
    source: Source, references: Sequence[Reference], allowance: Allowance
) -> dict[int, Reference]:
    """Return the works that identifiers name, by the place of the reference.

    One whose title flatly differs is not meant: a wrong DOI is a common slip.
    """
    facts = source.facts
    works: dict[str, Reference] = {}
    for asked in asked_names(references, facts.schemes).values():
        cost = source.cost(Kind.WORKS, len(asked))
        if Kind.WORKS in facts.kinds and allowance.pays(cost):
            answered = source.works(asked)
            works |= {name: work for work in answered for name in names_at(work, facts.schemes)}
    found = {}
    for place, reference in enumerate(references):
        own = names_at(reference, facts.schemes)
        work = next((works[name] for name in own if name in works), None)
        if work is not None and not _another(reference, work):
            found[place] = work
    return found


def _another(reference: Reference, work: Reference) -> bool:
    if not (reference.title and work.title):
        return False
    return contradicts(title_of(reference.title), title_of(work.title))
