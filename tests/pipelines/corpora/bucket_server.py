"""A bucket of files to read, in the store on the loopback."""

from collections.abc import Iterator
from contextlib import contextmanager

import obstore

from recsys.pipelines.corpora.source_files import store_of
from tests.pipelines.remote.store_server import StoreServer, served

BUCKET = "dumps"


def put(name: str, content: bytes) -> None:
    """Write an object into the bucket."""
    obstore.put(store_of(BUCKET), name, content)


@contextmanager
def bucket_server() -> Iterator[StoreServer]:
    """Serve a store with one empty bucket, and name it in the environment."""
    with served(BUCKET) as server:
        store_of.cache_clear()  # Those of the environment before.
        # What other servers of this process were given is there, too.
        old = [found["path"] for page in obstore.list(store_of(BUCKET)) for found in page]
        if old:
            obstore.delete(store_of(BUCKET), old)
        yield server
    store_of.cache_clear()
