"""Does an encoder trained on some corpora serve one that it has never seen?

    python -m benchmarks.held_out --held-out vis --learn archaeology,elife,acl \\
        --data DATA --indexes DIR --out DIR --loss in-batch --steps 120

trains an adapter on the train queries of all corpora of `--learn` together, stops on their dev
queries, and compares the encoder with its start on the test queries of the corpus left out: R@20 by
cosine alone. DATA/NAME/split.json and DIR/NAME.index are read; OUT gets the encoder, and
`held_out.json` with the figures and the learning curve, also that of the corpus left out, which
decides nothing.

The adapter is applied at several strengths: 1 is as trained, 0 is the start. Weights between those
of an encoder and of its fine-tuned self often serve what it was not trained for better than either
(Wortsman et al. 2022, Robust fine-tuning of zero-shot models, eq. 1). That with the highest R@20 on
dev of the corpora learned from is kept, the gentlest of equal ones.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import typer

from benchmarks.bench import SPLIT, Data, program, tell
from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.significance import bootstrap_difference, randomisation_test
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.indexes.opening import open_collection
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.encoders.tower import LoraOptions, adapters
from recsys.pipelines.studies.encoders.train_encoder import (
    ADAPTER_RATE,
    EncoderOptions,
    LossName,
    LossOptions,
    TrainedEncoder,
    fit,
)
from recsys.pipelines.studies.encoders.training import (
    History,
    LoopOptions,
    Pace,
    Ranks,
    Run,
)
from recsys.pipelines.studies.encoders.triplets import (
    Judge,
    Reading,
    Sample,
    Source,
    judge_of,
    read_index,
)
from recsys.store.artifacts import replacing, write_json

RESULT = "held_out.json"
HeldOut = Annotated[str, typer.Option(help="Corpus that is asked.")]
Learn = Annotated[str, typer.Option(help="Corpora that are learned from, with commas.")]
Indexes = Annotated[Path, typer.Option(metavar="DIR", help="Folder of indexes.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the encoder.")]
Start = Annotated[str, typer.Option("--from", help="Encoder to start from.")]
Half = Annotated[bool, typer.Option("--bf16")]
Device: TypeAlias = Literal["auto", "cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Corpora:
    """What is learned from and asked, and where it lies.

    held_out, learn: names of corpora. papers: among which gold is to be found; None: all.
    """

    held_out: str
    learn: tuple[str, ...]
    data: Path
    indexes: Path
    papers: int | None = None

    def index(self, name: str) -> Path:
        """Name a corpus's index."""
        return self.indexes / f"{name}.index"

    def split(self, name: str) -> Path:
        """Name a corpus's split."""
        return self.data / name / SPLIT

    def sources(self) -> list[Source]:
        """Read the corpora that are learned from, then the one that is left out."""
        names = (*self.learn, self.held_out)
        return [read_index(self.index(name), self.split(name), Reading()) for name in names]

    def judge(self, name: str, part: str = "test") -> Judge:
        """Judge by the queries of a corpus."""
        collection = open_collection(self.index(name))
        queries = collection.corpus.rows(read_split(self.split(name), collection).part(part))
        return judge_of(collection, queries, Sample(None, self.papers))


def measure(
    corpora: Corpora, trained: TrainedEncoder, strengths: Sequence[float], run: Run
) -> list[dict[str, float]]:
    """Measure strengths: on dev of the corpora learned from, and on the one left out."""
    judge = corpora.judge(corpora.held_out)
    rows = judge.rows + trained.task.shelf.starts[-2]
    apply(trained, 0.0)
    before, dev_before = judge.recalls(trained.task.vectors(rows)), trained.task.measure()[0]
    tried = []
    for strength in strengths:
        run.progress(f"strength {strength:g}", 0, 1)
        apply(trained, strength)
        found = compare(before, judge.recalls(trained.task.vectors(rows)))
        dev = {"dev_before": dev_before, "dev": trained.task.measure()[0]}
        tried.append({"strength": strength, **dev, **found})
    return tried


def apply(trained: TrainedEncoder, strength: float) -> None:
    """Apply the adapters of an encoder, from now on, at a strength."""
    lora = trained.student.lora
    if lora is None:
        raise InputError("All weights were trained.", "Train an adapter: --lora RANK.")
    for each in adapters(trained.task.learner.model).values():
        each.scale = strength * lora.scale


def save(trained: TrainedEncoder, strength: float, folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the encoder with its adapters at a strength; facts: of its training."""
    apply(trained, strength)
    student = trained.student
    if student.lora is not None:
        lora = replace(student.lora, alpha=strength * student.lora.alpha)
        replace(trained, student=replace(student, lora=lora)).save(folder)
    write_json(folder / TRAINING, {**facts, "strength": strength})


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
    """List what was measured on dev: of the corpora learned from together, and of each corpus."""
    return [
        {"step": step, "mean": mean, **dict(zip(names, each, strict=True))}
        for step, mean, each in zip(did.checked, did.measures, did.watched, strict=True)
    ]


def run(
    held_out: HeldOut,
    learn: Learn,
    data: Data,
    indexes: Indexes,
    out: Out,
    strengths: str = "0.25,0.5,0.75,1",
    loss: LossName = "triplet",
    start: Start = MINILM,
    device: Device = "auto",
    bf16: Half = False,
    rate: float = ADAPTER_RATE,
    lora: int = 16,
    epochs: int = LoopOptions().epochs,
    checks: int = LoopOptions().checks,
    batch: int = 32,
    steps: int | None = None,
    seed: int = 0,
    max_length: int | None = None,
    papers: int | None = None,
) -> None:
    """Train, measure, write, print."""
    run = Run(Ranks(device=device_of(device)), progress=tell)
    names = tuple(learn.split(","))
    corpora = Corpora(held_out, names, data, indexes, papers)
    partial = out.with_name(f"{out.name}.partial.safetensors")
    loop = LoopOptions(
        epochs=epochs, batch=batch, pace=Pace(rate), checks=checks, steps=steps, seed=seed
    )
    options = EncoderOptions(
        start=start,
        loss=LossOptions(loss),
        loop=loop,
        lora=LoraOptions(lora, 2.0 * lora),
        max_length=max_length,
        device=device,
        half=bf16 or None,
    )
    trained = fit(corpora.sources(), options, partial, run, learned=len(names))
    training = trained.facts
    tried = measure(corpora, trained, [float(each) for each in strengths.split(",")], run)
    best = max(tried, key=lambda each: each["dev"])
    watched = [name.removesuffix(".index") for name in training["sources"]]
    facts = {"held_out": held_out, "learned_from": names, **best, "strengths": tried}
    facts |= {"curve": curve(trained.history, watched)}
    with replacing(out) as folder:
        save(trained, best["strength"], folder, training)
        write_json(folder / RESULT, facts)
    partial.unlink(missing_ok=True)
    sys.stdout.write(json.dumps(facts, indent=1) + "\n")


main = program("benchmarks.held_out", run)
if __name__ == "__main__":
    sys.exit(main())
