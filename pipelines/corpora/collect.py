"""Make one table of papers out of files of any format: read, merge what is one, link citations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsys.errors import CorpusError
from recsys.formats.papers.paper_records import tally
from recsys.pipelines.corpora.citation_places import cited_as_all
from recsys.pipelines.corpora.clusters import Clusters, find_clusters
from recsys.pipelines.corpora.collect_report import CollectReport
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.leading_keyphrases import all_with_keyphrases, led_by_keyphrases
from recsys.pipelines.corpora.library_works import PdfReading
from recsys.pipelines.corpora.link_citations import Linked, Rule, link
from recsys.pipelines.corpora.merge_works import Merged, merge
from recsys.pipelines.corpora.row_stream import RowStream
from recsys.pipelines.corpora.source_files import SourceFile
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.work_table import Works
from recsys.progress import Progress, silent
from recsys.store.arrays import Longs, Rows


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    columns: of tables, our field and the header of its column, where headers do not tell. apart:
    preprints stay apart from the papers that they became. titles_only: abstracts are left out.
    keyphrases: what stands before them, see `recsys.keyphrases.keyphrases_in`; empty: nothing.
    """

    columns: tuple[tuple[str, str], ...] = ()
    apart: bool = False
    titles_only: bool = False
    keyphrases: str = ""

    def record(self) -> dict[str, Any]:
        """Write out what was chosen, so that JSON can have it."""
        chosen = asdict(self)
        if not self.titles_only:  # As versions wrote that knew nothing of it.
            del chosen["titles_only"]
        if not self.keyphrases:
            del chosen["keyphrases"]
        return chosen

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Reading":
        """Read what `record` wrote, once JSON has had it."""
        columns = tuple((str(ours), str(theirs)) for ours, theirs in record["columns"])
        return cls(
            columns,
            bool(record["apart"]),
            bool(record.get("titles_only", False)),
            str(record.get("keyphrases", "")),
        )


_AT_ONCE = 1 << 18
"""Cited works that are named together."""
AS_TOLD = Reading()
"""By the headers that are there; a preprint and what became of it are one."""


def collect(
    files: Sequence[SourceFile],
    rejects: Path,
    reading: Reading,
    *,
    pdfs: PdfReading,
    known: KnownPapers | None = None,
    progress: Progress = silent,
) -> tuple[RowStream, CollectReport]:
    """Read files into rows of SCHEMA with distinct ids.

    Memory holds a batch of works and what is compared of all: ids, names, places, and what
    reference lists describe. The rest waits in a file without a name.

    Args:
        files: in the order in which they count.
        rejects: where rejected records are written, if there are any; the file lies beside it.
        reading: how.
        pdfs: how PDFs are read.
        known: papers of an index; works that are one of them are merged with it, and reference
            lists may mean them.
        progress: told the bytes read so far.

    Raises:
        CorpusError: a file that was named cannot be read or is of no known format, or there is no
            usable paper.
        InputError: columns are named that a table does not have.
    """
    with SourceIntake(rejects, pdfs) as intake:
        intake.read_all(files, dict(reading.columns), progress)
    papers, report = gather(intake, reading, known=known)
    if not papers.num_rows:
        raise nothing_in(files, intake.rejected, intake.skipped)
    return papers, report


def gather(
    intake: SourceIntake, reading: Reading, *, known: KnownPapers | None = None
) -> tuple[RowStream, CollectReport]:
    """Make one table of all works that were read, see `collect`; there may be none."""
    read = intake.taken() if known is None else intake.taken_beside(known)
    graph = connect(read, apart=reading.apart, known=known)
    papers = graph.merged.papers
    if papers.num_rows:
        found = _ids(graph.targets, graph.linked)
        papers = _with_references(papers, graph.cited, graph.owners, found)
    report = _report(intake, graph)
    if reading.titles_only:
        papers = papers.changed("abstract", lambda _, cells: pa.nulls(len(cells), cells.type))
        report = replace(report, titles_only=True)
    having = all_with_keyphrases(papers, reading.keyphrases)
    report = replace(report, led_by=reading.keyphrases, keyphrases=having)
    if reading.keyphrases:
        papers = led_by_keyphrases(papers, reading.keyphrases)
    return papers, report


@dataclass(frozen=True, slots=True)
class WorkGraph:
    """What works came to, and what they cite.

    cited: a table of CITED, without what is cited by works that came to no paper. owners: (m,)
    int32, the rows of `merged.papers` that cite. targets: the papers that `linked.rows` counts.
    """

    clusters: Clusters
    merged: Merged
    cited: pa.Table
    owners: Rows
    targets: RowStream
    linked: Linked


def connect(read: Works, *, apart: bool, known: KnownPapers | None = None) -> WorkGraph:
    """Merge works that are one, and link what they cite; the options are those of `collect`."""
    clusters = find_clusters(read.works, preprints=not apart)
    merged = merge(read.works, clusters)
    owners = merged.paper_of[read.cited.column("owner").to_numpy()]
    cited = read.cited
    if (there := owners >= 0).sum() < len(owners):  # Else nothing is copied.
        cited, owners = cited.filter(pa.array(there)), owners[there]
    targets, places = _targets(merged, known)
    return WorkGraph(clusters, merged, cited, owners, targets, link(cited, targets, places))


def _report(intake: SourceIntake, graph: WorkGraph) -> CollectReport:
    clusters, merged = graph.clusters, graph.merged
    rules = np.bincount(graph.linked.rules, minlength=len(Rule))
    return CollectReport(
        files=tuple(intake.files),
        skipped=tuple(intake.skipped),
        works=len(clusters.first),
        papers=merged.papers.num_rows,
        rejected=dict(intake.rejected),
        oddities=dict(intake.oddities),
        without_abstract=_unknown(merged.papers, "abstract"),
        without_year=_unknown(merged.papers, "year"),
        remarks=dict(intake.remarks),
        languages=dict(intake.languages),
        joined={"by identifier": clusters.by_name, "by title, author and year": clusters.by_title},
        kept_apart=clusters.kept_apart,
        conflicts=dict(merged.conflicts),
        untitled=merged.untitled,
        cited={rule: int(rules[rule]) for rule in Rule},
    )


def _unknown(papers: RowStream, name: str) -> int:
    return sum(batch.column(0).null_count for batch in papers.select([name]).to_batches())


def nothing_in(
    files: Sequence[SourceFile], rejected: Mapping[str, int], skipped: Sequence[str]
) -> CorpusError:
    """Return the error that files hold no usable paper."""
    name = files[0].path if len(files) == 1 else f"None of {len(files):,} files"
    reasons = f" ({tally(rejected)})" if rejected else ""
    holds = "holds no" if len(files) == 1 else "holds a"
    others = f" {skipped[0]}" if skipped else ""
    return CorpusError(
        f"{name} {holds} usable paper{reasons}.{others}",
        "Every paper needs a title, and ours an id.",
    )


def _targets(merged: Merged, known: KnownPapers | None) -> tuple[RowStream, pa.Array]:
    """Gather the papers that cited works may mean: those read, then others of the index."""
    if known is None:
        return merged.papers, merged.places
    there = known.table()
    ids = merged.papers.column("id")
    others = there.filter(pc.invert(pc.is_in(there.column("id"), value_set=ids.combine_chunks())))
    read = merged.papers.select(others.column_names)
    places = pa.concat_arrays([merged.places, pa.nulls(others.num_rows, pa.string())])
    return read.followed_by(others.cast(read.schema)), places


def _ids(targets: pa.Table, linked: Linked) -> pa.Array:
    """Return the ids of the papers that cited works mean, null for none."""
    ids = targets.column("id").combine_chunks().cast(pa.large_string())
    return pc.take(ids, pa.array(linked.rows, mask=linked.rows < 0))


def _with_references(
    papers: RowStream, cited: pa.Table, owners: Rows, found: pa.Array
) -> RowStream:
    """Add what reference lists describe: ids of papers, else the surest name there is."""
    if not cited.num_rows:
        return papers
    names = pa.concat_arrays(list(surest_names(cited, found)))
    if names.null_count:
        named = pc.is_valid(names)
        names, owners = names.filter(named), owners[named.to_numpy(zero_copy_only=False)]
    if (np.diff(owners) < 0).any():
        order = np.argsort(owners, kind="stable")
        names, owners = names.take(pa.array(order)), owners[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=papers.num_rows))])

    def longer(begin: int, given: pa.ListArray) -> pa.ListArray:
        inside = starts[begin : begin + len(given) + 1]
        return longer_lists(given, np.diff(inside), names[inside[0] : inside[-1]])

    return papers.changed("references", longer)


def longer_lists(given: pa.ListArray, counts: Longs, names: pa.Array) -> pa.ListArray:
    """Put so many of these names behind what each list gives."""
    rows = np.arange(len(given))
    lengths = pc.fill_null(pc.list_value_length(given), 0).to_numpy(zero_copy_only=False)
    owners = np.concatenate([np.repeat(rows, lengths), np.repeat(rows, counts)])
    values = pa.concat_arrays([given.flatten(), names.cast(given.type.value_type)])
    starts = np.concatenate([[0], np.cumsum(lengths + counts)])
    values = values.take(pa.array(np.argsort(owners, kind="stable")))
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), values, type=given.type)


def surest_names(cited: pa.Table, found: pa.Array) -> Iterator[pa.Array]:
    """Name cited works by the id found, by their surest name, else by where they were printed."""
    for begin in range(0, cited.num_rows, _AT_ONCE):
        some = cited.slice(begin, _AT_ONCE).combine_chunks()
        name, place, year = (some.column(each).chunk(0) for each in ("name", "place", "year"))
        ids = found.slice(begin, _AT_ONCE).cast(pa.string())
        named = pc.coalesce(ids, name, cited_as_all(place, year))
        yield named.cast(pa.large_string())  # All together may be longer than 2 GB.
