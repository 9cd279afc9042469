"""A server of Milvus for tests: milvus-lite, on a free port of this machine."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc


@contextmanager
def lite_server(folder: Path) -> Iterator[str]:
    """Serve a folder; give the address."""
    from milvus_lite.adapter.grpc.server import start_server_in_thread  # It takes a second.

    server, database, port = start_server_in_thread(str(folder / "served.db"))
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(0).wait()
        database.close()


class _Refusing(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc ships no types.
    """Refuses everything: nobody is known."""

    def service(self, handler_call_details: object) -> object:
        return grpc.unary_unary_rpc_method_handler(_refuse)


def _refuse(request: bytes, context: grpc.ServicerContext) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "auth check failure")


@contextmanager
def refusing_server() -> Iterator[str]:
    """Serve nobody; give the address."""
    server = grpc.server(ThreadPoolExecutor(1), handlers=(_Refusing(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(0).wait()
