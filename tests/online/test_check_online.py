import random
from dataclasses import replace

import pytest

from recsys.checking.check import check
from recsys.checking.verdicts import Verdict
from recsys.pipelines.online.check_online import CheckPlan, online_source
from recsys.pipelines.online.client import TRIES
from recsys.pipelines.online.sources import SOURCES, source
from recsys.records import Reference
from tests.online.loopback import Fault
from tests.online.world import CATALOGUE, Servers

PAPERS = CATALOGUE.papers[10:22]


def listed() -> list[Reference]:
    """List works as people do: some with a DOI, one altered, one invented."""
    known = [
        Reference(f"ref{place}", paper.title, paper.authors, paper.year, "Forest Letters",
                  doi=paper.id if place % 2 else None, kind="article-journal")
        for place, paper in enumerate(PAPERS)
    ]  # fmt: skip
    known[3] = replace(known[3], authors=("Kim Kapok", "Lou Larch"))
    invented = Reference("none", "Whales that sing to lighthouses in autumn", ("Moe Maple",), 2001)
    return [*known, replace(invented, kind="article-journal", venue="Sea Letters")]


@pytest.mark.parametrize("name", ["openalex", "crossref", "semanticscholar", "pubmed", "arxiv"])
def test_every_source_can_be_asked(servers: Servers, name: str) -> None:
    asked = listed()
    if name == "pubmed":
        asked[3] = replace(asked[3], doi=None)
    report = check(asked, [online_source(source(name, servers.client()))], this_year=2026)
    verdicts = [item.verdict for item in report.items]
    wrong = [place for place, verdict in enumerate(verdicts) if verdict is not Verdict.CONFIRMED]
    assert wrong == [3, len(PAPERS)], [(item.verdict, item.why) for item in report.items]
    assert verdicts[3] is Verdict.DIFFERS and verdicts[-1] is Verdict.NOT_FOUND
    assert set(SOURCES) >= {name}


def test_no_more_is_asked_than_the_plan_says(servers: Servers) -> None:
    sources = tuple(source(name, servers.client()) for name in ("openalex", "crossref"))
    plan = CheckPlan(sources, tuple(listed()))
    check(listed(), [online_source(each) for each in sources], this_year=2026)
    made = sum(len(servers[name].asked) for name in ("openalex", "crossref"))
    assert 0 < made <= plan.requests
    lines = list(plan.lines())
    assert "13 references" in lines[0] and "OpenAlex: at most" in lines[1]


def test_a_network_that_goes_away_makes_nothing_unfound(servers: Servers) -> None:
    """Whatever request fails, and how: what would be found is never said to be absent."""
    quiet = [online_source(source("openalex", servers.client()))]
    usual = check(listed(), quiet, this_year=2026)
    requests = len(servers["openalex"].asked)
    rng = random.Random(0)
    faults = (Fault.BROKEN, Fault.BUSY, Fault.SHORT, Fault.CUT, Fault.NO_JSON, Fault.NOT_A_LIST)
    for run in range(50):
        servers.reset()
        begun = rng.randrange(requests)
        servers["openalex"].order(*[None] * begun, *[rng.choice(faults)] * (TRIES * requests * 2))
        web = [online_source(source("openalex", servers.client()))]
        report = check(listed(), web, this_year=2026)
        for before, after in zip(usual.items, report.items, strict=True):
            assert after.verdict in (before.verdict, Verdict.NOT_CHECKED), (run, begun, after)
            assert after.absent is None or before.verdict is Verdict.NOT_FOUND
        assert any(item.verdict is Verdict.NOT_CHECKED for item in report.items)
