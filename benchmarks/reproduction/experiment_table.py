"""The table of experiments, and what they gave: the figures are those of the test queries."""

from collections.abc import Mapping

from benchmarks.reproduction.experiments import (
    DEFAULT,
    EXACT,
    KEYPHRASES,
    LEARNED,
    NETWORK,
    RANK_WITHOUT,
    WITHOUT,
    Expected,
    Experiment,
    best,
    evaluation,
    own_corpus,
    seeded,
    sentences,
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

CITEOMATIC: Mapping[str, tuple[Mapping[str, Expected], ...]] = {
    "vis": (
        {
            "bm25-whoosh": Expected((0.1313, 0.4581, 0.1449, 0.2672), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "nnselect": Expected((0.2362, 0.5780, 0.2576, 0.3862), NETWORK),
            "nnselect-100": Expected((0.2279, 0.5789, 0.2505, 0.4856), NETWORK),
            "nnrank": Expected((0.2408, 0.6346, 0.2641, 0.3858), NETWORK),
            RANK_WITHOUT: Expected((0.2397, 0.6416, 0.2635, 0.3861), NETWORK),
            "two-stage": Expected((0.3642, 0.8157, 0.4061, 0.6810), LEARNED),
        },
        {
            "bm25-whoosh": Expected((0.1313, 0.4581, 0.1449, 0.2672), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "nnselect": Expected((0.2309, 0.5814, 0.2534, 0.3901), NETWORK),
            "nnselect-100": Expected((0.2191, 0.5826, 0.2427, 0.4816), NETWORK),
            "nnrank": Expected((0.2389, 0.6506, 0.2629, 0.3897), NETWORK),
            RANK_WITHOUT: Expected((0.2343, 0.6298, 0.2582, 0.3893), NETWORK),
            "two-stage": Expected((0.3602, 0.8205, 0.4014, 0.6773), LEARNED),
        },
        {
            "bm25-whoosh": Expected((0.1313, 0.4581, 0.1449, 0.2672), EXACT),
            "bm25": Expected((0.2029, 0.6578, 0.2288, 0.4163), EXACT),
            "nnselect": Expected((0.2369, 0.5611, 0.2598, 0.3951), NETWORK),
            "nnselect-100": Expected((0.2161, 0.5618, 0.2366, 0.4791), NETWORK),
            "nnrank": Expected((0.2414, 0.6526, 0.2682, 0.3956), NETWORK),
            RANK_WITHOUT: Expected((0.2425, 0.6476, 0.2694, 0.3959), NETWORK),
            "two-stage": Expected((0.3634, 0.8332, 0.4040, 0.6839), LEARNED),
        },
    ),
    "archaeology": (
        {
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1757, 0.5665, 0.2877, 0.4561), EXACT),
            "nnselect": Expected((0.1841, 0.4980, 0.2956, 0.3608), NETWORK),
            "nnselect-100": Expected((0.1793, 0.4999, 0.2895, 0.4910), NETWORK),
            "nnrank": Expected((0.1848, 0.5581, 0.2977, 0.3608), NETWORK),
            RANK_WITHOUT: Expected((0.1875, 0.5396, 0.3013, 0.3608), NETWORK),
            "two-stage": Expected((0.2930, 0.7294, 0.4778, 0.7055), LEARNED),
        },
        {
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1757, 0.5665, 0.2877, 0.4561), EXACT),
            "nnselect": Expected((0.1925, 0.4917, 0.3103, 0.3648), NETWORK),
            "nnselect-100": Expected((0.1851, 0.4932, 0.2976, 0.4935), NETWORK),
            "nnrank": Expected((0.1915, 0.5599, 0.3075, 0.3648), NETWORK),
            RANK_WITHOUT: Expected((0.1929, 0.5424, 0.3105, 0.3648), NETWORK),
            "two-stage": Expected((0.2938, 0.7321, 0.4784, 0.7078), LEARNED),
        },
        {
            "bm25-whoosh": Expected((0.1121, 0.4109, 0.1837, 0.3117), EXACT),
            "bm25": Expected((0.1757, 0.5665, 0.2877, 0.4561), EXACT),
            "nnselect": Expected((0.1925, 0.5008, 0.3092, 0.3658), NETWORK),
            "nnselect-100": Expected((0.1849, 0.5024, 0.2963, 0.4974), NETWORK),
            "nnrank": Expected((0.1932, 0.5775, 0.3103, 0.3658), NETWORK),
            RANK_WITHOUT: Expected((0.1910, 0.5770, 0.3067, 0.3658), NETWORK),
            "two-stage": Expected((0.2947, 0.7354, 0.4808, 0.7078), LEARNED),
        },
    ),
}
"""Figures of Citeomatic's models and of ours beside them, by seed, in the order of MEASURES."""

BEST: Mapping[str, tuple[Mapping[str, Expected], ...]] = {
    "vis": (
        {
            "embedding": Expected((0.2326, 0.6468, 0.2636, 0.4960), LEARNED),
            DEFAULT: Expected((0.3614, 0.8215, 0.4016, 0.6768), LEARNED),
            "two-stage": Expected((0.3716, 0.8371, 0.4127, 0.6983), LEARNED),
            KEYPHRASES: Expected((0.3783, 0.8432, 0.4204, 0.7020), LEARNED),
        },
        {
            "embedding": Expected((0.2326, 0.6468, 0.2636, 0.4960), LEARNED),
            DEFAULT: Expected((0.3581, 0.8189, 0.3973, 0.6759), LEARNED),
            "two-stage": Expected((0.3736, 0.8439, 0.4152, 0.6974), LEARNED),
            KEYPHRASES: Expected((0.3804, 0.8477, 0.4225, 0.7044), LEARNED),
        },
        {
            "embedding": Expected((0.2326, 0.6468, 0.2636, 0.4960), LEARNED),
            DEFAULT: Expected((0.3612, 0.8161, 0.4015, 0.6766), LEARNED),
            "two-stage": Expected((0.3748, 0.8344, 0.4170, 0.6968), LEARNED),
            KEYPHRASES: Expected((0.3787, 0.8444, 0.4208, 0.7038), LEARNED),
        },
    ),
    "archaeology": (
        {
            "embedding": Expected((0.1818, 0.5554, 0.3004, 0.5025), LEARNED),
            DEFAULT: Expected((0.2933, 0.7354, 0.4784, 0.6998), LEARNED),
            "two-stage": Expected((0.3042, 0.7495, 0.4961, 0.7271), LEARNED),
            KEYPHRASES: Expected((0.3085, 0.7660, 0.5031, 0.7418), LEARNED),
        },
        {
            "embedding": Expected((0.1818, 0.5554, 0.3004, 0.5025), LEARNED),
            DEFAULT: Expected((0.2921, 0.7353, 0.4764, 0.7005), LEARNED),
            "two-stage": Expected((0.3051, 0.7531, 0.4977, 0.7256), LEARNED),
            KEYPHRASES: Expected((0.3083, 0.7675, 0.5025, 0.7418), LEARNED),
        },
        {
            "embedding": Expected((0.1818, 0.5554, 0.3004, 0.5025), LEARNED),
            DEFAULT: Expected((0.2923, 0.7375, 0.4763, 0.7004), LEARNED),
            "two-stage": Expected((0.3050, 0.7496, 0.4972, 0.7258), LEARNED),
            KEYPHRASES: Expected((0.3082, 0.7676, 0.5024, 0.7442), LEARNED),
        },
    ),
}
"""Figures of the best configuration and of the default, by seed, in the order of MEASURES."""

EXPERIMENTS: Mapping[str, Experiment] = {
    "vis": own_corpus(
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
    "archaeology": own_corpus(
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
    **{
        f"{corpus}-seed-{seed}": seeded(corpus, seed, figures)
        for corpus, seeds in CITEOMATIC.items()
        for seed, figures in enumerate(seeds)
    },
    # The best configuration beside the default, with several seeds of training.
    **{
        f"{corpus}-best-{seed}": best(corpus, seed, figures)
        for corpus, seeds in BEST.items()
        for seed, figures in enumerate(seeds)
    },
    # How well the ranker that ships with the package serves a corpus that it has never seen.
    "vis-left-out": Experiment(
        corpora=("vis", "archaeology", "acl", "elife", "arxiv9196"),
        prepare=(
            "recsys build {data}/vis/papers.jsonl.gz --out {work}/vis-left-out.index",
            "python -m recsys.pipelines.ranking.shipped_ranker --data {data} --work {work} "
            "--leave-out vis --out {work}/vis-left-out.index",
        ),
        training=(),
        evaluate=evaluation("vis-left-out", "{data}/vis/split.json"),
        alone={},
        systems={"two-stage": Expected((0.3587, 0.8168, 0.3973, 0.6780), LEARNED)},
        slow=True,
    ),
    # Which paper belongs to which sentence, with less or more known of its draft.
    "acl-local-sentence": sentences("sentence", LOCAL["sentence"]),
    "acl-local-title": sentences("title", LOCAL["title"]),
    "acl-local-references": sentences("references", LOCAL["references"]),
    "acl-local-title-raw": sentences("title", LOCAL["title-raw"], raw=True),
    "acl-local-references-raw": sentences("references", LOCAL["references-raw"], raw=True),
    "acl-local-contexts": sentences("references", LOCAL["contexts"], told=True),
}
"""A row is called EXPERIMENT/SYSTEM."""
