"""Train the ranker that ships with the package, on several corpora together.

    python -m recsys.pipelines.ranking.shipped_ranker --data DIR --work DIR
    python -m recsys.pipelines.ranking.shipped_ranker --data DIR --work DIR \\
        --leave-out vis --out INDEX

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus. Indexes are built below WORK
unless they are there. With --leave-out, that corpus is not trained on; an index that is named as
--out answers by the rankers from then on. How well each of the corpora is served by such a ranker
is measured by `benchmarks.left_out`.

What it learns from is said in `corpus_lessons`. It looks twice, each time by the mean of rankers of
folds.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path

from recsys.pipelines.jobs.index_writer import writing
from recsys.pipelines.jobs.programs import Bench, ending
from recsys.pipelines.ranking.corpus_lessons import (
    CORPORA,
    Form,
    forms_of,
    lessons_of,
    teach_together,
)
from recsys.pipelines.ranking.cross_fitting import FOLDS
from recsys.pipelines.ranking.train_report import report_on
from recsys.ranking.features import feature_names
from recsys.store.artifacts import check_replaceable, replacing
from recsys.store.generations import is_index
from recsys.store.layout import ranker_folder

SHIPPED = Path(__file__).resolve().parents[2] / "recsys" / "data"


@ending
def main(arguments: Sequence[str] | None = None) -> None:
    """Train with and without metadata, and say how good the rankers are on the dev queries."""
    parser = argparse.ArgumentParser(description="Train the ranker that ships with the package.")
    parser.add_argument("--data", type=Path, required=True, help="Folder of the corpora.")
    parser.add_argument("--work", type=Path, required=True, help="Folder for their indexes.")
    parser.add_argument(
        "--out", type=Path, default=SHIPPED, help="Folder, or an index. Default: %(default)s."
    )
    parser.add_argument("--leave-out", choices=CORPORA, help="Do not train on this corpus.")
    parser.add_argument("--seed", type=int, default=0, help="Default: %(default)s.")
    chosen = parser.parse_args(arguments)
    for metadata in (True, False):
        check_replaceable(ranker_folder(chosen.out, metadata=metadata))
    bench = Bench(chosen.data, chosen.work)
    taught = [name for name in CORPORA if name != chosen.leave_out]
    forms = [form for name in taught for form in forms_of(bench, name)]
    for metadata in (True, False):
        told = train_together(forms, chosen.out, metadata=metadata, seed=chosen.seed)
        note("\n".join(told))


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


def note(line: str) -> None:
    """Tell the person who trains."""
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
