"""How often a draft's authors are taken for others who are called alike.

    python -m benchmarks.namesakes --data DIR --work DIR

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Two things are measured, each
beside the rule that a surname and a first initial make a person:

- which papers the authors of drafts are said to have written, in corpora of which half of the
  papers have all given names cut to initials, as full names in the whole corpora tell;
- which reasons of answers are true, that name papers by the draft's authors.

Figures are kept, and the tables are written anew.
"""

import json
import re
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import recsys
from benchmarks.bench import (
    DOCS,
    HERE,
    OUT,
    PAPERS,
    Bench,
    Data,
    Docs,
    Figures,
    Results,
    Work,
    chosen,
    gzipped,
    program,
    read_papers,
    tell,
)
from benchmarks.result_tables import Report
from recsys.eval.measures import draw, interval, shares
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.query.query import draft_of
from recsys.recommend import Recommender
from recsys.records import PaperId
from recsys.store.arrays import Longs, Mask, distinct
from recsys.store.artifacts import CORPUS, replacing
from recsys.store.corpus import Authorship, Corpus
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.names import agree, author_keys, initialled, name_keys, written_out

HALVED = ("vis", "archaeology", "acl")
"""Corpora that write names out: the truth is known where a half of them is cut."""
CORPORA = (*HALVED, "plantsci")
DRAFTS, ANSWERED, SHOWN = 400, 200, 20
"""Drafts whose papers are looked up, those that are answered, and papers of an answer."""
TRUE, FALSE, OPEN = "true", "false", "open"
_COUNT = re.compile(r"(\d+|an) earlier papers? by the draft's authors cites? it")
_GIVEN = re.compile(r"[^\W_]+")
_SURNAME_LAST = re.compile(r"(.*?)\s*(\S+(?: (?:\d+|[JS]r\.?|I{2,3}|IV))*)\s*")

Keys: TypeAlias = Sequence[str]
"""Of the authors of a work, by `name_key`."""


class ByInitials(Corpus):
    """A corpus in which a surname and a first initial are a person."""

    def written_by(self, names: Sequence[str], allowed: Mask | None = None) -> Authorship:
        """Find the papers of all who share surname and initial with one of these people."""
        known, blocks = self.author_names, []
        for key in author_keys(names):
            at = bisect_left(known, key)
            if at < len(known) and initialled(known[at]) == key:
                blocks.append(at)
        codes = np.flatnonzero(np.isin(self.author_blocks, blocks)).astype(np.int32)
        papers = distinct(self.papers_of_author.take(codes)[1])
        papers = papers if allowed is None else papers[allowed[papers]]
        return Authorship(codes, papers, len(blocks))


RULES: Mapping[str, type[Corpus]] = {"names": Corpus, "surname and initial": ByInitials}


def ruled(corpus: Corpus, rule: str) -> Corpus:
    """Let a rule say who wrote the papers of a corpus."""
    return RULES[rule](**{each.name: getattr(corpus, each.name) for each in fields(corpus)})


def verdict(draft: Keys, paper: Keys) -> str:
    """Tell whether a paper has an author of a draft: TRUE or FALSE by names in full, else OPEN."""
    open_pairs = False
    for key in draft:
        for other in (name for name in paper if name.split(" ")[0] == key.split(" ")[0]):
            if agree(key, other) is not False:
                if written_out(key) and written_out(other):
                    return TRUE
                open_pairs = True
    return OPEN if open_pairs else FALSE


def cut(name: str) -> str:
    """Cut the given names of a name to initials, as reference lists do.

    >>> cut("Ada Maria van Ash"), cut("Ash, Ada-Maria"), cut("Bo Elm 0001"), cut("Plato")
    ('A. M. van Ash', 'Ash, A. M.', 'B. Elm 0001', 'Plato')
    """
    family, comma, given = name.partition(",")
    if comma:
        return f"{family}, {_initials(given)}"
    parts = _SURNAME_LAST.fullmatch(name)
    return f"{_initials(parts[1])} {parts[2]}".strip() if parts else name


def _initials(given: str) -> str:
    words = _GIVEN.findall(given)
    return " ".join(word if word[0].islower() else f"{word[0]}." for word in words)


def measure_half(bench: Bench, corpus: str) -> Figures:
    """Look up the papers of drafts' authors where half of the papers have initials alone.

    Returns:
        {"papers", "drafts", "names": share of those in full}, and by how drafts write names ("in
        full", "initials") and by rule what `judged` returns.
    """
    papers, rng = read_papers(bench.papers(corpus)), np.random.default_rng(0)
    names = {paper["id"]: paper.get("authors") or [] for paper in papers}
    half = halved(papers, bench.work / "namesakes" / corpus, rng)
    keys = [name_keys(names[half.ids[row]]) for row in range(len(half))]
    of_family = defaultdict[str, set[int]](set)
    for row, key in ((row, key) for row, some in enumerate(keys) for key in some):
        of_family[key.split(" ")[0]].add(row)
    in_full = [written_out(key) for some in keys for key in some]
    split = json.loads(bench.split(corpus).read_text(encoding="utf-8"))
    rows = half.rows(rng.permutation([*split["dev"], *split["test"]])[:DRAFTS].tolist()).tolist()
    ways: Mapping[str, Callable[[str], str]] = {"in full": str, "initials": cut}
    counts = defaultdict[tuple[str, str], list[list[int]]](list)
    for row in rows:
        allowed = (half.years <= half.years[row]) & (half.years != UNKNOWN_YEAR)
        allowed[row] = False
        rivals = {at for key in keys[row] for at in of_family[key.split(" ")[0]] if allowed[at]}
        said = {at: verdict(keys[row], keys[at]) for at in rivals}
        known = sum(each == TRUE for each in said.values())
        for (way, written), rule in product(ways.items(), RULES):
            written_names = [*map(written, names[half.ids[row]])]
            own = ruled(half, rule).written_by(written_names, allowed).papers.tolist()
            found = Counter(said[at] for at in own)
            counts[way, rule].append([found[TRUE], found[FALSE], found[OPEN], known])
    figures = {way: {rule: judged(np.array(counts[way, rule])) for rule in RULES} for way in ways}
    facts = {"papers": len(half), "drafts": len(rows), "names": sum(in_full) / len(in_full)}
    return facts | figures


def halved(papers: Sequence[dict[str, Any]], folder: Path, rng: np.random.Generator) -> Corpus:
    """Store a corpus of which half of the papers, drawn at random, have no given name in full."""
    with replacing(folder) as place:
        with gzipped(place / PAPERS) as file:
            for paper in papers:
                some = paper.get("authors") or []
                authors = [*map(cut, some)] if rng.random() < 0.5 else some
                file.write(json.dumps(paper | {"authors": authors}).encode() + b"\n")
        (place / CORPUS).mkdir()
        ingest(source_files([place / PAPERS]), place / CORPUS)
    return Corpus.load(folder / CORPUS)


def judged(counts: Longs) -> Figures:
    """Add up papers of drafts.

    Precision is of what is not OPEN; intervals are of drafts drawn with replacement.

    Args:
        counts: (n, 4), papers found that are TRUE, FALSE and OPEN, and all that are TRUE.

    Returns:
        {TRUE, FALSE, OPEN: papers found, "precision", "recall": intervals}.
    """
    drawn = draw(len(counts), rng=np.random.default_rng(0), samples=1000) @ counts
    right, wrong, _, known = drawn.T
    return {
        **dict(zip((TRUE, FALSE, OPEN), counts.sum(axis=0).tolist(), strict=False)),
        "precision": asdict(interval(shares(right, right + wrong))),
        "recall": asdict(interval(shares(right, known))),
    }


def measure_shown(bench: Bench, corpus: str) -> Figures:
    """Judge the reasons of answers to test drafts, as of their years, that tell of their authors.

    Returns:
        {"drafts"}, and by rule and kind of reason: {TRUE, FALSE, OPEN: how many, "miscounted": how
        many tell another number of papers than there are}.
    """
    recommender = recsys.load(bench.built(corpus))
    split = json.loads(bench.split(corpus).read_text(encoding="utf-8"))
    rng, test = np.random.default_rng(0), split["test"]
    queries = [test[at] for at in sorted(rng.permutation(len(test))[:ANSWERED].tolist())]
    found: Figures = {"drafts": len(queries)}
    for rule in RULES:
        collection = recommender.collection
        collection = replace(collection, corpus=ruled(collection.corpus, rule))
        asked, counts = replace(recommender, collection=collection), Counter[tuple[str, str]]()
        for done, query in enumerate(queries, 1):
            counts.update(judged_reasons(asked, query))
            tell(f"{corpus}, {rule}", done, len(queries))
        found[rule] = {
            kind: {each: counts[kind, each] for each in (TRUE, FALSE, OPEN, "miscounted")}
            for kind in ("authors", "own")
        }
    return found


def judged_reasons(recommender: Recommender, query: PaperId) -> Iterator[tuple[str, str]]:
    """Answer a paper as the draft it once was: give the kind of each reason and what is true of it.

    A reason that tells of several papers is TRUE where all of them are, FALSE where one is.
    """
    corpus, graph = recommender.collection.corpus, recommender.collection.graph
    row = int(corpus.rows([query])[0])
    draft = draft_of(corpus.full_papers([row])[0])
    posed, names = recommender.query_of(row), name_keys(draft.authors)
    own = corpus.written_by(draft.authors, posed.allowed).papers
    older = own[graph.older(own, posed.before)]
    for item in recommender.recommend(draft, SHOWN).recommendations:
        at = int(corpus.rows([item.paper.id])[0])
        for reason in item.reasons:
            if reason.kind not in ("authors", "own"):
                continue
            told = [at]
            if reason.kind == "authors":
                told = np.intersect1d(older, graph.cited_by[at]).tolist()
                count = _COUNT.fullmatch(reason.text)
                if count is None or len(told) != int(count[1].replace("an", "1")):
                    yield reason.kind, "miscounted"
            said = {verdict(names, name_keys(each.authors)) for each in corpus.papers(told)}
            yield reason.kind, next(each for each in (FALSE, OPEN, TRUE) if each in said)


def measure(
    data: Data,
    corpora: str = ",".join(CORPORA),
    work: Work = OUT,
    docs: Docs = DOCS,
    results: Results = HERE / "namesakes.json",
) -> None:
    """Measure how often people are taken for their namesakes."""
    report, bench = Report("namesakes", results, docs), Bench(data, work)
    for corpus in chosen(corpora, CORPORA):
        found = report.read()
        if corpus in HALVED:
            found.setdefault("half", {})[corpus] = measure_half(bench, corpus)
        found.setdefault("shown", {})[corpus] = measure_shown(bench, corpus)
        report.keep(found)


main = program("benchmarks.namesakes", measure)
if __name__ == "__main__":
    sys.exit(main())
