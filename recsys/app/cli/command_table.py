"""The commands of the program: where each is found, and what the help says of it in one line."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from recsys.app.cli.declarations import Command

GROUPS: Mapping[str, str] = {
    "train": "Train a model of an index on the citations of its own papers.",
    "study": "Measure and compare methods: networks, encoders, clicks.",
}
"""Word that begins the names of several commands -> what they have in common."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command is: a function of a module of this room; about: how its docstring begins."""

    module: str
    function: str
    about: str

    def load(self) -> Command:
        """Import the command: its module alone, of forty."""
        found: Command = getattr(import_module(f"recsys.app.cli.{self.module}"), self.function)
        return found


COMMANDS: Mapping[str, Place] = {
    "recommend": Place(
        "answering.recommending",
        "recommend",
        "Recommend the papers that a draft should cite, best first.",
    ),
    "cite": Place(
        "local.citing_sentences",
        "cite",
        "Recommend papers for the places of a draft that lack a citation.",
    ),
    "serve": Place(
        "serving_pages",
        "serve",
        "Serve a page where one drops a draft and sees what to cite, and an API for programs.",
    ),
    "map": Place(
        "answering.mapping_drafts",
        "draw_map",
        "Draw the papers around a draft: x is the year, y the topic.",
    ),
    "build": Place(
        "building",
        "build",
        "Build an index of papers from files of any format; a killed build "
        "continues where it stopped.",
    ),
    "update": Place(
        "building",
        "update",
        "Add, replace or remove papers; the index then answers as if it were built anew.",
    ),
    "add-contexts": Place(
        "local.learning_sentences",
        "add_contexts",
        "Add citing sentences to an index: `recsys cite` then reads what papers were cited for.",
    ),
    "corpus": Place(
        "corpora",
        "corpus",
        "Make one corpus of files of any format: read, merge what is one paper, link citations.",
    ),
    "fetch": Place(
        "fetching",
        "fetch",
        "Fetch papers around a draft, or on a subject, from open sources on the web.",
    ),
    "train ranker": Place(
        "building",
        "train_ranker",
        "Train the index's own ranker on the train queries, stopped early on the dev queries.",
    ),
    "train local": Place(
        "local.learning_sentences",
        "train_local",
        "Train the index's own ranker of `recsys cite` on citing sentences.",
    ),
    "train nnselect": Place(
        "training.training_networks",
        "train_nnselect",
        "Train Citeomatic's first stage on the train queries, stopped early on the dev queries.",
    ),
    "train nnrank": Place(
        "training.training_networks",
        "train_nnrank",
        "Train Citeomatic's second stage on the train queries, stopped early on the dev queries.",
    ),
    "train encoder": Place(
        "training.training_encoders",
        "train_encoder",
        "Train an encoder on the citations of the train queries, stopped early on the dev queries.",
    ),
    "batch": Place(
        "evaluating", "batch", "Answer every query of a split's part and write a TREC run file."
    ),
    "evaluate": Place(
        "evaluating",
        "evaluate",
        "Evaluate systems on a split's part and write runs, judgements and figures into a folder.",
    ),
    "evaluate-local": Place(
        "local.learning_sentences",
        "evaluate_local",
        "Evaluate which papers are found for citing sentences whose citation was taken away.",
    ),
    "compare": Place(
        "reporting",
        "compare",
        "Score TREC runs of any system, with 95 % intervals, and test every pair of them.",
    ),
    "repeats": Place(
        "reporting",
        "repeats",
        "Average evaluations that repeat one another, and test every pair of systems.",
    ),
    "report": Place(
        "reporting",
        "report",
        "Report on an evaluation: one HTML page, Markdown, JSON, or LaTeX tables.",
    ),
    "embed": Place(
        "embedding",
        "embed",
        "Write the vectors of papers to a file; a killed run continues where it stopped.",
    ),
    "inspect": Place(
        "checking",
        "inspect",
        "Show what an index holds and how it was built, and check that its files are whole.",
    ),
    "doctor": Place(
        "checking",
        "doctor",
        "Check the installation and the machine; each problem comes with its next step.",
    ),
    "study tune-nnselect": Place(
        "study.networks",
        "tune_nnselect",
        "Search for good parameters of NNSelect, by the recall of the dev queries.",
    ),
    "study tune-nnrank": Place(
        "study.networks",
        "tune_nnrank",
        "Search for good parameters of NNRank, by the F1@20 of the dev queries.",
    ),
    "study ablate-nnrank": Place(
        "study.networks",
        "ablate_nnrank",
        "Train NNRank without each of its parts and show what each brings, with significance.",
    ),
    "study ablate-encoder": Place(
        "study.encoder_training",
        "ablate_encoder",
        "Train an encoder without each part of SPECTER's recipe and show what each brings on dev.",
    ),
    "study train-journal": Place(
        "study.encoder_training",
        "train_journal",
        "Train an encoder to tell the journals of papers, stopped early on papers held out.",
    ),
    "study ablate-journal": Place(
        "study.encoder_training",
        "ablate_journal",
        "Train encoders to tell shares of the journals and show what that is "
        "worth for other journals.",
    ),
    "study scidocs": Place(
        "study.encoder_measures",
        "scidocs",
        "Evaluate vectors of papers on the tasks of SciDocs, beside the published figures.",
    ),
    "study scidocs-generate": Place(
        "study.encoder_measures",
        "generate_scidocs",
        "Make a directory of SciDocs out of an index, to compare encoders on one's own papers.",
    ),
    "study probe": Place(
        "study.encoder_measures",
        "probe_embeddings",
        "Tell how well vectors of papers separate classes such as venues or categories.",
    ),
    "study compare-encoders": Place(
        "study.encoder_measures",
        "compare_encoders",
        "Compare encoders: recommendations, SciDocs' tasks, probes, speed and size, in one table.",
    ),
    "study clicks-simulate": Place(
        "study.clicks",
        "simulate",
        "Simulate readers of related papers, and write SciDocs' recommendation "
        "task with the truth.",
    ),
    "study clicks-estimate": Place(
        "study.clicks",
        "estimate",
        "Estimate from a click log how likely readers examine each position, with 95 % intervals.",
    ),
    "study clicks-evaluate": Place(
        "study.clicks",
        "evaluate",
        "Judge TREC runs, and the order that was shown, by the clicks of a log.",
    ),
    "study clicks-task": Place(
        "study.clicks",
        "run_task",
        "Run SciDocs' recommendation task: learn from clicks, and judge rankings by other clicks.",
    ),
    "study clicks-study": Place(
        "study.clicks",
        "study",
        "Study in a simulated world, where the truth is known, whether the corrections hold.",
    ),
}
"""Every command by its full name, in the order in which `--help` shows them."""
