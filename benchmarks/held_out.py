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

    ... --measure-only FOLDER --strengths 0.1,0.3,0.5

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
from pydantic import TypeAdapter
from safetensors import safe_open

from benchmarks.bench import ending
from recsys.errors import InputError
from recsys.eval.measures import Doubles
from recsys.eval.significance import bootstrap_difference, randomisation_test
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.indexes.opening import open_collection
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.studies.citeomatic.network_training import device_of
from recsys.pipelines.studies.encoders.tower import ADAPTER, LoraOptions, adapters
from recsys.pipelines.studies.encoders.train_encoder import (
    ADAPTER_RATE,
    EncoderOptions,
    LossName,
    LossOptions,
    Trained,
    fit,
    untrained,
)
from recsys.pipelines.studies.encoders.training import (
    History,
    LoopOptions,
    Pace,
    Ranks,
    Run,
    put,
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
        return self.data / name / "split.json"

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
    corpora: Corpora, trained: Trained, strengths: Sequence[float], run: Run
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


def apply(trained: Trained, strength: float) -> None:
    """Apply the adapters of an encoder, from now on, at a strength."""
    lora = trained.options.lora
    if lora is None:
        raise InputError("All weights were trained.", "Train an adapter: --lora RANK.")
    for each in adapters(trained.task.tower.model).values():
        each.scale = strength * lora.scale


def save(trained: Trained, strength: float, folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the encoder with its adapters at a strength; facts: of its training."""
    apply(trained, strength)
    options = trained.options
    if options.lora is not None:
        lora = replace(options.lora, alpha=strength * options.lora.alpha)
        replace(trained, options=replace(options, lora=lora)).save(folder)
    write_json(folder / TRAINING, {**facts, "strength": strength})


def taken_up(
    folder: Path, sources: Sequence[Source], run: Run, learned: int, **changed: object
) -> Trained:
    """Load an encoder with the adapter that a training left in its folder, at full strength.

    Args:
        folder: of the encoder.
        sources: what it is to be measured on.
        run: how it is run.
        learned: how many of the sources count together.
        changed: options that are others than in training, such as `max_length`.

    Raises:
        InputError: the encoder that it was trained on is another one now.
    """
    facts = json.loads((folder / TRAINING).read_text(encoding="utf-8"))
    options = TypeAdapter(EncoderOptions).validate_python({**facts["options"], **changed})
    trained = untrained(sources, options, run, learned=learned)
    with safe_open(folder / ADAPTER, "pt") as file:
        if file.metadata()["base"] != trained.start.weights_hash:
            raise InputError(
                f"The adapter in {folder} changes other weights than those of its start.",
                "Give the encoder that it was trained on, where it was.",
            )
        factors = {f"model.{name}": file.get_tensor(name) for name in file.keys()}
    put(trained.task.tower.learned(), factors)
    return replace(trained, history=TypeAdapter(History).validate_python(facts["history"]))


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


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, train or take up what was trained, measure, write, print."""
    given = _parser().parse_args(arguments)
    run = Run(Ranks(device=device_of(given.device)), progress=told)
    learn = tuple(given.learn.split(","))
    corpora = Corpora(given.held_out, learn, given.data, given.indexes, given.papers)
    partial = given.out.with_name(f"{given.out.name}.partial.safetensors")
    if given.measure_only is None:
        trained = fit(corpora.sources(), _options(given), partial, run, learned=len(learn))
        training = trained.facts()
    else:
        training = json.loads((given.measure_only / TRAINING).read_text(encoding="utf-8"))
        if f"{given.held_out}.index" in training["learned_from"]:
            raise InputError(
                f"The encoder in {given.measure_only} has learned from {given.held_out}.",
                "Leave out a corpus that it has not seen.",
            )
        length = given.max_length or training["options"]["max_length"]
        how = {"max_length": length, "device": given.device, "half": given.bf16 or None}
        trained = taken_up(given.measure_only, corpora.sources(), run, len(learn), **how)
    strengths = [float(each) for each in given.strengths.split(",")]
    tried = measure(corpora, trained, strengths, run)
    best = max(tried, key=lambda each: each["dev"])
    watched = [name.removesuffix(".index") for name in training["sources"]]
    facts = {"held_out": given.held_out, "learned_from": learn, **best, "strengths": tried}
    facts |= {"curve": curve(trained.history, watched)}
    with replacing(given.out) as folder:
        save(trained, best["strength"], folder, training)
        write_json(folder / RESULT, facts)
    partial.unlink(missing_ok=True)
    sys.stdout.write(json.dumps(facts, indent=1) + "\n")


def _options(given: argparse.Namespace) -> EncoderOptions:
    return EncoderOptions(
        start=given.start,
        loss=LossOptions(given.loss),
        loop=LoopOptions(
            epochs=given.epochs,
            batch=given.batch,
            pace=Pace(given.rate),
            checks=given.checks,
            steps=given.steps,
            seed=given.seed,
        ),
        lora=LoraOptions(given.lora, 2.0 * given.lora),
        max_length=given.max_length,
        device=given.device,
        half=given.bf16 or None,
    )


def told(stage: str, done: int, total: int) -> None:
    """Say how far it is."""
    if done == total or done % 50 == 0:
        sys.stderr.write(f"{stage}: {done} of {total}\n")


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(__doc__ or "", epochs=LoopOptions().epochs, checks=LoopOptions().checks)
    parser.add_argument("--measure-only", type=Path, metavar="FOLDER")
    parser.add_argument("--strengths", default="0.25,0.5,0.75,1")
    parser.add_argument("--loss", choices=get_args(LossName), default="triplet")
    return parser


def parser_of(about: str, *, epochs: int, checks: int) -> argparse.ArgumentParser:
    """Begin a command line that leaves a corpus out, with the defaults of its training."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("--held-out", "--learn"):
        parser.add_argument(name, required=True)
    for name in ("--data", "--indexes", "--out"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--from", dest="start", default=MINILM)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--rate", type=float, default=ADAPTER_RATE)
    numbers = {"--lora": 16, "--epochs": epochs, "--checks": checks, "--batch": 32, "--seed": 0}
    for name, value in numbers.items():
        parser.add_argument(name, type=int, default=value)
    for name in ("--steps", "--max-length", "--papers"):
        parser.add_argument(name, type=int)
    return parser


if __name__ == "__main__":
    sys.exit(main())
