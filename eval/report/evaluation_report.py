"""The report on an evaluation: what it shows, and in which order."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from recsys.errors import ArtifactCorrupt, ArtifactMissing, InputError, near_miss, near_path
from recsys.eval.judge_runs import assess, most_different
from recsys.eval.measures import Interval
from recsys.eval.recorded_runs import AGAIN, DRAFTS, FACTS, QUERIES, kind_of, posed
from recsys.eval.report import system_tables
from recsys.eval.report.evaluation_pictures import DRAWINGS, draw
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.tables import Table, cells, interval_cell
from recsys.eval.run_figures import ASSESSMENT, Assessment, load_assessment
from recsys.formats.files import json_object

# Tables of single queries, of studies, and the facts of how an evaluation was made.

Queries: TypeAlias = Mapping[str, Mapping[str, Any]]
"""queries.json of an evaluation: id -> title, year, gold papers, ..."""


def extremes(assessment: Assessment, queries: Queries, system: str) -> list[Table]:
    """Show the queries that a system answers best, and those that it answers worst."""
    found, kind = assessment.system(system), kind_of(assessment.facts)
    measure, called = kind.single
    values = dict(zip(assessment.queries, found.per_query[measure], strict=True))
    return [
        Table(
            f"{name}-queries",
            f"{name.capitalize()} {kind.many} of {system}.",
            (kind.one, "year", "gold papers", called),
            tuple(cells(*query_facts(queries, each), f"{values[each]:.3f}") for each in chosen),
        )
        for name, chosen in (("best", found.best), ("worst", found.worst))
    ]


def differences(assessment: Assessment, queries: Queries, pair: Sequence[str], most: int) -> Table:
    """Show the queries on which two systems differ most."""
    kind = kind_of(assessment.facts)
    one, other = (assessment.system(name).per_query[kind.single[0]] for name in pair)
    return Table(
        "differences",
        f"{kind.many.capitalize()} on which {pair[0]} and {pair[1]} differ most.",
        (kind.one, "year", "gold papers", *pair, "difference"),
        tuple(
            cells(
                *query_facts(queries, each.query),
                f"{each.one:.3f}",
                f"{each.other:.3f}",
                f"{each.one - each.other:+.3f}",
            )
            for each in most_different(assessment.queries, one, other, most)
        ),
    )


def query_facts(queries: Queries, query: str) -> tuple[str, int | None, int | None]:
    """Describe a query: its title (its id where no title is known), year and gold papers."""
    known = queries.get(query, {})
    gold = known.get("gold")
    return known.get("title") or query, known.get("year"), None if gold is None else len(gold)


def self_citation(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Show the self-citation study, one row for each length of list."""
    by_length: dict[int, dict[str, Any]] = {}
    for row in rows:
        other = "" if row["metadata"] else ", no metadata"
        found = by_length.setdefault(row["length"], {"papers listed": row["length"]})
        found |= {
            f"{name}{other}": value
            for name, value in row.items()
            if name not in ("length", "metadata")
        }
    caption = "Papers that share an author with the query, in lists of each length."
    table = study("self-citation", caption, list(by_length.values()))
    return replace(
        table,
        notes="Mean and first rank of these papers, the length plus one where there is none; and "
        "the share of the queries with any.",
    )


def seed_study(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Show the seed study: a row for each system and number of seeds, gains beside the figures."""

    def interval(figure: Mapping[str, float] | None) -> Interval | None:
        if figure is None:
            return None
        return Interval(figure["value"], figure["low"], figure["high"])

    names = list(dict.fromkeys(name for row in rows for name in row["measures"]))
    shown = []
    for row in rows:
        entries = [row["system"], row["seeds"]]
        for name in names:
            gain = row["gains"].get(name)
            figure, more = interval(row["measures"][name]), interval(gain)
            entries += [figure, interval_cell(more, signed=True), gain and f"{gain['p']:.4f}"]
        shown.append(cells(*entries))
    return Table(
        "seed-study",
        f"Papers found of the other half of the references, {rows[0]['queries']:,} queries.",
        ("system", "seeds", *(title for name in names for title in (name, "gain", "p"))),
        tuple(shown),
        2,
        "Seeds: how many of the one half are given; it is neither recommended nor counted in any "
        "row. Gain over the same system without seeds, with its 95 % paired bootstrap interval; p "
        "by a paired randomisation test.",
    )


def study(name: str, caption: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Show the rows of a study under their own names, every column with equally many digits.

    Shares have three decimals, larger figures one.
    """

    def column(key: str) -> list[str]:
        values = [row.get(key) for row in rows]
        most = max((abs(value) for value in values if isinstance(value, float)), default=0)
        form = ",.1f" if most > 1 else ".3f"
        words = {True: "yes", False: "no", None: ""}
        return [
            format(value, form)
            if isinstance(value, float)
            else words[value]
            if value is None or isinstance(value, bool)
            else str(value)
            for value in values
        ]

    header = tuple(dict.fromkeys(key for row in rows for key in row))
    shown = tuple(cells(*row) for row in zip(*map(column, header), strict=True))
    return Table(name, caption, tuple(key.replace("_", " ") for key in header), shown)


def made(assessment: Assessment) -> list[tuple[str, str]]:
    """List what somebody needs to make the evaluation again."""
    facts = assessment.facts
    corpus = facts.get("corpus") or {}
    versions = facts.get("versions") or {}
    ranker = facts.get("ranker") or {}
    sizes = ", ".join(
        f"{corpus[key]:,} {key}" for key in ("papers", "links") if isinstance(corpus.get(key), int)
    )
    found = {
        "command": facts.get("command"),
        "program": facts.get("created_by"),
        "corpus": ": ".join(word for word in (corpus.get("name"), sizes) if word),
        "corpus sha256": corpus.get("sha256"),
        "ranker": ranker.get("name"),
        "ranker learned from": ranker.get("learned_from"),
        "ranker sha256": ranker.get("sha256"),
        "split": facts.get("split"),
        "split sha256": facts.get("split_sha256"),
        "part": facts.get("part"),
        "depth": facts.get("k"),
        "seed of the runs": facts.get("seed"),
        "seed of the intervals": assessment.seed,
        "bootstrap samples": f"{assessment.samples:,}",
        "warnings": " ".join(dict.fromkeys(facts.get("warnings") or ())),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }
    return [(name, str(value)) for name, value in found.items() if value not in (None, "")]


# The sections of a report: which tables and pictures stand together, and what is said of them.

MOST_DIFFERENCES = 20


def sections(assessment: Assessment, queries: Queries) -> tuple[Section, ...]:
    """Put an assessment in sections, those with nothing to show left out."""
    asked = kind_of(assessment.facts).many
    oracle = any(system.name == system_tables.ORACLE for system in assessment.systems)
    measure = kind_of(assessment.facts).headline[0]
    real = [system for system in assessment.systems if system.name != system_tables.ORACLE]
    best = [each.name for each in sorted(real, key=lambda each: -each.measures[measure].value)[:2]]
    pairs = (differences(assessment, queries, best, MOST_DIFFERENCES),) if best[1:] else ()
    found = [
        Section(
            "systems",
            "Systems",
            "The oracle puts the relevant papers first among the candidates of the first stage: no "
            "reranking of them can do better."
            if oracle
            else "Higher is better everywhere.",
            (system_tables.headline(assessment), system_tables.candidates(assessment)),
            open=2,
        ),
        Section(
            "significance",
            "Significance",
            f"Which differences are more than the luck of the {asked}, and how large they are.",
            tuple(system_tables.significance(assessment)),
        ),
        Section(
            "depth",
            "Precision and recall",
            "How much is right, and how much is found, the further one reads.",
            (system_tables.depths(assessment), system_tables.recall_by_candidates(assessment)),
            ("precision-recall", "recall-by-k", "precision-by-k", "recall-by-candidates"),
        ),
        Section(
            "calibration",
            "Calibration",
            "A probability is honest when predictions of 30 % come true three times in ten.",
            (
                system_tables.calibration(assessment),
                *system_tables.reliability(assessment),
            ),
            ("reliability",),
        ),
        Section(
            "slices",
            "Slices",
            f"The same systems on parts of the {asked}, or of the relevant papers.",
            tuple(system_tables.slices(assessment)),
            open=4,
        ),
        *_studies(assessment.facts),
        Section(
            "queries",
            asked.capitalize(),
            f"Single {asked}: where the two best systems part, and where the best one shines or "
            "fails.",
            (*pairs, *(extremes(assessment, queries, best[0]) if best else ())),
            open=3,
        ),
    ]
    return tuple(each for each in found if any(table.rows for table in each.tables))


def _studies(facts: Mapping[str, Any]) -> Iterator[Section]:
    """Show the studies that were asked for."""
    if rows := facts.get("k_study"):
        table = study("k-study", "Candidates by number of neighbours.", rows)
        text = "Candidates from more or fewer similar papers, with and without their citations."
        yield Section("neighbours", "Number of neighbours", text, (table,), ("k-study",))
    if rows := facts.get("self_citation"):
        text = "Does a ranker that reads authors and venues favour the authors' own papers?"
        table = self_citation(rows)
        yield Section("own-papers", "Self-citation", text, (table,), ("self-citation",))
    if rows := facts.get("seed_study"):
        text = "Does it help to know some of the references? Half of them may be given, the other "
        text += "half is to be found, whatever is given."
        yield Section("seeds", "References as seeds", text, (seed_study(rows),))


SCHEMA = "recsys.report/1"
FILES: Mapping[str, str] = {
    "html": "report.html",
    "markdown": "report.md",
    "json": "report.json",
    "latex": "report.tex",
    "csv": "per-query.csv",
}
"""The formats of a report, and what its file is called."""


@dataclass(frozen=True, slots=True)
class Report(Page):
    """A page, and the assessment that it was made of."""

    assessment: Assessment = field(kw_only=True)


def read_report(folder: Path) -> Report:
    """Report on an evaluation; it is assessed first if it has not been.

    Raises:
        ArtifactError: the folder is missing, or its assessment is unreadable or of another schema.
        InputError: a run, the judgements or the facts are missing or broken.
    """
    if not folder.is_dir():
        raise ArtifactMissing(
            f"There is no folder {folder}.{near_path(folder)}",
            "Write one with `recsys evaluate INDEX --split FILE --out DIR`.",
        )
    if not (folder / FACTS).is_file():
        raise ArtifactMissing(
            f"{folder} has no {FACTS}: it is not a finished evaluation.",
            "Run its `recsys evaluate` command again, or score runs from elsewhere with "
            "`recsys compare`.",
        )
    # An assessment that is older than the facts is of other runs.
    path, facts = folder / ASSESSMENT, folder / FACTS
    assessed = path.is_file() and path.stat().st_mtime >= facts.stat().st_mtime
    return make_report(
        load_assessment(folder) if assessed else assess(folder), read_queries(folder)
    )


def per_query_csv(assessment: Assessment, queries: Queries) -> str:
    """Write a row of CSV for each query and system: what the means of the report are made of."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    measures = list(dict.fromkeys(name for each in assessment.systems for name in each.per_query))
    writer.writerow(["query", "year", "relevant", "system", *measures])
    for place, query in enumerate(assessment.queries):
        _, year, gold = query_facts(queries, query)
        for system in assessment.systems:
            values = (system.per_query.get(name) for name in measures)
            shown = ("" if value is None else f"{value[place]:.6g}" for value in values)
            writer.writerow([query, year, gold, system.name, *shown])
    return file.getvalue()


def chosen_table(assessment: Assessment, columns: Sequence[str]) -> Table:
    """Show the systems by the measures that one chooses, named in any case.

    Raises:
        InputError: there is no such measure.
    """
    known = {name.lower(): name for each in assessment.systems for name in each.measures}
    names = []
    for column in columns:
        name = known.get(column.strip().lower())
        if name is None:
            raise InputError(
                f"There is no measure {column!r}.{near_miss(column.lower(), known)}",
                f"The measures are {', '.join(known.values())}.",
            )
        names.append(name)
    return replace(
        system_tables.headline(assessment, names), caption=f"Systems by {', '.join(names)}."
    )


def make_report(assessment: Assessment, queries: Queries) -> Report:
    """Put an assessment in words and tables."""
    corpus = (assessment.facts.get("corpus") or {}).get("name") or "a corpus"
    kind = kind_of(assessment.facts)
    part = assessment.facts.get("part") or "judged"
    asked = f"{part} {kind.many}" if kind is DRAFTS else kind.many
    return Report(
        title=f"{'Citation' if kind is DRAFTS else 'Local citation'} recommendation on {corpus}",
        lead=f"{len(assessment.systems)} systems answer {len(assessment.queries):,} {asked} "
        f"with {assessment.gold:,} relevant papers, each as of its own year."
        f"{posed(assessment.facts)}{_ranked_by(assessment.facts)}",
        sections=sections(assessment, queries),
        facts=tuple(made(assessment)),
        schema=SCHEMA,
        figures={
            **asdict(assessment),
            "titles": {q: (queries.get(q) or {}).get("title") for q in assessment.queries},
        },
        draw=lambda: {
            name: Picture(svg, DRAWINGS[name].caption) for name, svg in draw(assessment).items()
        },
        assessment=assessment,
    )


def _ranked_by(facts: Mapping[str, Any]) -> str:
    """Say which ranker answered, and by which split; "" where that is not known."""
    ranker = facts.get("ranker") or {}
    said = ""
    if ranker:
        learned = f", trained on {ranker['learned_from']}" if ranker.get("learned_from") else ""
        said = f" Ranker: {ranker['name']}, sha256 {ranker['sha256'][:12]}{learned}."
    if facts.get("split"):
        said += f" Split: {facts['split'].rstrip('.')}."
    return said


def read_queries(folder: Path) -> Queries:
    """Read what an evaluation tells about its queries.

    Raises:
        ArtifactCorrupt: queries.json is not there or not readable.
    """
    path = folder / QUERIES
    value = json_object(path, AGAIN, ArtifactCorrupt)
    if not all(isinstance(each, dict) for each in value.values()):
        raise ArtifactCorrupt(f"{path} does not map queries to facts.", AGAIN)
    return value
