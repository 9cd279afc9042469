"""The application over a small index, asked as a program asks it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from starlette.testclient import TestClient

from recsys.app.web.listening import make_application
from recsys.app.web.service import ServeSettings, Service

HOST = "127.0.0.1:8000"
TOKEN = "a-token-of-many-characters"
DRAFT = {"title": "Rivers, measured again", "abstract": "We measure rivers with an instrument."}


def settings_of(*indexes: Path, **changes: object) -> ServeSettings:
    """Serve indexes under the names of their folders."""
    pairs = tuple((path.name.removesuffix(".index"), str(path)) for path in indexes)
    return replace(ServeSettings(indexes=pairs, hosts=(HOST,)), **changes)  # type: ignore[arg-type]  # Names and values as a test gives them.


@contextmanager
def serving(settings: ServeSettings) -> Iterator[TestClient]:
    """Ask an application that closes its threads at the end; errors are answered, not raised."""
    application = make_application(Service(settings))
    with TestClient(
        application,
        base_url=f"http://{HOST}",
        raise_server_exceptions=False,
        follow_redirects=False,
    ) as client:
        yield client
