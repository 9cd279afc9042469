"""Do encoders that learned to tell journals tell others better, and do more journals help?

Each seed parts the journals anew into seen and unseen ones. The unseen ones are told from the
vectors of the encoder as it was and as it was trained: by a linear model of three quarters of their
papers (`probes.linear`), and by few examples, with the same folds and examples. A paper that
several seeds ask for counts once, with the mean over them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeAlias

import numpy as np

from recsys.eval.measures import Doubles, Interval
from recsys.eval.report.evaluation_pictures import INK, Line, draw_lines, picture, styles
from recsys.eval.report.page import Page, Picture, Section
from recsys.eval.report.system_tables import SURE
from recsys.eval.report.tables import Table, cells, interval_cell, p_text
from recsys.eval.significance import bootstrap_difference, holm, randomisation_test
from recsys.eval.studies.probes.probe_results import Group, folded

LINEAR = "linear"
Told: TypeAlias = Mapping[str, Doubles]
"""Probe -> (n,) float64, how often each paper's class was told. Probes: LINEAR, or examples of a
class, as text."""


@dataclass(frozen=True, slots=True)
class Trained:
    """An encoder that learned from a share of the seen classes.

    classes, papers: how many it learned from. seen: accuracy on other papers of these, before and
    after. asked: papers of unseen classes. start, end: what the encoder told of them.
    """

    seed: int
    share: float
    classes: int
    papers: int
    seen: tuple[float, float]
    asked: Group
    start: Told
    end: Told


@dataclass(frozen=True, slots=True)
class Change:
    """What training changed in a probe of unseen classes, over all seeds.

    before, after: accuracy. p: paired randomisation test over papers; p_classes: over the means of
    classes. papers, classes: different ones that were asked for.
    """

    before: float
    after: float
    change: Interval
    p: float
    p_classes: float
    papers: int
    classes: int


def change(trained: Sequence[Trained], probe: str) -> Change:
    """Put seeds together."""
    start, end = (
        np.concatenate([side[probe] for side in sides])
        for sides in zip(*((each.start, each.end) for each in trained), strict=True)
    )
    ids = [paper for each in trained for paper in each.asked.ids]
    before, after = _means(start, ids), _means(end, ids)
    names = [folded(x.asked.names[label]) for x in trained for label in x.asked.labels.tolist()]
    of_classes = _means(end - start, names)
    rng = np.random.default_rng(0)
    return Change(
        float(before.mean()),
        float(after.mean()),
        bootstrap_difference(after, before, rng=rng),
        randomisation_test(after, before, rng=rng),
        randomisation_test(of_classes, np.zeros_like(of_classes), rng=rng),
        len(before),
        len(of_classes),
    )


def changes(groups: Sequence[tuple[Sequence[Trained], str]]) -> list[Change]:
    """Put seeds together, group by group; p is Holm-corrected over the groups."""
    found = [change(*each) for each in groups]
    p = holm(np.array([each.p for each in found])).tolist()
    p_classes = holm(np.array([each.p_classes for each in found])).tolist()
    return [
        replace(each, p=one, p_classes=other)
        for each, one, other in zip(found, p, p_classes, strict=True)
    ]


def _means(values: Doubles, groups: Sequence[str]) -> Doubles:
    """Average values of the same group: (groups,) float64, by ascending name."""
    _, place, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.asarray(np.bincount(place, values) / counts)


SCHEMA = "recsys.journal-curve/1"
SHARES, LABELS = "shares", "labels"
_HEADER = ("before", "after", "change", "p", "p, classes")
_NOTE = (
    "Before, after: accuracy on papers of unseen classes; changes have a 95 % bootstrap interval "
    "over papers; p by paired randomisation tests over papers, and over the means of classes, "
    "Holm-corrected over the rows."
)


def journal_page(
    trained: Sequence[Trained], label: str, source: str, facts: Mapping[str, str]
) -> Page:
    """Report on encoders that learned from shares of the classes.

    Args:
        trained: at least one encoder, all with the same probes.
        label: what the classes are.
        source: name of the papers.
        facts: what it takes to make it again.
    """
    shares = {
        share: [each for each in trained if each.share == share]
        for share in sorted({each.share for each in trained})
    }
    probes = list(trained[0].end)
    most = shares[max(shares)]
    of_shares = changes([(each, LINEAR) for each in shares.values()])
    of_probes = changes([(most, probe) for probe in probes])
    last, seeds = of_shares[-1], len(most)
    verdict = "is better" if last.change.value > 0 else "is worse"
    if last.p >= SURE:
        verdict = "does not differ beyond chance"
    return Page(
        title=f"What learning some classes of {label} is worth for others",
        lead=f"{source}: trained on {_mean(most, 'papers')} papers of {_mean(most, 'classes')} "
        f"classes, the encoder {verdict} by a linear model on {last.papers:,} papers of "
        f"{last.classes:,} classes that it has not seen: {last.before:.3f} before, "
        f"{last.after:.3f} after.",
        sections=(
            Section(
                SHARES,
                "More classes",
                f"Each of {seeds} seeds keeps other classes from training. Encoders learn from "
                "shares of the rest, the larger holding the smaller; a linear model of three "
                "quarters of the papers of unseen classes tells the others.",
                (share_table(shares, of_shares),),
                (SHARES,),
            ),
            Section(
                LABELS,
                "Fewer labels",
                "The encoders that learned from the largest share, asked with few examples of each "
                "unseen class: the nearest mean of these tells a paper.",
                (label_table(probes, of_probes),),
            ),
            Section("seeds", "Each encoder", "", (seed_table(trained),)),
        ),
        facts=tuple(facts.items()),
        schema=SCHEMA,
        figures={
            "label": label,
            "shares": [
                {"share": share, **asdict(each)}
                for share, each in zip(shares, of_shares, strict=True)
            ],
            "labels": [
                {"probe": probe, **asdict(each)}
                for probe, each in zip(probes, of_probes, strict=True)
            ],
        },
        draw=lambda: {SHARES: _picture(shares, of_shares)} if len(shares) > 1 else {},
    )


def share_table(shares: Mapping[float, Sequence[Trained]], found: Sequence[Change]) -> Table:
    """Show the linear model of each share of the seen classes."""
    rows = [
        cells(
            f"{share:g}",
            _mean(each, "classes"),
            _mean(each, "papers"),
            *(f"{value:.3f}" for value in np.mean([one.seen for one in each], axis=0)),
            *_entries(change),
        )
        for (share, each), change in zip(shares.items(), found, strict=True)
    ]
    return Table(
        "journal-shares",
        "What learning from a share of the seen classes is worth for unseen ones.",
        ("share", "classes", "papers", "seen before", "seen after", *_HEADER),
        tuple(rows),
        0,
        "Classes, papers: learned from. Seen: accuracy on other papers of these classes, by their "
        f"directions. All these are means over the seeds. {_NOTE}",
    )


def label_table(probes: Sequence[str], found: Sequence[Change]) -> Table:
    """Show every probe of the encoders that learned most."""
    rows = [
        cells("3/4 of its papers" if probe == LINEAR else probe, *_entries(change))
        for probe, change in zip(probes, found, strict=True)
    ]
    return Table(
        "journal-labels",
        "What it is worth with few labels.",
        ("labels of a class", *_HEADER),
        tuple(rows),
        1,
        "The last row is the linear model. In the others, a class of fewer papers than twice the "
        f"labels gives half of them. {_NOTE}",
    )


def seed_table(trained: Sequence[Trained]) -> Table:
    """Show each encoder by itself."""
    rows = [
        cells(
            str(each.seed),
            f"{each.share:g}",
            f"{each.classes:,}",
            f"{each.papers:,}",
            f"{len(each.asked.ids):,}",
            f"{len(each.asked.names):,}",
            f"{each.start[LINEAR].mean():.3f}",
            f"{each.end[LINEAR].mean():.3f}",
            f"{np.mean(each.end[LINEAR] - each.start[LINEAR]):+.3f}",
        )
        for each in trained
    ]
    return Table(
        "journal-seeds",
        "Every encoder that was trained, by the linear model.",
        ("seed", "share", "classes", "papers", "asked", "of classes", "before", "after", "change"),
        tuple(rows),
        0,
        "Asked: papers of unseen classes.",
    )


def _mean(trained: Sequence[Trained], what: str) -> str:
    return f"{np.mean([getattr(each, what) for each in trained]):,.0f}"


def _entries(found: Change) -> tuple[object, ...]:
    """Write what stands below _HEADER."""
    change = interval_cell(found.change, signed=True)
    p = p_text(found.p), p_text(found.p_classes)
    return f"{found.before:.3f}", f"{found.after:.3f}", change, *p


def _picture(shares: Mapping[float, Sequence[Trained]], found: Sequence[Change]) -> Picture:
    """Draw how far unseen classes are told better than before, by papers learned from."""
    intervals = [each.change for each in found]
    line = Line(
        "unseen classes",
        [float(np.mean([each.papers for each in of])) for of in shares.values()],
        [each.value for each in intervals],
        next(styles()),
        [each.low for each in intervals],
        [each.high for each in intervals],
    )
    with picture("Accuracy on unseen classes by papers learned from") as (axes, written):
        axes.axhline(0.0, color=INK, lw=0.9, alpha=0.45)
        draw_lines(axes, [line], markers=True)
        axes.set(xlabel="papers learned from", ylabel="accuracy, change from the start")
        axes.set_xlim(left=0)
    caption = (
        "Accuracy of the linear model on papers of unseen classes, as a change from the start; "
        "band: 95 % interval over papers."
    )
    return Picture(written(), caption)
