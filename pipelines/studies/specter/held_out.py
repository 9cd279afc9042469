"""Does an encoder trained on some corpora serve one that it has never seen?

    python -m recsys.pipelines.studies.specter.held_out --held-out vis \\
        --train archaeology,elife,acl --data DATA --indexes DIR --out DIR --lora 16

trains one encoder on the train queries of all training corpora together, stops on their dev
queries, and compares it with its start on the queries of the corpus left out: R@20 by cosine
alone, among all of its papers. An adapter is applied at several strengths (see `strength`); that
with the highest R@20 on the training corpora's dev queries is kept, the gentlest of equal ones.
DATA/NAME/split.json and DIR/NAME.index are read; OUT gets the encoder, and `held_out.json` with the
figures and the learning curve, also that of the corpus left out, which decides nothing, and the
same as a page where the extra `report` is installed.

    ... --measure-only FOLDER --strengths 0.1,0.3,0.5 --out DIR

does the same with an adapter that was trained before, by this or by `recsys train encoder`.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.significance import bootstrap_difference, randomisation_test
from recsys.eval.studies.encoders.training_page import TRAINING, write_page
from recsys.indexes.opening import open_collection
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.jobs.programs import ending
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.finetuning.encoder_optimiser import Pace
from recsys.pipelines.studies.finetuning.encoder_training import LoopOptions, Run
from recsys.pipelines.studies.finetuning.lora import LoraOptions
from recsys.pipelines.studies.finetuning.number_lists import read_numbers
from recsys.pipelines.studies.finetuning.training_history import History
from recsys.pipelines.studies.finetuning.training_processes import joined
from recsys.pipelines.studies.specter.dev_recall import Judge, Sample
from recsys.pipelines.studies.specter.fitting import (
    ADAPTER_RATE,
    RATE,
    EncoderOptions,
    Trained,
    fit,
    untrained,
)
from recsys.pipelines.studies.specter.held_out_page import held_out_page
from recsys.pipelines.studies.specter.strength import (
    STRENGTHS,
    Finished,
    at_strength,
    read_finished,
    taken_up,
)
from recsys.pipelines.studies.specter.triplet_loss import LossName, LossOptions
from recsys.pipelines.studies.specter.triplet_sources import Reading, Source, judge_of, read_index
from recsys.pipelines.studies.specter.triplets import Draw
from recsys.progress import silent
from recsys.store.artifacts import replacing, write_json

RESULT, PAGE = "held_out.json", "held_out.html"
_INDEX = ".index"


@dataclass(frozen=True, slots=True)
class Corpora:
    """What is trained on and measured, and where it lies.

    held_out, train: names of corpora. part: whose queries of held_out count. papers: of held_out,
    among which gold is to be found; None: all. strengths: of an adapter, ascending.
    """

    held_out: str
    train: tuple[str, ...]
    data: Path
    indexes: Path
    part: str = "test"
    papers: int | None = None
    strengths: tuple[float, ...] = STRENGTHS

    def split(self, name: str) -> Path:
        """Name a corpus's split."""
        return self.data / name / "split.json"

    def index(self, name: str) -> Path:
        """Name a corpus's index."""
        return self.indexes / f"{name}{_INDEX}"

    def sources(self, reading: Reading) -> list[Source]:
        """Read the training corpora, then the one that is left out."""
        names = (*self.train, self.held_out)
        return [read_index(self.index(name), self.split(name), reading) for name in names]

    def judge(self) -> Judge:
        """Judge by the corpus that is left out."""
        collection = open_collection(self.index(self.held_out))
        queries = read_split(self.split(self.held_out), collection).part(self.part)
        return judge_of(collection, collection.corpus.rows(queries), Sample(None, self.papers))


def train_held_out(
    corpora: Corpora, options: EncoderOptions, reading: Reading, out: Path, run: Run
) -> dict[str, Any]:
    """Train on some corpora, measure on the one left out, write both."""
    partial = out.with_name(f"{out.name}.partial.safetensors")
    learned = len(corpora.train)
    trained = fit(corpora.sources(reading), options, partial, run, learned=learned)
    facts = _written(corpora, trained, trained.facts(), out, run)
    if run.ranks.first and not trained.history.stopped:
        partial.unlink()
    return facts


def measure_held_out(
    corpora: Corpora, finished: Finished, reading: Reading, out: Path, run: Run
) -> dict[str, Any]:
    """Measure an adapter of a finished training on the corpus left out, write both.

    The training corpora are those whose dev queries choose the strength.

    Raises:
        InputError: the training learned from the corpus left out.
    """
    if corpora.index(corpora.held_out).name in finished.facts.get("learned_from", ()):
        raise InputError(
            f"The encoder in {finished.folder} has learned from {corpora.held_out}.",
            "Leave out a corpus that it has not seen.",
        )
    trained = taken_up(finished, corpora.sources(reading), run, learned=len(corpora.train))
    return _written(corpora, trained, finished.facts, out, run)


def _written(
    corpora: Corpora, trained: Trained, training: Mapping[str, Any], out: Path, run: Run
) -> dict[str, Any]:
    """Measure, and write the encoder at its best strength; training: facts of it."""
    judge = corpora.judge()
    tried = run.ranks.share(lambda: _tried(trained, corpora, judge, run))
    best = max(tried, key=lambda each: each["dev"])
    kept = at_strength(trained, best["strength"])
    facts = {
        "held_out": corpora.held_out,
        "train": list(corpora.train),
        "part": corpora.part,
        "queries": len(judge.queries),
        "papers": len(judge.papers),
        **best,
        "strengths": tried,
        "curve": curve(
            trained.history, [name.removesuffix(_INDEX) for name in training["sources"]]
        ),
    }
    if run.ranks.first:
        with replacing(out) as folder:
            kept.save(folder)
            write_json(folder / TRAINING, {**training, "strength": kept.strength})
            write_json(folder / RESULT, facts)
            write_page(held_out_page(facts, training), folder / PAGE)
    return facts


def _tried(trained: Trained, corpora: Corpora, judge: Judge, run: Run) -> list[dict[str, float]]:
    """Measure each strength: on dev of the training corpora, and on the corpus left out."""
    whole = trained.options.lora is None
    start = _untrained(trained, run) if whole else at_strength(trained, 0.0)
    before, dev_before, tried = _recalls(start, judge), start.task.measure()[0], []
    for strength in (1.0,) if whole else corpora.strengths:
        run.progress(f"strength {strength:g}", 0, 1)
        after = _recalls(at_strength(trained, strength), judge)
        dev = {"dev_before": dev_before, "dev": trained.task.measure()[0]}
        tried.append({"strength": strength, **dev, **compare(before, after)})
    return tried


def compare(before: Doubles, after: Doubles) -> dict[str, float]:
    """Compare R@20 of the same queries by two encoders."""
    rng = np.random.default_rng(0)
    change = bootstrap_difference(after, before, rng=rng)
    return {
        "before": float(before.mean()),
        "after": float(after.mean()),
        "change": change.value,
        "low": change.low,
        "high": change.high,
        "p": randomisation_test(after, before, rng=rng),
    }


def curve(did: History, names: Sequence[str]) -> list[dict[str, float]]:
    """List what was measured on dev: of the training corpora together, and of each corpus."""
    return [
        {"step": step, "mean": mean, **dict(zip(names, each, strict=True))}
        for step, mean, each in zip(did.checked, did.measures, did.watched, strict=True)
    ]


def _untrained(trained: Trained, run: Run) -> Trained:
    return untrained(trained.task.shelf.sources, trained.options, run)


def _recalls(trained: Trained, judge: Judge) -> Doubles:
    start = trained.task.shelf.starts[-2]
    return judge.recalls(trained.task.vectors(judge.rows + start))


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, train or take up what was trained, measure, print."""
    given = _parser().parse_args(arguments)
    with joined(device_of(given.device)) as ranks:
        run = Run(ranks, given.max_minutes, progress=_told if ranks.first else silent)
        facts = _measured(given, run)
    if ranks.first:
        sys.stdout.write(json.dumps(facts, indent=1) + "\n")


def _measured(given: argparse.Namespace, run: Run) -> dict[str, Any]:
    corpora = Corpora(
        given.held_out,
        tuple(given.train.split(",")),
        given.data,
        given.indexes,
        papers=given.papers,
        strengths=read_numbers(given.strengths, "--strengths", most=2),
    )
    reading = Reading(every=given.every_paper, sample=Sample(given.dev_queries, given.dev_papers))
    if given.measure_only is None:
        return train_held_out(corpora, _options(given), reading, given.out, run)
    finished = read_finished(given.measure_only)
    was = finished.options
    longest, half = given.max_length or was.max_length, given.bf16 or None
    how = replace(was, max_length=longest, device=given.device, half=half)
    return measure_held_out(corpora, replace(finished, options=how), reading, given.out, run)


def _options(given: argparse.Namespace) -> EncoderOptions:
    loop = LoopOptions(
        epochs=given.epochs,
        pace=Pace(given.rate or (ADAPTER_RATE if given.lora else RATE)),
        batch=given.batch,
        steps=given.steps,
        checks=given.checks,
        seed=given.seed,
    )
    return EncoderOptions(
        start=given.start,
        draw=Draw(given.per_query, given.hard, near=given.near),
        loss=LossOptions(given.loss),
        loop=loop,
        lora=LoraOptions(given.lora, 2.0 * given.lora) if given.lora else None,
        max_length=given.max_length,
        device=given.device,
        half=given.bf16 or None,
    )


def _told(stage: str, done: int, total: int) -> None:
    if done == total or done % 50 == 0:
        sys.stderr.write(f"{stage}: {done} of {total}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m recsys.pipelines.studies.specter.held_out", description=__doc__
    )
    for name in ("--held-out", "--train"):
        parser.add_argument(name, required=True)
    for name in ("--data", "--indexes", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--from", dest="start", default=EncoderOptions().start)
    parser.add_argument("--measure-only", type=Path, metavar="FOLDER")
    parser.add_argument("--strengths", default=",".join(f"{each:g}" for each in STRENGTHS))
    parser.add_argument("--loss", choices=get_args(LossName), default="triplet")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    for name, value in _NUMBERS.items():
        parser.add_argument(name, type=int, default=value)
    for name in ("--rate", "--max-minutes"):
        parser.add_argument(name, type=float)
    for name in ("--every-paper", "--bf16"):
        parser.add_argument(name, action="store_true")
    return parser


_NUMBERS: Mapping[str, int | None] = {
    "--lora": 16,
    "--epochs": LoopOptions().epochs,
    "--steps": None,
    "--checks": LoopOptions().checks,
    "--batch": LoopOptions().batch,
    "--per-query": Draw().per_query,
    "--hard": Draw().hard,
    "--near": Draw().near,
    "--max-length": None,
    "--papers": None,
    "--dev-queries": Sample().queries,
    "--dev-papers": Sample().papers,
    "--seed": 0,
}


if __name__ == "__main__":
    sys.exit(main())
