"""Experiments that anybody with the corpora can repeat: the commands of each kind.

Commands are written as a person types them; {data} is the folder of corpora, {work} the folder to
write. The systems asked for are added to `recsys evaluate`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

MEASURES = ("F1@20", "MRR", "R@20", "R@100")
WITHOUT, RANK_WITHOUT = "two-stage-no-metadata", "nnrank-no-metadata"
DEFAULT = "two-stage-default"
"""What an index has that was built and trained without options, beside the best configuration."""
KEYPHRASES = "two-stage-keyphrases"
"""The best configuration where abstracts begin with the keywords of their authors."""
NETWORKS = ("nnselect", "nnselect-100", "nnrank", RANK_WITHOUT)
TRAINED = frozenset({"two-stage", WITHOUT, DEFAULT, KEYPHRASES, *NETWORKS, "local"})
LOCAL_MEASURES = ("R@10", "MRR", "nDCG@10")
"""Measures of experiments on sentences."""
EVALUATION, SEEDS_PAGE, BEST_PAGE, LOCAL_PAGE = "evaluation", "seeds", "best", "local"
"""Pages of the results: single evaluations, means over seeds of Citeomatic's models and of the best
configuration, evaluations of sentences."""
PAPERS, SPLIT, CONTEXTS = "papers.jsonl.gz", "split.json", "citation_contexts.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a figure may be off. mrr: one paper decides the MRR of a query, so it moves more."""

    other: float
    mrr: float

    def of(self, measure: str) -> float:
        """Return the tolerance of a measure."""
        return self.mrr if measure == "MRR" else self.other


EXACT = Tolerance(0.0002, 0.0006)
"""Of sums alone."""
LEARNED = Tolerance(0.006, 0.018)
"""Of a model that was trained, or runs in the processor's own arithmetic: two-stage on vis moves by
.003 of F1@20 and .017 of MRR between machines."""
NETWORK = Tolerance(0.01, 0.06)
"""Of Citeomatic's networks: another machine makes of one seed as different ones as another seed
does; on vis they moved by .0095 of F1@20 and .047 of MRR."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The figures of a system, in the order of its experiment's measures."""

    figures: tuple[float, ...]
    tolerance: Tolerance


@dataclass(frozen=True, slots=True)
class Experiment:
    """Commands that evaluate systems on one corpus.

    corpora: that must be there. prepare: commands before the evaluation. training: commands that
    only the systems trained on this corpus need. evaluate: writes the evaluation `{work}/NAME`.
    alone: system -> command that writes its run `{work}/NAME-SYSTEM.trec`, for the evaluation to
    take. slow: left out unless it is asked for. repeats: what all seeds of this experiment have in
    common, if it is one of several. page: of the results, which shows it. files: that each corpus
    must have.
    """

    corpora: tuple[str, ...]
    prepare: tuple[str, ...]
    training: tuple[str, ...]
    evaluate: str
    systems: Mapping[str, Expected]
    alone: Mapping[str, str]
    slow: bool = False
    repeats: str = ""
    measures: tuple[str, ...] = MEASURES
    page: str = EVALUATION
    files: tuple[str, ...] = (PAPERS, SPLIT)


def own_corpus(corpus: str, systems: Mapping[str, Expected]) -> Experiment:
    """Build without options, train the own ranker with and without metadata, and ask all."""
    index, split = f"{{work}}/{corpus}.index", f"{{data}}/{corpus}/split.json"
    train = f"recsys train ranker {index} --split {split}"
    return Experiment(
        corpora=(corpus,),
        prepare=(f"recsys build {{data}}/{corpus}/papers.jsonl.gz --out {index}",),
        training=(train, f"{train} --no-metadata"),
        evaluate=evaluation(corpus, split),
        systems=systems,
        alone={WITHOUT: _no_metadata(corpus, split)},
    )


def seeded(corpus: str, seed: int, systems: Mapping[str, Expected]) -> Experiment:
    """Train and ask the networks of Citeomatic and the own ranker, by one seed, in an own index."""
    index, split = f"{{work}}/{corpus}-citeomatic.index", f"{{data}}/{corpus}/split.json"
    options = f"{index} --split {split} --seed {seed}"
    return Experiment(
        corpora=(corpus,),
        prepare=(f"recsys build {{data}}/{corpus}/papers.jsonl.gz --out {index}",),
        training=(
            f"recsys train nnselect {options}",
            f"recsys train nnrank {options}",
            f"recsys train nnrank {options} --no-metadata",
            f"recsys train ranker {options}",
        ),
        evaluate=f"recsys evaluate {options} --out {{work}}/{corpus}-seed-{seed}",
        systems=systems,
        alone={
            RANK_WITHOUT: f"recsys batch {options} --system nnrank --no-metadata "
            f"--run {{work}}/{corpus}-seed-{seed}-{RANK_WITHOUT}.trec"
        },
        slow=True,
        repeats=corpus,
        page=SEEDS_PAGE,
    )


def best(corpus: str, seed: int, systems: Mapping[str, Expected]) -> Experiment:
    """Train and ask the best configuration by one seed, beside the default by the same seed.

    The same once more where abstracts begin with the keywords that their authors gave.
    """
    plain, index = f"{{work}}/{corpus}.index", f"{{work}}/{corpus}-mpnet.index"
    led = f"{{work}}/{corpus}-keyphrases.index"
    name, papers = f"{corpus}-best-{seed}", f"{{data}}/{corpus}/{PAPERS}"
    options = f"--split {{data}}/{corpus}/split.json --seed {seed}"
    ask = f"{options} --system two-stage --run {{work}}/{name}"
    return Experiment(
        corpora=(corpus,),
        prepare=(
            f"recsys build {papers} --out {plain}",
            f"recsys build {papers} --encoder mpnet --out {index}",
            f"recsys build {papers} --encoder mpnet --keyphrases labels.author_keywords "
            f"--out {led}",
        ),
        training=(
            f"recsys train ranker {plain} {options}",
            f"recsys train ranker {index} {options} --folds 4 --passes 2",
            f"recsys train ranker {led} {options} --folds 4 --passes 2",
        ),
        evaluate=f"recsys evaluate {index} {options} --out {{work}}/{name}",
        systems=systems,
        alone={
            DEFAULT: f"recsys batch {plain} {ask}-{DEFAULT}.trec",
            KEYPHRASES: f"recsys batch {led} {ask}-{KEYPHRASES}.trec",
        },
        slow=True,
        repeats=corpus,
        page=BEST_PAGE,
    )


def sentences(
    known: str, systems: Mapping[str, Expected], *, raw: bool = False, told: bool = False
) -> Experiment:
    """Ask for the papers of citing sentences of 2011 and 2012, one of each citing paper.

    The local ranker that ships answers: it has learned from papers up to 2009, and was stopped and
    calibrated on those of 2010.

    known: what is known beside the sentence. raw: with names and years in it. told: reads what else
    was said of papers, as of each sentence's year; only papers of which something was said can then
    be recommended, since that gives the others away.
    """
    name = f"acl-local-{'contexts' if told else known}{'-raw' if raw else ''}"
    index, contexts = "{work}/acl-titles.index", f"{{data}}/acl/{CONTEXTS}"
    return Experiment(
        corpora=("acl",),
        # Hardly any paper but the cited ones has an abstract: having one would give them away.
        prepare=(
            f"recsys build {{data}}/acl/{PAPERS} --titles-only --out {index}",
            *((f"recsys add-contexts {index} {contexts}",) if told else ()),
        ),
        training=(),
        evaluate=f"recsys evaluate-local {index} {contexts} --years 2011-2012 --per-paper 1 "
        f"--known {known} --{'raw' if raw else 'masked'} --contexts {'only' if told else 'hidden'} "
        f"--out {{work}}/{name}",
        systems=systems,
        alone={},
        measures=LOCAL_MEASURES,
        page=LOCAL_PAGE,
        files=(PAPERS, CONTEXTS),
    )


def evaluation(name: str, split: str) -> str:
    """Write the command that evaluates an index of that name."""
    return f"recsys evaluate {{work}}/{name}.index --split {split} --out {{work}}/{name}"


def _no_metadata(name: str, split: str) -> str:
    return (
        f"recsys batch {{work}}/{name}.index --split {split} --system two-stage --no-metadata "
        f"--run {{work}}/{name}-{WITHOUT}.trec"
    )
