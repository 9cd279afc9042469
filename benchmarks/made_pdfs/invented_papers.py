"""Invent papers that cite each other: titles, names, journals and text as real ones are shaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

LARGEST_LIST, SMALLEST_LIST = 40, 10
OWN_SHARE = 0.4
"""Of the works in a list, those that are among the papers of the folder."""

_T = TypeVar("_T")

_ADJECTIVES = (
    "adaptive sparse hierarchical bounded temporal probabilistic interactive scalable robust "
    "geometric differentiable coastal seasonal alluvial microbial thermal parallel incremental "
    "multi-scale well-posed non-linear semi-automatic large-scale self-organising Bayesian "
    "Gaussian stochastic regional comparative visual early late medieval urban rural"
).split()
_NOUNS = (
    "sediments networks catchments harvests estimators gradients landscapes dwellings kernels "
    "glaciers pigments manuscripts reservoirs orchards compilers protocols embeddings lattices "
    "corridors settlements enzymes receptors membranes galaxies turbines bridges archives queries "
    "annotations treebanks parsers simulations measurements observations interventions policies"
).split()
_ACTIONS = (
    "estimating mapping comparing reconstructing predicting visualising modelling explaining "
    "measuring simulating detecting summarising indexing dating sampling learning"
).split()
_MEANS = (
    "random forests|cellular automata|message passing|remote sensing|radiocarbon dates|"
    "finite elements|integer programming|contrastive learning|mass spectrometry|spline smoothing|"
    "graph rewriting|oral histories|Markov chains|kernel regression|variational inference|"
    "crowd-sourced labels|optical coherence tomography|time-of-flight sensors"
).split("|")
_PLACES = (
    "the Aegean|Andalusia|S\u00e3o Tom\u00e9|the Baltic|Lower Franconia|M\u00e9rida|the Po Valley|"
    "\u00d8rsted County|Anatolia|the Upper Nile|\u0141\u00f3d\u017a|western Crete"
).split("|")
_NAMED = (
    "the Schr\u00f6dinger equation|Erd\u0151s\u2013R\u00e9nyi graphs|H\u00f6lder spaces|"
    "Poincar\u00e9 maps|the K\u00f6nigsberg problem|na\u00efve Bayes"
).split("|")
_GIVEN = (
    "Ada Bo Carlos Dagmar Elif Femi Grete Hiroshi In\u00eas Jo\u00e3o Katar\u00edna Lars Mei "
    "No\u00e9mie Olga Pedro Qing Rosa S\u00f8ren Tom\u00e1\u0161 Uta V\u00edctor Wanda Xavier "
    "Yusuf Zo\u00eb Jean-Pierre Anne-Marie Michael Sarah"
).split()
_FAMILY = (
    "Ashdown|Birchall|Castellanos|D\u00fcrrenfeld|Eriksen|Fern\u00e1ndez|Garc\u00eda M\u00e1rquez|"
    "Hartmann|Ishikawa|Jel\u00ednek|Kowalczyk|Lindqvist|Moreau|Nakagawa|O'Sullivan|Petrov|Quintero|"
    "Ros\u00e9n|Schr\u00f6ter|Takahashi|Umar|van der Berg|de la Cruz|von Hagen|Wojciechowski|Xu|"
    "Yamada|Zhang|Li|Smith-Jones|McAllister|D'Angelo|Papadopoulos|Okonkwo|Singh|M\u00fcller"
).split("|")
_JOURNALS = (
    "Journal of Applied Cartography|Annals of River Science|Computational Harvest Research|"
    "Transactions on Visual Archives|Letters in Stochastic Geometry|Quarterly of Rural Studies|"
    "Archaeological Methods and Records|International Journal of Sediment Computing"
).split("|")
_MEETINGS = (
    "Proceedings of the International Conference on Field Observations|"
    "Proceedings of the Annual Meeting on Archive Engineering|"
    "Proceedings of the Symposium on Learning and Landscapes|"
    "Advances in Orchard Information Systems"
).split("|")
_SENTENCES = (
    "We study how {adjective} {noun} change when {means} are taken into account.",
    "Earlier work on {adjective} {noun} has mostly relied on {means}, which is costly.",
    "Our approach combines {means} with {adjective} {noun} and needs no further calibration.",
    "Experiments on {number} {noun} show an improvement of {share} % over the strongest baseline.",
    "The results suggest that {adjective} {noun} should be handled with care, especially where "
    "{noun} are rare.",
    "To this end we introduce a procedure for {action} {noun} that is well-suited to practice.",
    "In contrast to {means}, the proposed procedure is transparent and easily reproduced.",
    "We discuss the implications for {action} {adjective} {noun} and release all measurements.",
)


@dataclass(frozen=True, slots=True)
class Author:
    """A person of an invented paper."""

    given: str
    family: str


@dataclass(frozen=True, slots=True)
class Work:
    """What a list of references tells of a work. doi, arxiv: empty where it has none."""

    key: str
    title: str
    authors: tuple[Author, ...]
    year: int
    venue: str
    kind: str
    volume: int
    number: int
    page: int
    doi: str = ""
    arxiv: str = ""


@dataclass(frozen=True, slots=True)
class Invented:
    """A paper of the folder, and what it cites: works of other papers of the folder, and others."""

    work: Work
    abstract: str
    text: tuple[tuple[str, str], ...]
    cites: tuple[Work, ...]


def invent(number: int, rng: np.random.Generator) -> tuple[Invented, ...]:
    """Invent so many papers, the oldest first; a paper cites only what is not newer."""
    titles: set[str] = set()
    years = sorted(int(year) for year in rng.integers(1996, 2024, number))
    works = [_work(f"own{place:04}", year, rng, titles) for place, year in enumerate(years)]
    found = []
    for place, work in enumerate(works):
        length = int(rng.integers(SMALLEST_LIST, LARGEST_LIST + 1))
        own = min(place, round(length * OWN_SHARE))
        cited = [works[row] for row in rng.permutation(place)[:own]]
        cited += [
            _work(f"far{place:04}x{row}", int(rng.integers(1950, work.year + 1)), rng, titles)
            for row in range(length - own)
        ]
        cited = [cited[row] for row in rng.permutation(len(cited))]
        sections = tuple((heading, _paragraphs(cited, rng)) for heading in _headings(rng))
        found.append(Invented(work, _abstract(rng), sections, tuple(cited)))
    return tuple(found)


def _work(key: str, year: int, rng: np.random.Generator, titles: set[str]) -> Work:
    title = _title(rng, sorted(titles))
    while title.lower() in titles:
        title = _title(rng, sorted(titles))
    titles.add(title.lower())
    authors = tuple(
        Author(_some(rng, _GIVEN) + _middle(rng), _some(rng, _FAMILY))
        for _ in range(int(rng.choice([1, 2, 3, 4, 6, 11], p=[0.2, 0.3, 0.2, 0.15, 0.1, 0.05])))
    )
    kind = str(rng.choice(["article", "inproceedings", "preprint"], p=[0.55, 0.35, 0.1]))
    if kind == "preprint" and year < 2008:
        kind = "article"
    venue = {"article": _JOURNALS, "inproceedings": _MEETINGS, "preprint": ["arXiv preprint"]}
    page = int(rng.integers(1, 1800))
    arxiv = f"{year % 100:02}{int(rng.integers(1, 13)):02}.{int(rng.integers(10**4)):04}"
    suffix = f"{key}.{int(rng.integers(10**6))}" if rng.random() < 0.5 else f"s{page}-{key}-y"
    with_doi = kind != "preprint" and rng.random() < 0.5
    return Work(
        key, title, authors, year, _some(rng, venue[kind]), kind,
        int(rng.integers(1, 90)), int(rng.integers(1, 13)), page,
        f"10.{5000 + int(rng.integers(900))}/{suffix}" if with_doi else "",
        arxiv if kind == "preprint" else "",
    )  # fmt: skip


def _title(rng: np.random.Generator, earlier: Sequence[str]) -> str:
    """Make a title in one of the shapes that titles have."""
    words = {
        "adjective": _some(rng, _ADJECTIVES), "other": _some(rng, _ADJECTIVES),
        "noun": _some(rng, _NOUNS), "things": _some(rng, _NOUNS), "action": _some(rng, _ACTIONS),
        "means": _some(rng, _MEANS), "place": _some(rng, _PLACES), "named": _some(rng, _NAMED),
        "name": _name(rng), "year": int(rng.integers(1400, 1990)), "scale": int(rng.integers(2, 9)),
    }  # fmt: skip
    shapes = (
        "{action} {adjective} {noun} with {means}", "{adjective} {noun} in {place}",
        "{name}: {action} {noun} for {adjective} {things}",
        "{adjective} and {other} {noun}: a study of {things} in {place}, {year}\u2013{year}0",
        "What do {adjective} {noun} tell us about {things}?", "On {named} and {adjective} {noun}",
        "{action} {noun} in O(n log n) time by {means}",
        "{noun} of order {scale}: {means} revisited",
        "A survey of {adjective} {noun} and {other} {things}: methods, data, and open problems",
        "Is {means} all you need? {action} {adjective} {noun} from {things}",
        "Towards {adjective} {noun}", "{name} 2.0: {action} {adjective} {noun} at scale",
    )  # fmt: skip
    if len(earlier) > 40 and rng.random() < 0.04:
        return f"{_some(rng, earlier)} II".capitalize()
    title = _some(rng, shapes).format(**words)
    return title[0].upper() + title[1:]


def _name(rng: np.random.Generator) -> str:
    syllables = ["Sed", "Glac", "Net", "Orch", "Vis", "Map", "Arc", "Lex", "Tree", "Deep"]
    return _some(rng, syllables) + _some(rng, ["Flow", "ia", "Mine", "-X", "Former", "GAN", "ora"])


def _middle(rng: np.random.Generator) -> str:
    return f" {_some(rng, list('ABCDEFGHJKLMPRSTW'))}." if rng.random() < 0.25 else ""


def _abstract(rng: np.random.Generator) -> str:
    return " ".join(_sentence(rng) for _ in range(int(rng.integers(5, 10))))


def _headings(rng: np.random.Generator) -> tuple[str, ...]:
    middle = [["Background"], ["Related Work", "Study Area"], ["Methods"]][int(rng.integers(3))]
    return ("Introduction", *middle, "Results", "Discussion and Conclusion")


def _paragraphs(cited: Sequence[Work], rng: np.random.Generator) -> str:
    """Write text; `{{key}}` stands where a work is cited."""
    sentences = []
    for _ in range(int(rng.integers(12, 40))):
        sentence = _sentence(rng)
        if rng.random() < 0.4:
            sentence = f"{sentence[:-1]} {{{{{_some(rng, cited).key}}}}}."
        sentences.append(sentence)
    return " ".join(sentences)


def _sentence(rng: np.random.Generator) -> str:
    return _some(rng, _SENTENCES).format(
        adjective=_some(rng, _ADJECTIVES), noun=_some(rng, _NOUNS), means=_some(rng, _MEANS),
        action=_some(rng, _ACTIONS), number=int(rng.integers(20, 900)),
        share=int(rng.integers(2, 40)),
    )  # fmt: skip


def _some(rng: np.random.Generator, choices: Sequence[_T]) -> _T:
    return choices[int(rng.integers(len(choices)))]
