"""The folder of a trained encoder: what is told there of its training, and when it is replaced."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from recsys.errors import InputError
from recsys.eval.studies.encoders.training_page import TRAINING
from recsys.pipelines.encoders.checkpoints import Checkpoint
from recsys.pipelines.encoders.export_encoder import Settings
from recsys.pipelines.studies.finetuning.training_history import History
from recsys.version import CREATED_BY

SCHEMA = "recsys.training/1"


def check_out(out: Path) -> None:
    """Refuse to replace anything but an encoder that was trained here.

    Raises:
        InputError: the folder holds something else, or has no parent.
    """
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / TRAINING).is_file()):
        raise InputError(
            f"{out} exists and is no encoder that recsys trained.",
            "Give another --out, or move it away.",
        )


def facts_of(start: Checkpoint, settings: Settings, history: History) -> dict[str, Any]:
    """Write down what every training tells: from what it started, and what happened."""
    return {
        "schema": SCHEMA,
        "created_by": CREATED_BY,
        "start": start.name,
        "start_hash": start.weights_hash,
        "settings": asdict(settings),
        "history": asdict(history) | {"losses": np.round(history.losses, 5).tolist()},
    }
