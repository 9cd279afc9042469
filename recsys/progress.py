"""How long work reports its progress; only `recsys.app` draws bars."""

from typing import Protocol


class Progress(Protocol):
    """Called now and then by long work."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say that `done` of `total` steps of a stage are finished; equal, they end the stage."""
        ...


def silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""
