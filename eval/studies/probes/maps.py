"""Clusters of papers, and maps by t-SNE that some of them are found on, coloured by class.

Are clusters of one class, and are the papers of a class in one cluster? Maps are drawn as SVG that
fits light and dark pages, and as PNG for either.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recsys.errors import need
from recsys.eval.measures import Doubles
from recsys.eval.report.evaluation_pictures import INK, MARKERS, PALETTE, picture
from recsys.eval.report.page import Page, Picture, as_json, html
from recsys.store.arrays import Floats, Longs, Mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SHOWN = 12
"""Classes with a colour and a number of their own, the most frequent ones; the others are grey."""
COLOURS = (*PALETTE[:-1], "#9b80e0", "#cf6679", "#ad7f4f", "#7ba33a", "#3fb8b0")
OTHERS = PALETTE[-1]
PAGES: Mapping[str, tuple[str, str]] = {
    "light": ("#24292f", "#ffffff"),
    "dark": ("#e6e6e6", "#14171b"),
}
"""name -> (colour of the text, colour of the page)"""
DOTS = 200
"""Of a PNG, to the inch."""
_NUMBER = "#101418"
"""Colour of the numbers on badges, near black: the badges are lighter, whatever the page."""
_LINE = 0.0745
"""Height of a line of the key, as a share of the picture's."""
_GAP = 0.055
"""Least distance of two badges, as a share of the map's longer side."""
_LONGEST = 34
"""Characters of a name in the key."""


@dataclass(frozen=True, slots=True)
class ClassMap:
    """Points of papers and their classes.

    points: (n, 2) float64. labels: (n,) int64, places of names.
    """

    title: str
    points: Doubles
    labels: Longs
    names: Sequence[str]


def map_svg(found: ClassMap) -> str:
    """Draw a map; its text takes the colour of the page."""
    with picture(found.title) as (axes, written):
        _draw(axes, found, INK)
    return written()


def map_png(found: ClassMap, page: str) -> bytes:
    """Draw a map for one of PAGES."""
    ink, background = PAGES[page]
    target = BytesIO()
    with picture("") as (axes, _):
        _draw(axes, found, ink)
        axes.figure.canvas.print_figure(
            target, format="png", dpi=DOTS, facecolor=background, metadata={"Software": None}
        )
    return target.getvalue()


def map_pictures(maps: Mapping[str, ClassMap]) -> dict[str, Picture]:
    """Draw maps for a page."""
    return {
        name: Picture(map_svg(each), f"{each.title}: {len(each.points):,} papers.")
        for name, each in maps.items()
    }


def write_with_maps(folder: Path, name: str, page: Page, maps: Mapping[str, ClassMap]) -> None:
    """Write NAME.html, its figures as NAME.json, and the maps as SVG and PNG."""
    (folder / f"{name}.json").write_text(as_json(page), encoding="utf-8")
    for place, each in maps.items():
        (folder / f"{place}.svg").write_text(map_svg(each), encoding="utf-8")
        for colours in PAGES:
            (folder / f"{place}-{colours}.png").write_bytes(map_png(each, colours))
    (folder / f"{name}.html").write_text(html(page), encoding="utf-8")


def densest(points: Doubles, taken: Doubles, gap: float) -> Doubles:
    """Return the point to which a quarter of the points is nearest: (n, 2) -> (2,).

    Points nearer than the gap to those taken, (k, 2), are passed over, unless all are.
    """
    distances = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    quarter = len(points) // 4
    reach = np.partition(distances, quarter, axis=1)[:, quarter]
    near = np.hypot(*(points[:, None] - taken).transpose(2, 0, 1)).min(axis=1, initial=np.inf)
    return np.asarray(points[np.lexsort([reach, near < gap])[0]])


def _draw(axes: "Axes", found: ClassMap, ink: str) -> None:
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(found.title, loc="left", color=ink, fontsize=10)
    gap, taken = _GAP * np.ptp(found.points, axis=0).max(), np.empty((0, 2))
    beside: Any = {"transform": axes.transAxes, "clip_on": False}
    for place, (points, text, color, marker, badge) in enumerate(_groups(found)):
        height = 0.97 - place * _LINE
        look: Any = {"ls": "", "mew": 0, "marker": marker, "color": color}
        look["zorder"] = 2 if badge else 1
        axes.plot(*points.T, ms=3.6, alpha=0.8, **look)
        axes.plot([1.03], [height], ms=5, **look, **beside)
        axes.text(1.11, height, text, color=ink, va="center", fontsize=9, **beside)
        if badge:
            _badge(axes, (1.075, height), badge, color, **beside)
            taken = np.vstack([taken, densest(points, taken, gap)])
            _badge(axes, taken[-1].tolist(), badge, color)


def _groups(found: ClassMap) -> Iterator[tuple[Doubles, str, str, str, str]]:
    """Give points that look alike, what the key says of them, colour, marker, and their number."""
    counts = np.bincount(found.labels, minlength=len(found.names))
    shown = np.argsort(-counts, kind="stable")[:SHOWN].tolist()
    for place, label in enumerate(shown):
        name = found.names[label]
        if len(name) > _LONGEST:
            name = f"{name[: _LONGEST - 1].rstrip()}…"
        points, marker = found.points[found.labels == label], MARKERS[place % len(MARKERS)]
        if len(points):
            yield points, f"{name} ({counts[label]:,})", COLOURS[place], marker, str(place + 1)
    others = ~np.isin(found.labels, shown)
    if others.any():
        text = f"{np.count_nonzero(counts) - len(shown):,} other classes ({others.sum():,})"
        yield found.points[others], text, OTHERS, ".", ""


def _badge(axes: "Axes", at: Sequence[float], number: str, color: str, **look: Any) -> None:  # noqa: ANN401
    """Write a group's number on a disc."""
    x, y = at
    axes.plot([x], [y], ls="", marker="o", ms=12, mew=0, color=color, zorder=3, **look)
    text: Any = {"ha": "center", "va": "center_baseline", "fontsize": 8, "zorder": 4}
    axes.text(x, y, number, color=_NUMBER, **text, **look)


# Clusters of papers, and the map by t-SNE that some of them are found on.
#
# Are clusters of one class, and are the papers of a class in one cluster?

COMPONENTS = 50
"""Principal components that the distances are computed of."""
PERPLEXITY = 30
"""Neighbours that a point keeps near, about; a third of the other points where they are few."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Points of some papers. rows: (m,) int64, which papers. points: (m, 2) float64, no unit."""

    rows: Longs
    points: Doubles


def lay_out(vectors: Floats, *, seed: int) -> Doubles:
    """Place vectors on a plane so that neighbours stay near (van der Maaten and Hinton 2008).

    Args:
        vectors: (n, d) float32, not all alike; n >= 4.
        seed: of the principal components, which the map begins with. It is the same every time:
            only one thread computes it, because rounding depends on their number.

    Returns:
        (n, 2) float64.
    """
    need("sklearn", "A map")
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    n, dim = vectors.shape
    begin = "pca" if dim > 1 else "random"
    tsne = TSNE(init=begin, perplexity=min(PERPLEXITY, (n - 1) / 3), random_state=seed)
    with threadpool_limits(1):
        reduced = PCA(min(COMPONENTS, n, dim), random_state=seed).fit_transform(vectors)
        return np.asarray(tsne.fit_transform(reduced), np.float64)


SIZES = (10, 20, 50, 100)
"""Numbers of clusters, as MIReAD's (Razdaibiedina and Brechalov 2023)."""
STARTS = 10
"""Times that k-means starts from other centres; the least sum of squares is kept."""
NEIGHBOURS = 10
"""Points within the radius that make one of them the core of a cluster, itself counted."""
CORES = 0.5
"""Share of the points that are cores."""


@dataclass(frozen=True, slots=True)
class Dense:
    """Clusters of a map where it is dense; the points outside of all count as one more cluster.

    homogeneity: 1 when each cluster is of one class. completeness: 1 when each class is in one
    cluster (Rosenberg and Hirschberg 2007). clusters: how many. outside: share of the points in
    none. radius: of the neighbourhoods, in units of the map. papers: on the map.
    """

    homogeneity: float
    completeness: float
    clusters: int
    outside: float
    radius: float
    papers: int


def majorities(
    vectors: Floats, labels: Longs, *, seed: int, sizes: Sequence[int] = SIZES
) -> Mapping[int, Mask]:
    """Cluster vectors by k-means, and tell for each number of clusters below n who is in majority.

    The mean of what `in_majority` tells is the purity. The vectors are taken as they are, by
    Euclidean distance. Only one thread computes: what several of them add up depends on their
    order.
    """
    need("sklearn", "Clustering")
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    found = {}
    with threadpool_limits(1), warnings.catch_warnings():
        # There may be fewer different vectors than clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for size in sizes:
            if size < len(vectors):
                means = KMeans(size, n_init=STARTS, random_state=seed)
                found[size] = in_majority(means.fit_predict(vectors), labels)
    return found


def in_majority(clusters: Longs, labels: Longs) -> Mask:
    """Tell which papers are of the most frequent class of their cluster, the first of equal ones.

    Args:
        clusters: (n,) int64 from 0.
        labels: (n,) int64 from 0.

    Returns:
        (n,) bool; the mean is the purity.
    """
    counts = np.zeros((clusters.max() + 1, labels.max() + 1), np.int64)
    np.add.at(counts, (clusters, labels), 1)
    return np.asarray(counts.argmax(axis=1)[clusters] == labels)


def dense_clusters(points: Doubles, labels: Longs) -> Dense:
    """Cluster the points of a map by density (DBSCAN, Ester et al. 1996).

    Cohan et al. (2020, section 6) do so for SPECTER. Maps have no scale of their own: the radius
    is such that half of the points have nine others within it, and so make clusters.

    Args:
        points: (n, 2) float64.
        labels: (n,) int64 from 0.
    """
    need("sklearn", "Clustering")
    from sklearn.cluster import DBSCAN
    from sklearn.metrics import homogeneity_completeness_v_measure
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(points))).fit(points)
    distances, _ = near.kneighbors(points)
    radius = float(np.quantile(distances[:, -1], CORES)) or np.finfo(float).tiny
    found = DBSCAN(eps=radius, min_samples=NEIGHBOURS).fit_predict(points)
    homogeneity, completeness, _ = homogeneity_completeness_v_measure(labels, found)
    return Dense(
        float(homogeneity),
        float(completeness),
        clusters=int(found.max()) + 1,
        outside=float(np.mean(found < 0)),
        radius=radius,
        papers=len(points),
    )
