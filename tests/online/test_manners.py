"""How the client behaves: within its plan, at the pace of sources, patient, and never for ever."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import (
    AnswerNotUnderstood,
    BudgetGone,
    InputError,
    PlanExceeded,
)
from recsys.pipelines.online.client import Question
from recsys.pipelines.online.http_exchange import (
    Pace,
    told_wait,
)
from recsys.pipelines.online.sites import SITES, base_address
from tests.online.crossref_server import CrossrefSite
from tests.online.loopback import Asked, Fault, Given, serving
from tests.online.posed_questions import OTHER, QUESTION, ask
from tests.online.world import CATALOGUE, Servers, TestClock, every_key


def test_nothing_is_asked_twice(servers: Servers, tmp_path: Path) -> None:
    for _ in range(2):
        client = servers.client(store=tmp_path / "answers")
        assert ask(client) == ask(client) == 1
    assert len(servers["openalex"].asked) == 1
    assert client.made.total() == 0


def test_an_old_answer_is_asked_for_anew(servers: Servers, tmp_path: Path) -> None:
    clock = TestClock()
    client = servers.client(store=tmp_path, days=2, clock=clock)
    ask(client)
    clock.time += 1.9 * 86_400
    ask(client)
    assert len(servers["openalex"].asked) == 1
    clock.time += 0.2 * 86_400
    ask(client)
    assert len(servers["openalex"].asked) == 2


def test_a_damaged_answer_on_disk_is_asked_for_anew(servers: Servers, tmp_path: Path) -> None:
    ask(servers.client(store=tmp_path))
    (file,) = tmp_path.rglob("*.gz")
    whole = file.read_bytes()
    for damaged in (b"", whole[:50], b"\0" + whole[1:], b"{}"):
        file.write_bytes(damaged)
        assert ask(servers.client(store=tmp_path)) == 1
        assert file.read_bytes() == whole
    assert len(servers["openalex"].asked) == 5


def test_answers_on_disk_are_for_their_owner_alone(servers: Servers, tmp_path: Path) -> None:
    ask(servers.client(store=tmp_path / "own"))
    assert (tmp_path / "own").stat().st_mode & 0o077 == 0


def test_what_may_change_at_any_time_is_not_kept(servers: Servers, tmp_path: Path) -> None:
    question = Question(QUESTION.site, QUESTION.path, QUESTION.parameters, fresh=True, kept=False)
    client = servers.client(store=tmp_path)
    ask(client, question)
    ask(client, question)
    assert len(servers["openalex"].asked) == 2 and not list(tmp_path.rglob("*.gz"))


def test_the_request_beyond_the_plan_is_not_made(servers: Servers) -> None:
    client = servers.client(most_requests=1)
    ask(client)
    with pytest.raises(PlanExceeded, match="The 1 requests that were planned"):
        ask(client, OTHER)
    assert len(servers["openalex"].asked) == 1


def test_retries_count_in_the_plan(servers: Servers) -> None:
    servers["openalex"].order(*[Fault.BROKEN] * 9)
    with pytest.raises(PlanExceeded):
        ask(servers.client(most_requests=3))
    assert len(servers["openalex"].asked) == 3


def test_requests_keep_their_pace(servers: Servers) -> None:
    clock = TestClock()
    client = servers.client(clock=clock)
    for number in range(4):
        ask(client, Question("openalex", "/works", (("filter", f"doi:10.5555/{number}"),)))
    assert clock.waits == pytest.approx([SITES["openalex"].pace] * 3)


def test_a_key_or_an_address_of_mail_makes_it_quicker(servers: Servers) -> None:
    for name, path in (("crossref", "/works"), ("semanticscholar", "/graph/v1/paper/x")):
        clock = TestClock()
        client = servers.client(clock=clock, keys=every_key())
        for number in range(2):
            question = Question(name, path, (("n", str(number)),), tolerated=frozenset({404}))
            client.ask(question)
        assert clock.waits == pytest.approx([SITES[name].pace_known])


def test_a_source_may_ask_for_a_slower_pace(servers: Servers) -> None:
    clock = TestClock()
    limits = {"X-Rate-Limit-Limit": "1", "X-Rate-Limit-Interval": "8s"}
    with serving(CrossrefSite(CATALOGUE, limits=limits)) as served:
        client = servers.client(clock=clock, addresses={"crossref": served.address})
        for number in range(3):
            client.ask(Question("crossref", "/works", (("rows", str(number)),)))
    assert clock.waits == pytest.approx([8, 8])


def test_zotero_may_ask_for_a_pause() -> None:
    clock = TestClock()
    pace = Pace(clock, 0.0)
    pace.learn({"backoff": "30"})
    pace.keep()
    pace.keep()
    assert clock.waits == [30]


def test_it_waits_as_long_as_it_is_told(servers: Servers) -> None:
    clock = TestClock()
    servers["openalex"].order(Fault.BUSY, Fault.BUSY)
    assert ask(servers.client(clock=clock)) == 1
    assert clock.waits == [7, 7]


@pytest.mark.parametrize("site", ["openalex", "semanticscholar", "crossref", "arxiv", "pubmed"])
def test_a_budget_that_is_gone_ends_it_at_once(servers: Servers, site: str) -> None:
    clock = TestClock()
    servers[site].order(Fault.SPENT)
    client = servers.client(clock=clock)
    with pytest.raises(BudgetGone) as caught:
        client.ask(Question(site, "/works", json=False))
    assert clock.waits == [] and len(servers[site].asked) == 1
    assert caught.value.until is not None and caught.value.until >= clock.time + 40_000
    assert "2027-01-1" in caught.value.what and "Give the same command again" in caught.value.hint


def test_a_budget_may_be_told_by_what_remains(servers: Servers) -> None:
    class Spent:
        def answer(self, asked: Asked) -> Given:
            left = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5000"}
            return Given(b"", 429, left)

    clock = TestClock()
    with serving(Spent()) as served:
        client = servers.client(clock=clock, addresses={"openalex": served.address})
        with pytest.raises(BudgetGone) as caught:
            ask(client)
    assert caught.value.until == pytest.approx(clock.time + 5000)


def test_only_this_machine_is_asked_without_tls() -> None:
    for host in ("127.0.0.1:8", "localhost:8", "[::1]:8"):
        assert base_address(SITES["openalex"], {"openalex": f"http://{host}/"}) == f"http://{host}"
    others = ("http://example.org", "http://127.0.0.1.example.org", "ftp://127.0.0.1")
    for address in (*others, "file:///etc", "x"):
        with pytest.raises(InputError, match="is not an address"):
            base_address(SITES["openalex"], {"openalex": address})
    plain = [site.name for site in SITES.values() if not site.address.startswith("https://")]
    assert plain == ["zotero"]


def test_the_environment_may_give_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECSYS_ARXIV_OAI_URL", "https://mirror.example/")
    assert base_address(SITES["arxiv-oai"], {}) == "https://mirror.example"
    assert base_address(SITES["arxiv"], {}) == "https://export.arxiv.org"


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert ask(servers.client()) == 1


@pytest.mark.parametrize("proxy", ["socks5://me:pass-word@h", "gopher://me:pass-word@h"])
def test_a_proxy_of_no_known_kind_is_told(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    client = servers.client(addresses={"openalex": "https://nowhere.invalid"})
    with pytest.raises(AnswerNotUnderstood, match="the proxy that the environment names") as caught:
        ask(client)
    assert "pass-word" not in str(caught.value)


def test_a_refused_cursor_is_not_kept_and_an_absent_work_is(
    servers: Servers, tmp_path: Path
) -> None:
    absent = Question("openalex", "/works/W1", tolerated=frozenset({404}))
    passing = Question("openalex", "/works/W2", passing=frozenset({404}))
    for _ in range(2):
        client = servers.client(store=tmp_path)
        assert client.ask(absent).status == client.ask(passing).status == 404
    paths = [asked.path for asked in servers["openalex"].asked]
    assert paths == ["/works/W1", "/works/W2", "/works/W2"]


@given(st.text("0123456789 -+.:,eGMTFri Jan", max_size=40))
def test_any_retry_after_is_a_wait_or_nothing(text: str) -> None:
    wait = told_wait({"retry-after": text}, 1_800_000_000.0)
    assert wait is None or 0 <= wait < 10**12
