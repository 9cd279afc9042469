"""Write measured figures as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

COLUMNS = ("F1@20", "MRR", "R@20", "R@100")

Results: TypeAlias = Mapping[str, Any]


def render(results: Results) -> str:
    """Write every section that has been measured."""
    quality = {name: found for name, found in results.items() if "systems" in found}
    parts = [_quality(quality)] if quality else []
    parts += [write(results[name]) for name, write in COSTS.items() if name in results]
    return "\n\n".join(parts)


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a Markdown table, the first column left and the others right."""
    rule = ("---", *("---:" for _ in header[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def _quality(results: Results) -> str:
    header = ("corpus, system", *COLUMNS, "candidate recall", "candidates", "calibration error")
    rows = [
        (f"{corpus}, {system}", *_figures(figures))
        for corpus, found in results.items()
        for system, figures in found["systems"].items()
    ]
    sizes = "; ".join(
        f"{corpus}: {found['queries']} queries, {found['papers']:,} papers"
        for corpus, found in results.items()
    )
    return (
        f"Test queries ({sizes}). F1@20 is the harmonic mean of the averaged precision and recall; "
        "in parentheses, 95 % bootstrap intervals. The calibration error is the expected one of "
        "the 20 papers shown.\n\n" + table(header, rows)
    )


def _figures(figures: Results) -> tuple[str, ...]:
    number = figures.get("candidates")
    return (
        *(_with_interval(figures[name]) for name in COLUMNS),
        _with_interval(figures.get("candidate recall")),
        f"{number['value']:.0f}" if number else "",
        f"{figures['ECE']['value']:.3f}" if "ECE" in figures else "",
    )


def _with_interval(figure: Mapping[str, float] | None) -> str:
    if figure is None:
        return ""
    return f"{figure['value']:.3f} ({figure['low']:.3f}-{figure['high']:.3f})"


def _precision(found: Results) -> str:
    rows = [
        (name, f"{sum(each) / len(each):.4f}", ", ".join(f"{value:.4f}" for value in each))
        for name, each in found["F1@20"].items()
    ]
    return (
        f"What rounding the encoder to int8 costs: F1@20 on {found['corpus']} dev, two-stage, "
        f"three seeds. The difference is {found['cost']:.4f}; below 0.003 int8 is the default.\n\n"
        + table(("encoder", "mean", "by seed"), rows)
    )


def _matching(found: Results) -> str:
    rows = [
        (f"{corpus}, {name}", *map(_with_interval, each[name].values()))
        for corpus, each in found.items()
        for name in ("all", "no identifiers")
    ]
    one = next(iter(found.values()))
    times = ", ".join(f"{each['milliseconds']:.0f} ms ({name})" for name, each in found.items())
    return (
        f"References matched to a corpus: {one['inside']} BibTeX entries of its papers and "
        f"{one['outside']} of papers held out of it, with realistic noise; 95 % Wilson intervals. "
        f"31 references take {times}.\n\n" + table(("corpus", "precision", "recall"), rows)
    )


def _serving(found: Results) -> str:
    cpu, drafts = found["cpu_seconds"], found["milliseconds"]
    rows = [
        ("`recsys recommend`, whole process", f"{cpu['recommend']:.2f} CPU seconds"),
        ("the same by torch, transformers and lightgbm", f"{cpu['peer']:.2f} CPU seconds"),
        ("ratio", f"{found['ratio']:.1f} x"),
    ]
    rows += [
        (
            f"a draft in a running process, encoding left out{what}: {corpus}",
            f"{ms[key]:.1f} CPU ms",
        )
        for what, key in (("", "median"), (", with 40 references", "with_references"))
        for corpus, ms in drafts.items()
        if key in ms
    ]
    return (
        "Answering: medians, warm disk cache; the last rows in processor time of one thread.\n\n"
        + table(("answering", "cost"), rows)
    )


def _sentences(found: Results) -> str:
    rows = [
        (f"a draft of {found['sentences']} sentences", f"{1000 * found['many']:,.0f} ms"),
        ("one passage", f"{1000 * found['one']:.1f} ms"),
        ("one scan of the vectors, for comparison", f"{1000 * found['scan']:.2f} ms"),
    ]
    return (
        f"`recsys cite` in a running process on {found['corpus']} ({found['papers']:,} papers): "
        "processor time on one thread, beside encoding.\n\n" + table(("asked", "time"), rows)
    )


def _encoding(found: Results) -> str:
    rates, ratios = found["texts_per_second"], found["ratio"]
    rows = [
        (name, f"{rate['wall']:.1f}", f"{rate['cpu']:.1f}", f"{ratios[name]['cpu']:.2f} x")
        for name, rate in rates.items()
    ]
    header = ("encoder", "texts a second", "a CPU second", "ratio of those")
    return (
        f"Bulk encoding of {found['texts']:,} papers on {found['threads']} processors, taking "
        "turns. Ratios are to the batch size with which the library is best.\n\n"
        + table(header, rows)
    )


def _build(found: Results) -> str:
    rows = [
        (
            corpus,
            f"{cost['papers']:,}",
            f"{cost['seconds']:.0f} s",
            f"{cost['peak_mib']:,.0f} MiB",
        )
        for corpus, cost in found.items()
    ]
    return "From the file of papers to a ready index.\n\n" + table(
        ("corpus", "papers", "time", "peak memory"), rows
    )


def _update(found: Results) -> str:
    rows = [
        (
            f"{each['added']} papers added to {corpus}",
            f"{each['papers']:,}",
            f"{each['seconds']:.1f} s",
            f"{each['peak_mib']:,.0f} MiB",
            f"{each['opening_mib']:,.0f} MiB",
        )
        for corpus, each in found.items()
    ]
    header = ("update", "papers then", "time", "peak memory", "that of one answer")
    return "`recsys update`, whole process, with encoding.\n\n" + table(header, rows)


COSTS: Mapping[str, Callable[[Results], str]] = {
    "precision": _precision,
    "matching": _matching,
    "serving": _serving,
    "local": _sentences,
    "encoding": _encoding,
    "build": _build,
    "update": _update,
}
"""Sections below the figures of quality, in order."""
