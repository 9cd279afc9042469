"""The program `recsys`: its commands, and what becomes of an error."""

import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from recsys.app.cli import (
    building,
    checking,
    click_logs,
    click_studies,
    comparing_encoders,
    corpora,
    embedding,
    evaluating,
    mapping_drafts,
    probing,
    recommending,
    reporting,
    serving_pages,
    training_encoders,
    training_journals,
    training_networks,
    tuning,
)
from recsys.app.cli.failures import exit_code
from recsys.app.cli.local import citing_sentences, learning_sentences
from recsys.app.cli.signatures import command
from recsys.version import CREATED_BY


def _group(about: str) -> typer.Typer:
    return typer.Typer(rich_markup_mode=None, help=about)


app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
GROUPS: Mapping[str, typer.Typer] = {
    "train": _group("Train a model of an index on the citations of its own papers."),
    "tune": _group("Search for good parameters of a model, judged on the dev queries."),
    "ablate": _group("Show what each part of a model brings."),
    "clicks": _group("Read click logs, and correct them for position bias."),
}
COMMANDS: Mapping[str, Callable[..., None]] = {
    "recommend": recommending.recommend,
    "cite": citing_sentences.cite,
    "serve": serving_pages.serve,
    "map": mapping_drafts.draw_map,
    "build": building.build,
    "update": building.update,
    "add-contexts": learning_sentences.add_contexts,
    "corpus": corpora.corpus,
    "train ranker": building.train_ranker,
    "train local": learning_sentences.train_local,
    "train nnselect": training_networks.train_nnselect,
    "train nnrank": training_networks.train_nnrank,
    "train encoder": training_encoders.train_encoder,
    "train journal": training_journals.train_journal,
    "tune nnselect": tuning.tune_nnselect,
    "tune nnrank": tuning.tune_nnrank,
    "ablate nnrank": tuning.ablate_nnrank,
    "ablate encoder": training_encoders.ablate_encoder,
    "ablate journal": training_journals.ablate_journal,
    "batch": evaluating.batch,
    "evaluate": evaluating.evaluate,
    "evaluate-local": learning_sentences.evaluate_local,
    "compare": reporting.compare,
    "repeats": reporting.repeats,
    "report": reporting.report,
    "reproduce": reporting.reproduce,
    "clicks simulate": click_logs.simulate,
    "clicks estimate": click_logs.estimate,
    "clicks evaluate": click_logs.evaluate,
    "clicks study": click_studies.study,
    "evaluate-clicks": click_studies.evaluate_clicks,
    "embed": embedding.embed,
    "scidocs": embedding.scidocs,
    "generate-scidocs": embedding.generate_scidocs,
    "probe": probing.probe_embeddings,
    "compare-encoders": comparing_encoders.compare_encoders,
    "inspect": checking.inspect,
    "doctor": checking.doctor,
}
"""Every command by its full name, in the order in which `--help` shows them."""

for name, group in GROUPS.items():
    app.add_typer(group, name=name)
for name, function in COMMANDS.items():
    *inside, own = name.split()
    (GROUPS[inside[0]] if inside else app).command(own)(command(function))


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


def run() -> int:
    """Run the command line and return the exit code: 0 ok, 1 error, 2 usage, 3 nothing found."""
    return exit_code(lambda: app(prog_name="recsys", standalone_mode=False), sys.argv[1:])
