"""One request over HTTP and its answer, when to ask again, and how fast."""

import math
import random
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from recsys.errors import need
from recsys.pipelines.online.sites import is_loopback
from recsys.store.artifacts import VERSION

if TYPE_CHECKING:
    import httpx2

FIRST_WAIT, LONGEST_BACKOFF = 1.0, 60.0
"""Seconds of the first wait after a failure, which doubles, and of the longest."""
LONGEST_TOLD = 300.0
"""A source that asks for more seconds than that has no budget left for today."""
_LONGEST_INTERVAL = 60.0


class Clock:
    """Time and chance of this machine; tests have others."""

    def now(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def passed(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def chance(self) -> float:
        """Return a number in [0, 1)."""
        return random.random()


@dataclass(slots=True)
class Pace:
    """When a site may be asked next."""

    clock: Clock
    seconds: float
    _last: float = field(default=-math.inf)
    _held: float = field(default=-math.inf)

    def keep(self) -> None:
        """Wait until the site may be asked, and count the request from now."""
        wait = max(self._last + self.seconds, self._held) - self.clock.passed()
        if wait > 0:
            self.clock.sleep(wait)
        self._last = self.clock.passed()

    def hold(self, seconds: float) -> None:
        """Let nothing be asked for so long."""
        self._held = max(self._held, self.clock.passed() + seconds)

    def learn(self, headers: Mapping[str, str]) -> None:
        """Become slower where the answer's headers say that fewer requests are allowed.

        Crossref tells how many it allows (`x-rate-limit-limit`) in how long a time, such as `1s`;
        Zotero asks for a pause (`backoff`) when it is busy.
        """
        allowed = _number(headers.get("x-rate-limit-limit"))
        interval = _number(headers.get("x-rate-limit-interval", "").rstrip("s"))
        if allowed and interval:
            self.seconds = max(self.seconds, min(interval / allowed, _LONGEST_INTERVAL))
        if pause := _number(headers.get("backoff")):
            self.hold(min(pause, LONGEST_TOLD))


def told_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds after which to ask again, as `Retry-After` says: a number, or a date."""
    text = headers.get("retry-after", "").strip()
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def backoff(failures: int, clock: Clock) -> float:
    """Return the seconds to wait after so many failures: doubled each time, and by chance.

    Between one half and all of it, so that those who failed together do not come back together.
    """
    whole: float = min(FIRST_WAIT * 2.0 ** (failures - 1), LONGEST_BACKOFF)
    return whole * (0.5 + 0.5 * clock.chance())


def _number(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if 0 <= found < 10**9 else None


USER_AGENT = f"recsys/{VERSION}"
LARGEST = 64 * 2**20
"""Bytes of an answer, unpacked: a page of the longest records has a few MB."""
LONGEST = 120.0
"""Seconds for a whole answer; each of its parts may take a quarter of it."""
MOST_REDIRECTS = 3
_ANY_HEADER = 47  # What zlib calls: its own header, or that of gzip.
_STEP = 2**20


class FailedExchange(Exception):
    """Nothing usable came back; what happened is its text.

    again: trying anew may help. garbled: something came, and could not be read.
    """

    def __init__(self, what: str, *, again: bool = True, garbled: bool = False) -> None:
        super().__init__(what)
        self.again, self.garbled = again, garbled or not again


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it goes out, its key in place: not to be shown."""

    address: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; names of headers are in lower case. value: what its JSON says, if it is some."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    value: Any = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class _Timed:
    """A connection, or what opens them, each step of which ends with the time of the answer.

    The limits of the library are of one step, of which a sender may take as many as it wants.
    left: gives the seconds that a step may take, or raises.
    """

    inner: Any
    left: Callable[[], float]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Whatever has no time limit.
        return getattr(self.inner, name)

    def connect_tcp(self, *place: Any, timeout: float | None, **options: Any) -> "_Timed":  # noqa: ANN401
        return _Timed(self.inner.connect_tcp(*place, timeout=self.left(), **options), self.left)

    def start_tls(self, *how: Any, timeout: float | None, **options: Any) -> "_Timed":  # noqa: ANN401
        return _Timed(self.inner.start_tls(*how, timeout=self.left(), **options), self.left)

    def read(self, size: int, timeout: float | None = None) -> bytes:
        found: bytes = self.inner.read(size, timeout=self.left())
        return found

    def write(self, content: bytes, timeout: float | None = None) -> None:
        self.inner.write(content, timeout=self.left())


class Exchange:
    """Connections, kept open between requests."""

    def __init__(self, clock: Clock, *, largest: int = LARGEST, longest: float = LONGEST) -> None:
        need("httpx2", "Asking sources on the web")
        self._clock, self._largest, self._longest = clock, largest, longest
        self._until = math.inf
        self._transports: dict[str | None, httpx2.HTTPTransport] = {}

    def send(self, sent: Sent) -> Reply:
        """Send a request: POST where it has a body.

        Raises:
            FailedExchange: nothing came, or too much, too late, or cut short.
        """
        import httpx2

        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip", **sent.headers}
        self._until = self._clock.passed() + self._longest
        try:
            request = httpx2.Request(
                "POST" if sent.body else "GET",
                sent.address,
                headers=headers,
                content=sent.body or None,
            )
            with closing(self._transport(sent.address).handle_request(request)) as response:
                found = {name.lower(): text for name, text in response.headers.items()}
                body = b"".join(self._body(response.iter_raw(), found))
                return Reply(response.status_code, found, body)
        except httpx2.TimeoutException as error:
            self._left()  # Tells, if all of the time is over.
            what = f"it stalled for {self._longest / 4:.0f} seconds"
            raise FailedExchange(what) from error
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            # The text of an error may hold an address, and that a key: its kind is enough.
            raise FailedExchange(_kind_of(error)) from None

    def _left(self) -> float:
        """Return the seconds that the next step of an answer may take."""
        left = self._until - self._clock.passed()
        if left <= 0:
            raise FailedExchange(f"the answer took more than {self._longest:.0f} seconds")
        return min(left, self._longest / 4)

    def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            transport.close()

    def _transport(self, address: str) -> "httpx2.HTTPTransport":
        """Return the transport of an address: through the proxy that the environment names."""
        import httpx2

        parts = urlsplit(address)
        host = parts.hostname or ""
        direct = is_loopback(host) or bool(proxy_bypass(host))
        proxy = None if direct else getproxies().get(parts.scheme)
        if proxy not in self._transports:
            try:
                transport = httpx2.HTTPTransport(verify=_trusted(), proxy=proxy)
            except (ImportError, ValueError, httpx2.InvalidURL):  # Its text may hold a password.
                what = "the proxy that the environment names is of no kind that is known"
                raise FailedExchange(what, again=False) from None
            pool = transport._pool  # Nothing public leads there.
            timed: Any = _Timed(pool._network_backend, self._left)
            pool._network_backend = timed
            self._transports[proxy] = transport
        return self._transports[proxy]

    def _body(self, raw: Iterator[bytes], headers: Mapping[str, str]) -> Iterator[bytes]:
        size = 0
        for piece in _unpacked(raw, headers.get("content-encoding", "")):
            size += len(piece)
            if size > self._largest:
                what = f"the answer is larger than {self._largest / 2**20:.0f} MB"
                raise FailedExchange(what, again=False)
            yield piece


@cache
def _trusted() -> ssl.SSLContext:
    """Read the certificates that are trusted, once for all clients."""
    import httpx2

    return httpx2.create_ssl_context()


def redirect(reply: Reply, sent: Sent) -> Sent | None:
    """Return where an answer sends us, None where it does not.

    Raises:
        FailedExchange: to another host, which would be told the key and might be anywhere.
    """
    place = reply.headers.get("location")
    if reply.status not in (301, 302, 303, 307, 308) or not place:
        return None
    address = urljoin(sent.address, place)
    old, new = urlsplit(sent.address), urlsplit(address)
    if (old.scheme, old.hostname, old.port) != (new.scheme, new.hostname, new.port):
        where = new.hostname or "somewhere"
        raise FailedExchange(f"it sends us to {where}, where nothing is asked", again=False)
    if old.query and not new.query:
        address = f"{address}?{old.query}"
    return Sent(address, sent.headers, sent.body if reply.status in (307, 308) else b"")


def _unpacked(raw: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Unpack gzip in bounded steps; to end before its end is a failure."""
    if encoding not in ("gzip", "x-gzip", "deflate"):
        if encoding not in ("", "identity"):
            raise FailedExchange(f"the answer is packed as {encoding!r}", again=False)
        yield from raw
        return
    unpacking = zlib.decompressobj(_ANY_HEADER)
    try:
        for chunk in raw:
            while chunk:
                if unpacking.eof:
                    raise FailedExchange("the answer goes on after its gzip stream", garbled=True)
                yield unpacking.decompress(chunk, _STEP)
                chunk = unpacking.unconsumed_tail or unpacking.unused_data
    except zlib.error as error:
        raise FailedExchange("the answer is damaged gzip", garbled=True) from error
    if not unpacking.eof:
        raise FailedExchange("the answer ends in the middle of its gzip stream", garbled=True)


def _kind_of(error: Exception) -> str:
    """Say what kind of failure it was, and the system's reason, which names no address."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return f"its certificate or TLS was refused ({cause.reason})"
        if isinstance(cause, OSError) and cause.strerror:
            return f"the connection failed ({cause.strerror})"
        cause = cause.__cause__ or cause.__context__
    return f"the connection failed ({type(error).__name__})"


_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_RATES = (b"rate limit", b"too many", b"slow down", b"ratelimit")


def retry_policy(reply: Reply, now: float) -> float | None:
    """Return the seconds after which to ask again; None where what came is the answer.

    Sources mean two things by 429: too quick, and too much for today. The second is one whose
    `Retry-After` is beyond LONGEST_TOLD, or that says in its headers that nothing remains
    (`x-ratelimit-remaining`) until `x-ratelimit-reset`, in seconds from now: infinity where that is
    not told.
    """
    # OpenAlex and arXiv say with 403, too, that we were too quick.
    forbidden = reply.body[:2_000].lower() if reply.status == 403 else b""
    if reply.status not in _LATER and not any(words in forbidden for words in _RATES):
        return None
    wait = told_wait(reply.headers, now)
    remains = reply.headers.get("x-ratelimit-remaining", "").strip()
    if reply.status == 429 and wait is None and remains in ("0", "0.0"):
        reset = told_wait({"retry-after": reply.headers.get("x-ratelimit-reset", "")}, now)
        return math.inf if reset is None else reset
    return wait or 0.0
