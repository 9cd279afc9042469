"""Words and defaults of options are those of the library, which reads them from its tables."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from recsys.app.cli import (
    clicks,
    encoder_measures,
    encoder_training,
    evaluating,
    networks,
    options,
    sentences,
)
from recsys.eval.report import compare, repeats
from recsys.eval.report.evaluation_report import FILES
from recsys.eval.report.page import FORMATS
from recsys.eval.studies.clicks.propensities import METHODS
from recsys.eval.studies.clicks.simulation import CLICK_MODELS
from recsys.eval.studies.scidocs import scidocs_figures
from recsys.pipelines.evaluation.evaluate import DEFAULT_SYSTEMS
from recsys.pipelines.local.evaluate_local import LOCAL_SYSTEMS, LocalEvaluation
from recsys.pipelines.local.local_queries import KNOWN
from recsys.pipelines.local.train_local import LocalTraining
from recsys.pipelines.studies.citeomatic.nnrank import NNRankOptions
from recsys.pipelines.studies.clicks.click_features import NEGATIVES
from recsys.pipelines.studies.embedding_probes import PROBES
from recsys.pipelines.studies.encoders.train_encoder import EncoderOptions
from recsys.pipelines.studies.encoders.train_journal import JournalOptions
from recsys.pipelines.studies.encoders.triplets import Sample
from tests.rows import each_row

LOCAL, ENCODER, JOURNAL, NNRANK = (
    LocalEvaluation(),
    EncoderOptions(),
    JournalOptions(),
    NNRankOptions(),
)


@each_row(
    ("words", "table"),
    [
        (options.ComparisonFormat, compare.RENDERERS),
        (options.ComparisonFormat, repeats.RENDERERS),
        (options.ComparisonFormat, scidocs_figures.RENDERERS),
        (options.EvaluationFormat, FILES),
        (options.ResultFormat, FORMATS),
        (clicks.Method, METHODS),
        (clicks.Readers, CLICK_MODELS),
        (clicks.Negatives, NEGATIVES),
        (sentences.Known, KNOWN),
    ],
)
def test_words_are_those_of_the_table(words: Any, table: Iterable[str]) -> None:  # noqa: ANN401
    assert set(get_args(words)) == set(table)


@each_row(
    ("command", "defaults"),
    [
        (evaluating.evaluate, {"systems": ",".join(DEFAULT_SYSTEMS)}),
        (encoder_measures.probe_embeddings, {"probes": ",".join(PROBES)}),
        (sentences.train_local, {"per_paper": LocalTraining().per_paper}),
        (
            sentences.evaluate_local,
            {"systems": ",".join(LOCAL.systems), "known": LOCAL.known, "masked": LOCAL.masked}
            | {"per_paper": LOCAL.per_paper, "k": LOCAL.k, "seed": LOCAL.seed},
        ),
        (
            encoder_training.train_encoder,
            {"start": ENCODER.start, "hard": ENCODER.draw.hard, "near": ENCODER.draw.near}
            | {"epochs": ENCODER.loop.epochs, "batch": ENCODER.loop.batch}
            | {"part": ENCODER.loop.part, "dropout": ENCODER.dropout, "loss": ENCODER.loss.name}
            | {"dev_queries": Sample().queries, "dev_papers": Sample().papers},
        ),
        (
            encoder_training.train_journal,
            {"start": JOURNAL.start.start, "dropout": JOURNAL.start.dropout}
            | {"label": JOURNAL.classes.label, "min_count": JOURNAL.classes.least}
            | {"max_count": JOURNAL.classes.most, "unseen": JOURNAL.classes.unseen}
            | {"epochs": JOURNAL.loop.epochs, "batch": JOURNAL.loop.batch}
            | {"part": JOURNAL.loop.part, "seed": JOURNAL.loop.seed, "device": JOURNAL.device},
        ),
        (
            networks.train_nnrank,
            {"epochs": NNRANK.loop.epochs, "rate": NNRANK.loop.rate}
            | {"dim": NNRANK.model.size.words, "dropout": NNRANK.model.dropout}
            | {"gamma": NNRANK.model.margins.gamma},
        ),
        (networks.ablate_nnrank, {"epochs": NNRANK.loop.epochs, "rate": NNRANK.loop.rate}),
    ],
)
def test_defaults_are_those_of_the_library(
    command: Callable[..., None], defaults: Mapping[str, object]
) -> None:
    given = inspect.signature(command).parameters
    assert {name: given[name].default for name in defaults} == defaults


def test_names_that_help_does_not_import_are_those_of_the_library() -> None:
    assert sentences.SYSTEMS == tuple(LOCAL_SYSTEMS)
    assert sentences.EVERY_YEAR == LOCAL.years
