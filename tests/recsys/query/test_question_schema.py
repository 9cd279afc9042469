"""What can be asked is written down once."""

from dataclasses import fields

from recsys.query.question_schema import Filters, options


def test_every_filter_is_an_option_with_its_default() -> None:
    offered = {each.name: each.default for each in options() if each.is_filter}
    assert {**offered, "library": ()} == {each.name: each.default for each in fields(Filters)}
