"""A bucket on the loopback: moto's S3, which can be told to refuse."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.request import Request, urlopen

import obstore
import pytest

from recsys.pipelines.corpora import source_files as bucket_files

KEY = "AWS_ACCESS_KEY_ID"
_REFUSED = b"<Error><Code>InvalidAccessKeyId</Code><Message>No such key.</Message></Error>"


@dataclass
class BucketServer:
    """refusing: whether every request is one of a stranger. asked: how many there were."""

    address: str = ""
    refusing: bool = False
    asked: int = 0

    def __post_init__(self) -> None:
        # Not at the top: moto takes a second, and processes that serve no store do without.
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

        self._moto = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, as WSGI has it."""
        self.asked += 1
        if self.refusing:
            start("403 Forbidden", [("Content-Type", "application/xml")])
            return [_REFUSED]
        found: Iterable[bytes] = self._moto(environment, start)
        return found

    def put(self, path: str, content: bytes) -> None:
        """Write an object."""
        bucket, _, name = path.partition("/")
        obstore.put(bucket_files.store_of(bucket), name, content)


@contextmanager
def bucket_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BucketServer]:
    """Serve a store with one empty bucket, "dumps", and name it in the environment."""
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = BucketServer()
    server = make_server("127.0.0.1", 0, app, threaded=True)
    app.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    facts = {"AWS_ENDPOINT_URL": app.address, "AWS_REGION": "us-east-1", KEY: "one"}
    for name, value in (facts | {"AWS_SECRET_ACCESS_KEY": "two"}).items():
        monkeypatch.setenv(name, value)
    bucket_files.store_of.cache_clear()
    try:
        with urlopen(Request(f"{app.address}/moto-api/reset", method="POST")):
            pass  # What other servers of this process were given is gone.
        with urlopen(Request(f"{app.address}/dumps", method="PUT")):
            pass
        yield app
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        bucket_files.store_of.cache_clear()
