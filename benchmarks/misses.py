"""Draw gold papers that the two-stage system misses, and write a sheet on which people sort them.

`python -m benchmarks.misses draw INDEX --split SPLIT --out SHEET.csv` draws; people write
a kind into the first column of each line; `... count SHEET.csv` counts the kinds and what the other
columns say; `... tally INDEX --split SPLIT` counts all that is missed.
The sheet has titles of the corpus: keep it out of the repository where these are not free.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

import recsys
from benchmarks.bench import program
from benchmarks.result_tables import table
from recsys.errors import InputError
from recsys.pipelines.evaluation.splits import gold, read_split
from recsys.query.query import Query
from recsys.recommend import Ranking, Recommender
from recsys.store.arrays import Mask, Ragged, Rows
from recsys.store.vectors import dots

SHOWN = 20
"""Papers that an answer shows unless told otherwise."""
NEAREST = 50
"""Of the papers nearest to a draft, so many are looked through for who cites a missed one."""
UNSORTED = "not sorted"
"""What a line without a kind is counted as."""
FAR = 200
"""Ranks beyond this are far, by cosine and by BM25."""
SELDOM = 1
"""Cited so often at most: hardly known yet."""
COUNTED = {"kind", "rank", "bm25_rank", "cosine_rank", "citations", "neighbours"}
"""Columns of a sheet that are counted."""

Miss = Mapping[str, Any]


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


def drawn(
    recommender: Recommender, queries: Sequence[str], number: int, rng: np.random.Generator
) -> list[Miss]:
    """Draw misses, each as likely as any other; by query and paper. Fewer where there are fewer."""
    pairs = [(query, int(row)) for query in queries for row in answered(recommender, query).missed]
    chosen = [pairs[at] for at in np.sort(rng.permutation(len(pairs))[:number]).tolist()]
    return [
        miss
        for query, some in groupby(chosen, key=itemgetter(0))
        for miss in _described(recommender, answered(recommender, query), [row for _, row in some])
    ]


def _described(recommender: Recommender, asked: Answered, rows: Sequence[int]) -> Iterator[Miss]:
    """Tell what is known of gold papers of a query; all counts are as of the draft's year.

    kind: for people to fill. rank: in the answer, from 1; None: it is no candidate. cosine_rank,
    bm25_rank: among all papers that may be recommended; None beyond what BM25 returns. neighbours:
    of the NEAREST older papers, those that cite it. shared_authors: with the draft. citations: by
    older papers. gold, found: how many papers the draft cites, and how many stand in the first.
    """
    collection, query = recommender.collection, asked.query
    corpus, graph = collection.corpus, collection.graph
    wanted = np.flatnonzero(query.wanted).astype(np.int32)
    cosines = dots(collection.vectors, wanted, query.vector)
    hits = collection.text_index.search(query.text, len(corpus), allowed=query.wanted)[0]
    older = graph.years[wanted] < query.before
    near = wanted[older][np.argsort(-cosines[older], kind="stable")[:NEAREST]]
    citing = graph.cites.take(near)[1]
    [draft] = corpus.papers([asked.row])
    for row, paper in zip(rows, corpus.papers(rows), strict=True):
        at = np.flatnonzero(wanted == row)
        cosine = float(dots(collection.vectors, np.array([row], np.int32), query.vector)[0])
        yield {
            "kind": "",
            "draft": draft.id,
            "draft_title": draft.title,
            "draft_year": query.before,
            "paper": paper.id,
            "title": paper.title,
            "year": int(graph.years[row]),
            "venue": paper.venue or "",
            "rank": _place(asked.ranking.rows, row),
            "cosine": round(float(cosines[at[0]]) if len(at) else cosine, 3),
            "cosine_rank": 1 + int(np.count_nonzero(cosines > cosine)),
            "bm25_rank": _place(hits, row),
            "neighbours": int(np.count_nonzero(citing == row)),
            "citations": int(graph.in_counts(np.array([row], np.int32), query.before)[0]),
            "shared_authors": len(np.intersect1d(corpus.authors[row], query.authors)),
            "gold": len(asked.gold),
            "found": len(asked.gold) - len(asked.missed),
        }


def _place(rows: Rows, row: int) -> int | None:
    """Return the position of a row from 1, None where it is not there."""
    found = np.flatnonzero(rows == row)
    return int(found[0]) + 1 if len(found) else None


def write_sheet(path: Path, misses: Sequence[Miss]) -> None:
    """Write a CSV file with a line a miss, and the names of the columns above."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*misses[0]] if misses else sorted(COUNTED))
        writer.writeheader()
        writer.writerows(misses)


def read_sheet(path: Path) -> list[Mapping[str, str]]:
    """Read the lines of a sheet, perhaps as a spreadsheet wrote it.

    Raises:
        InputError: it is none.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        if not set(reader.fieldnames or ()) >= COUNTED:
            raise InputError(f"{path} is no sheet of misses.", "Its columns are those of `draw`.")
        return list(reader)


def count_kinds(lines: Sequence[Mapping[str, str]]) -> Mapping[str, tuple[int, int, int]]:
    """Count each kind of a filled sheet: all, those that are no candidates, those near the first.

    Near are ranks up to 2 * SHOWN. The most frequent kind is first, ties by name.
    """
    ranks: dict[str, list[str]] = {}
    for line in lines:
        ranks.setdefault(line["kind"].strip() or UNSORTED, []).append(line["rank"])
    counts = {
        kind: (len(own), own.count(""), sum(int(rank) <= 2 * SHOWN for rank in own if rank))
        for kind, own in ranks.items()
    }
    return dict(sorted(counts.items(), key=lambda item: (-item[1][0], item[0])))


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


def tallied(recommender: Recommender, queries: Sequence[str]) -> Mapping[str, int]:
    """Count what all gold papers of the queries, and those that are missed, have in common."""
    corpus, graph = recommender.collection.corpus, recommender.collection.graph
    total = Counter[str]({"queries": len(queries)})
    for query in queries:
        asked = answered(recommender, query)
        ranked, before = asked.ranking.rows, asked.query.before
        own = _by(corpus.authors, asked.gold, asked.query.authors)
        absent = asked.missed[~np.isin(asked.missed, ranked)]
        cited = graph.cites.take(ranked[graph.years[ranked] < before])[1]
        group = corpus.authors.take(ranked[:SHOWN])[1]
        total.update(
            {
                "gold papers": len(asked.gold),
                "gold papers by an author of the draft": own.sum(),
                "missed": len(asked.missed),
                "missed, cited at most once so far": (
                    graph.in_counts(asked.missed, before) <= SELDOM
                ).sum(),
                "missed, by an author of the draft": np.isin(asked.gold[own], asked.missed).sum(),
                "no candidate": len(absent),
                "no candidate, but cited by one": np.isin(absent, cited).sum(),
                f"no candidate, but by an author of one of the first {SHOWN}": _by(
                    corpus.authors, absent, group
                ).sum(),
            }
        )
    return total


def _by(authors: Ragged, rows: Rows, wanted: Rows) -> Mask:
    """Tell which rows have one of the wanted authors: (len(rows),)."""
    owners, found = authors.take(rows)
    return np.isin(np.arange(len(rows)), owners[np.isin(found, wanted)])


Index = Annotated[Path, typer.Argument(help="Folder of an index.")]
SplitFile = Annotated[Path, typer.Option("--split", help="JSON file with query ids.")]
Part = Literal["train", "dev", "test"]


def draw(
    index: Index,
    split: SplitFile,
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    part: Part = "dev",
    number: int = 60,
    seed: int = 0,
) -> None:
    """Ask all queries of a part, and write a sheet of some misses."""
    recommender, queries = _asked(index, split, part)
    write_sheet(out, drawn(recommender, queries, number, np.random.default_rng(seed)))


def tally(index: Index, split: SplitFile, part: Part = "dev") -> None:
    """Ask all queries of a part, and count all misses."""
    counts = tallied(*_asked(index, split, part)).items()
    sys.stdout.write(table(("", ""), [(name, f"{n:,}") for name, n in counts]) + "\n")


def count(sheet: Path) -> None:
    """Count the kinds on a filled sheet, and what its columns say."""
    lines = read_sheet(sheet)
    header = ("kind", "misses", "no candidate", f"rank {SHOWN + 1} to {2 * SHOWN}")
    kinds = [(kind, *map(str, counts)) for kind, counts in count_kinds(lines).items()]
    facts = [(name, f"{n:,}") for name, n in count_facts(lines).items()]
    sys.stdout.write(f"{table(header, kinds)}\n\n{table(('', ''), facts)}\n")


def _asked(index: Path, split: Path, part: str) -> tuple[Recommender, Sequence[str]]:
    recommender = recsys.load(index)
    return recommender, read_split(split, recommender.collection).part(part)


main = program("benchmarks.misses", draw, tally, count)
if __name__ == "__main__":
    sys.exit(main())
