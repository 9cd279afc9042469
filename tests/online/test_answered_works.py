"""What becomes of names before they are asked for, and of works after."""

from collections.abc import Sequence
from datetime import date
from random import Random
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.online.answered_works import (
    agreed,
    distinct,
    each_once,
    in_order,
    parts_of,
)
from recsys.pipelines.online.openalex import any_of
from recsys.pipelines.online.zotero import Zotero
from recsys.records import Reference
from tests.online.world import Servers
from tests.online.zotero_server import ZoteroSite

NAMES = st.lists(st.integers(0, 40).map("doi:10.5555/{}".format), max_size=60)


@given(NAMES, st.sets(st.integers(0, 40)), st.integers(1, 7), st.randoms())
def test_what_is_known_comes_in_the_order_it_was_named(
    names: Sequence[str], known: set[int], batch: int, chance: Random
) -> None:
    asked: list[int] = []

    def ask(scheme: str, bare: Sequence[str]) -> list[Reference]:
        asked.append(len(bare))
        found = [Reference(id=doi, doi=doi) for doi in bare if int(doi.split("/")[1]) in known]
        chance.shuffle(found)
        return found + found[:1]

    found = [f"doi:{work.doi}" for work in in_order(names, ("doi",), batch, ask)]
    wanted = dict.fromkeys(name for name in names if int(name.split("/")[1]) in known)
    assert found == list(wanted)
    assert len(asked) == -(-len(set(names)) // batch)
    assert max(asked, default=0) <= batch


@given(st.lists(st.text(min_size=1, max_size=300), max_size=80), st.integers(1, 50))
def test_parts_have_all_names_and_fit_into_an_address(names: list[str], batch: int) -> None:
    parts = list(parts_of(names, batch))
    assert [name for part in parts for name in part] == names
    for part in parts:
        assert 0 < len(part) <= batch
        ascii_only = all(name.isascii() for name in part)
        assert len(part) == 1 or not ascii_only or len(quote("|".join(part))) <= 3_100


@given(st.lists(st.sampled_from("abcd")))
def test_each_value_comes_once_and_in_order(values: list[str]) -> None:
    assert list(distinct(values)) == list(dict.fromkeys(values))
    works = [Reference(id=value) for value in values]
    assert [work.id for work in each_once(works)] == list(dict.fromkeys(values))


@given(st.text(max_size=200))
def test_what_is_asked_for_has_no_operators_of_its_own(words: str) -> None:
    plain = any_of(words.replace('"', " "))
    assert not {"AND", "NOT"} & set(plain.split())
    assert not set("()|,:*") & set(plain)


def test_of_alike_titles_the_likest_is_taken() -> None:
    wanted = Reference(title="Graph learning for maps", year=2020, authors=("Ann Ash",))
    offered = [
        Reference(id="1", title="Graph learning for mops", year=2021, authors=("Ann Ash",)),
        Reference(id="2", title="Graph Learning for Maps", year=2020, authors=("A. Ash",)),
        Reference(id="3", title="Graph learning for maps", year=1999, authors=("Zoe Zorn",)),
    ]
    found = agreed(wanted, offered)
    assert found is not None and found.id == "2"
    assert agreed(wanted, offered[2:]) is None


def test_a_library_tells_what_changed_since_a_day(servers: Servers) -> None:
    site = servers["zotero"].site
    assert isinstance(site, ZoteroSite)
    site.modified = {"10.5555/9": "2031-05-01T10:00:00Z"}
    try:
        changed = Zotero(servers.client()).changed("", since=date(2030, 1, 1), most=9)
        assert [work.doi for work in changed] == ["10.5555/9"]
    finally:
        site.modified = {}
