"""Train the ranker that ships with the package, on several corpora together.

    python -m benchmarks.shipped_ranker --data DIR --work DIR
    python -m benchmarks.shipped_ranker --data DIR --work DIR --leave-out vis --out INDEX

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. With --leave-out, that corpus is not trained on; an index that is named as
--out answers by the rankers from then on. How well each of the corpora is served by such a ranker
is measured by `unseen_corpora`.

What it learns from is said in `corpus_lessons`. It looks twice, each time by the mean of rankers of
folds.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.bench import Bench, Data, Work, chosen, program
from benchmarks.corpus_lessons import (
    CORPORA,
    Form,
    forms_of,
    lessons_of,
    teach_together,
)
from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.ranking.cross_fitting import FOLDS
from recsys.pipelines.ranking.train_ranker import report_on
from recsys.ranking.features import feature_names
from recsys.store.artifacts import check_replaceable, ranker_folder, replacing
from recsys.store.generations import is_index

SHIPPED = Path(__file__).resolve().parents[1] / "recsys" / "data"


def train(
    data: Data,
    work: Work,
    out: Annotated[Path, typer.Option(help="Folder, or an index.")] = SHIPPED,
    leave_out: Annotated[str, typer.Option(help="Do not train on this corpus.")] = "",
    seed: int = 0,
) -> None:
    """Train with and without metadata, and say how good the rankers are on the dev queries."""
    for metadata in (True, False):
        check_replaceable(ranker_folder(out, metadata=metadata))
    left = chosen(leave_out, CORPORA) if leave_out else []
    taught = [name for name in CORPORA if name not in left]
    forms = [form for name in taught for form in forms_of(Bench(data, work), name)]
    for metadata in (True, False):
        for line in train_together(forms, out, metadata=metadata, seed=seed):
            sys.stderr.write(f"{line}\n")


def train_together(forms: Sequence[Form], out: Path, *, metadata: bool, seed: int) -> list[str]:
    """Train on samples of the train and dev queries of each form, calibrate on those of dev.

    Args:
        forms: of the corpora.
        out: gets the ranker's folder; an index gets it as its own ranker.
        metadata: whether authors and venues are read.
        seed: of the samples and the training.
    """
    names = feature_names(metadata=metadata, any_corpus=True)
    lessons = [lessons_of(form, names, seed=seed) for form in forms]
    taught = teach_together(lessons, seed=seed)
    seen = reduce(or_, (each.seen for each in lessons))
    facts = {
        "corpora": list(dict.fromkeys(each.corpus for each in lessons)),
        "options": {"metadata": metadata, "seed": seed, "folds": FOLDS, "passes": 2},
    }
    folder = ranker_folder(out, metadata=metadata)
    with _place(out, folder.name) as new:
        origin = "the ranker shipped with recsys"
        taught.ranker.save(new, seen, origin=origin, facts=facts, text=False)
    return report_on(taught, folder).lines()


@contextmanager
def _place(out: Path, name: str) -> Iterator[Path]:
    """Give a folder to fill, which then lies below `out`, or in the next generation of an index."""
    if not is_index(out):
        with replacing(out / name) as new:
            yield new
        return
    with writing(out) as writer, writer.member(name) as new:
        yield new


main = program("benchmarks.shipped_ranker", train)
if __name__ == "__main__":
    sys.exit(main())
