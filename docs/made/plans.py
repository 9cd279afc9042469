"""Write plans for corpora of three sizes side by side, the rates behind them, and their limits."""

from collections.abc import Iterator, Sequence

from docs.made.tables import code, table, words
from recsys.pipelines.planning.growth_laws import LAWS
from recsys.pipelines.planning.measured_rates import NEAR, Rate, committed
from recsys.pipelines.planning.plan_text import nearest_limits
from recsys.pipelines.planning.plan_values import SizePlan, Workload
from recsys.pipelines.planning.shown_figures import count, said, shown
from recsys.pipelines.planning.size_plan import plan

SIZES = (1_000_000, 10_000_000, 200_000_000)
QUERIES = 50
_COLUMN = tuple(f"{size:,} papers" for size in SIZES)


def plans() -> str:
    """Write the tables of the page."""
    known = committed()
    made = [plan(Workload(size, queries=QUERIES), known) for size in SIZES]
    return "\n\n".join(
        [
            f"For {QUERIES} answers a second. `*`: carried further than was measured, by a law.",
            table(("what", *_COLUMN), [*_figures(made)]),
            table(("to take", *_COLUMN), [*_choices(made)]),
            f"What breaks first, for {SIZES[-1]:,} papers and the machines chosen for them:",
            table(
                ("limit", "reached at", "what happens", "and then", "where"), [*_limits(made[-1])]
            ),
            "The rates:",
            table(("rate", "value", "of papers", "grows", "out of"), [*_rates(known)]),
            f"Rates go through two sizes; a third one, {NEAR:,} papers, tells how well they hold:",
            table(("rate", "carried", "measured", "ratio"), [*_checks(known)]),
        ]
    )


def _figures(made: Sequence[SizePlan]) -> Iterator[Sequence[str]]:
    for part in made[0].parts:
        names = list(dict.fromkeys(each.name for one in made for each in one.parts[part]))
        for name in names:
            found = [{each.name: each for each in one.parts[part]}.get(name) for one in made]
            cells = ("" if each is None else f"{said(each)}{_mark(each.basis)}" for each in found)
            yield f"{part}: {words(name)}", *cells


def _mark(basis: str) -> str:
    return r" \*" if basis == "carried" else ""


def _choices(made: Sequence[SizePlan]) -> Iterator[Sequence[str]]:
    for each in made[0].choices:
        yield each.name, *(words(one.choice(each.name)) for one in made)


def _limits(made: SizePlan) -> Iterator[Sequence[str]]:
    for each in nearest_limits(made):
        at = f"{count(each.papers)} papers"
        yield words(each.name), at, words(each.effect), words(each.remedy), code(each.where)


def _rates(known: dict[str, Rate]) -> Iterator[Sequence[str]]:
    for name, rate in known.items():
        size = "" if rate.row.law == "constant" else f"{rate.papers:,}"
        yield code(name), rate.told(), size, words(LAWS[rate.row.law].meaning), code(rate.row.file)


def _checks(known: dict[str, Rate]) -> Iterator[Sequence[str]]:
    for name, rate in known.items():
        if rate.near is None or rate.row.speed is not None or rate.second is None:
            continue
        if rate.papers != NEAR:
            carried = rate.at(NEAR)
            unit = rate.row.unit
            told = f"{shown(carried)} {unit}", f"{shown(rate.near)} {unit}"
            yield code(name), *told, f"{carried / rate.near:.2f}"
