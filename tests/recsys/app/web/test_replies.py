"""A token goes on with one question only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.app.web.replies import FARTHEST, RequestError, digest_of, offset_in, token
from tests.rows import each_row

DIGEST = digest_of("index", {"title": "Rivers"})


@given(st.integers(0, FARTHEST - 1))
def test_a_token_says_where_to_go_on(offset: int) -> None:
    assert offset_in(token(offset, DIGEST), DIGEST) == offset


@given(st.text(max_size=60))
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(RequestError) as caught:
        offset_in(text, DIGEST)
    assert caught.value.status == 400


@each_row("offset", [-1, FARTHEST, 10**30])
def test_a_token_that_goes_too_far_is_refused(offset: int) -> None:
    with pytest.raises(RequestError):
        offset_in(token(offset, DIGEST), DIGEST)


def test_a_token_belongs_to_a_question_and_an_index() -> None:
    for other in (digest_of("index", {"title": "Deserts"}), digest_of("x", {"title": "Rivers"})):
        with pytest.raises(RequestError, match="another question"):
            offset_in(token(20, DIGEST), other)


def test_the_order_of_names_does_not_matter() -> None:
    assert digest_of("i", {"a": 1, "b": 2}) == digest_of("i", {"b": 2, "a": 1})
