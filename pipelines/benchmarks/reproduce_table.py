"""The table of experiments that anybody with the corpora can repeat: commands and what they gave.

Commands are written as a person types them; {data} is the folder of corpora, {work} the folder to
write. The systems asked for are added to `recsys evaluate`. The figures are those of the test
queries.
"""

from collections.abc import Mapping
from dataclasses import dataclass

MEASURES = ("F1@20", "MRR", "R@20", "R@100")
EXACT, LEARNED = 0.0002, 0.006
"""How far a figure may be off: where only sums are involved, and where a model that was trained or
runs in the processor's own arithmetic is."""
LOOSER = {"MRR": 3}
"""So many times as far off may these be: one paper decides the MRR of a query, so it moves by .017
between trainings on different machines where F1@20 moves by .003 (two-stage on vis)."""
WITHOUT, RANK_WITHOUT = "two-stage-no-metadata", "nnrank-no-metadata"
NETWORKS = ("nnselect", "nnselect-100", "nnrank", RANK_WITHOUT)
TRAINED = frozenset({"two-stage", WITHOUT, *NETWORKS, "local"})
LOCAL_MEASURES = ("R@10", "MRR", "nDCG@10")
"""Measures of experiments on sentences."""
EVALUATION, SEEDS_PAGE, LOCAL_PAGE = "evaluation", "seeds", "local"
"""Pages of the results: single evaluations, means over seeds, evaluations of sentences."""
PAPERS, SPLIT, CONTEXTS = "papers.jsonl.gz", "split.json", "citation_contexts.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Expected:
    """The figures of a system, in the order of its experiment's measures."""

    figures: tuple[float, ...]
    tolerance: float


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


def _own_corpus(corpus: str, systems: Mapping[str, Expected]) -> Experiment:
    index, split = f"{{work}}/{corpus}.index", f"{{data}}/{corpus}/split.json"
    train = f"recsys train ranker {index} --split {split}"
    return Experiment(
        corpora=(corpus,),
        prepare=(f"recsys build {{data}}/{corpus}/papers.jsonl.gz --out {index}",),
        training=(train, f"{train} --no-metadata"),
        evaluate=_evaluate(corpus, split),
        systems=systems,
        alone={WITHOUT: _no_metadata(corpus, split)},
    )


def _seeded(corpus: str, seed: int, systems: Mapping[str, Expected]) -> Experiment:
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


def _sentences(
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


def _evaluate(name: str, split: str) -> str:
    return f"recsys evaluate {{work}}/{name}.index --split {split} --out {{work}}/{name}"


def _no_metadata(name: str, split: str) -> str:
    return (
        f"recsys batch {{work}}/{name}.index --split {split} --system two-stage --no-metadata "
        f"--run {{work}}/{name}-{WITHOUT}.trec"
    )


LOCAL: Mapping[str, Mapping[str, Expected]] = {
    "sentence": {
        "two-stage": Expected((0.4550, 0.2664, 0.3023), LEARNED),
        "local": Expected((0.4658, 0.2977, 0.3291), LEARNED),
    },
    "title": {
        "bm25": Expected((0.2440, 0.1503, 0.1668), EXACT),
        "embedding": Expected((0.2469, 0.1477, 0.1644), LEARNED),
        "hybrid": Expected((0.2806, 0.1711, 0.1900), LEARNED),
        "two-stage": Expected((0.4919, 0.2604, 0.3031), LEARNED),
        "profile": Expected((0.2935, 0.1705, 0.1914), LEARNED),
        "local": Expected((0.5525, 0.3379, 0.3781), LEARNED),
    },
    "references": {
        "bm25": Expected((0.2495, 0.1565, 0.1728), EXACT),
        "two-stage": Expected((0.5256, 0.3034, 0.3440), LEARNED),
        "local": Expected((0.6489, 0.4263, 0.4690), LEARNED),
    },
    "title-raw": {
        "two-stage": Expected((0.4895, 0.2600, 0.3018), LEARNED),
        "local-unnamed": Expected((0.5392, 0.3323, 0.3703), LEARNED),
        "local": Expected((0.9891, 0.9094, 0.9288), LEARNED),
    },
    "references-raw": {
        "bm25": Expected((0.2575, 0.1576, 0.1761), EXACT),
        "two-stage": Expected((0.5312, 0.3065, 0.3479), LEARNED),
        "local-unnamed": Expected((0.6387, 0.4106, 0.4552), LEARNED),
        "local": Expected((0.9896, 0.9363, 0.9491), LEARNED),
    },
    "contexts": {
        "bm25": Expected((0.3739, 0.2621, 0.2809), EXACT),
        "embedding": Expected((0.4089, 0.2809, 0.3037), LEARNED),
        "profile": Expected((0.5117, 0.3563, 0.3857), LEARNED),
        "local": Expected((0.7309, 0.5306, 0.5723), LEARNED),
    },
}
"""Figures of experiments on sentences, in the order of LOCAL_MEASURES."""

EXPERIMENTS: Mapping[str, Experiment] = {
    "vis": _own_corpus(
        "vis",
        {
            "random": Expected((0.0041, 0.0155, 0.0047, 0.0187), EXACT),
            "citations": Expected((0.0425, 0.2184, 0.0441, 0.1072), EXACT),
            "bm25-whoosh": Expected((0.1313, 0.4581, 0.1449, 0.2672), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "embedding": Expected((0.2098, 0.6466, 0.2366, 0.4526), LEARNED),
            "stage-one": Expected((0.2846, 0.6344, 0.3149, 0.5922), LEARNED),
            "two-stage": Expected((0.3614, 0.8215, 0.4016, 0.6768), LEARNED),
            WITHOUT: Expected((0.3439, 0.8094, 0.3821, 0.6574), LEARNED),
            "oracle": Expected((0.7280, 1.0000, 0.7918, 0.8330), LEARNED),
        },
    ),
    "archaeology": _own_corpus(
        "archaeology",
        {
            "random": Expected((0.0003, 0.0009, 0.0005, 0.0033), EXACT),
            "citations": Expected((0.0107, 0.0459, 0.0161, 0.0428), EXACT),
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1757, 0.5665, 0.2877, 0.4561), EXACT),
            "embedding": Expected((0.1645, 0.5064, 0.2714, 0.4574), LEARNED),
            "stage-one": Expected((0.2364, 0.5886, 0.3828, 0.6185), LEARNED),
            "two-stage": Expected((0.2933, 0.7354, 0.4784, 0.6998), LEARNED),
            WITHOUT: Expected((0.2715, 0.6974, 0.4428, 0.6753), LEARNED),
            "oracle": Expected((0.5065, 1.0000, 0.8003, 0.8025), LEARNED),
        },
    ),
    # Citeomatic's own models beside ours, with several seeds of training.
    "vis-seed-0": _seeded(
        "vis",
        0,
        {
            "bm25-whoosh": Expected((0.1313, 0.4580, 0.1449, 0.2671), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "nnselect": Expected((0.2397, 0.5965, 0.2609, 0.3887), LEARNED),
            "nnselect-100": Expected((0.2269, 0.5965, 0.2495, 0.4827), LEARNED),
            "nnrank": Expected((0.2450, 0.6817, 0.2690, 0.3902), LEARNED),
            RANK_WITHOUT: Expected((0.2433, 0.6681, 0.2677, 0.3902), LEARNED),
            "two-stage": Expected((0.3576, 0.8267, 0.3963, 0.6753), LEARNED),
        },
    ),
    "vis-seed-1": _seeded(
        "vis",
        1,
        {
            "bm25-whoosh": Expected((0.1313, 0.4580, 0.1449, 0.2671), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "nnselect": Expected((0.2351, 0.5747, 0.2583, 0.3908), LEARNED),
            "nnselect-100": Expected((0.2216, 0.5757, 0.2459, 0.4826), LEARNED),
            "nnrank": Expected((0.2394, 0.6487, 0.2639, 0.3908), LEARNED),
            RANK_WITHOUT: Expected((0.2383, 0.6435, 0.2627, 0.3909), LEARNED),
            "two-stage": Expected((0.3591, 0.8309, 0.3995, 0.6731), LEARNED),
        },
    ),
    "vis-seed-2": _seeded(
        "vis",
        2,
        {
            "bm25-whoosh": Expected((0.1313, 0.4580, 0.1449, 0.2671), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "nnselect": Expected((0.2274, 0.5921, 0.2509, 0.3878), LEARNED),
            "nnselect-100": Expected((0.2094, 0.5928, 0.2312, 0.4770), LEARNED),
            "nnrank": Expected((0.2405, 0.6394, 0.2666, 0.3883), LEARNED),
            RANK_WITHOUT: Expected((0.2375, 0.6104, 0.2635, 0.3887), LEARNED),
            "two-stage": Expected((0.3587, 0.8240, 0.3988, 0.6751), LEARNED),
        },
    ),
    "archaeology-seed-0": _seeded(
        "archaeology",
        0,
        {
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1756, 0.5665, 0.2876, 0.4561), EXACT),
            "nnselect": Expected((0.1894, 0.5094, 0.3040, 0.3683), LEARNED),
            "nnselect-100": Expected((0.1802, 0.5107, 0.2900, 0.4959), LEARNED),
            "nnrank": Expected((0.1919, 0.5700, 0.3075, 0.3683), LEARNED),
            RANK_WITHOUT: Expected((0.1910, 0.5436, 0.3066, 0.3683), LEARNED),
            "two-stage": Expected((0.2902, 0.7260, 0.4732, 0.7036), LEARNED),
        },
    ),
    "archaeology-seed-1": _seeded(
        "archaeology",
        1,
        {
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1756, 0.5665, 0.2876, 0.4561), EXACT),
            "nnselect": Expected((0.1919, 0.4921, 0.3084, 0.3673), LEARNED),
            "nnselect-100": Expected((0.1823, 0.4945, 0.2929, 0.4949), LEARNED),
            "nnrank": Expected((0.1904, 0.5521, 0.3062, 0.3674), LEARNED),
            RANK_WITHOUT: Expected((0.1905, 0.5436, 0.3072, 0.3673), LEARNED),
            "two-stage": Expected((0.2917, 0.7344, 0.4755, 0.7022), LEARNED),
        },
    ),
    "archaeology-seed-2": _seeded(
        "archaeology",
        2,
        {
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1756, 0.5665, 0.2876, 0.4561), EXACT),
            "nnselect": Expected((0.1928, 0.5134, 0.3108, 0.3715), LEARNED),
            "nnselect-100": Expected((0.1873, 0.5149, 0.3021, 0.4911), LEARNED),
            "nnrank": Expected((0.1939, 0.5742, 0.3121, 0.3715), LEARNED),
            RANK_WITHOUT: Expected((0.1939, 0.5867, 0.3124, 0.3714), LEARNED),
            "two-stage": Expected((0.2911, 0.7270, 0.4738, 0.7018), LEARNED),
        },
    ),
    # How well the ranker that ships with the package serves a corpus that it has never seen.
    "vis-left-out": Experiment(
        corpora=("vis", "archaeology", "acl", "elife", "arxiv9196"),
        prepare=(
            "recsys build {data}/vis/papers.jsonl.gz --out {work}/vis-left-out.index",
            "python -m pipelines.ranking.shipped_ranker --data {data} --work {work} "
            "--leave-out vis --out {work}/vis-left-out.index",
        ),
        training=(),
        evaluate=_evaluate("vis-left-out", "{data}/vis/split.json"),
        alone={},
        systems={"two-stage": Expected((0.3476, 0.8106, 0.3853, 0.6727), LEARNED)},
        slow=True,
    ),
    # Which paper belongs to which sentence, with less or more known of its draft.
    "acl-local-sentence": _sentences("sentence", LOCAL["sentence"]),
    "acl-local-title": _sentences("title", LOCAL["title"]),
    "acl-local-references": _sentences("references", LOCAL["references"]),
    "acl-local-title-raw": _sentences("title", LOCAL["title-raw"], raw=True),
    "acl-local-references-raw": _sentences("references", LOCAL["references-raw"], raw=True),
    "acl-local-contexts": _sentences("references", LOCAL["contexts"], told=True),
}
"""A row is called EXPERIMENT/SYSTEM."""
