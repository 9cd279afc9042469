"""`recsys doctor --online`: one small request to each source, and none without the option."""

import re
from collections.abc import Iterator

import pytest

from recsys.app.doctor import examine_sources
from recsys.pipelines.online.client import ClientConfig
from recsys.pipelines.online.http_exchange import Clock
from recsys.pipelines.online.sites import SITES, variables
from tests.conftest import RunCli
from tests.online.loopback import Fault
from tests.online.world import KEY, Servers, TestClock, every_key


@pytest.fixture
def asked(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Let the environment lead to the servers, and give no key."""
    for name, address in servers.addresses.items():
        monkeypatch.setenv(SITES[name].variable, address)
    for name in variables():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Clock, "sleep", lambda clock, seconds: None)
    yield servers


def count(servers: Servers) -> dict[str, int]:
    return {name: len(served.asked) for name, served in servers.by_name.items()}


def test_each_source_is_asked_once(asked: Servers, run_cli: RunCli) -> None:
    done = run_cli("doctor", "--online")
    lines = {line.split()[1]: line for line in done.out.splitlines()}
    assert count(asked) == dict.fromkeys(SITES, 1) | {"zotero-web": 0}
    assert set(SITES) - {"zotero-web"} <= set(lines)
    assert re.search(
        r"no key \(RECSYS_OPENALEX_KEY\), [\d,]+ of 10,000 credits left", lines["openalex"]
    )
    assert lines["zotero"].endswith("answers") and done.code == 0


def test_nothing_is_asked_without_the_option(asked: Servers, run_cli: RunCli) -> None:
    assert run_cli("doctor").code == 0
    assert set(count(asked).values()) == {0}


def test_a_good_key_is_told(asked: Servers) -> None:
    found = {c.name: c for c in examine_sources(ClientConfig(keys=every_key(), clock=TestClock()))}
    for name in ("openalex", "semanticscholar", "pubmed", "zotero-web"):
        assert found[name].ok and "the key is good" in found[name].detail
    assert KEY not in str(found)


def test_what_does_not_answer_is_a_problem_with_a_next_step(
    asked: Servers, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked["openalex"].order(Fault.SPENT)
    asked["crossref"].order(Fault.BROKEN)
    asked["pubmed"].order(Fault.FORBIDDEN)
    monkeypatch.setenv("RECSYS_PUBMED_KEY", KEY)
    monkeypatch.setenv("RECSYS_ZOTERO_URL", "http://127.0.0.1:9")
    done = run_cli("doctor", "--online")
    assert done.code == 1 and done.out.count("PROBLEM") == 3
    assert "openalex allows no more requests now, until 2" in done.out
    assert "crossref did not answer /works" in done.out
    assert "Set RECSYS_PUBMED_KEY to a valid key." in done.out
    assert "not running here" in done.out and KEY not in done.out + done.err
