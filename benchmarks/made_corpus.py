"""Make a corpus of any size out of real papers, in the order of their years, a piece at a time.

What is written is a file of papers, their vectors as `recsys build --embeddings` reads them, and
drafts to ask. The same seed gives the same bytes. Memory holds the real papers, the links, and a
few hundred made papers. docs/notes/scale.md says how like real corpora they are.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import PAPERS, gzipped, read_papers
from recsys.errors import InputError
from recsys.formats.bodies.running_text import sentence_spans
from recsys.pipelines.studies.baselines import encode_all
from recsys.protocols import Encoder, Progress, silent
from recsys.store.arrays import Floats, GrowingArray, Longs, Rows, load_array
from recsys.store.artifacts import fingerprint

VECTORS, IDS, DRAFTS = "vectors.npy", "vectors.ids.txt", "drafts.jsonl"
LATER_PAPERS, LATER_VECTORS, LATER_IDS = "later.jsonl.gz", "later.npy", "later.ids.txt"
"""Papers that an update adds, the newest of all, and their vectors."""
MOST_DRAFTS, DRAFT_LINKS = 256, 5
"""Drafts are the newest papers that have an abstract and cite so many of the corpus."""
NEAR = 32
"""Neighbours of a real paper that its sentences are mixed with."""
SHORTEST = 30
"""Words of an abstract that is worth taking apart."""
FIRST_YEAR, LAST_YEAR, GROWTH = 1990, 2026, 1.06
"""Years of the papers, and how many more of them each has than the year before."""
FIELDS = 256
"""Groups of near papers; an author stays in one."""
POPULARITY = 0.7
"""Standard deviation of the logarithm of how many papers are made of a real one."""
FIRST_SHARE, SECOND_SHARE = 0.6, 0.4
"""Of the sentences of the first and of the second real paper, those that are taken."""
WITH_ABSTRACT = 0.88
"""Of the papers: between archaeology's .78 and visualization's .97."""
RARE_WORDS, SYSTEMS = 1.6, 0.12
"""Invented words that an abstract has on average; so many of the titles name one, too."""
WORD_GROWTH = (4.0, 0.9)
"""Invented words that papers 1 to n draw from: 4 n^.9, which lets the vocabulary grow on as Heaps'
law found it to grow in the real texts."""
NOISE = 0.5
"""How much of the difference of two near real papers is added. With it, 42,000 made papers are as
close to their neighbours as 42,000 real ones: the median cosine of the nearest is .75 (theirs .72),
of the tenth .62 (.62), of the 200th .50 (.50), of all .11 (.11)."""
CITING = 0.85
"""Share of the papers whose list of references is known."""
MEDIAN_LENGTH, SPREAD, LONGEST = 13.0, 0.85, 200
"""Of lists of references to papers of the corpus: lognormal, .84 to .97 in real corpora."""
COPIED, FROM_SECOND = 0.5, 0.35
"""Of the citations, those taken over from what such a paper cites, and those that start at the
second real paper of a made one."""
FORGOTTEN = 8.0
"""Years after which a paper that was chosen is put back, to choose another, two times in three."""
OUTSIDE = 0.25
"""Of the references, those to works that the corpus does not hold."""
OTHER_AUTHORS = 2.6
"""Authors beside the first, on average."""
KNOWN_AUTHORS = 6
"""Authors of a field for each of its papers, most of whom never write: then 1.8 a paper do, each
twice on average, as in visualization, and one in a hundred often."""
OWN_VENUE = 0.6
"""How often a paper has the venue of the real one; else one that is frequent in all corpora."""
_AT_ONCE, _MOST_SENTENCES = 500, 64
_TRIES, _CHOICES = 4, 5
_OF_TEXTS, _OF_LINKS, _OF_NAMES, _OF_VECTORS = range(1, 5)
# Below this prime, no two products with the factor are alike, and none tells which came first.
_PRIME, _FACTOR = 1_000_000_007, 387_420_489
_JOINTS = frozenset("of for in with on from to by using via at as through and".split())
_SYLLABLES = tuple(begin + vowel for begin in "bdfgklmnprstvwzh" for vowel in "aeiou")
_BASE = len(_SYLLABLES)
# Coprime with the base, so that every number has a word of its own; neighbours look different.
_STRIDE = 190_979
_GIVEN, _FAMILIES = 3_000, 120_000

Made = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RealPapers:
    """Real papers with an abstract, taken apart.

    titles: both halves of each title. abstracts: the sentences of each. venues: that of each paper.
    vectors: (m, d) float32, L2-normalised. near: (m, NEAR) int32, the closest others, best first.
    common_venues: of all papers, also those without an abstract, most frequent first.
    """

    titles: tuple[tuple[str, str], ...]
    abstracts: tuple[tuple[str, ...], ...]
    venues: tuple[str, ...]
    vectors: Floats
    near: Rows
    common_venues: tuple[str, ...]

    def __len__(self) -> int:
        """Count the papers."""
        return len(self.titles)


def read_real(
    data: Path, cache: Path, encoder: Encoder, *, progress: Progress = silent
) -> RealPapers:
    """Read the papers of all corpora below a folder; encode them, or take what the cache holds.

    Args:
        data: one folder per corpus, with papers.jsonl.gz.
        cache: where vectors and neighbours are kept.
        encoder: of the texts.
        progress: told about encoding.

    Raises:
        InputError: there are too few papers with abstracts.
    """
    every: list[Made] = []
    for path in sorted(data.glob("*/papers.jsonl.gz")):
        every += read_papers(path)
    papers = [paper for paper in every if len((paper.get("abstract") or "").split()) >= SHORTEST]
    if len(papers) <= NEAR:
        raise InputError(
            f"{data} holds {len(papers)} papers with an abstract of {SHORTEST} words or more.",
            "Give a folder of corpus folders, each with a papers.jsonl.gz.",
        )
    counted = Counter(venue for paper in every if (venue := paper.get("venue")))
    texts = [(paper["title"], paper["abstract"]) for paper in papers]
    key = fingerprint([encoder.fingerprint, texts])

    cache.mkdir(parents=True, exist_ok=True)
    vectors = _kept(cache / f"real-{key}.npy", lambda: encode_all(encoder, texts, progress))
    return RealPapers(
        titles=tuple(halves(paper["title"]) for paper in papers),
        abstracts=tuple(
            tuple(text[start:end] for start, end in sentence_spans(text))
            for text in (paper["abstract"] for paper in papers)
        ),
        venues=tuple(paper.get("venue") or "" for paper in papers),
        vectors=vectors,
        near=_kept(cache / f"near-{key}.npy", lambda: nearest(vectors, NEAR)),
        common_venues=tuple(venue for venue, _ in counted.most_common()),
    )


def _kept(path: Path, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - Floats or Rows.
    if not path.is_file():
        temporary = path.with_suffix(".unfinished.npy")
        np.save(temporary, make())
        temporary.replace(path)
    return load_array(path)


def halves(title: str) -> tuple[str, str]:
    """Cut a title before the small word that is closest to its middle, or else in the middle."""
    words = title.split()
    middle = (len(words) + 1) // 2
    joints = [at for at, word in enumerate(words) if at and word.lower() in _JOINTS]
    cut = min(joints, key=lambda at: abs(at - middle), default=middle)
    return " ".join(words[:cut]), " ".join(words[cut:])


def nearest(vectors: Floats, k: int) -> Rows:
    """Find the k other rows closest to each, best first: (n, k) int32. O(n^2)."""
    found = np.empty((len(vectors), k), np.int32)
    for begin in range(0, len(vectors), 512):
        cosines = vectors[begin : begin + 512] @ vectors.T
        own = np.arange(len(cosines))
        cosines[own, begin + own] = -np.inf
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
        found[begin : begin + 512] = np.take_along_axis(best, order, axis=1)
    return found


@dataclass(frozen=True, slots=True)
class Plan:
    """What all papers are made of, and when, settled before the first one is written.

    pairs: (n, 2) int32, the real papers that each is made of. years: (n,), ascending. field_of:
    (m,), that of each real paper. shares: (FIELDS,), of the papers, those in each field.
    """

    real: RealPapers
    pairs: Rows
    years: Longs
    field_of: Rows
    shares: NDArray[np.float64]
    seed: int

    @classmethod
    def of(cls, real: RealPapers, papers: int, seed: int) -> "Plan":
        """Choose two real papers and the year of each paper; popular topics get more papers."""
        rng = np.random.default_rng([seed])
        weights = np.exp(POPULARITY * rng.standard_normal(len(real)))
        ends = np.cumsum(weights / weights.sum())
        first = np.minimum(np.searchsorted(ends, rng.random(papers)), len(real) - 1)
        ranks = growing_choice(np.full(papers, real.near.shape[1]), rng)
        pairs = np.stack([first, real.near[first, ranks]], axis=1).astype(np.int32)
        centres = real.vectors[rng.choice(len(real), min(FIELDS, len(real)), replace=False)]
        field_of = np.argmax(real.vectors @ centres.T, axis=1).astype(np.int32)
        counts = np.bincount(field_of[first], minlength=FIELDS)
        return cls(real, pairs, years_of(papers), field_of, counts / max(papers, 1), seed)

    def rng(self, *purpose: int) -> np.random.Generator:
        """Return the choices of one purpose, whatever others have drawn before."""
        return np.random.default_rng([self.seed, *purpose])


def years_of(papers: int) -> Longs:
    """Spread papers over the years, each with GROWTH times as many as the one before: ascending."""
    whole = GROWTH ** (LAST_YEAR + 1 - FIRST_YEAR) - 1
    shares = (np.arange(papers) + 0.5) / max(papers, 1)
    later: Longs = (np.log1p(shares * whole) / np.log(GROWTH)).astype(np.int64)
    return FIRST_YEAR + later


def growing_choice(known: Longs | NDArray[np.float64], rng: np.random.Generator) -> Longs:
    """Choose one of so many known things each, the early ones most: (n,) int64.

    The density of place x falls as x^-1/2, so that few are frequent and most are rare.
    """
    chosen: Longs = (known * rng.random(len(known)) ** 2).astype(np.int64)
    return chosen


def invented_word(number: int) -> str:
    """Write a number from 0 as a word of three syllables, or more; no two numbers share one."""
    length = 3
    while number >= _BASE**length:
        number -= _BASE**length
        length += 1
    mixed = number * _STRIDE % _BASE**length
    word = ""
    for _ in range(length):
        mixed, digit = divmod(mixed, _BASE)
        word += _SYLLABLES[digit]
    return word


def invented_author(number: int) -> str:
    """Name a person; family names are shared, and few of many are frequent."""
    mixed = number * 2_654_435_761 % (1 << 32)
    family = int(_FAMILIES * (mixed / (1 << 32)) ** 2)
    given = invented_word(_FAMILIES + number % _GIVEN)
    initial = chr(ord("A") + number // _GIVEN % 26)
    return f"{given.capitalize()} {initial}. {invented_word(family).capitalize()}"


def make_corpus(
    real: RealPapers,
    papers: int,
    folder: Path,
    *,
    later: int = 0,
    seed: int = 0,
    progress: Progress = silent,
) -> None:
    """Write so many papers, their vectors and drafts into a folder, and the later papers."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = Plan.of(real, papers + later, seed)
    drafts: list[Made] = []
    with gzipped(folder / PAPERS) as file, gzipped(folder / LATER_PAPERS) as later_file:
        done = 0
        for piece in made_papers(plan):
            cut = max(papers - done, 0)
            _write_lines(file, piece[:cut])
            _write_lines(later_file, piece[cut:])
            asking = (
                paper
                for paper in piece[:cut]
                if paper["abstract"] is not None and len(paper["references"]) >= DRAFT_LINKS
            )
            drafts = [*drafts, *asking][-MOST_DRAFTS:]
            done += len(piece)
            progress("make papers", done, papers + later)
    kept = ("id", "title", "abstract", "year", "authors", "venue")
    with (folder / DRAFTS).open("wb") as plain:
        _write_lines(plain, ({name: paper[name] for name in kept} for paper in drafts))
    for name, rows in ((IDS, range(papers)), (LATER_IDS, range(papers, papers + later))):
        with (folder / name).open("w", encoding="utf-8", newline="\n") as ids:
            ids.writelines(f"{paper_id(row)}\n" for row in rows)
    width = real.vectors.shape[1]
    with (
        GrowingArray(folder / VECTORS, np.float32, width) as vectors,
        GrowingArray(folder / LATER_VECTORS, np.float32, width) as later_vectors,
    ):
        for some in made_vectors(plan):
            cut = max(papers - vectors.length, 0)
            vectors.append(some[:cut])
            later_vectors.append(some[cut:])


def _write_lines(file: IO[bytes], values: Iterable[Made]) -> None:
    lines = (json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    file.write("".join(lines).encode())


def paper_id(row: int) -> str:
    """Name a paper; rows behind the last are works that the corpus does not hold."""
    return f"W{(row + 1) * _FACTOR % _PRIME}"


def made_papers(plan: Plan) -> Iterator[list[Made]]:
    """Make the papers in order, a list at a time, as a line of the file tells them."""
    links = LinkMaker(plan.real, plan.pairs[:, 0], plan.years)
    for begin in range(0, len(plan.pairs), _AT_ONCE):
        pairs = plan.pairs[begin : begin + _AT_ONCE]
        cited = links.make(begin, pairs, plan.rng(_OF_LINKS, begin))
        texts = _texts(plan.real, pairs, begin, plan.rng(_OF_TEXTS, begin))
        rng = plan.rng(_OF_NAMES, begin)
        counts = 1 + rng.poisson(OTHER_AUTHORS, len(pairs))
        fields = np.repeat(plan.field_of[pairs[:, 0]], counts).astype(np.int64)
        papers = np.repeat(np.arange(begin, begin + len(pairs)) + 1, counts)
        known = 3 + KNOWN_AUTHORS * papers * plan.shares[fields]
        numbers = growing_choice(known, rng) * len(plan.shares) + fields
        parts = np.split(numbers, np.cumsum(counts)[:-1])
        authors = [list(dict.fromkeys(map(invented_author, part.tolist()))) for part in parts]
        # The logarithm of a place is uniform: Zipf's law.
        places = (len(plan.real.common_venues) ** rng.random(len(pairs)) - 1).astype(np.int64)
        own = (rng.random(len(pairs)) < OWN_VENUE).tolist()
        venues = [
            (kept and plan.real.venues[first]) or plan.real.common_venues[place]
            for first, kept, place in zip(pairs[:, 0].tolist(), own, places.tolist(), strict=True)
        ]
        references = _references(cited, len(plan.pairs), rng)
        yield [
            {
                "id": paper_id(row),
                "title": title,
                "abstract": abstract,
                "year": int(plan.years[row]),
                "authors": names,
                "venue": venue,
                "doi": f"10.{5000 + row % 997}/{paper_id(row).lower()}",
                "references": listed,
            }
            for row, ((title, abstract), names, venue, listed) in enumerate(
                zip(texts, authors, venues, references, strict=True), begin
            )
        ]


def made_vectors(plan: Plan) -> Iterator[Floats]:
    """Mix the vectors of pairs of real papers, a piece at a time: (n, d) float32, L2-normalised.

    The noise is the difference of two other real papers that are near each other, so that it lies
    where real vectors differ; noise of all directions would leave no neighbours.
    """
    near, vectors = plan.real.near, plan.real.vectors
    for begin in range(0, len(plan.pairs), _AT_ONCE):
        first, second = plan.pairs[begin : begin + _AT_ONCE].T
        rng = plan.rng(_OF_VECTORS, begin)
        others = rng.integers(0, len(plan.real), len(first))
        beside = near[others, rng.integers(0, near.shape[1], len(first))]
        clean = FIRST_SHARE * vectors[first] + (1 - FIRST_SHARE) * vectors[second]
        mixed = clean + NOISE * (vectors[others] - vectors[beside])
        lengths = np.linalg.norm(mixed, axis=1, keepdims=True)
        yield np.asarray(mixed / np.maximum(lengths, 1e-6), np.float32)


def _texts(
    real: RealPapers, pairs: Rows, begin: int, rng: np.random.Generator
) -> Iterator[tuple[str, str | None]]:
    """Make titles, and abstracts if papers have one, of the halves and sentences of two papers."""
    n = len(pairs)
    told = rng.random(n) < WITH_ABSTRACT
    named = rng.random(n) < SYSTEMS
    counts = np.where(told, rng.poisson(RARE_WORDS, n), 0) + named
    # Later papers know more invented words.
    factor, power = WORD_GROWTH
    numbers = begin + np.repeat(np.arange(n), counts)
    known = (factor * (numbers + 1.0) ** power).astype(np.int64)
    words = iter([invented_word(each) for each in growing_choice(known, rng).tolist()])
    taken = rng.random((n, 2, _MOST_SENTENCES)) < [[FIRST_SHARE], [SECOND_SHARE]]
    places = iter(rng.random(len(known)).tolist())
    for row, (first, second) in enumerate(pairs.tolist()):
        own = [(next(words), next(places)) for _ in range(counts[row])]
        title = f"{real.titles[first][0]} {real.titles[second][1]}".strip()
        if named[row]:
            title = f"{own[-1][0].capitalize()}: {title}"
        kept = [
            sentence
            for paper, chosen in zip((first, second), taken[row].tolist(), strict=True)
            for sentence, flag in zip(real.abstracts[paper], chosen, strict=False)
            if flag
        ]
        parts = " ".join(kept or real.abstracts[first][:1]).split(" ")
        for word, place in own[: len(own) - named[row]]:
            parts[int(place * len(parts))] = word
        yield title, " ".join(parts) if told[row] else None


def _references(cited: list[Rows], papers: int, rng: np.random.Generator) -> list[list[str]]:
    """Write rows as ids, and add works outside, few of which are cited often."""
    share = OUTSIDE / (1 - OUTSIDE)
    counts = rng.poisson([share * len(rows) for rows in cited])
    outside = papers + growing_choice(np.full(counts.sum(), 2 * papers), rng)
    parts = np.split(outside, np.cumsum(counts)[:-1])
    return [
        [paper_id(row) for row in dict.fromkeys([*rows.tolist(), *others.tolist()])]
        for rows, others in zip(cited, parts, strict=True)
    ]


class LinkMaker:
    """Makes the citations of papers that follow each other, from what was made before them.

    A paper cites papers made of the same or near real ones. Half of the time it takes over what
    such a paper cites instead, as authors do who read reference lists: that makes few papers cited
    often and the same papers cited together (Kleinberg et al. 1999, the copying model).

    primaries: (n,) int32, the first real paper of each paper of the whole corpus. years: (n,).
    """

    def __init__(self, real: RealPapers, primaries: Rows, years: Longs) -> None:
        self.real, self.primaries, self.years = real, primaries, years
        self._members = np.argsort(primaries, kind="stable").astype(np.int32)
        counts = np.bincount(primaries, minlength=len(real))
        self._begins = np.concatenate([[0], np.cumsum(counts)])
        self._known = np.zeros(len(real), np.int64)
        self._lists = np.empty(1 << 16, np.int32)
        self._list_begins = np.zeros(len(primaries) + 1, np.int64)
        self._used = 0

    def make(self, begin: int, pairs: Rows, rng: np.random.Generator) -> list[Rows]:
        """Make the citations of papers begin, begin + 1, ...: rows below begin, each once.

        Args:
            begin: row of the first of them; all before it have been made.
            pairs: (m, 2), the real papers that each is made of.
            rng: the choices.
        """
        drawn = np.exp(np.log(MEDIAN_LENGTH) + SPREAD * rng.standard_normal(len(pairs)))
        lengths = np.minimum(np.ceil(drawn), LONGEST).astype(np.int64)
        lengths = np.where(rng.random(len(pairs)) < CITING, lengths, 0)
        owners = np.repeat(np.arange(len(pairs)), lengths)
        years, pairs_of = self.years[begin + owners], pairs[owners]
        cited = self._choose(begin, pairs_of, rng)
        for _ in range(_CHOICES):  # Another, where one is old and forgotten.
            ages = years - self.years[cited]
            old = np.flatnonzero((cited >= 0) & (rng.random(len(ages)) > np.exp(-ages / FORGOTTEN)))
            cited[old] = self._choose(begin, pairs_of[old], rng)
        some = cited >= 0
        key = np.unique(owners[some] * len(self.primaries) + cited[some])
        owner, rows = np.divmod(key, len(self.primaries))
        ends = np.searchsorted(owner, np.arange(1, len(pairs) + 1))
        self._remember(begin, rows.astype(np.int32), ends)
        return np.split(rows.astype(np.int32), ends[:-1])

    def _choose(self, begin: int, pairs: Rows, rng: np.random.Generator) -> Rows:
        """Choose a paper for each citation, -1 where none is known."""
        if begin == 0:
            return np.full(len(pairs), -1, np.int32)
        near = self.real.near
        topic = np.where(rng.random(len(pairs)) < FROM_SECOND, pairs[:, 1], pairs[:, 0])
        source = np.full(len(pairs), -1, np.int64)
        for _ in range(_TRIES):  # A real paper of which nothing was made yet cannot be cited.
            rank = ((near.shape[1] + 1) * rng.random(len(topic)) ** 2).astype(np.int64)
            tried = np.where(rank == 0, topic, near[topic, rank - 1])
            source = np.where((source < 0) & (self._known[tried] > 0), tried, source)
        place = (self._known[source] * rng.random(len(pairs))).astype(np.int64)
        direct = self._members[np.minimum(self._begins[source] + place, len(self._members) - 1)]
        anywhere = rng.integers(0, begin, len(pairs), dtype=np.int32)
        direct = np.where(source < 0, anywhere, direct)
        # Some are replaced by one of what the chosen papers cite.
        copied = rng.random(len(pairs)) < COPIED
        lengths = self._list_begins[direct + 1] - self._list_begins[direct]
        place = self._list_begins[direct] + (lengths * rng.random(len(direct))).astype(np.int64)
        theirs = self._lists[np.minimum(place, max(self._used - 1, 0))]
        return np.where(copied & (lengths > 0), theirs, direct).astype(np.int32)

    def _remember(self, begin: int, rows: Rows, ends: Longs) -> None:
        needed = self._used + len(rows)
        if needed > len(self._lists):
            self._lists = np.resize(self._lists, max(needed, 2 * len(self._lists)))
        self._lists[self._used : needed] = rows
        self._list_begins[begin + 1 : begin + 1 + len(ends)] = self._used + ends
        made = self.primaries[begin : begin + len(ends)]
        self._known += np.bincount(made, minlength=len(self._known))
        self._used = needed
