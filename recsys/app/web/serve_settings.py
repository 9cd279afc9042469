"""What `recsys serve` was told, in a form that its worker processes are given, too."""

import json
import os
from dataclasses import asdict, dataclass

VARIABLE = "RECSYS_SERVE"
"""The environment variable that hands the settings to worker processes."""
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """How to serve.

    indexes: name and path of each. hosts: values of the header Host that are answered, lower case.
    any_address: whether every address given as numbers is, too. token: what must be shown. threads:
    questions answered at once. queue: how many more may wait. seconds: for an answer, and for a
    body to arrive. body: bytes of a request at most.
    """

    indexes: tuple[tuple[str, str], ...]
    hosts: tuple[str, ...]
    any_address: bool = False
    token: str | None = None
    metrics: bool = False
    starter: bool = False
    threads: int = 2
    queue: int = 32
    seconds: float = 30.0
    body: int = 16 * MEGABYTE

    def hand_on(self) -> None:
        """Leave the settings to the processes that are started from now on."""
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def handed_on(cls) -> "ServeSettings":
        """Take what `hand_on` left."""
        value = json.loads(os.environ[VARIABLE])
        pairs = tuple((name, path) for name, path in value.pop("indexes"))
        return cls(indexes=pairs, hosts=tuple(value.pop("hosts")), **value)
