"""Nodes of Ray on this machine, in a process of their own.

Ray starts nodes by forks, and a fork of a process that LanceDB works in can stay locked.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.built_index import ROOT

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")
"""What work on a node does not go by: it takes one."""
NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 200 * 2**20}
SOON_MISSED = {"health_check_period_ms": 500, "health_check_timeout_ms": 10_000}
"""Else a node that is gone is waited for, for half a minute."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """address: where a command finds the cluster."""

    host: "subprocess.Popen[str]"
    address: str

    def add(self) -> None:
        """Start another node, and wait until the cluster knows it."""
        self._do("add")

    def lose(self) -> None:
        """Kill the node that was added last."""
        self._do("lose")

    def _do(self, what: str) -> None:
        assert self.host.stdin and self.host.stdout
        self.host.stdin.write(f"{what}\n")
        self.host.stdin.flush()
        assert self.host.stdout.readline() == f"{what}\n"


@contextmanager
def two_nodes(**head: object) -> Iterator[Nodes]:
    """Start two nodes of one processor each. head: options of the first, as Ray names them."""
    command = [sys.executable, "-m", "tests.ray_nodes", json.dumps(head)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | QUIET | THREADS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdin and host.stdout
        try:
            address = host.stdout.readline().strip()
            assert address, "the nodes did not start"
            yield Nodes(host, address)
        finally:
            host.stdin.close()  # It ends them.


def main(head: dict[str, Any]) -> None:
    """Host the nodes until nobody holds the other end of our input."""
    with os.fdopen(os.dup(1), "w") as told:
        os.dup2(2, 1)  # What Ray says is for people.
        from ray.cluster_utils import Cluster

        arguments = {**NODE, "include_dashboard": False, "_system_config": SOON_MISSED, **head}
        cluster = Cluster(initialize_head=True, head_node_args=arguments)
        try:
            nodes = [cluster.add_node(**NODE)]
            print(cluster.address, file=told, flush=True)
            for line in sys.stdin:
                if line == "add\n":
                    nodes.append(cluster.add_node(**NODE))
                else:
                    cluster.remove_node(nodes.pop(), allow_graceful=False)
                told.write(line)
                told.flush()
        finally:
            cluster.shutdown()  # type: ignore[no-untyped-call]  # Ray gives it no types.


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
