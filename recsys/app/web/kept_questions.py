"""Keep questions in memory for a while, so that every page of an answer is a GET and Back works.

Nothing is written to the disk, and no address holds the text of a draft. What is kept longest
without being looked at goes first.
"""

import json
import secrets
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from multiprocessing import ProcessError
from multiprocessing.connection import Client, Listener
from typing import TypeAlias

from pydantic import TypeAdapter

from recsys.app.web.form_fields import FormFields
from recsys.app.web.replies import Problem
from recsys.formats.references.citation_keys import citation_keys
from recsys.records import Paper, PaperId

LIFETIME = 12 * 3600.0
"""Seconds that a question is kept after somebody last looked at its answer: a day at work."""
MOST_KEPT = 1_000
MOST_BYTES = 64 * 2**20
"""Of all questions together; one with the sentences of a long draft has some 200,000."""
MOST_PINNED = 500
LONGEST_ID = 1_000
"""Letters of an id that is pinned: none of a paper is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptQuestion:
    """A question as it was understood.

    collection: where its pinned papers are kept. notes: what was said of its files. keys, taken:
    the pattern of its citation keys, and those that it has. problem: why it has no answer; None
    where it has one. listed: references that are checked, as JSON. marked: whether its text has
    places that its author marked as lacking a citation.
    """

    fields: FormFields
    collection: str = ""
    notes: tuple[str, ...] = ()
    keys: str | None = None
    taken: tuple[str, ...] = ()
    problem: Problem | None = None
    listed: str = ""
    marked: bool = False

    def after(self, former: "KeptQuestion | None") -> "KeptQuestion":
        """Take over what a question keeps that is asked again: its pins, and how it calls works."""
        if former is None:
            return self
        keys, taken = self.keys or former.keys, self.taken or former.taken
        return replace(self, collection=former.collection, keys=keys, taken=taken)

    def keys_of(self, papers: Sequence[Paper]) -> list[str]:
        """Name papers by citation keys as the draft does, none of which it has."""
        return citation_keys(papers, self.taken, self.keys)

    def packed(self) -> bytes:
        """Write it down."""
        return zlib.compress(json.dumps(asdict(self)).encode(), 1)

    @classmethod
    def unpacked(cls, raw: bytes) -> "KeptQuestion":
        """Read what `packed` wrote."""
        return _KEPT.validate_python(json.loads(zlib.decompress(raw)))


_KEPT = TypeAdapter(KeptQuestion)


class QuestionStore:
    """Keeps values in this process."""

    def __init__(
        self,
        *,
        most: int = MOST_KEPT,
        size: int = MOST_BYTES,
        seconds: float = LIFETIME,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with none.

        Args:
            most: how many values.
            size: bytes of all of them.
            seconds: that a value is kept after it was last asked for.
            clock: tells the time in seconds.
        """
        self._most, self._size, self._seconds, self._clock = most, size, seconds, clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._held = 0

    def put(self, value: bytes) -> str:
        """Keep a value, and return its key."""
        key = secrets.token_urlsafe(16)
        with self._lock:
            self._set(key, value)
        return key

    def get(self, key: str) -> bytes:
        """Return a value, b"" when it is no longer kept."""
        with self._lock:
            self._forget()
            if key not in self._kept:
                return b""
            value = self._kept[key][1]
            self._set(key, value)
            return value

    def pin(self, key: str, paper_id: PaperId, pinned: bool) -> None:
        """Add a paper to a collection, or take it out."""
        with self._lock:
            self._forget()
            if key in self._kept:
                ids = [each for each in json.loads(self._kept[key][1]) if each != paper_id]
                ids += [paper_id] if pinned and len(paper_id) <= LONGEST_ID else []
                self._set(key, json.dumps(ids[-MOST_PINNED:]).encode())

    def change(self, key: str, value: bytes) -> None:
        """Put a value in the place of one that is kept."""
        with self._lock:
            self._forget()
            if key in self._kept:
                self._set(key, value)

    def _set(self, key: str, value: bytes) -> None:
        """Put a value last: what is first was asked for longest ago."""
        _, former = self._kept.pop(key, (0.0, b""))
        self._kept[key] = self._clock() + self._seconds, value
        self._held += len(value) - len(former)
        self._forget()

    def _forget(self) -> None:
        now = self._clock()
        while self._kept:
            until, value = next(iter(self._kept.values()))
            if until > now and len(self._kept) <= self._most and self._held <= self._size:
                return
            self._kept.popitem(last=False)
            self._held -= len(value)


# Several processes that serve share the store of the one that started them.


def share(store: QuestionStore) -> tuple[str, str]:
    """Let processes that are told the address and the secret use a store, as `SharedStore`."""
    secret = secrets.token_hex(32)
    listener = Listener(authkey=secret.encode())

    def answer() -> None:
        while True:
            # One that ends while it asks, or does not know the secret, costs nobody else anything.
            with suppress(OSError, EOFError, ValueError, ProcessError), listener.accept() as asking:
                verb, words = json.loads(asking.recv_bytes())
                value = asking.recv_bytes()
                if verb == "put":
                    asking.send_bytes(store.put(value).encode())
                elif verb == "get":
                    asking.send_bytes(store.get(*words))
                elif verb == "change":
                    store.change(words[0], value)
                    asking.send_bytes(b"")
                else:
                    store.pin(*words)
                    asking.send_bytes(b"")

    threading.Thread(target=answer, name="kept questions", daemon=True).start()
    return str(listener.address), secret


class SharedStore:
    """Keeps values in the process that shares its store."""

    def __init__(self, address: str, secret: str) -> None:
        """Remember where that process listens."""
        self._address, self._secret = address, secret.encode()

    def put(self, value: bytes) -> str:
        """Keep a value, and return its key."""
        return self._ask("put", value=value).decode()

    def get(self, key: str) -> bytes:
        """Return a value, b"" when it is no longer kept."""
        return self._ask("get", key)

    def pin(self, key: str, paper_id: PaperId, pinned: bool) -> None:
        """Add a paper to a collection, or take it out."""
        self._ask("pin", key, paper_id, pinned)

    def change(self, key: str, value: bytes) -> None:
        """Put a value in the place of one that is kept."""
        self._ask("change", key, value=value)

    def _ask(self, verb: str, *words: str | bool, value: bytes = b"") -> bytes:
        with Client(self._address, authkey=self._secret) as asking:
            asking.send_bytes(json.dumps([verb, words]).encode())
            asking.send_bytes(value)
            return asking.recv_bytes()


Store: TypeAlias = QuestionStore | SharedStore
"""Where questions and collections are kept, under keys that nobody can guess."""
