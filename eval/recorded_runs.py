"""An evaluation: a folder of runs, the judgements they share, and what is known of the queries.

report/
├── runs/SYSTEM.trec   one run per system
├── qrels.txt          the judgements
├── queries.json       optional: year, venue, abstract and gold papers of each query
└── facts.json         optional: how the runs came about, candidates, probabilities
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recsys.errors import InputError, near_miss
from recsys.eval.measures import CANDIDATE_RECALL, Judged, flag
from recsys.eval.trec import Qrels, Run, ordered, read_qrels, read_run
from recsys.formats.files import json_object
from recsys.records import PaperId

RUNS, QRELS, QUERIES, FACTS = "runs", "qrels.txt", "queries.json", "facts.json"
SCHEMA = "recsys.evaluation/1"
AGAIN = "Run its `recsys evaluate` command again."


@dataclass(frozen=True, slots=True)
class GoldFacts:
    """What is known of a gold paper. in_citations: as of the query's year."""

    in_citations: int


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """What is known of a query. names: whether a sentence names a work; None for whole drafts."""

    year: int | None
    venue: str | None
    has_abstract: bool
    gold: Mapping[PaperId, GoldFacts]
    names: bool | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Runs by system, in the order of tables. queries, facts: empty for runs from elsewhere."""

    runs: Mapping[str, Run]
    qrels: Qrels
    queries: Mapping[str, QueryFacts] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def gold(self) -> dict[str, frozenset[PaperId]]:
        """Return the gold papers of every query that has any, by ascending id of the query.

        Raises:
            InputError: no query has any.
        """
        found = {
            query: frozenset(
                paper for paper, relevance in self.qrels[query].items() if relevance > 0
            )
            for query in sorted(self.qrels)
        }
        kept = {query: papers for query, papers in found.items() if papers}
        if not kept:
            raise InputError(
                "The judgements name no relevant paper: nothing can be measured.",
                "A line of a gold paper reads: query 0 paper 1.",
            )
        return kept

    def judge(self, system: str, gold: Mapping[str, frozenset[PaperId]]) -> list[Judged]:
        """Judge a system's ranking of every query; one without lines is an empty ranking.

        Raises:
            InputError: the run is empty, or of other queries altogether.
        """
        run = self.runs[system]
        if not gold.keys() & run.keys():
            shown = f" Its first query is {next(iter(run))!r}." if run else ""
            raise InputError(
                f"The run of {system} answers none of the {len(gold)} judged queries.{shown}",
                "Give the run and the judgements of the same queries.",
            )
        stage = self.facts.get("candidates", {}).get(system, {})
        counts, found = stage.get("count", {}), stage.get("found", {})
        return [
            Judged(
                flag(ordered(run.get(query, {})), papers),
                len(papers),
                counts.get(query),
                found.get(query),
            )
            for query, papers in gold.items()
        ]


def read_evaluation(folder: Path) -> Evaluation:
    """Read the runs, the judgements and, where they are there, the facts.

    Raises:
        InputError: no runs, or a file that is missing, unreadable or does not fit the others.
    """
    facts = read_facts(folder / FACTS)
    qrels = read_qrels(folder / QRELS)
    paths = {path.stem: path for path in sorted((folder / RUNS).glob("*.trec"))}
    if not paths:
        raise InputError(f"There is no run below {folder / RUNS}.", "Write runs/SYSTEM.trec.")
    named = list(facts.get("systems", ()))
    for name in named:
        if name not in paths:
            raise InputError(
                f"{folder / FACTS} names the system {name!r}, which has no run."
                f"{near_miss(name, paths)}",
                AGAIN,
            )
    order = dict.fromkeys([*named, *paths])
    runs = {name: read_run(paths[name]) for name in order}
    return Evaluation(runs, qrels, _read_queries(folder / QUERIES, qrels), facts)


def read_facts(path: Path) -> dict[str, Any]:
    """Read what an evaluation says about itself; nothing where there is no such file.

    Raises:
        InputError: it is unreadable, or of another schema.
    """
    if not path.is_file():
        return {}
    value = json_object(path, AGAIN)
    if (schema := value.get("schema")) != SCHEMA:
        raise InputError(f"{path} has the schema {schema!r}; this version reads {SCHEMA!r}.", AGAIN)
    return value


def _read_queries(path: Path, qrels: Qrels) -> dict[str, QueryFacts]:
    if not path.is_file():
        return {}
    from pydantic import TypeAdapter, ValidationError

    try:
        found = TypeAdapter(dict[str, QueryFacts]).validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: {place or 'file'}: {first['msg']}.", AGAIN) from error
    for query, papers in qrels.items():
        gold = {paper for paper, relevance in papers.items() if relevance > 0}
        if gold and (query not in found or gold != found[query].gold.keys()):
            raise InputError(f"{path} and {QRELS} disagree on the gold of {query!r}.", AGAIN)
    return found


# What queries are: whole drafts, or sentences. It says by which measures they are compared.

F1 = "query F1@20"
SENTENCE = "sentence"
"""The `part` of an evaluation whose queries are sentences."""
_KNOWN: Mapping[str, str] = {
    "sentence": "nothing is known beside it",
    "title": "the draft's title is known",
    "references": "the draft's title and its other references are known",
}


@dataclass(frozen=True, slots=True)
class QueryKind:
    """A kind of queries.

    one, many: what people call them. tested: measures by which systems are tested pairwise. kept:
    those of which the value of every query is kept. single: the one that orders queries, by the
    name that it has in tables of them. headline: what a report shows first. sliced: the measure
    that a slice shows, the first of these that it has.
    """

    one: str
    many: str
    tested: tuple[str, ...]
    kept: tuple[str, ...]
    single: tuple[str, str]
    headline: tuple[str, ...]
    sliced: tuple[str, ...]


DRAFTS = QueryKind(
    one="query",
    many="queries",
    tested=(F1, "MRR", "nDCG@10", "nDCG@20"),
    kept=(F1, "P@20", "R@20", "R@100", "MRR", "nDCG@10", "nDCG@20"),
    single=(F1, "F1@20"),
    headline=(
        *("F1@20", F1, "MRR", "P@20", "R@20", "R@100", "nDCG@10", "nDCG@20", "MAP@100", "Hit@10"),
        CANDIDATE_RECALL,
    ),
    sliced=("F1@20", "R@20", "R@100", "MRR"),
)
SENTENCES = QueryKind(
    one="sentence",
    many="sentences",
    tested=("R@10", "MRR", "nDCG@10"),
    kept=("R@10", F1, "R@20", "R@100", "MRR", "nDCG@10"),
    single=("MRR", "reciprocal rank"),
    headline=("R@10", "MRR", "nDCG@10", "R@1", "R@5", "R@20", "R@100", CANDIDATE_RECALL),
    sliced=("R@10", "R@20", "R@100", "MRR"),
)
"""A sentence lacks one paper, or few: precision of the first 20 would say nothing."""


def kind_of(facts: Mapping[str, Any]) -> QueryKind:
    """Tell the kind of queries by what an evaluation says of itself."""
    return SENTENCES if facts.get("part") == SENTENCE else DRAFTS


def posed(facts: Mapping[str, Any]) -> str:
    """Say in a sentence how sentences were posed; "" where nothing is told."""
    if facts.get("known") not in _KNOWN:
        return ""
    words = "Names and years are taken out of" if facts.get("masked") else "Names and years stay in"
    return f" {words} each sentence; {_KNOWN[facts['known']]}."
