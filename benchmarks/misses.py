"""Draw gold papers that the two-stage system misses, and write a sheet on which people sort them.

`python -m benchmarks.misses draw INDEX --split SPLIT --out SHEET.csv` draws; people write
a kind into the first column of each line; `... count SHEET.csv` counts the kinds and what the other
columns say; `... tally INDEX --split SPLIT` counts all that is missed.
The sheet has titles of the corpus: keep it out of the repository where these are not free.
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

import recsys
from benchmarks.quality import SHOWN
from recsys.errors import InputError
from recsys.pipelines.corpora.query_years import PARTS
from recsys.pipelines.evaluation.splits import gold, read_split
from recsys.pipelines.jobs.programs import ending
from recsys.query.query import Query
from recsys.recommend import Ranking, Recommender
from recsys.store.arrays import Floats, Mask, Ragged, Rows
from recsys.store.lookup import dots

NEAREST = 50
"""Of the papers nearest to a draft, so many are looked through for who cites a missed one."""
UNSORTED = "not sorted"
"""What a line without a kind is counted as."""
FAR = 200
"""Ranks beyond this are far, by cosine and by BM25."""
SELDOM = 1
"""Cited so often at most: hardly known yet."""
NUMBERS: Mapping[str, bool] = {
    "rank": True,
    "bm25_rank": True,
    "cosine_rank": False,
    "citations": False,
    "neighbours": False,
}
"""Columns of a sheet that are counted, and whether one may be empty."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A gold paper that is not among the first SHOWN; all counts are as of the draft's year.

    kind: for people to fill. rank: in the answer, from 1; None: it is no candidate. cosine_rank,
    bm25_rank: among all papers that may be recommended; None beyond what BM25 returns. neighbours:
    of the NEAREST older papers, those that cite it. shared_authors: with the draft. citations: by
    older papers. gold, found: how many papers the draft cites, and how many stand in the first.
    """

    kind: str
    draft: str
    draft_title: str
    draft_year: int
    paper: str
    title: str
    year: int
    venue: str
    rank: int | None
    cosine: float
    cosine_rank: int
    bm25_rank: int | None
    neighbours: int
    citations: int
    shared_authors: int
    gold: int
    found: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A query with its ranking and its gold rows. missed: those of them not among the first."""

    row: int
    query: Query
    ranking: Ranking
    gold: Rows

    @property
    def missed(self) -> Rows:
        """Gold papers beyond the first SHOWN of the ranking, ascending."""
        return self.gold[~np.isin(self.gold, self.ranking.rows[:SHOWN])]


def answered(recommender: Recommender, paper: str) -> Answered:
    """Ask a paper of the corpus as the draft that it once was."""
    row = int(recommender.collection.corpus.rows([paper])[0])
    query = recommender.query_of(row)
    return Answered(row, query, recommender.rank(query), gold(recommender.collection, row))


def draw(
    recommender: Recommender, queries: Sequence[str], number: int, rng: np.random.Generator
) -> list[Miss]:
    """Draw misses, each as likely as any other; by query and paper. Fewer where there are fewer."""
    pairs = [(query, int(row)) for query in queries for row in answered(recommender, query).missed]
    chosen = np.sort(rng.permutation(len(pairs))[:number]).tolist()
    by_query: dict[str, list[int]] = {}
    for query, row in (pairs[at] for at in chosen):
        by_query.setdefault(query, []).append(row)
    return [
        miss
        for query, rows in by_query.items()
        for miss in _described(recommender, answered(recommender, query), rows)
    ]


def _described(recommender: Recommender, asked: Answered, rows: Sequence[int]) -> Iterator[Miss]:
    collection, query, ranked = recommender.collection, asked.query, asked.ranking.rows
    corpus, graph = collection.corpus, collection.graph
    wanted = np.flatnonzero(query.wanted).astype(np.int32)
    cosines = dots(collection.vectors, wanted, query.vector)
    hits = collection.text_index.search(query.text, len(corpus), allowed=query.wanted)[0]
    citing = _citing(recommender, asked, wanted, cosines)
    draft = corpus.papers([asked.row])[0]
    for row, paper in zip(rows, corpus.papers(rows), strict=True):
        at = np.flatnonzero(wanted == row)
        cosine = float(dots(collection.vectors, np.array([row], np.int32), query.vector)[0])
        yield Miss(
            kind="",
            draft=draft.id,
            draft_title=draft.title,
            draft_year=query.before,
            paper=paper.id,
            title=paper.title,
            year=int(graph.years[row]),
            venue=paper.venue or "",
            rank=_place(ranked, row),
            cosine=round(float(cosines[at[0]]) if len(at) else cosine, 3),
            cosine_rank=1 + int(np.count_nonzero(cosines > cosine)),
            bm25_rank=_place(hits, row),
            neighbours=int(np.count_nonzero(citing == row)),
            citations=int(graph.in_counts(np.array([row], np.int32), query.before)[0]),
            shared_authors=len(np.intersect1d(corpus.authors[row], query.authors)),
            gold=len(asked.gold),
            found=len(asked.gold) - len(asked.missed),
        )


def _citing(recommender: Recommender, asked: Answered, wanted: Rows, cosines: Floats) -> Rows:
    """List what the nearest older papers cite, each as often as it is cited."""
    graph = recommender.collection.graph
    older = wanted[graph.years[wanted] < asked.query.before]
    near = older[np.argsort(-cosines[np.isin(wanted, older)], kind="stable")[:NEAREST]]
    return graph.cites.take(near)[1]


def _place(rows: Rows, row: int) -> int | None:
    """Return the position of a row from 1, None where it is not there."""
    found = np.flatnonzero(rows == row)
    return int(found[0]) + 1 if len(found) else None


def write_sheet(path: Path, misses: Sequence[Miss]) -> None:
    """Write a CSV file with a line a miss, and the names of the columns above."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Miss)])
        writer.writeheader()
        writer.writerows(map(asdict, misses))


def read_sheet(path: Path) -> list[Mapping[str, str]]:
    """Read the lines of a sheet.

    Raises:
        InputError: the sheet is missing, or is none, or a number in it is none.
    """
    if not path.is_file():
        raise InputError(f"There is no sheet {path}.", "Draw one first: `draw INDEX --out`.")
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        try:
            lines: list[Mapping[str, str]] = list(reader)
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(
                f"{path} cannot be read: {error}.", "Save it as CSV in UTF-8."
            ) from None
    if not {field.name for field in fields(Miss)} <= set(reader.fieldnames or ()):
        raise InputError(f"{path} is no sheet of misses.", "Its columns are those of `draw`.")
    for number, line in enumerate(lines, 1):
        for name, may_lack in NUMBERS.items():
            value = line[name] or ""
            if not (value.isdecimal() or (may_lack and not value)):
                raise InputError(
                    f"{path}: miss {number} has {value!r} as {name}, which is no whole number.",
                    "Write kinds into the first column only, or draw the sheet again.",
                )
    return lines


def count_kinds(lines: Sequence[Mapping[str, str]]) -> Mapping[str, tuple[int, int, int]]:
    """Count each kind of a filled sheet: all, those that are no candidates, those near the first.

    Near are ranks up to 2 * SHOWN. The most frequent kind is first, ties by name.
    """
    totals, absent, near = Counter[str](), Counter[str](), Counter[str]()
    for line in lines:
        kind = line["kind"].strip() or UNSORTED
        totals[kind] += 1
        absent[kind] += not line["rank"]
        near[kind] += bool(line["rank"]) and int(line["rank"]) <= 2 * SHOWN
    ordered = sorted(totals, key=lambda kind: (-totals[kind], kind))
    return {kind: (totals[kind], absent[kind], near[kind]) for kind in ordered}


def count_facts(lines: Sequence[Mapping[str, str]]) -> Mapping[str, int]:
    """Count what the columns of a sheet say of its misses."""
    absent = [line for line in lines if not line["rank"]]
    far = [line for line in lines if int(line["cosine_rank"]) > FAR]
    return {
        f"further than the {FAR} nearest by cosine": len(far),
        f"further than {FAR} by cosine and by BM25": sum(
            not line["bm25_rank"] or int(line["bm25_rank"]) > FAR for line in far
        ),
        "cited at most once so far": sum(int(line["citations"]) <= SELDOM for line in lines),
        f"cited by none of the {NEAREST} nearest papers": sum(
            line["neighbours"] == "0" for line in lines
        ),
        "no candidate": len(absent),
        "no candidate, though cited three times or more": sum(
            int(line["citations"]) >= 3 for line in absent
        ),
    }


def tally(recommender: Recommender, queries: Sequence[str]) -> Mapping[str, int]:
    """Count what all gold papers of the queries, and those that are missed, have in common."""
    corpus, graph = recommender.collection.corpus, recommender.collection.graph
    total = Counter[str]({"queries": len(queries)})
    for query in queries:
        asked = answered(recommender, query)
        ranked, before = asked.ranking.rows, asked.query.before
        own = _by(corpus.authors, asked.gold, asked.query.authors)
        absent = asked.missed[~np.isin(asked.missed, ranked)]
        older = ranked[graph.years[ranked] < before]
        group = corpus.authors.take(ranked[:SHOWN])[1]
        total.update(
            {
                "gold papers": len(asked.gold),
                "gold papers by an author of the draft": int(own.sum()),
                "missed": len(asked.missed),
                "missed, cited at most once so far": int(
                    np.count_nonzero(graph.in_counts(asked.missed, before) <= SELDOM)
                ),
                "missed, by an author of the draft": int(
                    np.isin(asked.gold[own], asked.missed).sum()
                ),
                "no candidate": len(absent),
                "no candidate, but cited by one": int(
                    np.isin(absent, graph.cites.take(older)[1]).sum()
                ),
                f"no candidate, but by an author of one of the first {SHOWN}": int(
                    _by(corpus.authors, absent, group).sum()
                ),
            }
        )
    return total


def _by(authors: Ragged, rows: Rows, wanted: Rows) -> Mask:
    """Tell which rows have one of the wanted authors: (len(rows),)."""
    owners, found = authors.take(rows)
    return np.isin(np.arange(len(rows)), owners[np.isin(found, wanted)])


def count_table(counts: Mapping[str, int]) -> str:
    """Write counts as a Markdown table."""
    return "\n".join(["| | |\n|---|---:|", *(f"| {key} | {n:,} |" for key, n in counts.items())])


def kind_table(counts: Mapping[str, tuple[int, int, int]]) -> str:
    """Write counts of kinds as a Markdown table."""
    head = (
        f"| kind | misses | no candidate | rank {SHOWN + 1} to {2 * SHOWN} |\n|---|---:|---:|---:|"
    )
    return "\n".join(
        [head, *(f"| {kind} | {a} | {b} | {c} |" for kind, (a, b, c) in counts.items())]
    )


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run; return the exit code."""
    given = _parser().parse_args(arguments)
    if given.verb == "count":
        lines = read_sheet(given.sheet)
        tables = (kind_table(count_kinds(lines)), count_table(count_facts(lines)))
        sys.stdout.write("\n\n".join(tables) + "\n")
        return
    recommender = recsys.load(given.index)
    queries = read_split(given.split, recommender.collection).part(given.part)
    if given.verb == "tally":
        sys.stdout.write(count_table(tally(recommender, queries)) + "\n")
    else:
        rng = np.random.default_rng(given.seed)
        write_sheet(given.out, draw(recommender, queries, given.number, rng))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.misses", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    drawing = verbs.add_parser("draw", help="ask all queries of a part and draw some misses")
    tallying = verbs.add_parser("tally", help="ask all queries of a part and count all misses")
    for asking in (drawing, tallying):
        asking.add_argument("index", type=Path, help="folder of an index")
        asking.add_argument("--split", type=Path, required=True, help="JSON file with query ids")
        asking.add_argument("--part", choices=PARTS, default="dev")
    drawing.add_argument("--number", type=int, default=60, help="misses on the sheet")
    drawing.add_argument("--seed", type=int, default=0, help="of the draw")
    drawing.add_argument("--out", type=Path, required=True, help="CSV file to write")
    counting = verbs.add_parser("count", help="count the kinds on a filled sheet")
    counting.add_argument("sheet", type=Path, help="CSV file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
