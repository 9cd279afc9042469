"""How commands are told where the work is done that can be shared out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from recsys.app.cli.declarations import OneOf, Option, bad_value
from recsys.app.cli.options import Quiet
from recsys.progress import Progress

if TYPE_CHECKING:
    from recsys.pipelines.jobs.engines import Engine

POOL, RAY = "pool", "ray"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoices:
    """What shares the work, and whether it is watched."""

    engine: Annotated[
        str,
        OneOf((POOL, RAY)),
        Option(
            "--engine",
            help="What shares the work: the processors of this machine, or a cluster of Ray (needs "
            "`recsys[ray]`). What is written does not depend on it.",
        ),
    ] = POOL
    address: Annotated[
        str | None,
        Option(
            "--address",
            metavar="ADDRESS",
            show_default="a cluster of this machine alone",
            help="Cluster of Ray: `auto` for the one that this machine is in, HOST:PORT, or "
            "ray://HOST:PORT.",
        ),
    ] = None
    quiet: Quiet = False

    @contextmanager
    def running(self, *, jobs: int | None = None) -> Iterator[tuple[Progress, "Engine"]]:
        """Give what shows progress, and the engine: see `opened`."""
        from recsys.app.bars import shown_progress

        with shown_progress(quiet=self.quiet) as progress, self.opened(jobs=jobs) as engine:
            yield progress, engine

    @contextmanager
    def opened(self, *, jobs: int | None = None, gpus: float = 0.0) -> Iterator["Engine"]:
        """Give the engine that was chosen, connected.

        Args:
            jobs: processes at most; None: one per processor.
            gpus: share of a GPU for each process that encodes.

        Raises:
            UsageError: what is said of a cluster goes to the pool.
            RecsysError: see `ray_connection.connected`.
        """
        if self.engine == RAY:
            from recsys.pipelines.jobs.ray_cluster import connected

            with connected(self.address, actors=jobs, gpus=gpus) as cluster:
                yield cluster
            return
        for option, given in (("--address", self.address), ("--num-gpus", gpus)):
            if given:
                raise bad_value(f"it is of a cluster: give --engine {RAY}, too.", option=option)
        from recsys.pipelines.jobs.engines import ProcessPool

        yield ProcessPool(jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodingEngineChoices(EngineChoices):
    """What shares the work where texts are encoded, which GPUs do faster."""

    num_gpus: Annotated[
        float,
        Option(
            "--num-gpus",
            min=0,
            help="With Ray: share of a GPU that each process takes to encode, such as 0.5.",
        ),
    ] = 0.0

    @contextmanager
    def opened(self, *, jobs: int | None = None, gpus: float = 0.0) -> Iterator["Engine"]:
        """Give the engine that was chosen: see `EngineChoices.opened`. gpus: of the option."""
        with EngineChoices.opened(self, jobs=jobs, gpus=gpus or self.num_gpus) as engine:
            yield engine
