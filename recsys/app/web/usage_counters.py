"""Count requests and their seconds, for Prometheus: nothing that was asked is in it."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds in seconds."""
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class UsageCounters:
    """Counters of one process."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[int] = Counter()
        self._seconds = 0.0

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        with self._lock:
            self._requests[route, status] += 1
            self._buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds += seconds

    def text(self, *, inside: int) -> str:
        """Write the counters in Prometheus' text format; inside: questions that are in work."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(inside))

    def _lines(self, inside: int) -> Iterator[str]:
        yield "# HELP recsys_requests_total Requests by route and status."
        yield "# TYPE recsys_requests_total counter"
        for (route, status), number in sorted(self._requests.items()):
            yield f'recsys_requests_total{{route="{route}",status="{status}"}} {number}'
        yield "# HELP recsys_request_seconds How long requests took."
        yield "# TYPE recsys_request_seconds histogram"
        below = 0
        for place, bound in enumerate(BUCKETS):
            below += self._buckets[place]
            yield f'recsys_request_seconds_bucket{{le="{bound:g}"}} {below}'
        total = self._buckets.total()
        yield f'recsys_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"recsys_request_seconds_sum {self._seconds:.6f}"
        yield f"recsys_request_seconds_count {total}"
        yield "# HELP recsys_questions_in_work Questions that are being answered or wait."
        yield "# TYPE recsys_questions_in_work gauge"
        yield f"recsys_questions_in_work {inside}"
