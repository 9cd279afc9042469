"""Train the local ranker that ships with the package, and measure it in unseen fields.

    python -m benchmarks.shipped_local_ranker --data DIR --work DIR

DATA holds papers.jsonl.gz, split.json and sentences.jsonl.gz of each corpus, and for acl
citation_contexts.jsonl.gz. Indexes below WORK are built unless they are there. That of acl is of
titles alone: only its cited papers have abstracts, which would give them away.

Every corpus is left out once: a ranker of the others answers its test sentences, one of each
paper, beside the two stages, whose own ranker is the one that ships: it has learned from other
papers of these corpora. Then a local ranker of all corpora is written. Where another ranker of
drafts ships, this one has to learn again: see `local_recommender`.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmarks.bench import SPLIT, Bench, Data, Work, chosen, program, tell
from benchmarks.sentences import SENTENCES, citing_sentences
from recsys import load
from recsys.indexes.opening import open_collection, with_contexts
from recsys.local.local_recommender import (
    LOCAL_RANKER,
    PassageRanker,
    PassageReader,
    load_local_ranker,
)
from recsys.local.passage import ContextUse
from recsys.pipelines.local.evaluate_local import LocalEvaluation, evaluate_local
from recsys.pipelines.local.local_queries import LocalQueries, LocalQuery, local_queries
from recsys.pipelines.local.store_contexts import add_contexts, read_sentences
from recsys.pipelines.local.train_local import (
    LocalParts,
    LocalSchool,
    LocalTraining,
    of_papers,
    save_local,
    school_of,
)
from recsys.records import Context
from recsys.store.artifacts import CONTEXTS, check_replaceable, replacing
from recsys.store.collection import Collection
from recsys.store.generations import in_force

FIELDS = ("acl", "elife", "plantsci", "taxonomy")
BY_YEAR, CITATION_CONTEXTS = "acl", "citation_contexts.jsonl.gz"
TRAIN_UNTIL, DEV_UNTIL = 2009, 2010
"""Last years of acl's citing papers to train on, and of dev; the other corpora have splits."""
MOST = {"train": 3_000, "dev": 700}
"""Sentences of each corpus at most: all have the same say."""
SHIPPED = Path(__file__).resolve().parents[1] / "recsys" / "data" / LOCAL_RANKER
Parts = Mapping[str, LocalQueries]


def sentences_of(data: Path, work: Path, corpus: str) -> tuple[Path, Collection, Parts]:
    """Return a corpus's index, opened, too, and the sentences of its train, dev and test papers."""
    index = Bench(data, work).built(corpus, titles_only=corpus == BY_YEAR)
    contexts: Sequence[Context]
    if corpus == BY_YEAR:
        file = data / corpus / CITATION_CONTEXTS
        if not (in_force(index) / CONTEXTS).is_dir():
            add_contexts(index, [file])
        contexts = read_sentences([file]).contexts
    else:
        contexts = [*citing_sentences(data / corpus / SENTENCES)]
    collection = open_collection(index)
    found = local_queries(collection, contexts)
    if corpus == BY_YEAR:
        years = ((0, TRAIN_UNTIL), (TRAIN_UNTIL + 1, DEV_UNTIL), (DEV_UNTIL + 1, 9999))
        of_years = (found.of_years(collection, *each) for each in years)
        return index, collection, dict(zip(("train", "dev", "test"), of_years, strict=True))
    split = json.loads((data / corpus / SPLIT).read_text(encoding="utf-8"))
    parts = {part: of_papers(found, collection, ids) for part, ids in split.items()}
    return index, collection, {name: replace(found, queries=each) for name, each in parts.items()}


def drawn(found: LocalQueries, most: int, options: LocalTraining) -> tuple[LocalQuery, ...]:
    """Draw at most so many sentences, of each paper few."""
    queries = found.at_most(options.per_paper, seed=options.seed).queries
    places = np.random.default_rng(options.seed).permutation(len(queries))[:most]
    return tuple(queries[place] for place in np.sort(places).tolist())


def joined(schools: Sequence[LocalSchool]) -> LocalSchool:
    """Put the examples of several corpora together."""
    seen = schools[0].seen
    for school in schools[1:]:
        seen |= school.seen
    train, dev = (
        tuple(chain.from_iterable(getattr(school, part) for school in schools))
        for part in ("train", "dev")
    )
    return LocalSchool(train, dev, seen, schools[0].beside)


def write(school: LocalSchool, out: Path, seed: int) -> None:
    """Train on some examples and replace a ranker."""
    fitted, report = school.fit(seed=seed)
    with replacing(out) as new:
        origin = "the local ranker shipped with recsys"
        save_local(fitted, new, school, report, origin=origin, text=False)
    sys.stderr.writelines(f"{line}\n" for line in report.lines())


def open_beside(ranker: Path, index: Path) -> PassageRanker:
    """Open an index with another local ranker than its own."""
    recommender = load(index)
    collection = with_contexts(recommender.collection)
    reader = PassageReader(replace(recommender, collection=collection))
    return PassageRanker(reader, load_local_ranker(ranker))


def run(
    data: Data,
    work: Work,
    out: Path = SHIPPED,
    seed: int = 0,
    fields: Annotated[str, typer.Option(help="Corpora, separated by commas.")] = ",".join(FIELDS),
    known: Annotated[str, typer.Option(help="What is known beside the sentence.")] = (
        "title,references"
    ),
    left_out: Annotated[bool, typer.Option(help="Measure in fields that are left out.")] = True,
) -> None:
    """Train, and say how good the ranker is on dev, and others like it in fields left out."""
    check_replaceable(out)
    options = LocalTraining(per_paper=3, seed=seed)
    schools, tests, indexes = {}, {}, {}
    for corpus in chosen(fields, FIELDS):
        indexes[corpus], collection, parts = sentences_of(data, work, corpus)
        tests[corpus] = parts["test"]
        train, dev = (drawn(parts[part], most, options) for part, most in MOST.items())
        schools[corpus] = school_of(
            load, indexes[corpus], collection, LocalParts(train, dev), options, tell
        )
    for corpus in schools if left_out else ():
        ranker = work / f"{LOCAL_RANKER}-without-{corpus}"
        write(joined([each for name, each in schools.items() if name != corpus]), ranker, seed)
        for what in known.split(","):
            # Of acl's papers, hardly any but the cited ones have contexts.
            asked = LocalEvaluation(
                ("two-stage", "local"), what, contexts=ContextUse.HIDDEN, k=20, seed=seed
            )
            folder = work / f"sentences-{corpus}-{what}"
            open_local = partial(open_beside, ranker)
            report = evaluate_local(
                indexes[corpus], tests[corpus], asked, folder, open_local=open_local, progress=tell
            )
            sys.stdout.write(f"{corpus}, left out, {what}\n{report.table()}\n")
            sys.stdout.writelines(f"{line}\n" for line in report.lines())
    write(joined([*schools.values()]), out, seed)


main = program("benchmarks.shipped_local_ranker", run)
if __name__ == "__main__":
    sys.exit(main())
