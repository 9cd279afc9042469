"""Tables of single queries, of studies, and the facts of how an evaluation was made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from recsys.eval.measures import Interval
from recsys.eval.query_kinds import kind_of
from recsys.eval.report.system_tables import interval_cell
from recsys.eval.report.tables import Cell, Table, cells
from recsys.eval.run_figures import Assessment

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
            tuple((*query_cells(queries, each), Cell(f"{values[each]:.3f}")) for each in chosen),
        )
        for name, chosen in (("best", found.best), ("worst", found.worst))
    ]


def differences(assessment: Assessment, queries: Queries, pair: Sequence[str], most: int) -> Table:
    """Show the queries on which two systems differ most."""
    kind = kind_of(assessment.facts)
    one, other = (assessment.system(name).per_query[kind.single[0]] for name in pair)
    rows = [(q, a, b) for q, a, b in zip(assessment.queries, one, other, strict=True) if a != b]
    rows.sort(key=lambda row: (-abs(row[1] - row[2]), row[0]))
    return Table(
        "differences",
        f"{kind.many.capitalize()} on which {pair[0]} and {pair[1]} differ most.",
        (kind.one, "year", "gold papers", *pair, "difference"),
        tuple(
            (*query_cells(queries, q), *cells(f"{a:.3f}", f"{b:.3f}", f"{a - b:+.3f}"))
            for q, a, b in rows[:most]
        ),
    )


def query_cells(queries: Queries, query: str) -> tuple[Cell, ...]:
    """Describe a query: its title (its id where no title is known), year and gold papers."""
    known = queries.get(query, {})
    gold = known.get("gold")
    return cells(
        known.get("title") or query, known.get("year"), None if gold is None else len(gold)
    )


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
    names = list(dict.fromkeys(name for row in rows for name in row["measures"]))
    header = ["system", "seeds"]
    for name in names:
        header += [name, "gain", "p"]
    shown = []
    for row in rows:
        found = [*cells(row["system"], row["seeds"])]
        for name in names:
            gain = row["gains"].get(name)
            found += [
                interval_cell(_interval(row["measures"][name])),
                interval_cell(gain and _interval(gain), signed=True),
                Cell(f"{gain['p']:.4f}" if gain else ""),
            ]
        shown.append(tuple(found))
    return Table(
        "seed-study",
        f"Papers found of the other half of the references, {rows[0]['queries']:,} queries.",
        tuple(header),
        tuple(shown),
        2,
        "Seeds: how many of the one half are given; it is neither recommended nor counted in any "
        "row. Gain over the same system without seeds, with its 95 % paired bootstrap interval; p "
        "by a paired randomisation test.",
    )


def _interval(found: Mapping[str, float]) -> Interval:
    return Interval(found["value"], found["low"], found["high"])


def study(name: str, caption: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Show the rows of a study under their own names, every column with equally many digits."""
    header = tuple(dict.fromkeys(key for row in rows for key in row))
    columns = [_column([row.get(key) for row in rows]) for key in header]
    shown = tuple(cells(*row) for row in zip(*columns, strict=True))
    return Table(name, caption, tuple(key.replace("_", " ") for key in header), shown)


def _column(values: Sequence[object]) -> list[str]:
    """Write shares to three decimals and larger figures to one."""
    numbers = [abs(value) for value in values if isinstance(value, float)]
    form = ",.1f" if max(numbers, default=0) > 1 else ".3f"
    return [_word(value, form) for value in values]


def _word(value: object, form: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format(value, form)
    return "" if value is None else str(value)


def made(assessment: Assessment) -> list[tuple[str, str]]:
    """List what somebody needs to make the evaluation again."""
    facts = assessment.facts
    corpus = facts.get("corpus") or {}
    versions = facts.get("versions") or {}
    sizes = ", ".join(
        f"{corpus[key]:,} {key}" for key in ("papers", "links") if isinstance(corpus.get(key), int)
    )
    found = {
        "command": facts.get("command"),
        "program": facts.get("created_by"),
        "corpus": ": ".join(word for word in (corpus.get("name"), sizes) if word),
        "corpus sha256": corpus.get("sha256"),
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
