"""Does a student of a larger encoder serve a corpus that it has never seen?

    python -m recsys.pipelines.studies.distil.distil_study --held-out vis \\
        --learn archaeology,elife --data DATA --indexes DIR --cache CACHE --out DIR --lora 16 --bf16

teaches MiniLM the angles of mpnet between the papers of some corpora, from titles and abstracts
alone, and compares it, in int8, with MiniLM and with mpnet on the test queries of the corpus left
out: R@20 by cosine. DIR/NAME.index and DATA/NAME/split.json are read; DIR/NAME-mpnet.index, where
it is, has the teacher's vectors, which are made and kept in CACHE otherwise. OUT gets the student
and `distilled.json` with the figures and the curve, also that of the corpus left out, whose dev
queries decide nothing. The same command continues a training that was killed.

    ... --citations 1          learn from the citations of the train queries, too
    ... --also starter         learn from the texts of DIR/starter.index, too
    ... --part none            ask no test query: train, and draw the curve
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from recsys.eval.measures import Doubles
from recsys.eval.studies.encoders.training_page import add_page
from recsys.indexes.opening import open_collection
from recsys.models.encoder import OnnxEncoder
from recsys.pipelines.encoders.checkpoints import MINILM, MPNET
from recsys.pipelines.encoders.export_encoder import cached_encoder, export_encoder
from recsys.pipelines.jobs.programs import ending
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.distil.distil_fit import NEVER, Distilled, DistilPlan, fit_student
from recsys.pipelines.studies.distil.distil_loss import DistilLoss, DistilName
from recsys.pipelines.studies.distil.distil_task import DistilOptions
from recsys.pipelines.studies.distil.taught_corpora import TaughtCorpora, Teacher
from recsys.pipelines.studies.distil.teacher_vectors import VectorCache, told, vectors_of
from recsys.pipelines.studies.finetuning.encoder_optimiser import Pace
from recsys.pipelines.studies.finetuning.encoder_training import STAGE, LoopOptions, Run
from recsys.pipelines.studies.finetuning.lora import LoraOptions
from recsys.pipelines.studies.finetuning.student import StartOptions
from recsys.pipelines.studies.finetuning.trained_encoder import check_out
from recsys.pipelines.studies.finetuning.training_processes import Ranks
from recsys.pipelines.studies.specter.dev_recall import Sample
from recsys.pipelines.studies.specter.fitting import ADAPTER_RATE, RATE
from recsys.pipelines.studies.specter.held_out import compare, curve
from recsys.pipelines.studies.specter.triplet_sources import Reading
from recsys.pipelines.studies.specter.triplets import Draw
from recsys.store.artifacts import replacing, write_json

RESULT, SCHEMA = "distilled.json", "recsys.distilled/1"
NONE = "none"
SAVING = 60.0
"""Seconds between checkpoints: a kill loses so much at most."""
_INDEX = ".index"


def distil(
    corpora: TaughtCorpora, plan: DistilPlan, cache: VectorCache, out: Path, run: Run
) -> dict[str, Any]:
    """Train a student, measure it on the corpus left out, write both.

    Raises:
        ArtifactError: an index or a checkpoint cannot be read.
        InputError: OUT holds something else, or an option does not make sense.
    """
    check_out(out)
    partial = out.with_name(f"{out.name}.partial.safetensors")
    teacher = Teacher(_encoder(corpora.teacher, cache), cache)
    trained = fit_student(corpora, plan, teacher, partial, run)
    facts = _facts(corpora, trained)
    if trained.history.stopped:
        return facts | {"stopped": True}
    with replacing(out) as folder:
        trained.save(folder)
        write_json(folder / RESULT, facts)
        add_page(folder, out.name)
    if corpora.part != NONE:
        write_json(out / RESULT, {**facts, **judged(corpora, out, cache, plan.start.start)})
    partial.unlink()
    measured: dict[str, Any] = json.loads((out / RESULT).read_text(encoding="utf-8"))
    return measured


def judged(corpora: TaughtCorpora, student: Path, cache: VectorCache, start: str) -> dict[str, Any]:
    """Compare student, start and teacher, all in int8, on the corpus left out.

    student: its folder; the exported encoder is kept in it.
    """
    exported = student / "int8"
    if not exported.is_dir():
        export_encoder(str(student), exported)
    encoders = {
        "student": OnnxEncoder.load(exported, threads=1),
        "start": _encoder(start, cache),
        "teacher": _encoder(corpora.teacher, cache),
    }
    judge = corpora.asked()
    recalls = {name: _recalls(corpora, each, cache) for name, each in encoders.items()}
    return {
        "part": corpora.part,
        "queries": len(judge.queries),
        "papers": len(judge.papers),
        "teacher": float(recalls["teacher"].mean()),
        "above_start": compare(recalls["start"], recalls["student"]),
        "above_teacher": compare(recalls["teacher"], recalls["student"]),
        "megabytes": sum(each.stat().st_size for each in exported.iterdir()) / 1e6,
    }


def _recalls(corpora: TaughtCorpora, encoder: OnnxEncoder, cache: VectorCache) -> Doubles:
    judge, name = corpora.asked(), corpora.held_out
    collection = open_collection(corpora.index(name))
    indexes = corpora.index(name), corpora.by_teacher(name)
    return judge.recalls(vectors_of(collection, judge.rows, encoder, cache, *indexes))


def _encoder(name: str, cache: VectorCache) -> OnnxEncoder:
    return OnnxEncoder.load(cached_encoder(name, cache.folder.parent), threads=1)


def _facts(corpora: TaughtCorpora, trained: Distilled) -> dict[str, Any]:
    """Say what was learned, and how it went."""
    names = [name.replace(_INDEX, "") for name in trained.watched()]
    did = trained.history
    return {
        "schema": SCHEMA,
        "held_out": corpora.held_out,
        "learned_from": [*corpora.learn, *corpora.also],
        "taught_papers": [len(part.rows) for part in trained.task.parts],
        "steps": did.steps,
        "kept_step": did.checked[did.best],
        "minutes": did.seconds / 60,
        "continued": did.continued,
        "loss_first": did.losses[:1],
        "loss_last": did.losses[-1:],
        "curve": curve(did, names),
    }


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, train, measure, print."""
    given = _parser().parse_args(arguments)
    ranks = Ranks(device=device_of(given.device))
    run = Run(ranks, given.max_minutes, given.saving, _told)
    cache = VectorCache(given.cache / "vectors", told)
    facts = distil(_corpora(given), _plan(given), cache, given.out, run)
    sys.stdout.write(json.dumps(facts, indent=1) + "\n")


def _told(stage: str, done: int, total: int) -> None:
    if stage == STAGE:
        told(stage, done, total)


def _corpora(given: argparse.Namespace) -> TaughtCorpora:
    return TaughtCorpora(
        held_out=given.held_out,
        learn=tuple(given.learn.split(",")),
        data=given.data,
        indexes=given.indexes,
        also=tuple(given.also.split(",")) if given.also else (),
        papers=given.papers,
        each=given.each,
        teacher=given.teacher,
        part=given.part,
    )


def _plan(given: argparse.Namespace) -> DistilPlan:
    lora = LoraOptions(given.lora, 2.0 * given.lora) if given.lora else None
    loss = DistilLoss(given.loss, given.temperature)
    loop = LoopOptions(
        epochs=given.epochs,
        batch=given.batch,
        pace=Pace(given.rate or (ADAPTER_RATE if lora else RATE)),
        checks=given.checks,
        patience=NEVER,
        steps=given.steps,
        seed=given.seed,
    )
    return DistilPlan(
        start=StartOptions(
            given.start, lora=lora, max_length=given.max_length, half=given.bf16 or None
        ),
        learned=DistilOptions(loss, given.near, given.citations),
        loop=loop,
        draw=Draw(),
        reading=Reading(sample=Sample(given.dev_queries, given.dev_papers)),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m recsys.pipelines.studies.distil.distil_study", description=__doc__
    )
    for name in ("--held-out", "--learn"):
        parser.add_argument(name, required=True)
    for name in ("--data", "--indexes", "--cache", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--also")
    parser.add_argument("--from", dest="start", default=MINILM)
    parser.add_argument("--teacher", default=MPNET)
    parser.add_argument("--loss", choices=get_args(DistilName), default=DistilLoss().name)
    parser.add_argument("--part", choices=("test", "dev", NONE), default="test")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--bf16", action="store_true")
    for name, value in _NUMBERS.items():
        parser.add_argument(name, type=int, default=value)
    for name, default in _REALS.items():
        parser.add_argument(name, type=float, default=default)
    return parser


_NUMBERS: Mapping[str, int | None] = {
    "--lora": 16,
    "--epochs": 1,
    "--steps": None,
    "--checks": 4,
    "--batch": 32,
    "--near": DistilOptions().near,
    "--max-length": None,
    "--papers": None,
    "--each": None,
    "--dev-queries": Sample().queries,
    "--dev-papers": Sample().papers,
    "--seed": 0,
}
_REALS: Mapping[str, float | None] = {
    "--rate": None,
    "--temperature": DistilLoss().temperature,
    "--citations": None,
    "--max-minutes": None,
    "--saving": SAVING,
}


if __name__ == "__main__":
    sys.exit(main())
