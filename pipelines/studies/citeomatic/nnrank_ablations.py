"""What each part of NNRank brings: train it without, and compare (the paper's table 3, and more).

OUT becomes an evaluation like those of `recsys evaluate`, one system a row, so that it can be
reported on and compared with others. Rows that are finished are not trained again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import check_name
from recsys.eval.recorded_runs import RUNS
from recsys.eval.report.tables import Table, cells, row_values, writers
from recsys.eval.significance import holm
from recsys.eval.trec import run_lines, write_lines
from recsys.models.nnrank import METADATA_FIELDS, TEXT_FIELDS, NNRank
from recsys.pipelines.evaluation.batch import (
    WORK,
    answer_facts,
    check_folder,
    query_facts,
    write_folder,
)
from recsys.pipelines.evaluation.leakage import check_ranker
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.citeomatic.negatives import Kind
from recsys.pipelines.studies.citeomatic.nnrank import (
    NNRankOptions,
    RankMaterial,
    Shortlists,
    fit,
    score_all,
)
from recsys.pipelines.studies.citeomatic.nnselect import Dev
from recsys.protocols import Progress, silent, tracked
from recsys.store.arrays import top_k
from recsys.store.artifacts import NNSELECT, sha256

if TYPE_CHECKING:
    from recsys.eval.run_figures import Assessment

FULL = "full"
TESTED = "query F1@20"


K = 100
"""Papers kept per query."""


def variants(options: NNRankOptions, fields: tuple[str, ...]) -> dict[str, NNRankOptions]:
    """List the rows: name -> what is trained; fields: those of the full network."""
    model = options.model
    without_neighbours = replace(
        model.sampling,
        kinds=(Kind.RANDOM, Kind.CITED_BY_CITED),
        per_kind=model.sampling.per_kind * 3 // 2,  # As many negatives as before.
    )
    shapes = {
        "no-intersections": replace(model.shape, intersections=False),
        "no-numbers": replace(model.shape, numbers=False),
    }
    models = {name: replace(model, shape=shape) for name, shape in shapes.items()}
    models["no-neighbour-negatives"] = replace(model, mining=None, sampling=without_neighbours)
    models["no-rarity"] = replace(model, size=replace(model.size, by_rarity=False))
    models["separate-words"] = replace(model, shape=replace(model.shape, separate=True))
    return {
        FULL: options,
        **{name: replace(options, model=each) for name, each in models.items()},
        "seen-cosines": replace(options, seen=True),
        **{f"no-{name}": replace(options, left_out=(name,)) for name in fields},
    }


def ablate(
    index: Path,
    split: Path,
    ranker: NNRankOptions,
    out: Path,
    *,
    part: str = "dev",
    rows: tuple[str, ...] = (),
    command: str = "",
    progress: Progress = silent,
) -> "Assessment":
    """Train every row, ask it the queries of a part, assess; rows: names, empty: all.

    Raises:
        ArtifactError: the index cannot be opened, or has no NNSelect.
        SplitError: the split does not fit the index, or its parts overlap.
        LeakageError: NNSelect has seen the queries.
        InputError: OUT holds something else, or there is no such row.
    """
    from recsys.eval.judge_runs import assess

    _chosen(variants(ranker, (*TEXT_FIELDS, *METADATA_FIELDS)), rows)
    material = RankMaterial.read(index, split, progress=progress)
    queries = read_split(split, material.collection).part(part)
    folder = material.index / NNSELECT
    warning = check_ranker(folder, material.collection, part, queries, what=NNSELECT)
    check_folder(out)
    (out / WORK).mkdir(exist_ok=True)
    asked = Dev.of(material.collection, material.collection.corpus.rows(queries))
    neighbours = ranker.model.neighbours
    shortlists = Shortlists.of(material.collection, material.data, asked, neighbours)
    known = variants(ranker, material.shape(ranker).fields)
    chosen = {name: known[name] for name in _chosen(known, rows)}
    for name, each in tracked(chosen.items(), "networks", progress):
        run = out / RUNS / f"{name}.trec"
        checkpoint = out / WORK / f"{name}.safetensors"
        task, _ = fit(material, each, checkpoint, progress=progress)
        write_run(run, name, task.network.export(), material, shortlists)
    described = {
        "command": command,
        "part": part,
        "k": K,
        "seed": ranker.loop.seed,
        "metadata": ranker.metadata,
        "systems": list(chosen),
        "split_sha256": sha256(material.split),
        "warnings": [] if warning is None else [warning],
    }
    facts = answer_facts(material.collection, described, {})
    told = {query: query_facts(material.collection, query) for query in queries}
    write_folder(out, told, facts)
    return assess(out, seed=0)


def _chosen(rows: Mapping[str, NNRankOptions], names: Sequence[str]) -> list[str]:
    """Put the names in the order of the table, the full network first; none: all."""
    for name in names:
        check_name(name, rows, "row")
    return [name for name in rows if not names or name == FULL or name in names]


def write_run(
    path: Path,
    name: str,
    model: NNRank,
    material: RankMaterial,
    shortlists: Shortlists,
) -> None:
    """Rank the shortlists by a network; write a TREC run."""
    scores = score_all(model, material.data.bags, shortlists.pairs)
    ids, lines = material.collection.corpus.ids, []
    for part in shortlists.table.lists():
        top = top_k(scores[part], K)
        papers = [ids[row] for row in shortlists.pairs.candidates[part][top].tolist()]
        for query in np.unique(shortlists.pairs.queries[part]).tolist():  # None without candidates.
            lines += run_lines(ids[query], papers, scores[part][top], tag=name)
    write_lines(path, lines)


def ablation_table(assessment: "Assessment") -> Table:
    """Show each row's F1@20 and MRR, and how far it is from the full network."""
    rows = []
    families = {
        measure: {
            pair.other: pair
            for pair in assessment.comparisons
            if pair.measure == measure and pair.one == FULL
        }
        for measure in (TESTED, "MRR")
    }
    sure = {
        measure: dict(zip(pairs, holm(np.array([pair.p for pair in pairs.values()])), strict=True))
        for measure, pairs in families.items()
    }
    for system in assessment.systems:
        row: list[object] = [system.name]
        for shown, measure in (("F1@20", TESTED), ("MRR", "MRR")):
            pair = families[measure].get(system.name)
            row.append(f"{system.measures[shown].value:.4f}")
            if pair is None:
                row += [None, None]
            else:
                difference = pair.pooled or pair.difference
                row += [f"{-difference.value:+.4f}", f"{sure[measure][pair.other]:.4f}"]
        rows.append(cells(*row))
    return Table(
        "ablations",
        "What NNRank loses without each of its parts.",
        ("network", "F1@20", "F1@20 change", "F1@20 p", "MRR", "MRR change", "MRR p"),
        tuple(rows),
        1,
        "Changes from the full network; p by a paired randomisation test over the queries (for "
        "F1@20, on each query's own), Holm-corrected over the rows.",
    )


def table_json(table: Table) -> str:
    """Write one JSON object of schema `recsys.ablations/1`; absent figures are null."""
    value = {"schema": "recsys.ablations/1", "rows": row_values(table)}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


RENDERERS = writers(lambda table: (table,), table_json)
