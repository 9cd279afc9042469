"""Words that options take are those of the tables that the library reads them from."""

from collections.abc import Iterable
from typing import Any, get_args

import pytest

from recsys.app.cli import click_logs, click_studies, options
from recsys.eval.report import compare, repeats
from recsys.eval.report.evaluation_report import SUFFIXES
from recsys.eval.report.page_formats import FORMATS
from recsys.eval.studies.clicks.click_models import CLICK_MODELS
from recsys.eval.studies.clicks.estimation import METHODS
from recsys.eval.studies.scidocs import scidocs_table
from recsys.pipelines.studies.clicks.click_pairs import NEGATIVES


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (options.ComparisonFormat, compare.RENDERERS),
        (options.ComparisonFormat, repeats.RENDERERS),
        (options.ComparisonFormat, scidocs_table.RENDERERS),
        (options.EvaluationFormat, SUFFIXES),
        (options.ResultFormat, FORMATS),
        (click_logs.Method, METHODS),
        (click_logs.Readers, CLICK_MODELS),
        (click_studies.Negatives, NEGATIVES),
    ],
)
def test_words_are_those_of_the_table(words: Any, table: Iterable[str]) -> None:  # noqa: ANN401
    assert set(get_args(words)) == set(table)
