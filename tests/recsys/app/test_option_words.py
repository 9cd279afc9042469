"""Words that options take are those of the tables that the library reads them from."""

from collections.abc import Iterable
from typing import Any, get_args

from recsys.app.cli import clicks, options
from recsys.eval.report import compare, repeats
from recsys.eval.report.evaluation_report import SUFFIXES
from recsys.eval.report.page import FORMATS
from recsys.eval.studies.clicks.propensities import METHODS
from recsys.eval.studies.clicks.simulation import CLICK_MODELS
from recsys.eval.studies.scidocs import scidocs_figures
from recsys.pipelines.studies.clicks.click_features import NEGATIVES
from tests.rows import each_row


@each_row(
    ("words", "table"),
    [
        (options.ComparisonFormat, compare.RENDERERS),
        (options.ComparisonFormat, repeats.RENDERERS),
        (options.ComparisonFormat, scidocs_figures.RENDERERS),
        (options.EvaluationFormat, SUFFIXES),
        (options.ResultFormat, FORMATS),
        (clicks.Method, METHODS),
        (clicks.Readers, CLICK_MODELS),
        (clicks.Negatives, NEGATIVES),
    ],
)
def test_words_are_those_of_the_table(words: Any, table: Iterable[str]) -> None:  # noqa: ANN401
    assert set(get_args(words)) == set(table)
