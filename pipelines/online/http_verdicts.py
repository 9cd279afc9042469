"""What an answer's status means: taken, again later, nothing more today, no key, or wrong."""

from dataclasses import dataclass

from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.pacing import LONGEST_TOLD, told_wait

_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_REFUSED = frozenset({401, 402, 403})
_RATES = (b"rate limit", b"too many", b"slow down", b"ratelimit")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with an answer.

    again: ask again after `wait` seconds at least. spent: the day's budget is gone, `until` then,
    where that is known. refused: it wants another key.
    """

    again: bool = False
    wait: float = 0.0
    spent: bool = False
    until: float | None = None
    refused: bool = False


def judge(reply: Reply, now: float) -> Verdict:
    """Judge an answer by its status and headers.

    Sources mean two things by 429: too quick, and too much for today. The second is one whose
    `Retry-After` is beyond all patience, or that says in its headers that nothing remains
    (`x-ratelimit-remaining`) until `x-ratelimit-reset`, in seconds from now.
    """
    if reply.status in _REFUSED and not _is_rate(reply):
        return Verdict(refused=True)
    if reply.status not in _LATER and not _is_rate(reply):
        return Verdict()
    wait = told_wait(reply.headers, now)
    if reply.status == 429 and wait is None and _nothing_remains(reply):
        reset = told_wait({"retry-after": reply.headers.get("x-ratelimit-reset", "")}, now)
        if reset is None or reset > LONGEST_TOLD:
            return Verdict(spent=True, until=None if reset is None else now + reset)
        wait = reset
    if wait is not None and wait > LONGEST_TOLD:
        return Verdict(spent=True, until=now + wait)
    return Verdict(again=True, wait=wait or 0.0)


def _nothing_remains(reply: Reply) -> bool:
    return reply.headers.get("x-ratelimit-remaining", "").strip() in ("0", "0.0")


def _is_rate(reply: Reply) -> bool:
    """Tell whether a refusal means that we were too quick, as OpenAlex and arXiv say with 403."""
    body = reply.body[:2_000].lower()
    return reply.status == 403 and any(words in body for words in _RATES)
