"""Questions are kept in memory: bounded, for a while, under keys that nobody can guess."""

import json
from multiprocessing.connection import Client

import pytest

from recsys.app.web.form_fields import FormFields
from recsys.app.web.kept_questions import (
    MOST_PINNED,
    KeptQuestion,
    QuestionStore,
    SharedStore,
    share,
)
from recsys.app.web.replies import Problem
from recsys.records import Paper


def test_a_question_comes_back_as_it_was_put() -> None:
    fields = FormFields(title="Rivers \ud800 \N{SNOWMAN}", cites=("a", "b"), options={"mmr": "0.3"})
    problem = Problem(422, "No.", "Yes.", wait=3)
    question = KeptQuestion(
        fields=fields,
        collection="c",
        notes=("x",),
        keys="[auth]",
        taken=("k",),
        problem=problem,
        marked=True,
    )
    assert KeptQuestion.unpacked(question.packed()) == question
    assert KeptQuestion.unpacked(KeptQuestion(fields=fields).packed()).problem is None


def test_a_question_that_is_asked_again_keeps_its_pins_and_its_keys() -> None:
    pattern = "[auth:lower][year]"
    former = KeptQuestion(fields=FormFields(), collection="c", keys=pattern, taken=("ash2001",))
    again = KeptQuestion(fields=FormFields(title="Rivers")).after(former)
    assert (again.fields.title, again.collection) == ("Rivers", "c")
    paper = Paper("p", "On rivers", year=2001, authors=("Ada Ash",))
    assert again.keys_of([paper]) == ["ash2001a"]
    assert again.after(None) == again


def test_what_is_not_looked_at_for_long_goes() -> None:
    now = [0.0]
    store = QuestionStore(seconds=10, clock=lambda: now[0])
    old, used = store.put(b"old"), store.put(b"used")
    now[0] = 8
    assert store.get(used) == b"used"
    now[0] = 12
    assert (store.get(old), store.get(used), store.get("none")) == (b"", b"used", b"")


def test_there_are_never_more_than_the_bounds_allow() -> None:
    store = QuestionStore(most=3, size=100)
    keys = [store.put(b"x" * 10) for _ in range(4)]
    assert [bool(store.get(key)) for key in keys] == [False, True, True, True]
    large = store.put(b"y" * 85)
    assert [bool(store.get(key)) for key in [*keys, large]] == [False, False, False, True, True]
    assert store.get(store.put(b"z" * 101)) == b""
    assert len({*keys, large}) == 5 and all(len(key) >= 20 for key in keys)


def test_papers_are_pinned_once_each_and_taken_out() -> None:
    store = QuestionStore()
    key = store.put(b"[]")
    for paper in ("a", "b", "a"):
        store.pin(key, paper, True)
    store.pin(key, "none", False)
    assert json.loads(store.get(key)) == ["b", "a"]
    store.pin(key, "b", False)
    assert json.loads(store.get(key)) == ["a"]
    for number in range(MOST_PINNED + 5):
        store.pin(key, f"paper-{number}", True)
    store.pin(key, "x" * 10_000, True)
    store.pin("no such key", "a", True)
    assert len(json.loads(store.get(key))) == MOST_PINNED


def test_processes_share_one_store_and_strangers_do_not() -> None:
    store = QuestionStore()
    address, secret = share(store)
    shared, other = SharedStore(address, secret), SharedStore(address, secret)
    key = shared.put(b"value")
    assert other.get(key) == store.get(key) == b"value"
    assert other.get("none") == b""
    pins = shared.put(b"[]")
    other.pin(pins, "a", True)
    assert json.loads(shared.get(pins)) == ["a"]
    with pytest.raises(Exception, match="digest"):
        SharedStore(address, "wrong").get(key)
    with Client(address, authkey=secret.encode()) as silent:
        silent.send_bytes(b"no JSON")
    assert shared.get(key) == b"value"
