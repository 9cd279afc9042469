"""How long to wait: between requests, when a source says so, and after a failure."""

import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Protocol

FIRST_WAIT, LONGEST_BACKOFF = 1.0, 60.0
"""Seconds of the first wait after a failure, which doubles, and of the longest."""
LONGEST_TOLD = 300.0
"""A source that asks for more seconds than that has no budget left for today."""
_LONGEST_INTERVAL = 60.0


class Clock(Protocol):
    """Time and chance, for which tests have others."""

    def now(self) -> float:
        """Return the seconds since 1970."""
        ...

    def passed(self) -> float:
        """Return seconds that never go back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def chance(self) -> float:
        """Return a number in [0, 1)."""
        ...


class RealClock:
    """The clock of this machine."""

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
