"""A store on the loopback: moto's S3, which can be made to fail."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.request import Request, urlopen

import pytest

from recsys.pipelines.remote.object_store import ObjectFolder, StoreAddress

Answer = tuple[str, bytes]
"""A line of status, and a body."""
REFUSED: Answer = (
    "403 Forbidden",
    b"<Error><Code>InvalidAccessKeyId</Code><Message>No such key.</Message></Error>",
)
BROKEN: Answer = ("400 Bad Request", b"<Error><Code>Broken</Code><Message>Gone.</Message></Error>")
"""A failure that nobody tries again."""
BUCKET = "bucket"


@dataclass
class StoreServer:
    """asked: method and path of every request. failure: what a request gets instead, if any."""

    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    failure: Callable[[str, str], Answer | None] = lambda method, path: None

    def __post_init__(self) -> None:
        # Not at the top: moto takes a second, and processes that serve no store do without.
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

        self._moto = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, as WSGI has it."""
        method, path = environment["REQUEST_METHOD"], environment["PATH_INFO"]
        answer = self.failure(method, path)
        if answer is not None:
            status, body = answer
            start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
            return [body]
        self.asked.append((method, path))
        found: Iterable[bytes] = self._moto(environment, start)
        return found

    def fail_after(self, writes: int, answer: Answer = BROKEN) -> None:
        """Let so many requests that write pass, and no more."""
        left = iter(range(writes))
        self.failure = lambda method, path: (
            answer if method in ("PUT", "POST") and next(left, None) is None else None
        )

    def work(self) -> None:
        """Fail no more, and forget what was asked."""
        self.failure = lambda method, path: None
        self.asked.clear()

    def writes(self) -> list[str]:
        """List the paths that were written to."""
        return [path for method, path in self.asked if method == "PUT"]


@contextmanager
def served(bucket: str = BUCKET) -> Iterator[StoreServer]:
    """Serve a store with one empty bucket, named by the usual variables of the environment."""
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = StoreServer()
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            app.port = server.server_port
            patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{app.port}")
            patch.setenv("AWS_REGION", "us-east-1")
            patch.setenv("AWS_ACCESS_KEY_ID", "key")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
            make_bucket(app.port, bucket)
            yield app
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def make_bucket(port: int, name: str) -> None:
    """Make a bucket."""
    with urlopen(Request(f"http://127.0.0.1:{port}/{name}", method="PUT")):
        pass


def folder_at(name: str) -> ObjectFolder:
    """Open the place of an index in the bucket."""
    return ObjectFolder(StoreAddress("s3", f"{BUCKET}/{name}"))
