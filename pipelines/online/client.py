"""Ask sources politely: from the store first, never beyond the plan, at their pace, and patiently.

What comes back is the answer, or an `OnlineError` that says when to go on. No key is in either.
"""

import gzip
import hashlib
import json
import math
import os
import zlib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

from recsys.errors import (
    AnswerNotUnderstood,
    BudgetGone,
    KeyRefused,
    PlanExceeded,
    SourceUnreachable,
    shortened,
)
from recsys.formats.files import TooManyValues, checked_json
from recsys.formats.replacing import replacing
from recsys.pipelines.online.http_exchange import (
    LARGEST,
    LONGEST,
    LONGEST_TOLD,
    MOST_REDIRECTS,
    Clock,
    Exchange,
    FailedExchange,
    Pace,
    Reply,
    Sent,
    backoff,
    redirect,
    retry_policy,
)
from recsys.pipelines.online.sites import MAIL, SITES, Keys, Site, base_address

KEPT_DAYS = 30
"""An answer that is older is asked for anew."""
_DAY = 86_400.0
_TOLD = frozenset({"last-modified-version", "total-results"})
"""Headers that are kept, being part of the answer."""


@dataclass(frozen=True, slots=True)
class AnswerStore:
    """A folder of answers; only its owner may look into it, since it tells of a draft."""

    folder: Path
    days: float = KEPT_DAYS

    def get(self, asked: str, now: float) -> Reply | None:
        """Return the answer to what was asked; None where there is none, or none that is good."""
        try:
            head, _, body = gzip.decompress(self._path(asked).read_bytes()).partition(b"\n")
            facts = json.loads(head)
            if now - facts["at"] < self.days * _DAY:
                return Reply(facts["status"], facts["headers"], body)
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            pass  # Cut short by a crash of the machine, or another's file.
        return None

    def put(self, asked: str, reply: Reply, now: float) -> None:
        """Keep an answer, whole or not at all; now: seconds since 1970."""
        path = self._path(asked)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        headers = {name: text for name, text in reply.headers.items() if name in _TOLD}
        facts = {"asked": asked, "at": now, "status": reply.status, "headers": headers}
        head = json.dumps(facts, ensure_ascii=False).encode("utf-8", "replace")
        with replacing(path) as temporary:
            temporary.write_bytes(gzip.compress(head + b"\n" + reply.body, 6, mtime=0))

    def _path(self, asked: str) -> Path:
        name = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        if not self.folder.is_dir():
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        return self.folder / name[:2] / f"{name}.gz"


TRIES = 5
"""Requests for one answer, before a source counts as unreachable."""
_QUOTED = 200
_GOOD = frozenset({200, 201})
_REFUSED = frozenset({401, 402, 403})
_SAFE = ":|,*/"


@dataclass(frozen=True, slots=True)
class ClientConfig:
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
    clock: Clock = field(default_factory=Clock)
    tries: int = TRIES
    largest: int = LARGEST
    longest: float = LONGEST


@dataclass(frozen=True, slots=True)
class Question:
    """What a site is asked.

    path: begins with "/". parameters: in their order, without a key. form: sent in a body as an
    address has them. document: sent in a body, as JSON; text: sent in a body as it is. headers:
    beside those of the key. json: whether JSON is expected. tolerated: statuses that are an answer,
    too: that there is nothing. passing: statuses that are given back, and not stored. fresh: what
    the store has is not taken. kept: the answer goes into the store. once: it is never repeated,
    since it changes something.
    """

    site: str
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] = ()
    document: object = None
    text: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    json: bool = True
    tolerated: frozenset[int] = frozenset()
    passing: frozenset[int] = frozenset()
    fresh: bool = False
    kept: bool = True
    once: bool = False

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
        return urlencode(self.form).encode() if self.form else self.text.encode()


class Client:
    """Asks sites; counts what it asked.

    made: requests by site, retries and redirects among them.
    """

    def __init__(self, config: ClientConfig) -> None:
        self.config = config
        self.made: Counter[str] = Counter()
        self._store = AnswerStore(config.store, config.days) if config.store else None
        self._exchange: Exchange | None = None
        self._paces: dict[str, Pace] = {}

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        if self._exchange is not None:
            self._exchange.close()

    def has_key(self, site: str) -> bool:
        """Tell whether there is a key for a site."""
        return bool(self.config.keys.get(SITES[site].key))

    def ask(self, question: Question) -> Reply:
        """Return the answer to a question, from the store where it is there.

        Raises:
            OnlineError: the site does not give it; the kind says why.
        """
        site, store, clock = SITES[question.site], self._store, self.config.clock
        # All that decides the answer, a key left out.
        address = base_address(site, self.config.addresses)
        asked = f"{address}{question.shown}\n{question.body.decode()}"
        if store is not None and not question.fresh and (stored := store.get(asked, clock.now())):
            with suppress(FailedExchange):  # Another's file: it is asked for anew.
                return self._read(question, stored)
        reply = self._asked(site, question)
        if store is not None and question.kept and reply.status not in question.passing:
            store.put(asked, reply, clock.now())
        return reply

    def _asked(self, site: Site, question: Question) -> Reply:
        """Send the question until an answer comes, as often as that is allowed."""
        why, garbled, tries = "", False, 1 if question.once else self.config.tries
        for failures in range(tries):
            if failures:
                self._pace(site).hold(backoff(failures, self.config.clock))
            try:
                reply = self._sent_once(site, question)
            except FailedExchange as error:
                why, garbled = self._shown(str(error)), error.garbled
                if error.again:
                    continue
                break
            wait = retry_policy(reply, self.config.clock.now())
            if wait is None or reply.status in question.passing:
                return self._answer(site, question, reply)
            if wait > LONGEST_TOLD:
                until, when = None, ""
                if wait < math.inf:  # Else nobody knows.
                    until = self.config.clock.now() + wait
                    when = f", until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC"
                more = f"; a key ({site.key}) may allow more" if site.key else ""
                raise BudgetGone(
                    f"{site.name} allows no more requests now{when}.",
                    f"Give the same command again then{more}.",
                    until=until,
                )
            why, garbled = f"it answers {reply.status}{_said(reply)}", False
            self._pace(site).hold(wait)
        if garbled:
            what = f"What {site.name} answers to {question.brief} cannot be used: {why}."
            raise AnswerNotUnderstood(what, "Try again later, or ask another source.")
        times = f"{tries} tries" if tries > 1 else "1 try"
        what = f"{site.name} did not answer {question.brief} in {times}: {why}."
        hint = site.hint or "Try again later: what was fetched is kept, and not asked for again."
        raise SourceUnreachable(what, hint)

    def _answer(self, site: Site, question: Question, reply: Reply) -> Reply:
        """Return what came as the answer, or say what is wrong with it."""
        if reply.status in _GOOD | question.tolerated | question.passing:
            return reply
        if reply.status in _REFUSED:
            raise KeyRefused(
                f"{site.name} refuses to answer ({reply.status}){_said(reply)}.",
                site.hint
                or (f"Set {site.key} to a valid key." if site.key else "Try again later."),
            )
        what = f"{site.name} answers {question.brief} with {reply.status}{_said(reply)}."
        hint = "Ask for something else; where this lasts, the source has changed."
        raise AnswerNotUnderstood(what, hint)

    def _sent_once(self, site: Site, question: Question) -> Reply:
        """Send a request, follow it on the same host, and take keys out of what comes back."""
        sent, most = self._with_key(site, question), self.config.most_requests
        for _ in range(MOST_REDIRECTS + 1):
            if most is not None and self.made.total() >= most:
                what = f"The {most:,} requests that were planned are made, and more are needed."
                hint = "Give the same command with a larger plan: what was fetched is kept."
                raise PlanExceeded(what, hint)
            self._pace(site).keep()
            self.made[site.name] += 1
            if self._exchange is None:
                config = self.config
                self._exchange = Exchange(
                    config.clock, largest=config.largest, longest=config.longest
                )
            reply = self._exchange.send(sent)
            self._pace(site).learn(reply.headers)
            further = redirect(reply, sent)
            if further is None:
                return self._read(question, reply)
            sent = further
        raise FailedExchange("it sends us on and on", again=False)

    def _read(self, question: Question, reply: Reply) -> Reply:
        """Take keys out of all that came, and read JSON where it is asked for.

        Raises:
            FailedExchange: it is none, or nested beyond all measure.
        """
        hide = self.config.keys.hide
        told = {name: hide(text.encode()).decode() for name, text in reply.headers.items()}
        body, value = hide(reply.body), None
        if question.json and reply.status in _GOOD:
            try:
                value = json.loads(checked_json(body.decode("utf-8-sig")))
            except TooManyValues as error:
                raise FailedExchange(f"the answer has {error}", again=False) from error
            except (ValueError, RecursionError) as error:
                raise FailedExchange("the answer is no JSON", garbled=True) from error
        return Reply(reply.status, told, body, value)

    def _shown(self, said: str) -> str:
        """Take keys out of what is said of an answer, and then shorten it: no part of one stays."""
        return shortened(self.config.keys.hide(said.encode()).decode(), _QUOTED)

    def _with_key(self, site: Site, question: Question) -> Sent:
        """Put the key where it goes."""
        keys, parameters = self.config.keys, [*question.parameters]
        headers = dict(question.headers)
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
        address = f"{base_address(site, self.config.addresses)}{question.path}"
        query = urlencode(parameters, safe=_SAFE)
        return Sent(f"{address}?{query}" if query else address, headers, question.body)

    def _pace(self, site: Site) -> Pace:
        name = site.paced_with or site.name
        if name not in self._paces:
            keys = self.config.keys
            known = keys.get(site.key) or (site.mail_parameter and keys.get(MAIL))
            faster = site.pace_known if known and site.pace_known is not None else site.pace
            self._paces[name] = Pace(self.config.clock, faster)
        return self._paces[name]


def _said(reply: Reply) -> str:
    """Quote the beginning of what a site said of a failure."""
    text = " ".join(reply.body[: 4 * _QUOTED].decode("utf-8", "replace").split())
    return f": {text[:_QUOTED]}" if text else ""
