"""Papers of six invented journals; two words of a title tell which, the others are of any."""

import json
from pathlib import Path

import numpy as np

from recsys.pipelines.studies.encoders.tower import StartOptions
from recsys.pipelines.studies.encoders.train_journal import ClassOptions, JournalOptions
from recsys.pipelines.studies.encoders.training import LoopOptions, Pace
from recsys.records import Paper
from tests.pipelines.studies.encoders.small_sources import FIELDS

EACH = 20


def journal_papers() -> list[Paper]:
    """Write papers, ascending by id; every tenth spells its journal in another way."""
    rng = np.random.default_rng(4)
    every = " ".join(FIELDS.values()).split()
    return [
        Paper(
            id=f"{field}-{number:02}",
            title=" ".join([*rng.permutation(words.split())[:2], *rng.permutation(every)[:6]]),
            abstract=None if number == 7 else f"Notes of {field[0]}.",
            year=2000,
            venue=f"journal of {field} " if number % 10 == 0 else f"Journal of {field.title()}",
            labels={"field": [field, "any"], "parity": ["even", "odd"][number % 2]},
        )
        for field, words in sorted(FIELDS.items())
        for number in range(EACH)
    ]


def write_journal_papers(path: Path) -> Path:
    """Write them as `recsys build` reads them."""
    names = ("id", "title", "abstract", "year", "venue", "labels")
    lines = [
        json.dumps({name: getattr(paper, name) for name in names}) for paper in journal_papers()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def journal_options(start: Path) -> JournalOptions:
    """Train all of a tiny BERT for some steps."""
    return JournalOptions(
        start=StartOptions(start=str(start)),
        classes=ClassOptions(least=EACH, dev=0.25),
        loop=LoopOptions(epochs=4, batch=10, part=4, pace=Pace(rate=8e-3), checks=1, patience=9),
        device="cpu",
    )
