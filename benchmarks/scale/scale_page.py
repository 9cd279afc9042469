"""Write the figures of corpora of several sizes as Markdown: rows by version, columns by size."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.result_tables import table
from benchmarks.scale.scale_figures import AFTER, BEFORE

Figures = Mapping[str, Any]
Cell = Callable[[Figures], str]

_ANSWERS: Mapping[str, Cell] = {
    "one scan of the vectors": lambda found: _ms(found["scan"]),
    "a warm answer": lambda found: _with_ratio(found, "warm"),
    "with 31 references": lambda found: _with_ratio(found, "with references"),
    "the first answer of a process": lambda found: _with_ratio(found, "first"),
    "opening the index": lambda found: _ms(found["opening"]),
}
_PARTS: Mapping[str, Cell] = {
    "search of vectors": lambda found: _ms(found["parts"]["vectors"]),
    "BM25, the whole abstract": lambda found: _ms(found["parts"]["bm25"]),
    "trees and networks": lambda found: _ms(found["parts"]["trees"]),
    "candidates": lambda found: f"{found['parts']['candidates']:,.0f}",
    "features, a candidate": lambda found: f"{found['parts']['features']:.1f} us",
    "features, a candidate, with 31 references": lambda found: (
        f"{found['parts with references']['features']:.1f} us"
    ),
    "reading what is shown": lambda found: _ms(found["parts"]["columns"]),
}
_STAGES = {
    "corpus": "reading and linking papers",
    "text": "words",
    "vectors": "vectors and their search",
}
_OWN = "recsys "
"""How the names of our encoders begin."""
_WEIGHTS = ("vectors", "their search", "text", "Parquet", "columns and links", "others")


def write_scale(found: Figures) -> str:
    """Write all tables that have figures."""
    sizes = dict(sorted(found["sizes"].items(), key=lambda item: int(item[0])))
    parts = [_machine(found["machine"])]
    for section, write in (("answers", _answers), ("build", _builds), ("backends", _backends)):
        if chosen := {size: each[section] for size, each in sizes.items() if section in each}:
            parts += write(chosen)
    for section, write_one in _WHOLE.items():
        if section in found:
            parts.append(write_one(found[section]))
    return "\n\n".join(parts)


def _machine(facts: Figures) -> str:
    return (
        f"Measured on {facts['processors']} processors ({facts['processor']}), Python "
        f"{facts['python']}, numpy {facts['numpy']}; processor time of one thread."
    )


def _answers(found: Figures) -> list[str]:
    return [
        "Answers: 20 papers, encoding left out; in parentheses, how many scans of all vectors "
        "(`vectors @ q` in 32 bits) of the same process take as long.\n\n"
        + by_size(found, _ANSWERS, "answer"),
        "Inside a warm answer. Features: all between a query and its ranking that is neither a "
        "search nor scores by trees and networks.\n\n" + by_size(found, _PARTS, "part"),
    ]


def _builds(found: Figures) -> list[str]:
    costs: dict[str, Cell] = {
        "links": lambda each: f"{each['links']:,}",
        "different words": lambda each: f"{each['terms']:,}",
        "search of vectors": lambda each: str(each["backend"]),
        **{meaning: partial(_stage, name=name) for name, meaning in _STAGES.items()},
        "all": _seconds,
        "for a million papers at this pace": lambda each: (
            f"{each['cpu_seconds'] * 1e6 / each['papers']:,.0f} s"
        ),
    }
    weights: dict[str, Cell] = {part: partial(_bytes, parts=(part,)) for part in _WEIGHTS}
    weights["all"] = partial(_bytes, parts=_WEIGHTS)
    return [
        "Building with given vectors: CPU seconds, and the largest resident memory until then, "
        "mapped files included.\n\n" + by_size(found, costs, "building"),
        "Bytes a paper on disk. Of vectors in two parts, the first, of 8 bits, counts as their "
        "search.\n\n" + by_size(found, weights, "part of an index"),
    ]


def by_size(found: Figures, rows: Mapping[str, Cell], name: str) -> str:
    """Write a table: a row for each quantity and version, a column for each size."""
    versions = [each for each in (BEFORE, AFTER) if any(each in sized for sized in found.values())]
    lines = [
        (
            f"{row}, {version}" if len(versions) > 1 else row,
            *(cell(sized[version]) if version in sized else "" for sized in found.values()),
        )
        for row, cell in rows.items()
        for version in versions
    ]
    return table((name, *(f"{int(size):,} papers" for size in found)), lines)


def _backends(found: Figures) -> list[str]:
    header = ("search", "building", "bytes a paper", "a search", "recall", "20 at once", "recall")
    parts = []
    for size, figures in found.items():
        rows = [
            (
                name,
                f"{each['build_seconds']:,.0f} s",
                f"{each['bytes_a_paper']:,.0f}",
                f"{each['ratio']:.2f} x",
                f"{each['recall']:.4f}",
                f"{each['many_ratio']:.2f} x",
                f"{each['many_recall']:.4f}",
            )
            for name, each in figures["backends"].items()
        ]
        parts.append(
            f"What can search the vectors of {int(size):,} papers: 200 nearest, and 10 of each of "
            "20 papers, in scans.\n\n" + table(header, rows)
        )
    return parts


def _start(found: Figures) -> str:
    rows = [
        (name, f"{seconds:.2f} s", f"{found['floors'][name]:.2f} x" if name != "floor" else "1 x")
        for name, seconds in found["cpu_seconds"].items()
    ]
    return (
        "`recsys recommend` as a whole process on vis. The floor imports numpy, tokenizers and "
        "ONNX Runtime, opens the models and ends.\n\n"
        + table(("process", "CPU seconds", "of the floor"), rows)
    )


def _encoding(found: Figures) -> str:
    rows = []
    for version, figures in found.items():
        rates = {name: each["cpu"] for name, each in figures["texts_per_second"].items()}
        best = max(rate for name, rate in rates.items() if not name.startswith(_OWN))
        rows += [
            (f"{name}, {version}", f"{rate:.1f}", f"{rate / best:.2f} x")
            for name, rate in rates.items()
        ]
    return "Bulk encoding, against the best batch size of sentence_transformers.\n\n" + table(
        ("encoder", "texts per CPU second", "ratio"), rows
    )


def _encoding_by_clock(found: Figures) -> str:
    rows = []
    for name, rates in found["texts_per_second"].items():
        ratio = found["ratio"].get(name, {})
        cells = [(f"{rates[clock]:.1f}", f"{ratio[clock]:.2f} x") for clock in ("wall", "cpu")]
        rows.append((name, *cells[0], *cells[1]))
    header = ("encoder", "texts per second", "ratio", "texts per CPU second", "ratio")
    return (
        f"Bulk encoding by this version on {found['threads']} threads, against the best batch size "
        "of sentence_transformers by each clock. The last row is what would be left of f32 if "
        "nothing but its products with weights took time.\n\n" + table(header, rows)
    )


def _equal(found: Figures) -> str:
    rows = [
        (
            corpus,
            f"{each['drafts']:,}",
            f"{each['same papers']:.2%}",
            f"{each['same order']:.2%}",
            f"{each['F1@20'][BEFORE]:.4f}",
            f"{each['F1@20'][AFTER]:.4f}",
        )
        for corpus, each in found.items()
    ]
    header = ("corpus", "test drafts", "same 20 papers", "same order", "F1@20 before", "after")
    return "Equal answers, before and after.\n\n" + table(header, rows)


def _by_backend(found: Figures) -> str:
    rows = [
        (
            corpus,
            name,
            f"{each['recall']:.4f}",
            f"{each['F1@20']:.4f}",
            f"{each['MRR']:.4f}",
        )
        for corpus, figures in found.items()
        for name, each in figures.items()
    ]
    header = ("corpus", "search of vectors", "recall of the nearest 200", "F1@20", "MRR")
    return (
        "Answers of both stages to test drafts, by what searches the vectors, whatever the size "
        "of the corpus would choose.\n\n" + table(header, rows)
    )


_WHOLE: Mapping[str, Callable[[Figures], str]] = {
    "start": _start,
    "encoding": _encoding,
    "encoding by clock": _encoding_by_clock,
    "equal": _equal,
    "answers by backend": _by_backend,
}
"""What is written once, whatever the size of the corpus."""


def _with_ratio(found: Figures, kind: str) -> str:
    return f"{_ms(found[kind])} ({found['scans'][kind]:.2f} x)"


def _ms(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 20 else f"{value:.1f} ms"


def _stage(found: Figures, name: str) -> str:
    return _seconds(found["stages"][name])


def _seconds(found: Figures) -> str:
    return f"{found['cpu_seconds']:,.0f} s, {found['peak_mib']:,.0f} MiB"


def _bytes(found: Figures, parts: Sequence[str]) -> str:
    weight = sum(found["bytes"].get(part, 0) for part in parts)
    return f"{weight / found['papers']:,.0f}"
