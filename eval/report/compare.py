"""Compare runs from anywhere: judged by the same rules, and tested pairwise."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from recsys.errors import InputError
from recsys.eval.judge_runs import assess_evaluation
from recsys.eval.recorded_runs import FACTS, SENTENCE, Evaluation, read_facts
from recsys.eval.report.system_tables import headline, significance
from recsys.eval.report.tables import Table, writers
from recsys.eval.run_figures import Assessment
from recsys.eval.trec import read_qrels, read_runs

SCHEMA = "recsys.comparison/1"


@dataclass(frozen=True, slots=True)
class Compared:
    """Runs, assessed. notes: what was left out or counted as 0, one sentence each."""

    assessment: Assessment
    notes: tuple[str, ...]


def compare(runs: Sequence[Path], qrels: Path, *, seed: int = 0, samples: int = 1000) -> Compared:
    """Judge TREC runs, each a system named by its file's stem.

    Queries of a run that are not judged are left out; judged queries that are missing from it count
    as 0; papers that are not in the judgements count as not relevant; judged queries without a
    relevant paper are left out. Each is said in the notes.

    Raises:
        InputError: a file is unreadable or broken, two have the same stem, a run answers no judged
            query, or no paper is judged as relevant.
    """
    found, facts = read_runs(runs), dict[str, str]()
    with suppress(InputError):  # What lies beside judgements may be anybody's.
        if read_facts(qrels.with_name(FACTS)).get("part") == SENTENCE:
            facts = {"part": SENTENCE}
    evaluation = Evaluation(found, read_qrels(qrels), facts=facts)
    assessment = assess_evaluation(evaluation, seed=seed, samples=samples)
    return Compared(assessment, tuple(_notes(evaluation, assessment)))


def tables(compared: Compared) -> tuple[Table, ...]:
    """Choose what is shown: all figures, then the pairs by each measure that was tested."""
    return headline(compared.assessment), *significance(compared.assessment)


def as_json(compared: Compared) -> str:
    """Write one JSON object of schema `recsys.comparison/1`."""
    found = compared.assessment
    value = {
        "schema": SCHEMA,
        "queries": len(found.queries),
        "gold": found.gold,
        "seed": found.seed,
        "samples": found.samples,
        "systems": [
            {
                "name": system.name,
                "answered": system.answered,
                "measures": {name: asdict(each) for name, each in system.measures.items()},
                "beats": system.beats,
            }
            for system in found.systems
        ],
        "pairs": [asdict(pair) for pair in found.comparisons],
        "notes": compared.notes,
    }
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


RENDERERS = writers(tables, as_json)


def _notes(evaluation: Evaluation, assessment: Assessment) -> Iterator[str]:
    if assessment.unjudged:
        yield (
            f"{assessment.unjudged:,} of {len(evaluation.qrels):,} queries of the judgements have "
            "no relevant paper: left out."
        )
    judged = set(assessment.queries)
    for system in assessment.systems:
        run = evaluation.runs[system.name]
        known = [
            paper in evaluation.qrels[query]
            for query in judged & run.keys()
            for paper in run[query]
        ]
        oddities = (
            (
                len(judged - run.keys()),
                len(judged),
                "judged queries are missing from the run and count as 0",
            ),
            (system.ignored, len(run), "queries of the run are not judged: left out"),
            (
                known.count(False),
                len(known),
                "papers are not in the judgements of their query and count as not relevant",
            ),
        )
        for count, total, meaning in oddities:
            if count:
                yield f"{system.name}: {count:,} of {total:,} {meaning}."
