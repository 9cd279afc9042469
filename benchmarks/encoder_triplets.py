"""How fast encoders train on triplets, beside a plain loop that pads, in one process.

Run as `python -m benchmarks.encoder_triplets INDEX SPLIT`; writes JSON to stdout. Both learn from
the same triplets with the same transformer, taking turns; rates are triplets per second of
processor time. The plain loop is that of the published scripts: it tokenises the texts of each
batch, pads queries, positives and negatives to the longest of them, and encodes every text of every
triplet.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import transformers
from torch import Tensor
from torch.nn.functional import triplet_margin_loss

from benchmarks.bench import ending
from recsys.models.encoder import segments
from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.encoders.tower import LoraOptions
from recsys.pipelines.studies.encoders.train_encoder import (
    MARGIN,
    EncoderOptions,
    Trained,
    untrained,
)
from recsys.pipelines.studies.encoders.training import Optimiser, Pace, Run
from recsys.pipelines.studies.encoders.triplets import Reading, Sample, read_index
from recsys.store.arrays import Rows

PART = 16
"""Triplets that both compute at a time."""


def plain_loss(trained: Trained) -> Callable[[Rows], Tensor]:
    """Return the loss of (t, 3) rows as a loop over texts computes it, each text as it comes."""
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(trained.start.source)
    settings, texts = trained.settings, trained.task.shelf.sources[0].texts

    def encode(rows: Sequence[int]) -> Tensor:
        parts = [segments(texts[row], settings.joiner, settings.max_length) for row in rows]
        padded = tokenizer(
            [part if len(part) > 1 else part[0] for part in parts],
            padding=True,
            truncation=True,
            max_length=settings.max_length,
            return_tensors="pt",
        )
        tower, mask = trained.task.tower, padded["attention_mask"]
        hidden = tower.model(input_ids=padded["input_ids"], attention_mask=mask).last_hidden_state
        if settings.pooling == "cls":
            first: Tensor = hidden[:, 0]
            return first
        mean: Tensor = (hidden * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return mean

    def loss(triplets: Rows) -> Tensor:
        query, positive, negative = (encode(rows.tolist()) for rows in triplets.T)
        return triplet_margin_loss(query, positive, negative, margin=MARGIN)

    return loss


def measure(trained: Trained, *, triplets: int, rounds: int) -> dict[str, Any]:
    """Train both ways on some triplets, in turns: triplets per second, and their ratio."""
    task = trained.task
    drawn = task.examples(np.random.default_rng(0))[:triplets]
    optimiser = Optimiser(task.tower.learned(), Pace())
    losses = {"ours": lambda part: task.loss(task.tower, part), "padded": plain_loss(trained)}
    seconds: dict[str, list[float]] = {name: [] for name in losses}
    task.tower.train()
    with one_thread():
        for turn in range(rounds):
            for name in sorted(losses, reverse=turn % 2 == 1):
                begun = process_time()
                for begin in range(0, len(drawn), PART):
                    loss = losses[name](drawn[begin : begin + PART])
                    loss.backward()  # type: ignore[no-untyped-call] # untyped in torch
                optimiser.step(1e-6)
                seconds[name].append(process_time() - begun)
    rates = {name: len(drawn) / min(each) for name, each in seconds.items()}
    return {
        "triplets": len(drawn),
        "learned_numbers": trained.size,
        "per_second": {name: round(rate, 2) for name, rate in rates.items()},
        "ratio": round(rates["ours"] / rates["padded"], 2),
    }


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("split", type=Path)
    parser.add_argument("--from", dest="start", default=EncoderOptions().start)
    parser.add_argument("--triplets", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    source = read_index(given.index, given.split, Reading(sample=Sample(1, 1)))
    found = {}
    for name, lora in (("full", None), ("adapter", LoraOptions())):
        trained = untrained([source], EncoderOptions(start=given.start, lora=lora), Run())
        found[name] = measure(trained, triplets=given.triplets, rounds=given.rounds)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
