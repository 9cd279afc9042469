"""What can be asked is written down once."""

from dataclasses import fields

from recsys.query.question_schema import Filters, QuestionOptions, options


def test_every_filter_is_an_option_with_its_default() -> None:
    offered = {each.name: each.default for each in options() if each.is_filter}
    assert {**offered, "library": ()} == {each.name: each.default for each in fields(Filters)}


def test_the_filters_are_those_that_were_chosen() -> None:
    asked = QuestionOptions(min_year=2000, venues=("VIS*",), library=("a",), exclude_own=True)
    assert asked.filters == Filters(min_year=2000, venues=("VIS*",), exclude_own=True)
