"""The command that tells what an index would take: `plan`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from recsys.app.cli.declarations import Option, bad_value
from recsys.app.cli.options import Quiet

if TYPE_CHECKING:
    from recsys.pipelines.planning.measured_rates import Rate

MOST_PAPERS = 10**12
_SIZES: Mapping[str, int] = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}
_SECONDS: Mapping[str, int] = {"": 1, "s": 1, "min": 60, "h": 3600, "day": 86400}
_NUMBER = r"((?:[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadChoices:
    """What is planned for beside papers, and rates that no result of ours can know."""

    dim: Annotated[int, Option("--dim", min=1, max=65_536, help="Numbers of a vector.")] = 384
    queries: Annotated[
        str | None,
        Option(
            "--queries",
            metavar="N/s",
            show_default="not planned for",
            help="Answers that are asked for: 50/s, 3000/min, 1e6/day.",
        ),
    ] = None
    gpu_rate: Annotated[
        float | None,
        Option(
            "--gpu-rate",
            metavar="TEXTS",
            min=0.001,
            show_default="unknown",
            help="Texts a second that one graphics card encodes; it was never measured.",
        ),
    ] = None
    network: Annotated[
        float,
        Option(
            "--network",
            metavar="GBIT",
            min=0.001,
            help="Gigabits a second of the way to an object store; it is assumed.",
        ),
    ] = 1.0


def plan(
    papers: Annotated[
        str,
        Option(
            "--papers",
            metavar="N",
            show_default=False,
            help="How many papers: 200e6, 200M or 200,000,000.",
        ),
    ],
    chosen: WorkloadChoices,
    measure: Annotated[
        bool,
        Option("--measure", help="Measure the pace of this machine first; that takes a minute."),
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Write the plan for programs.")] = False,
    quiet: Quiet = False,
) -> None:
    """Plan an index of any size: hours, disk, memory, machines, and what breaks first.

    Each figure names the rate that it comes from. Rates were measured with this version at up to a
    million papers, and are carried further by laws that the plan names. Nothing is read, and
    nothing built unless --measure asks for it.
    """
    from recsys.app.output import emit
    from recsys.pipelines.planning.measured_rates import committed
    from recsys.pipelines.planning.plan_text import plan_json, plan_lines
    from recsys.pipelines.planning.plan_values import Workload
    from recsys.pipelines.planning.size_plan import plan as planned

    queries = queries_in(chosen.queries)
    asked = Workload(papers_in(papers), chosen.dim, queries, chosen.gpu_rate, chosen.network)
    known = committed()
    found = planned(asked, _measured(known, quiet=quiet) if measure else known)
    emit(plan_json(found) if as_json else "\n".join(plan_lines(found)) + "\n")


def papers_in(text: str) -> int:
    """Read a number of papers.

    Raises:
        UsageError: it is none.
    """
    told = re.fullmatch(rf"{_NUMBER}\s*([kKmMbB]?)", text.strip())
    found = 0.0 if told is None else _value(told[1]) * _SIZES[told[2].lower()]
    if not 1 <= found <= MOST_PAPERS or found != int(found):
        raise bad_value(
            f"{text!r} is no number of papers; write 200e6, 200M or 200,000,000.", option="--papers"
        )
    return int(found)


def queries_in(text: str | None) -> float:
    """Read answers a second; 0 where nothing was said.

    Raises:
        UsageError: it is no such number.
    """
    if text is None:
        return 0.0
    told = re.fullmatch(rf"{_NUMBER}\s*(?:/\s*(s|min|h|day))?", text.strip())
    found = 0.0 if told is None else _value(told[1]) / _SECONDS[told[2] or ""]
    if not 0 < found <= MOST_PAPERS:
        raise bad_value(
            f"{text!r} is no number of answers; write 50/s, 3000/min or 1e6/day.",
            option="--queries",
        )
    return found


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("_", ""))


def _measured(known: "Mapping[str, Rate]", *, quiet: bool) -> "Mapping[str, Rate]":
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.app.wiring import STARTER, data_folder
    from recsys.pipelines.planning.measure_here import measured_here

    with shown_progress(quiet=quiet) as progress:
        return measured_here(known, data_folder() / STARTER, cache_folder(), progress=progress)
