"""Check references against an index and whatever else may hold their works."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from recsys.checking.chances import LIKE, absent, identity_numbers, model
from recsys.checking.fields import Comparison, compare, is_a_preprint, plain_title
from recsys.checking.venues import is_meeting
from recsys.checking.verdicts import Checked, CheckReport, Notice, Record, Remark, Verdict
from recsys.errors import RecsysError
from recsys.formats.references.shown_facts import bare_doi
from recsys.query.matching import contradicts, offers, title_likeness, title_of
from recsys.records import Paper, Reference
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.graph import UNKNOWN_YEAR

_RARELY_HELD = {
    "book": "book",
    "chapter": "chapter of a book",
    "dataset": "data set",
    "interview": "interview",
    "legislation": "law",
    "manuscript": "unpublished work",
    "pamphlet": "pamphlet",
    "patent": "patent",
    "personal_communication": "letter",
    "post-weblog": "post",
    "report": "report",
    "software": "program",
    "standard": "standard",
    "thesis": "thesis",
    "webpage": "web page",
}
"""Kinds of CSL that sources rarely hold whole, and what people call them."""
_COVERED = (0.005, 0.995)
"""Quantiles of an index's years between which works should be there."""
_EXTENDED = 5
"""Years in which a journal prints what was shown at a meeting."""
_UNSEEN = 0.01
"""A source knows the registrants of DOIs where a further DOI has a new one less often than this."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a source holds of one reference.

    named: records that its identifiers name. alike: further ones that it may mean. failed: why the
    source could not be asked; "" where it answered.
    """

    named: tuple[Record, ...] = ()
    alike: tuple[Record, ...] = ()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A place to look: its name, what to say of it, and what it holds of each reference.

    years: the first and the last year that it covers, None where it covers all. lacks_doi: tells of
    a DOI, after `look`, that the source should know it, and does not.
    """

    name: str
    told: str
    look: Callable[[Sequence[Reference]], Iterable[Holdings]]
    years: tuple[int, int] | None = None
    lacks_doi: Callable[[str], bool] = lambda doi: False


def record_of_paper(paper: Paper, labels: Mapping[str, object]) -> Reference:
    """Describe a paper of a corpus as references are; labels: those that matter here."""
    from recsys.formats.identifiers import acl, arxiv

    names = [paper.id, paper.doi, paper.url, *paper.aliases]
    return Reference(
        key=paper.id,
        id=paper.id,
        title=paper.title,
        authors=paper.authors,
        year=paper.year,
        venue=paper.venue,
        doi=(bare_doi(paper) or "").lower() or None,
        arxiv=next(filter(None, map(arxiv, names)), None),
        acl=next(filter(None, map(acl, names)), None),
        url=paper.url,
        ids=tuple(name.lower() for name in paper.aliases),
        labels=labels,
    )


def index_source(collection: Collection, name: str) -> Source:
    """Look into an index."""
    corpus = collection.corpus

    def look(references: Sequence[Reference]) -> Iterator[Holdings]:
        found = offers(collection, references)
        titled = _titled(corpus, references)
        for reference, offered, same in zip(references, found, titled, strict=True):
            title = plain_title(reference.title or "")
            named, alike = list[Record](), list[Record]()
            for row in dict.fromkeys((*offered.named, *offered.alike, *same)):
                paper = offered.papers[row][0] if row in offered.papers else corpus.papers([row])[0]
                meant = row in offered.named
                if meant or title_likeness(title, plain_title(paper.title)) >= LIKE:
                    work = record_of_paper(paper, corpus.flags.get(row, {}))
                    chance = identity(reference, work)
                    (named if meant else alike).append(Record(name, paper.id, work, chance))
            yield Holdings(tuple(named), tuple(alike))

    years = corpus.years[corpus.years != UNKNOWN_YEAR]
    covered = np.quantile(years, _COVERED).astype(int).tolist() if years.size else [0, 9999]

    @cache
    def registrants() -> frozenset[str] | None:
        return registrants_of(filter(None, corpus.column("doi").to_pylist()))

    def lacks_doi(doi: str) -> bool:
        known = registrants()
        return known is not None and doi.partition("/")[0] not in known

    told = f"{name} ({len(corpus):,} papers)"
    return Source(name, told, look, (covered[0], covered[1]), lacks_doi)


def _titled(corpus: Corpus, references: Sequence[Reference]) -> Iterator[tuple[int, ...]]:
    """Yield the first row that has the title of each reference, if any has.

    A search by words may put papers with long abstracts before it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    titles = pc.replace_substring_regex(
        pc.utf8_lower(corpus.column("title")), pattern=r"[^\pL\pN]+", replacement=""
    )
    letters = (filter(str.isalnum, (each.title or "").lower()) for each in references)
    wanted = pa.array(map("".join, letters), titles.type)
    for row in pc.index_in(wanted, titles).to_pylist():
        yield () if row is None else (row,)


def registrants_of(dois: Iterable[str]) -> frozenset[str] | None:
    """Return the registrants of DOIs, None where they hardly are all (after Good and Turing).

    The chance that a further DOI has a registrant that was not seen yet is about the share of DOIs
    whose registrant occurs once.
    """
    counts = Counter(doi.partition("/")[0] for doi in dois if doi.startswith("10."))
    once = sum(count == 1 for count in counts.values())
    return frozenset(counts) if once + 1 <= _UNSEEN * counts.total() else None


def identity(reference: Reference, work: Reference) -> float:
    """Return the chance that a record is the work that a reference means."""
    titles = plain_title(reference.title or ""), plain_title(work.title or "")
    if not titles[0].words:  # Its identifier is all that is known.
        ids = {reference.doi, reference.arxiv, reference.acl, reference.id, reference.pmid} - {None}
        return float(not ids.isdisjoint((work.doi, work.arxiv, work.acl, work.id, *work.ids)))
    return model("identity").chance(identity_numbers(reference, titles[0], work, titles[1]))


NO_NOTICES: Mapping[str, tuple[Remark, ...]] = {}


def check(
    references: Sequence[Reference],
    sources: Sequence[Source],
    *,
    this_year: int,
    notices: Mapping[str, tuple[Remark, ...]] = NO_NOTICES,
    never_cited: Set[str] = frozenset(),
) -> CheckReport:
    """Look every reference up, compare it with what is found, and judge.

    Args:
        references: what is checked.
        sources: where to look.
        this_year: nothing can be newer by more than a year.
        notices: DOI -> what was published about the work, see `retractions`.
        never_cited: keys of entries that a draft does not cite.
    """
    held = list[list[Holdings]]()
    for source in sources:
        found = list[Holdings]()
        try:
            found += source.look(references)
        except RecsysError as error:  # It fails as a whole: what it has not told is unknown.
            failed = f"{source.name}: {error.what}"
            found += [Holdings(failed=failed)] * (len(references) - len(found))
        held.append(found)
    items = [
        _judge(reference, [each[place] for each in held], sources, this_year)
        for place, reference in enumerate(references)
    ]
    counts = Counter(item.verdict for item in items)
    chance = absent(
        missing=counts[Verdict.NOT_FOUND],
        differing=counts[Verdict.DIFFERS],
        confirmed=counts[Verdict.CONFIRMED],
    )
    repeated, checked = _duplicates(items), list[Checked]()
    for place, item in enumerate(items):
        remarks = (*_remarks(item, notices), *repeated.get(place, ()))
        if item.reference.key in never_cited:
            remarks = (*remarks, Remark(Notice.NEVER_CITED, "The draft does not cite it."))
        missing = item.verdict is Verdict.NOT_FOUND
        checked.append(replace(item, absent=chance if missing else None, remarks=remarks))
    return CheckReport(tuple(checked), tuple(source.told for source in sources))


def _judge(
    reference: Reference, held: Sequence[Holdings], sources: Sequence[Source], this_year: int
) -> Checked:
    named = [record for each in held for record in each.named]
    records = [*named, *(record for each in held for record in each.alike)]
    meant = [record for record in records if record.is_meant]

    def distance(record: Record) -> tuple[int, int, float]:
        """Count the fields that differ and those that agree; then the surest record is closest."""
        agreed = [each.agrees for each in compare(reference, record.work, this_year=this_year)]
        return agreed.count(False), -agreed.count(True), -record.chance

    close = min(meant, key=distance, default=None)
    if close is not None and not _is_another_version(reference, close.work, this_year):
        return _compared(reference, close, meant, named, sources, this_year)
    for record in named:
        theirs = record.work.title
        if theirs and reference.title:
            other = contradicts(title_of(reference.title), title_of(theirs))
            said = "another work" if other else "a work that is described otherwise"
            fields = compare(reference, record.work, this_year=this_year)
            why = f"Its identifier is that of {said}: {theirs}"
            return Checked(reference, Verdict.DIFFERS, why, record, fields)
    if failed := next((each.failed for each in held if each.failed), ""):
        return Checked(reference, Verdict.NOT_CHECKED, failed)
    if why := _not_checkable(reference, sources, this_year):
        return Checked(reference, Verdict.NOT_CHECKABLE, why)
    why = f"No record of it in {', '.join(source.name for source in sources)}"
    if close is not None:
        facts = f"{close.work.title} ({close.work.venue}, {close.work.year})"
        why += f"; it may be another version of {facts}"
    return Checked(reference, Verdict.NOT_FOUND, f"{why}.")


def _is_another_version(reference: Reference, work: Reference, this_year: int) -> bool:
    """Tell whether a record rather is what a meeting printed of an article, or the reverse.

    Both have one title and authors; the place is another, and so is the year, by a few.
    """
    fields = {each.field: each for each in compare(reference, work, this_year=this_year)}
    wrong = {name for name, each in fields.items() if each.agrees is False}
    if not (wrong and wrong <= {"venue", "year"} and reference.venue and work.venue):
        return False
    if is_a_preprint(reference) or is_a_preprint(work) or not (reference.year and work.year):
        return False
    if "venue" in wrong and is_meeting(reference.venue) is is_meeting(work.venue):
        return False
    known = any(name in fields and fields[name].agrees for name in ("doi", "venue"))
    return not known and 0 < abs(reference.year - work.year) <= _EXTENDED


def _compared(
    reference: Reference,
    record: Record,
    meant: Sequence[Record],
    named: Sequence[Record],
    sources: Sequence[Source],
    this_year: int,
) -> Checked:
    comparisons = list(compare(reference, record.work, this_year=this_year))
    title = title_of(reference.title or "")
    others = [each.work.title or "" for each in named if title.words and each not in meant]
    if other := next((each for each in others if contradicts(title, title_of(each))), None):
        name = reference.doi or reference.arxiv or reference.acl or reference.id or ""
        comparisons = [each for each in comparisons if each.field != "doi"]
        said = f"it is that of another work: {other}"
        comparisons.append(Comparison("doi", name, record.work.doi or "", False, said))
    else:
        comparisons += _unknown_doi(reference, comparisons, sources)
    versions = (each for each in meant if not is_a_preprint(each.work) and each.work.venue)
    published = next(versions, None) if is_a_preprint(reference) else None
    if wrong := ", ".join(each.field for each in comparisons if each.agrees is False):
        verdict, why = Verdict.DIFFERS, f"Not as in the record: {wrong}."
    else:
        agreed = ", ".join(each.field for each in comparisons if each.agrees)
        verdict, why = Verdict.CONFIRMED, f"Agrees in {agreed or 'its identifier'}."
    return Checked(reference, verdict, why, record, tuple(comparisons), published=published)


def _unknown_doi(
    reference: Reference, compared: Sequence[Comparison], sources: Sequence[Source]
) -> list[Comparison]:
    """Doubt a DOI that is not the record's, and that no source knows which should."""
    doi = reference.doi
    if doi is None or any(each.field == "doi" and each.agrees is not None for each in compared):
        return []
    lacking = [source.name for source in sources if source.lacks_doi(doi)]
    if len(lacking) < len(sources):
        return []
    return [Comparison("doi", doi, "", False, f"no such DOI is known to {', '.join(lacking)}")]


def _not_checkable(reference: Reference, sources: Sequence[Source], this_year: int) -> str:
    """Say why no source would hold a work; "" where one should."""
    if not reference.title:
        return "It has no title by which it could be found."
    if len(title_of(reference.title).telling) < 2:
        return "Its title says too little to be looked for."
    if kind := _RARELY_HELD.get(reference.kind or ""):
        return f"A {kind} is rarely in such sources."
    if reference.kind == "document" and not (reference.venue or reference.doi or reference.arxiv):
        return "It is of no kind that such sources hold: it has neither venue nor identifier."
    spans, year = [each.years for each in sources if each.years], reference.year
    if year is not None and year <= this_year and len(spans) == len(sources):
        if not any(first <= year <= last for first, last in spans):
            covered = ", ".join(f"{first} to {last}" for first, last in spans)
            return f"It is of {year}; what was asked covers {covered}."
    return ""


def _duplicates(items: Sequence[Checked]) -> Mapping[int, tuple[Remark, ...]]:
    """Find entries that are one work: of one record, or of one title, year and first author."""
    first: dict[object, int] = {}
    found: dict[int, tuple[Remark, ...]] = {}
    for place, item in enumerate(items):
        work, record = item.reference, item.record
        title = title_of(work.title or "")
        names: list[object] = [(title.words, work.year)] if len(title.telling) > 2 else []
        if record is not None and record.is_meant:
            names.append((record.source, record.id))
        earlier = next((first[name] for name in names if name in first), None)
        if earlier is not None:
            key = items[earlier].reference.key or f"number {earlier + 1}"
            found[place] = (Remark(Notice.DUPLICATE, f"It is the work of {key}."),)
        for name in names:
            first.setdefault(name, place)
    return found


_FLAGS = {
    Notice.RETRACTED: ("retracted", "It was retracted."),
    Notice.CONCERN: ("concern", "An expression of concern was published about it."),
    Notice.CORRECTED: ("corrected", "A correction of it was published."),
}


def _is_this_version(item: Checked, record: Record) -> bool:
    """Tell whether the DOI of a record is surely that of the reference, not of an earlier paper."""
    venue = next((each.agrees for each in item.comparisons if each.field == "venue"), True)
    same_year = None in (item.reference.year, record.work.year) or (
        item.reference.year == record.work.year
    )
    return not is_a_preprint(record.work) and (venue is not None or same_year)


_RETRACTED = re.compile(r"\W*(?:RETRACTED|Retracted Article)\b")
"""How publishers mark the title of a retracted work."""


def _remarks(item: Checked, notices: Mapping[str, tuple[Remark, ...]]) -> tuple[Remark, ...]:
    """Tell what is to be known of the work beside its verdict."""
    record, found = item.record, list[Remark]()
    if record is None or not record.is_meant:
        return notices.get(item.reference.doi or "", ()) if record is None else ()
    for name in dict.fromkeys((record.work.doi or "", item.reference.doi or "")):
        found += notices.get(name, ())
    for notice, (label, text) in _FLAGS.items():
        told = record.work.labels.get(label)
        if told and notice not in [each.notice for each in found]:
            found.append(Remark(notice, f"{text[:-1]}: {told}." if isinstance(told, str) else text))
    retracted = any(each.notice is Notice.RETRACTED for each in found)
    if not retracted and _RETRACTED.match(record.work.title or ""):
        found.append(Remark(Notice.RETRACTED, "The title of the record says so."))
    if item.published is not None:
        work = item.published.work
        when = f" ({work.year})" if work.year else ""
        found.append(Remark(Notice.SUPERSEDED, f"It was published: {work.venue}{when}."))
    elif record.work.doi and not item.reference.doi and _is_this_version(item, record):
        found.append(Remark(Notice.INCOMPLETE, f"Its DOI is {record.work.doi}."))
    return tuple(found)
