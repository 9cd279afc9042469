"""Ask sources politely: from the store first, never beyond the plan, at their pace, and patiently.

What comes back is the answer, or an `OnlineError` that says when to go on. No key is in either.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from recsys.errors import (
    AnswerNotUnderstood,
    BudgetGone,
    KeyRefused,
    PlanExceeded,
    SourceUnreachable,
)
from recsys.pipelines.online.answer_store import KEPT_DAYS, AnswerStore, Stored
from recsys.pipelines.online.contract import Cost
from recsys.pipelines.online.http_exchange import (
    LARGEST,
    LONGEST,
    MOST_REDIRECTS,
    Exchange,
    FailedExchange,
    Reply,
    Sent,
    redirect,
)
from recsys.pipelines.online.http_verdicts import Verdict, judge
from recsys.pipelines.online.pacing import Clock, Pace, RealClock, backoff
from recsys.pipelines.online.site_table import MAIL, Site, base_address, site_named
from recsys.pipelines.online.source_keys import Keys

TRIES = 5
"""Requests for one answer, before a source counts as unreachable."""
_QUOTED = 200
_GOOD = 200
_SAFE = ":|,*/"


@dataclass(frozen=True, slots=True)
class Manners:
    """How a client behaves.

    most_requests: beyond them it refuses to ask; None: no limit. store: folder of answers, None
    keeps none. days: an answer that is older is asked for anew. addresses: of sites, in the place
    of their own. keys: what sources are told about who asks. largest, longest: bytes and seconds of
    one answer.
    """

    most_requests: int | None = None
    store: Path | None = None
    days: float = KEPT_DAYS
    addresses: Mapping[str, str] = field(default_factory=dict)
    keys: Keys = field(default_factory=Keys)
    clock: Clock = field(default_factory=RealClock)
    tries: int = TRIES
    largest: int = LARGEST
    longest: float = LONGEST


@dataclass(frozen=True, slots=True)
class Question:
    """What a site is asked.

    path: begins with "/". parameters: in their order, without a key. form: sent in a body as an
    address has them. document: sent in a body, as JSON. json: whether JSON is expected. credits:
    what it costs. tolerated: statuses that are an answer, too: that there is nothing. passing:
    statuses that are given back, and not stored. fresh: what the store has is not taken. kept: the
    answer goes into the store.
    """

    site: str
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] = ()
    document: object = None
    json: bool = True
    credits: float = 0.0
    tolerated: frozenset[int] = frozenset()
    passing: frozenset[int] = frozenset()
    fresh: bool = False
    kept: bool = True

    @property
    def shown(self) -> str:
        """The path and its parameters, as they may be shown."""
        query = urlencode(self.parameters, safe=_SAFE)
        return f"{self.path}?{query}" if query else self.path

    @property
    def brief(self) -> str:
        """The same, as an error quotes it."""
        return self.shown if len(self.shown) <= _QUOTED else f"{self.shown[:_QUOTED]}..."

    @property
    def body(self) -> bytes:
        """What is sent beside the address."""
        if self.document is not None:
            return json.dumps(self.document, separators=(",", ":")).encode()
        return urlencode(self.form).encode() if self.form else b""


class Client:
    """Asks sites; counts what it asked.

    made: requests by site, retries and redirects among them. credits: by site, as the sites' own
    prices say. found: answers that the store had. left_out: records that could not be read, by why.
    """

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self.made: Counter[str] = Counter()
        self.credits: dict[str, float] = {}
        self.left_out: Counter[str] = Counter()
        self.found = 0
        self._store = AnswerStore(manners.store, manners.days) if manners.store else None
        self._exchange: Exchange | None = None
        self._paces: dict[str, Pace] = {}

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._exchange is not None:
            self._exchange.close()

    @property
    def spent(self) -> Cost:
        """What was asked of all sites together."""
        return Cost(self.made.total(), sum(self.credits.values()))

    def has_key(self, site: str) -> bool:
        """Tell whether there is a key for a site."""
        return bool(self.manners.keys.get(site_named(site).key))

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question, from the store where it is there.

        Raises:
            OnlineError: the site does not give it; the kind says why.
        """
        site = site_named(question.site)
        asked = self._name(site, question)
        now = self.manners.clock.now()
        if self._store is not None and not question.fresh:
            stored = self._store.get(asked, now)
            if stored is not None:
                self.found += 1
                value = _decoded(stored.body) if _is_json(question, stored.status) else None
                return Reply(stored.status, stored.headers, stored.body, value, stored=True)
        reply = self._asked(site, question)
        lasting = question.kept and reply.status not in question.passing
        if self._store is not None and lasting:
            kept = Stored(reply.status, reply.headers, reply.body, self.manners.clock.now())
            self._store.put(asked, kept)
        return reply

    def _name(self, site: Site, question: Question) -> str:
        """Name a question by all that decides the answer, a key left out."""
        address = base_address(site, self.manners.addresses)
        return f"{address}{question.shown}\n{question.body.decode()}"

    def _asked(self, site: Site, question: Question) -> Reply:
        """Send the question until an answer comes, as often as that is allowed."""
        why, garbled = "", False
        for failures in range(self.manners.tries):
            if failures:
                self._pace(site).hold(backoff(failures, self.manners.clock))
            try:
                reply = self._sent_once(site, question)
            except FailedExchange as error:
                why, garbled = str(error), error.garbled
                if error.again:
                    continue
                break
            verdict = judge(reply, self.manners.clock.now())
            if not verdict.again:
                return self._judged(site, question, reply, verdict)
            why, garbled = f"it answers {reply.status}{_said(reply)}", False
            self._pace(site).hold(verdict.wait)
        if garbled:
            raise AnswerNotUnderstood(
                f"What {site.name} answers to {question.brief} cannot be used: {why}.",
                "Try again later, or ask another source.",
            )
        raise SourceUnreachable(
            f"{site.name} did not answer {question.brief} in {self.manners.tries} tries: {why}.",
            site.hint or "Try again later: what was fetched is kept, and not asked for again.",
        )

    def _judged(self, site: Site, question: Question, reply: Reply, verdict: Verdict) -> Reply:
        """Return what came as the answer, or say what is wrong with it."""
        if reply.status in {_GOOD, *question.tolerated, *question.passing}:
            so_far = self.credits.get(site.name, 0.0)
            self.credits[site.name] = so_far + question.credits
            return reply
        if verdict.spent:
            more = f"; a key ({site.key}) may allow more" if site.key else ""
            raise BudgetGone(
                f"{site.name} allows no more requests now{_when(verdict.until)}.",
                f"Give the same command again then{more}.",
                until=verdict.until,
            )
        if verdict.refused:
            raise KeyRefused(
                f"{site.name} refuses to answer ({reply.status}){_said(reply)}.",
                site.hint
                or (f"Set {site.key} to a valid key." if site.key else "Try again later."),
            )
        raise AnswerNotUnderstood(
            f"{site.name} answers {question.brief} with {reply.status}{_said(reply)}.",
            "Ask for something else; where this lasts, the source has changed.",
        )

    def _sent_once(self, site: Site, question: Question) -> Reply:
        """Send a request, follow it on the same host, and take keys out of what comes back."""
        sent = self._with_key(site, question)
        for _ in range(MOST_REDIRECTS + 1):
            self._count(site)
            if self._exchange is None:
                manners = self.manners
                self._exchange = Exchange(
                    manners.clock, largest=manners.largest, longest=manners.longest
                )
            reply = self._exchange.send(sent)
            self._pace(site).learn(reply.headers)
            further = redirect(reply, sent)
            if further is None:
                body = self.manners.keys.hide_bytes(reply.body)
                value = _decoded(body) if _is_json(question, reply.status) else None
                return Reply(reply.status, reply.headers, body, value)
            sent = further
        raise FailedExchange("it sends us on and on", again=False)

    def _count(self, site: Site) -> None:
        """Keep the plan and the pace.

        Raises:
            PlanExceeded: one more request is more than was planned.
        """
        most = self.manners.most_requests
        if most is not None and self.made.total() >= most:
            raise PlanExceeded(
                f"The {most:,} requests that were planned are made, and more are needed.",
                "Give the same command with a larger plan: what was fetched is kept.",
            )
        self._pace(site).keep()
        self.made[site.name] += 1

    def _with_key(self, site: Site, question: Question) -> Sent:
        """Put the key where it goes."""
        keys, parameters = self.manners.keys, [*question.parameters]
        headers: dict[str, str] = {}
        key, mail = keys.get(site.key), keys.get(MAIL)
        if key and site.key_parameter:
            parameters.append((site.key_parameter, key))
        if key and site.key_header:
            headers[site.key_header] = key
        if mail and site.mail_parameter:
            parameters.append((site.mail_parameter, mail))
        if question.document is not None:
            headers["Content-Type"] = "application/json"
        elif question.form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        address = f"{base_address(site, self.manners.addresses)}{question.path}"
        query = urlencode(parameters, safe=_SAFE)
        return Sent(f"{address}?{query}" if query else address, headers, question.body)

    def _pace(self, site: Site) -> Pace:
        name = site.paced_with or site.name
        if name not in self._paces:
            keys = self.manners.keys
            known = keys.get(site.key) or (site.mail_parameter and keys.get(MAIL))
            faster = site.pace_known if known and site.pace_known is not None else site.pace
            self._paces[name] = Pace(self.manners.clock, faster)
        return self._paces[name]


def _said(reply: Reply) -> str:
    """Quote the beginning of what a site said of a failure."""
    text = " ".join(reply.body[: 4 * _QUOTED].decode("utf-8", "replace").split())
    return f": {text[:_QUOTED]}" if text else ""


def _is_json(question: Question, status: int) -> bool:
    return question.json and status == _GOOD


def _decoded(body: bytes) -> Any:  # noqa: ANN401 - JSON may be anything.
    """Read JSON.

    Raises:
        FailedExchange: it is none, or nested beyond all measure.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FailedExchange("the answer is no JSON", garbled=True) from error


def _when(until: float | None) -> str:
    if until is None:
        return ""
    from datetime import UTC, datetime

    return f", until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC"
