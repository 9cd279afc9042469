"""How strongly an adapter is applied: a gentler one forgets less of what its start knew.

The change to each product is multiplied with a strength: 1 is as trained, 0 is the start. Weights
between those of an encoder and of its fine-tuned self often serve what it was not trained for
better than either (Wortsman et al. 2022, Robust fine-tuning of zero-shot models, eq. 1).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recsys.errors import ArtifactCorrupt, ArtifactMismatch, ArtifactMissing, InputError
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.studies.finetuning.encoder_training import Run, put
from recsys.pipelines.studies.finetuning.lora import adapters
from recsys.pipelines.studies.finetuning.student import ADAPTER
from recsys.pipelines.studies.finetuning.training_history import History
from recsys.pipelines.studies.specter.fitting import EncoderOptions, Trained, untrained
from recsys.pipelines.studies.specter.triplet_sources import Source

STRENGTHS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Finished:
    """A training as its folder tells it. facts: all that `training.json` says."""

    folder: Path
    options: EncoderOptions
    history: History
    facts: Mapping[str, Any]


def at_strength(trained: Trained, strength: float) -> Trained:
    """Apply the adapters of an encoder, from now on, at a strength; its tower is no copy."""
    lora = trained.options.lora
    if lora is not None:
        for each in adapters(trained.task.tower.model).values():
            each.scale = strength * lora.scale
    return replace(trained, strength=strength)


def read_finished(folder: Path) -> Finished:
    """Read what a folder tells about the training of its encoder.

    Raises:
        ArtifactMissing: no encoder was trained there.
        ArtifactCorrupt: what it tells is not readable.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        facts: Mapping[str, Any] = json.loads((folder / TRAINING).read_text(encoding="utf-8"))
        options = TypeAdapter(EncoderOptions).validate_python(facts["options"])
        did = facts["history"]
        did = {"examples": did.get("triplets", 0), **did}  # As it was called once.
        history = TypeAdapter(History).validate_python(did)
        return Finished(folder, options, history, facts)
    except OSError as error:
        raise ArtifactMissing(
            f"{folder} holds no encoder that was trained here ({error}).",
            "Train one with `recsys train encoder`.",
        ) from error
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise ArtifactCorrupt(
            f"{folder / TRAINING} is not readable ({error}).", "Train the encoder again."
        ) from error


def taken_up(
    finished: Finished, sources: Sequence[Source], run: Run, *, learned: int | None = None
) -> Trained:
    """Load an encoder with the adapter that a training left in its folder, at full strength.

    Args:
        finished: the training.
        sources: what the encoder is to be measured on.
        run: how it is run.
        learned: how many of the sources count together (see `EncoderTask`); None: all.

    Raises:
        InputError: the training changed all weights.
        ArtifactError: the adapter is not readable, or of another encoder than the one it names.
    """
    path = finished.folder / ADAPTER
    if finished.options.lora is None:
        raise InputError(
            f"The encoder in {finished.folder} was trained with all of its weights.",
            "Give a folder with an adapter, or train again.",
        )
    trained = untrained(sources, finished.options, run, learned=learned)
    parameters = trained.task.tower.learned()
    factors = _factors(path, trained.start.weights_hash)
    if set(factors) != set(parameters):
        raise ArtifactMismatch(
            f"The adapter {path} changes other products than its {TRAINING} says.",
            "Train it again.",
        )
    put(parameters, factors)
    return replace(trained, history=finished.history)


def _factors(path: Path, base: str) -> dict[str, Any]:
    """Read the factors of an adapter as parameters of a tower; base: hash of its start."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            own = (file.metadata() or {}).get("base")
            factors = {f"model.{name}": file.get_tensor(name) for name in file.keys()}
    except (OSError, SafetensorError) as error:
        raise ArtifactCorrupt(
            f"{path} is not readable as an adapter ({error}).", "Train it again."
        ) from error
    if own != base:
        raise ArtifactMismatch(
            f"The adapter {path} changes other weights than those of its start as it is now.",
            "Give the encoder that it was trained on, where it was.",
        )
    return factors
