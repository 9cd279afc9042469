"""The optional package gensim, with which some baselines learn."""

from typing import TYPE_CHECKING

from recsys.extras import need
from recsys.progress import Progress

if TYPE_CHECKING:
    from gensim.models.callbacks import CallbackAny2Vec

STAGE = "learn words"


def need_gensim() -> None:
    """Raise MissingExtraError where gensim is not installed."""
    need("gensim", "This baseline")


def shown_epochs(progress: Progress, epochs: int) -> "CallbackAny2Vec":
    """Report every epoch of a training."""
    from gensim.models.callbacks import CallbackAny2Vec

    class Shown(CallbackAny2Vec):  # type: ignore[misc]  # gensim has no types.
        done = 0

        def on_epoch_end(self, model: object) -> None:
            self.done += 1
            progress(STAGE, self.done, epochs)

    progress(STAGE, 0, epochs)
    return Shown()
