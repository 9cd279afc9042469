"""How an index's own ranker is trained, and what it starts from."""

from dataclasses import dataclass, replace

from recsys.errors import InputError, NothingFound
from recsys.pipelines.corpora.query_years import FEWEST_TRAIN, FEWEST_TUNED
from recsys.pipelines.evaluation.year_split import ChosenSplit
from recsys.pipelines.jobs.engines import Engine
from recsys.pipelines.ranking.cross_fitting import FOLDS

SCRATCH, SHIPPED = STARTS = "scratch", "shipped"


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """metadata: whether authors and venue may be read.

    candidates: what they come from, see `sources.SEARCHES`; None: all that the index has.
    nnselect_features: whether the features of NNSelect are read. They are not by default, since
    they bring nothing on dev beyond NNSelect's candidates, in whose prior its cosine is already.
    engine: computes features, where NNSelect takes no part; None: this process.
    start: what the ranker begins with. SCRATCH: nothing. SHIPPED: the ranker that comes with the
    package, whose networks learn on, see `learn_on`; it brings its candidates and its two looks.
    None: SCRATCH where a split is given or has FEWEST_TRAIN train queries, else SHIPPED.
    folds: of the train and dev queries; the mean of rankers answers, each of which learns from all
    folds but one. 1: one ranker learns from the train queries, and dev only stops and calibrates
    it, so that it can be tried there. None: as many as the passes need.
    passes: 1, or 2: a second ranker looks at what a first one puts on top. It takes folds.
    """

    metadata: bool = True
    seed: int = 0
    candidates: tuple[str, ...] | None = None
    nnselect_features: bool = False
    engine: Engine | None = None
    folds: int | None = None
    passes: int = 1
    start: str | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.start not in STARTS:
            raise InputError(
                f"No ranker starts from {self.start!r}.", f"Give {' or '.join(STARTS)}."
            )
        if self.start == SHIPPED and self.from_nothing:
            raise InputError(
                f"The ranker that comes with recsys takes no {self.from_nothing[0]}.",
                f"Leave that out, or start from {SCRATCH}.",
            )
        if self.passes not in (1, 2):
            raise InputError(f"A ranker does not look {self.passes} times.", "Give 1 or 2 passes.")
        if self.folds is not None and self.folds < 1:
            raise InputError(f"There are no {self.folds} folds.", "Give 1 or more.")
        if self.passes > 1 and self.folds == 1:
            raise InputError(
                "A second look learns from rankers that have not seen a query; with one fold there "
                "are none.",
                "Give 2 folds or more, or 1 pass.",
            )

    @property
    def from_nothing(self) -> tuple[str, ...]:
        """Name what is asked for that only a ranker from scratch can have."""
        asked = {
            "candidates": self.candidates is not None,
            "NNSelect's features": self.nnselect_features,
            "folds": self.folds is not None,
            "passes": self.passes > 1,
        }
        return tuple(name for name, given in asked.items() if given)

    @property
    def parts(self) -> int:
        """How many folds there are."""
        alone = self.passes == 1 and self.start != SHIPPED
        return self.folds or (1 if alone else FOLDS)


def started(options: TrainOptions, chosen: ChosenSplit, *, made: bool) -> TrainOptions:
    """Choose what the ranker starts from. made: whether the split was, of all queries there are.

    Raises:
        NothingFound: there are too few queries to learn anything from.
        InputError: something is asked for that too few queries cannot teach.
    """
    if options.start is not None or not made or len(chosen.split.train) >= FEWEST_TRAIN:
        return replace(options, start=options.start or SCRATCH)
    if len(chosen.split.train) < FEWEST_TUNED:
        raise NothingFound(
            f"There are too few queries for a ranker of its own: {chosen.sizes()}, by year. From "
            f"fewer than {FEWEST_TUNED} to train on, the one that comes with recsys does not learn "
            "either; it goes on answering as it is.",
            "Add papers that cite each other (`recsys update`), or insist by --start.",
        )
    if options.from_nothing:
        raise InputError(
            f"There are {len(chosen.split.train)} queries to train on; with fewer than "
            f"{FEWEST_TRAIN}, the ranker that comes with recsys learns on, which takes no "
            f"{options.from_nothing[0]}.",
            f"Leave that out, or insist by --start {SCRATCH}.",
        )
    return replace(options, start=SHIPPED)
