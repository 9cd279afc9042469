"""A training in a process of its own, which kills itself or is one of several.

Run as `python -m tests.pipelines.studies.encoders.other_process FOLDER [STEP]`: over what
`small_sources` wrote to FOLDER; after STEP steps it sends itself SIGKILL.
"""

import os
import signal
import sys
from pathlib import Path

from recsys.pipelines.studies.citeomatic.network_training import one_thread
from recsys.pipelines.studies.encoders.train_encoder import TrainedEncoder, fit
from recsys.pipelines.studies.encoders.training import STAGE, Run, joined
from tests.pipelines.studies.encoders.small_sources import small_source, tiny_options


def train_here(folder: Path, name: str, *, die_after: int = 0) -> TrainedEncoder:
    """Train the tiny BERT of a folder; the checkpoint has a name."""

    def progress(stage: str, done: int, total: int) -> None:
        if stage == STAGE and done == die_after:
            os.kill(os.getpid(), signal.SIGKILL)

    partial = folder / f"{name}.safetensors"
    with one_thread(), joined("cpu") as ranks:
        run = Run(ranks, saving=0.0, progress=progress)
        return fit(small_source(folder), tiny_options(folder / "tiny"), partial, run)


if __name__ == "__main__":
    train_here(Path(sys.argv[1]), "other", die_after=int(sys.argv[2]))
    os._exit(0)  # Now and then a thread of torch aborts a process that has nothing left to do.
