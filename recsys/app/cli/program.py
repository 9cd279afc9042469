"""The program `recsys`: its commands, and what becomes of an error."""

import sys
from typing import Annotated

import typer

from recsys.app.cli import (
    answering,
    building,
    checking,
    click_studies,
    clicks,
    compare_encoders,
    embedding,
    encoders,
    evaluating,
    journal,
    probing,
    reporting,
    training,
    tuning,
)
from recsys.app.cli.failures import exit_code
from recsys.version import CREATED_BY

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
train = typer.Typer(
    rich_markup_mode=None, help="Train a model of an index on the citations of its own papers."
)
tune = typer.Typer(
    rich_markup_mode=None, help="Search for good parameters of a model, judged on the dev queries."
)
ablate = typer.Typer(rich_markup_mode=None, help="Show what each part of a model brings.")
click_logs = typer.Typer(
    rich_markup_mode=None, help="Read click logs, and correct them for position bias."
)

app.command()(answering.recommend)
app.command()(building.build)
app.add_typer(train, name="train")
train.command("ranker")(building.train_ranker)
train.command("nnselect")(training.train_nnselect)
train.command("nnrank")(training.train_nnrank)
train.command("encoder")(encoders.train_encoder)
train.command("journal")(journal.train_journal)
app.add_typer(tune, name="tune")
tune.command("nnselect")(tuning.tune_nnselect)
tune.command("nnrank")(tuning.tune_nnrank)
app.add_typer(ablate, name="ablate")
ablate.command("nnrank")(tuning.ablate_nnrank)
ablate.command("encoder")(encoders.ablate_encoder)
ablate.command("journal")(journal.ablate_journal)
app.command()(answering.batch)
app.command()(evaluating.evaluate)
app.command()(reporting.compare)
app.command()(reporting.repeats)
app.command()(reporting.report)
app.command()(reporting.reproduce)
app.add_typer(click_logs, name="clicks")
click_logs.command("simulate")(clicks.simulate)
click_logs.command("estimate")(clicks.estimate)
click_logs.command("evaluate")(clicks.evaluate)
click_logs.command("study")(click_studies.study)
app.command("evaluate-clicks")(click_studies.evaluate_clicks)
app.command()(embedding.embed)
app.command()(embedding.scidocs)
app.command("generate-scidocs")(embedding.generate_scidocs)
app.command("probe")(probing.probe_embeddings)
app.command("compare-encoders")(compare_encoders.compare_encoders)
app.command()(checking.inspect)
app.command()(checking.doctor)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Recommend which papers a draft should cite, with a probability and reasons for each.

    Start with `recsys recommend draft.json`: it answers from a starter corpus of some hundred
    landmark papers. `recsys build papers.jsonl --out my.index` makes an index of your own papers.
    """
    if version:
        typer.echo(CREATED_BY)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def main() -> int:
    """Run the command line and return the exit code: 0 ok, 1 error, 2 usage, 3 nothing found."""
    return exit_code(lambda: app(prog_name="recsys", standalone_mode=False), sys.argv[1:])
