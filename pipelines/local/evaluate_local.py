"""Evaluate local recommendation: runs, judgements and facts in one folder, then assessed.

The folder is of the same kind as that of whole drafts, and what reads one reads the other. A query
is called `CITING#N` there, N counting the sentences of the citing paper.
"""

import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Sized
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recsys.errors import DraftError, InputError, check_name, near_miss
from recsys.eval.judge_runs import assess
from recsys.eval.recorded_runs import RUNS, SENTENCE, SENTENCES
from recsys.local.local_recommender import PassageRanker
from recsys.local.mentions import find_mentions
from recsys.local.named_works import NO_NAMES
from recsys.local.passage import ContextUse, PassageQuery, with_sentence
from recsys.machine import one_thread
from recsys.pipelines.evaluation.batch import (
    WORK,
    Response,
    answer_facts,
    check_folder,
    entry_of,
    gold_facts,
    manifest_hashes,
    milliseconds,
    write_folder,
    write_responses,
)
from recsys.pipelines.evaluation.leakage import TEST, check_encoder, check_ranker, folder_of
from recsys.pipelines.evaluation.systems import Ranked
from recsys.pipelines.jobs.engines import ProcessPool
from recsys.pipelines.jobs.kept_results import Entry, Sidecar, gather
from recsys.pipelines.local.local_queries import KNOWN, LocalQueries, LocalQuery, Posed, pose_query
from recsys.protocols import Progress, silent
from recsys.store.arrays import top_k
from recsys.store.artifacts import MANIFEST, fingerprint, sha256
from recsys.store.collection import Collection
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.vectors import dot_cache

if TYPE_CHECKING:
    from recsys.eval.run_figures import Assessment


# What ranks papers for a passage: the systems that local recommendation is measured against.
#
# A new system is a function and a row of LOCAL_SYSTEMS.

FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""
DEEP = 200


@dataclass(frozen=True)
class AskedPassage:
    """A passage that several systems are asked, each for k papers; what they share is made once."""

    ranker: PassageRanker
    posed: Posed

    @cached_property
    def query(self) -> PassageQuery:
        """The passage as the stages see it."""
        return next(self.ranker.posed(self.posed.draft, [self.posed.passage]))

    def bm25(self, k: int) -> Ranked:
        """Ask for the words of the passage."""
        query, index = self.query.query, self.ranker.reader.collection.text_index
        return Ranked(*index.search(query.text, k, allowed=query.wanted))

    def embedding(self, k: int) -> Ranked:
        """Order by the cosine with the passage's vector."""
        query, index = self.query.query, self.ranker.reader.collection.vector_index
        return Ranked(*index.search(query.vector, k, allowed=query.wanted))

    def hybrid(self, k: int) -> Ranked:
        """Fuse both by reciprocal ranks."""
        lists = [self.bm25(DEEP).rows, self.embedding(DEEP).rows]
        rows = np.unique(np.concatenate(lists)).astype(np.int32)
        scores = np.zeros(len(rows), np.float32)
        for ranked in lists:
            scores[np.searchsorted(rows, ranked)] += 1 / (FUSION + 1 + np.arange(len(ranked)))
        top = top_k(scores, min(k, len(rows)))
        return Ranked(rows[top], scores[top])

    def two_stage(self, k: int) -> Ranked:
        """Ask the two stages of whole drafts, which take the sentence for the draft's abstract."""
        recommender = self.ranker.reader.recommender
        known = with_sentence(self.posed.draft, self.posed.passage.text)
        ranking = recommender.rank(recommender.query_to(known))
        return Ranked(ranking.rows[:k], ranking.scores[:k])

    def profile(self, k: int) -> Ranked:
        """Order the candidates by how they are spoken of."""
        facts = self.ranker.reader.facts_of(self.query)
        top = top_k(facts.profile, min(k, len(facts.rows)))
        return Ranked(facts.rows[top], facts.profile[top])

    def local(self, k: int, *, unnamed: bool = False) -> Ranked:
        """Ask as `recsys cite` does; unnamed: leave out what the sentence names."""
        query = replace(self.query, named=NO_NAMES) if unnamed else self.query
        found = self.ranker.rank(query)
        chances = found.probabilities[:k]
        return Ranked(found.rows[:k], found.scores[:k], found.facts.rows, chances)


BY_WORDS = "bm25"
"""The one system that asks no encoder."""
LOCAL_SYSTEMS: Mapping[str, Callable[[AskedPassage, int], Ranked]] = {
    BY_WORDS: AskedPassage.bm25,
    "embedding": AskedPassage.embedding,
    "hybrid": AskedPassage.hybrid,
    "two-stage": AskedPassage.two_stage,
    "profile": AskedPassage.profile,
    "local": AskedPassage.local,
    "local-unnamed": partial(AskedPassage.local, unnamed=True),
}
"""By the names that `recsys evaluate-local --systems` takes: each ranks so many papers."""
LEARNED = frozenset({"local", "local-unnamed"})
"""Those that a local ranker orders."""


# The guards of local evaluation: nothing is measured that a model or the corpus gives away.

TELLING = 0.3
"""Gold papers that have an abstract so much more often than others are found by having one."""


def guard(
    ranker: PassageRanker, options: "LocalEvaluation", queries: Iterable[LocalQuery]
) -> tuple[str, ...]:
    """Refuse models that have learned from the citing papers; return the warnings.

    Raises:
        LeakageError: with the number of citing papers and the first one.
    """
    recommender = ranker.reader.recommender
    collection = recommender.collection
    citing = [collection.corpus.ids[row] for row in sorted({each.citing for each in queries})]
    local = not LEARNED.isdisjoint(options.systems)
    whole = "two-stage" in options.systems or local  # Which reads what the two stages say.
    asked = (
        (local, ranker.ranker, "local ranker", "local"),
        (whole, recommender.ranker, "ranker", "ranker"),
    )
    warnings = [
        check_ranker(folder_of(model), collection, TEST, citing, what=what, command=command)
        for is_asked, model, what, command in asked
        if is_asked
    ]
    if any(name != BY_WORDS for name in options.systems):
        warnings.append(check_encoder(collection, TEST, citing))
    return tuple(warning for warning in warnings if warning is not None)


def telling(collection: Collection, queries: Sized[LocalQuery], *, contexts: bool) -> Iterator[str]:
    """Warn where what a paper has tells cited papers from others as old as these.

    It may have an abstract and, where contexts are read, some in the index.
    """
    gold = np.unique(np.concatenate([each.gold for each in queries]))
    corpus = collection.corpus
    latest = max(int(corpus.years[each.citing]) for each in queries)
    others = (corpus.years != UNKNOWN_YEAR) & (corpus.years <= latest)
    others[gold] = False
    has_abstract = corpus.texts().column("abstract").is_valid().to_numpy()
    signs = [("an abstract", has_abstract, "Build the index with --titles-only.")]
    if contexts and collection.contexts is not None:
        has_contexts = np.zeros(len(corpus), bool)
        has_contexts[collection.contexts.contexts.cited] = True
        advice = "Evaluate with `--contexts hidden` or `only`."
        signs.append(("contexts in the index", has_contexts, advice))
    for what, has, advice in signs if others.any() else ():
        of_gold, of_others = float(has[gold].mean()), float(has[others].mean())
        if of_gold - of_others > TELLING:
            yield (
                f"{of_gold:.0%} of the cited papers have {what}, and {of_others:.0%} of the "
                f"others: that gives them away. {advice}"
            )


OpenLocal = Callable[[Path], PassageRanker]
"""Opens what answers passages; a function of a module, for the workers."""
SHOWN_DEPTH = 10
"""Papers of each answer whose probabilities are checked: those that a person may look at."""
_FORMAT = "recsys.local-evaluation/1"


@dataclass(frozen=True, slots=True)
class LocalEvaluation:
    """What is evaluated, and how.

    known: what is known beside the sentence, see `local_queries.KNOWN`. masked: whether names and
    years are taken out of the sentences. contexts: which citing sentences of the index may be read.
    per_paper: sentences of each citing paper at most. years:
    first and last year of the citing papers. jobs: processes; None: one per processor.
    """

    systems: Sequence[str] = ("bm25", "embedding", "hybrid", "two-stage", "profile", "local")
    known: str = "references"
    masked: bool = True
    contexts: ContextUse = ContextUse.ALL
    per_paper: int = 1
    years: tuple[int, int] = (0, 9999)
    k: int = 100
    seed: int = 0
    jobs: int | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class LocalReport:
    """What was evaluated. timing: median milliseconds of processor time a passage."""

    folder: Path
    queries: int
    timing: Mapping[str, float]
    assessment: "Assessment"
    told: tuple[str, ...] = ()

    def table(self) -> str:
        """Write the systems by their main measures, for a terminal."""
        from recsys.eval.report.system_tables import brief_table

        caption = f"{self.queries:,} sentences; 95 % intervals; processor time per sentence."
        return brief_table(self.assessment, caption, SENTENCES.tested, self.timing)

    def lines(self) -> list[str]:
        """Say to people what the table does not show."""
        lines = [
            f"{name}: calibration error is {reliability.error:.4f}."
            for name, reliability in self.assessment.reliability.items()
        ]
        folder = shlex.quote(str(self.folder))
        next_step = f"Written to {self.folder}. Next: recsys report {folder}"
        return [*lines, *self.told, next_step]


def evaluate_local(
    index: Path,
    found: LocalQueries,
    options: LocalEvaluation,
    out: Path,
    *,
    open_local: OpenLocal,
    progress: Progress = silent,
) -> LocalReport:
    """Ask the systems every sentence, write the folder, assess it.

    Raises:
        InputError: no such system, k < 1, no sentence of these years, or a folder of others.
        LeakageError: a ranker has learned from a citing paper.
        ArtifactError: the index or the ranker cannot be opened.
    """
    _check(options)
    ranker = open_local(index)
    collection = ranker.reader.collection
    of_years = found.of_years(collection, *options.years)
    chosen = of_years.at_most(options.per_paper, seed=options.seed)
    queries: dict[str, LocalQuery] = {}
    counted: Counter[int] = Counter()
    for query in chosen.queries:  # Each is called after its citing paper.
        counted[query.citing] += 1
        queries[f"{collection.corpus.ids[query.citing]}#{counted[query.citing]}"] = query
    if not queries:
        raise InputError(
            f"No sentence is by a paper of {options.years[0]} to {options.years[1]}.",
            "Give other years, or other contexts.",
        )
    if options.contexts is ContextUse.ONLY and collection.contexts is None:
        raise InputError(
            f"Only papers with contexts may be recommended, and {index} has no contexts.",
            "Add some with `recsys add-contexts`, or evaluate with contexts hidden.",
        )
    asked = queries.values()
    read = options.contexts is ContextUse.ALL
    told = [*guard(ranker, options, asked), *telling(collection, asked, contexts=read)]
    check_folder(out)
    (out / WORK).mkdir(exist_ok=True)
    sidecars, answers = [], {}
    for system in options.systems:
        key = _key(ranker, options, queries, system)
        sidecar = Sidecar(out / WORK / f"{system}.partial", key)
        start = partial(answerer, open_local, collection.folder, options, queries, system)
        entries = gather(
            f"asking {system}",
            start,
            [*queries],
            sidecar=sidecar,
            engine=ProcessPool(options.jobs),
            progress=progress,
        ).entries
        sidecars.append(sidecar)
        answers[system] = {name: Response(**entry) for name, entry in entries.items()}
    assessment = _write(out, collection, options, queries, answers, told)
    for sidecar in sidecars:
        sidecar.remove()
    timing = {name: milliseconds(responses) for name, responses in answers.items()}
    return LocalReport(out, len(queries), timing, assessment, (*found.lines(), *told))


def answerer(
    open_local: OpenLocal,
    index: Path,
    options: LocalEvaluation,
    queries: Mapping[str, LocalQuery],
    system: str,
) -> Callable[[str], Entry]:
    """Open the index in a worker; return what answers one query there."""
    ranker = open_local(index)
    reader = ranker.reader

    def respond(name: str) -> Entry:
        query = queries[name]
        posed = pose_query(
            reader.collection,
            reader.works,
            query,
            options.known,
            masked=options.masked,
            contexts=options.contexts,
        )
        begun = time.process_time()
        try:
            with one_thread(), dot_cache():
                ranked = LOCAL_SYSTEMS[system](AskedPassage(ranker, posed), options.k)
        except DraftError:  # Nothing is left of a sentence that was all names.
            return asdict(Response([], [], time.process_time() - begun))
        seconds = time.process_time() - begun
        return entry_of(reader.collection, ranked, seconds, query.gold, SHOWN_DEPTH)

    return respond


def _check(options: LocalEvaluation) -> None:
    for name in options.systems:
        check_name(name, LOCAL_SYSTEMS, "system")
    for what, number in (("k", options.k), ("The number of sentences a paper", options.per_paper)):
        if number < 1:
            raise InputError(f"{what} is {number}.", "Give at least one.")
    if not options.systems:
        raise InputError("There is nothing to evaluate.", f"Some of {', '.join(LOCAL_SYSTEMS)}.")
    if options.known not in KNOWN:
        raise InputError(
            f"{options.known!r} cannot be known.{near_miss(options.known, KNOWN)}",
            f"One of {', '.join(KNOWN)}.",
        )


def _key(
    ranker: PassageRanker, options: LocalEvaluation, queries: Mapping[str, LocalQuery], system: str
) -> str:
    """Hash what answers depend on."""
    manifests = manifest_hashes(ranker.reader.collection.folder)
    rankers = filter(None, map(folder_of, (ranker.ranker, ranker.reader.recommender.ranker)))
    hashes = [sha256(folder / MANIFEST) for folder in rankers]
    asked = [[name, each.text, each.gold.tolist()] for name, each in queries.items()]
    chosen = {
        key: value for key, value in asdict(options).items() if key not in ("jobs", "command")
    }
    return fingerprint([_FORMAT, manifests, hashes, asked, chosen, system])


def _write(
    out: Path,
    collection: Collection,
    options: LocalEvaluation,
    queries: Mapping[str, LocalQuery],
    answers: Mapping[str, Mapping[str, Response]],
    told: Sequence[str],
) -> "Assessment":
    for name, responses in answers.items():
        write_responses(out / RUNS / f"{name}.trec", responses, name)
    asked = {
        "command": options.command,
        "part": SENTENCE,
        "k": options.k,
        "seed": options.seed,
        "known": options.known,
        "masked": options.masked,
        "contexts": options.contexts,
        "systems": [*answers],
    }
    facts = answer_facts(collection, asked, answers) | {"warnings": [*told]}
    described = {}
    for name, query in queries.items():
        year = int(collection.graph.years[query.citing])
        described[name] = {
            "title": query.text,
            "year": year,
            "venue": None,
            "has_abstract": False,
            "names": bool(find_mentions(query.text)),
            "gold": gold_facts(collection, query.gold, year),
        }
    write_folder(out, described, facts)
    return assess(out, seed=options.seed)
