"""What is new for a watched draft: papers that came, and what became of those that it cites."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from recsys.checking.verdicts import Checked, CheckReport, Notice
from recsys.formats.references.shown_facts import one_line
from recsys.query.resolve_draft import resolve_draft
from recsys.recommend import Recommender
from recsys.records import Manuscript, Paper, Reference
from recsys.store.arrivals import Arrivals
from recsys.watching.state import NEW, Entry, Watch, entry_of, key_of

CHANGES = (Notice.RETRACTED, Notice.CONCERN, Notice.CORRECTED, Notice.SUPERSEDED)
"""What is told of the papers that a draft cites."""

_QUOTING = ("terms",)
"""Kinds of reasons that name words of the draft, which are not to be stored."""


def new_papers(
    recommender: Recommender, draft: Manuscript, arrivals: Arrivals, watch: Watch, now: datetime
) -> tuple[Entry, ...]:
    """Recommend papers that came since a watch was run, as of today; none is told twice.

    Raises:
        DraftError: the draft has neither text nor a reference in the corpus.
    """
    corpus = recommender.collection.corpus
    came = arrivals.since(watch.updates)
    told = corpus.rows(watch.told_papers)
    came[told] = False
    if not came.any():
        return ()
    # A draft may be dated; what is new is newer.
    question = resolve_draft(recommender.collection, replace(draft, as_of=None))
    items = recommender.among(question, came, watch.k, least=watch.least, known=told)
    return tuple(
        entry_of(
            watch,
            NEW,
            item.paper,
            now,
            probability=round(item.probability, 4),
            reasons=tuple(
                one_line(each.text) for each in item.reasons if each.kind not in _QUOTING
            ),
        )
        for item in items
    )


def changes(report: CheckReport, watch: Watch, now: datetime) -> tuple[Entry, ...]:
    """List what became of the papers that a draft cites and was not told yet."""
    found = {
        key_of(kind, paper.id): entry_of(watch, kind, paper, now, text=one_line(text))
        for item in report.items
        for kind, paper, text in _changes_of(item)
    }
    return tuple(entry for key, entry in found.items() if key not in watch.told)


def _changes_of(item: Checked) -> Iterator[tuple[str, Paper, str]]:
    work = item.reference if item.record is None else item.record.work
    for remark in item.remarks:
        if remark.notice in CHANGES:
            superseded = remark.notice is Notice.SUPERSEDED and item.published is not None
            told = item.published.work if superseded and item.published else work
            yield str(remark.notice), _paper_of(item.reference, told), remark.text


def _paper_of(reference: Reference, work: Reference) -> Paper:
    """Describe a cited work; its id is what the draft calls it, whichever source knows it."""
    names = (reference.doi, reference.arxiv, reference.acl, reference.pmid)
    title = work.title or reference.title or ""
    return Paper(
        next(filter(None, names), None) or (reference.title or title).casefold(),
        title,
        year=work.year,
        authors=work.authors,
        venue=work.venue,
        doi=work.doi,
        url=work.url,
    )
