"""A small evaluation folder, written by hand: six queries, three systems."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from recsys.eval.trec import write_qrels, write_run

GOLD: Mapping[str, tuple[str, ...]] = {
    "q1": ("a", "b"),
    "q2": ("c",),
    "q3": ("a", "d", "e"),
    "q4": ("f",),
    "q5": ("b", "c"),
    "q6": ("g",),
}
CITED: Mapping[str, int] = {"a": 30, "b": 7, "c": 0, "d": 2, "e": 0, "f": 4, "g": 19}
GOOD: Mapping[str, Sequence[str]] = {
    "q1": "abxyz",
    "q2": "cxyab",
    "q3": "adxey",
    "q4": "xfyza",
    "q5": "bcxyz",
    "q6": "xygza",
}
FAIR: Mapping[str, Sequence[str]] = {
    "q1": "xaybz",
    "q2": "xcyab",
    "q3": "xaydz",
    "q4": "xyfza",
    "q5": "xbycz",
}
"""It finds nothing for q6."""
POOR: Mapping[str, Sequence[str]] = {**dict.fromkeys(GOLD, "xyz"), "q9": "ab"}
"""It also answers q9, which nobody judged."""
SYSTEMS: Mapping[str, Mapping[str, Sequence[str]]] = {"good": GOOD, "fair": FAIR, "poor": POOR}


def write_runs(folder: Path, systems: Mapping[str, Mapping[str, Sequence[str]]] = SYSTEMS) -> Path:
    """Write runs and judgements only: what one has of other people's systems."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    write_qrels(folder / "qrels.txt", GOLD)
    for name, answers in systems.items():
        rankings = [
            (query, list(papers), np.arange(len(papers), 0, -1, dtype=np.float32))
            for query, papers in answers.items()
        ]
        write_run(folder / "runs" / f"{name}.trec", rankings, tag=name)
    return folder


def queries() -> dict[str, Any]:
    return {
        query: {
            "title": f"Title of {query}",
            "year": 2020 + place % 2,
            "venue": "VIS" if place < 4 else None,
            "has_abstract": place != 0,
            "authors": 2,
            "gold": {paper: {"in_citations": CITED[paper], "title": paper} for paper in papers},
        }
        for place, (query, papers) in enumerate(GOLD.items())
    }


def facts() -> dict[str, Any]:
    return {
        "schema": "recsys.evaluation/1",
        "command": "recsys evaluate",
        "part": "test",
        "k": 100,
        "seed": 0,
        "systems": ["good", "fair", "poor"],
        "candidates": {
            "good": {"count": dict.fromkeys(GOLD, 50), "found": {q: len(GOLD[q]) for q in GOLD}}
        },
        "calibration": {
            "good": {"probability": [0.1, 0.1, 0.2, 0.6, 0.9], "outcome": [0, 0, 1, 1, 1]}
        },
        "k_study": [
            {"neighbours": n, "citations": on, "candidate recall": 0.1 * n, "R@20": 0.05 * n}
            for n in (1, 5)
            for on in (False, True)
        ],
        "self_citation": [
            {"length": n, "metadata": on, "mean rank": 0.6 * n, "first rank": 0.4 * n}
            for n in (1, 5, 10)
            for on in (False, True)
        ],
    }


def write_evaluation(folder: Path) -> Path:
    """Write the whole of what `recsys evaluate` leaves for the assessment."""
    write_runs(folder)
    (folder / "queries.json").write_text(json.dumps(queries()))
    (folder / "facts.json").write_text(json.dumps(facts()))
    return folder
