"""The optional package gensim, with which some baselines learn."""

from typing import TYPE_CHECKING

from recsys.errors import MissingExtraError
from recsys.progress import Progress

if TYPE_CHECKING:
    from gensim.models.callbacks import CallbackAny2Vec

STAGE = "learn words"


def need_gensim() -> None:
    """Raise MissingExtraError where gensim is not installed."""
    try:
        import gensim  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "This baseline needs gensim, which is not installed.", "pip install 'recsys[baselines]'"
        ) from error


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
