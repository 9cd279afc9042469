"""Measure corpora that were written and read back, and write their page of the results."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.result_tables import table
from benchmarks.written_corpora.cited_forms import DOI, OTHER, PLACE
from benchmarks.written_corpora.known_works import (
    MOST_WRITTEN,
    KnownCorpus,
    read_known,
    shared_places,
)
from benchmarks.written_corpora.link_quality import measure_links
from benchmarks.written_corpora.mixed_corpus import measure_mixture
from benchmarks.written_corpora.wos_speed import measure_speed
from benchmarks.written_corpora.written_formats import FORMATS, WrittenFormat
from recsys.pipelines.jobs.programs import Bench

CORPORA = ("vis", "archaeology", "elife", "acl")
MIXED, REPEATED = CORPORA[:2]
"""The corpus that is mixed of three files, and the one that is repeated for the speed."""
SEED = 5
_TOLD = (DOI, PLACE, OTHER)

Figures = Mapping[str, Any]


def measure_corpora(bench: Bench) -> dict[str, Any]:
    """Measure links by corpus and format, the corpus of three files, and speed."""
    bench.built(MIXED)
    return {
        "links": {name: measure_formats(bench.papers(name), bench.work) for name in CORPORA},
        "mixed": {"corpus": MIXED} | measure_mixture(bench, MIXED),
        "speed": {"corpus": REPEATED} | measure_speed(bench, REPEATED),
    }


def measure_formats(path: Path, work: Path, most: int = MOST_WRITTEN) -> dict[str, Any]:
    """Write one corpus in every format, with and without DOIs in its lists."""
    corpus = read_known(path, np.random.default_rng(SEED), most)
    found = {
        written_name(name, dois=dois): _measured(corpus, form, work, dois=dois)
        for name, form in FORMATS.items()
        for dois in ((True, False) if form.dois else (False,))
    }
    placed, in_volume, on_page = shared_places(corpus)
    places = {"told": placed, "sharing the volume": in_volume, "sharing the page": on_page}
    return {"works": len(corpus.works), "records": len(corpus.written), "places": places} | {
        "formats": found
    }


def written_name(name: str, *, dois: bool) -> str:
    """Name a format and whether its lists tell DOIs."""
    return f"{name}, with DOIs" if dois else name


def _measured(
    corpus: KnownCorpus, form: WrittenFormat, work: Path, *, dois: bool
) -> dict[str, Any]:
    work.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=work) as folder:
        rng = np.random.default_rng(SEED)
        return measure_links(corpus, form, Path(folder), dois=dois, rng=rng)


def write_corpora(found: Figures) -> str:
    """Write the tables."""
    parts = [_corpora(found["links"])]
    parts += [_links(name, each) for name, each in found["links"].items()]
    parts += [_rules(found["links"]), _mixed(found["mixed"]), _speed(found["speed"])]
    return "\n\n".join(parts)


def _corpora(links: Mapping[str, Figures]) -> str:
    rows = [
        (
            name,
            f"{each['works']:,}",
            f"{each['records']:,}",
            *(f"{count:,}" for count in each["places"].values()),
        )
        for name, each in links.items()
    ]
    header = ("corpus", "works", "with a record", "with a place", "sharing all but the page", "all")
    return (
        "What is written. A place is first author, year, volume and first page; the last columns "
        "count works that are not alone with theirs.\n\n" + table(header, rows)
    )


def _links(corpus: str, found: Figures) -> str:
    rows = [
        (
            name,
            f"{each['links']:,}",
            _with_interval(each["precision"], each["found"]),
            _with_interval(each["recall"], each["links"]),
            *(_recall(each["told"].get(told)) for told in _TOLD),
            f"{each['merged']:,}",
        )
        for name, each in found["formats"].items()
        if each["found"]
    ]
    merged = ", ".join(
        f"{name}: {each['merged']}" for name, each in found["formats"].items() if not each["found"]
    )
    header = ("format", "links", "precision", "recall", *(f"by {told}" for told in _TOLD), "joined")
    return (
        f"{corpus}: links read back, with 95 % bootstrap intervals over the papers that cite; "
        "recall by what a list tells, the surest that it does; records joined that the corpus has "
        f"as two. Without lists of references, records joined: {merged}.\n\n" + table(header, rows)
    )


def _rules(links: Mapping[str, Figures]) -> str:
    sums: dict[str, list[int]] = {}
    for each in links.values():
        for form in each["formats"].values():
            for rule, (found, right) in form["rules"].items():
                counts = sums.setdefault(rule, [0, 0])
                counts[0] += found
                counts[1] += right
    rows = [
        (rule, f"{found:,}", f"{right / found:.4f}")
        for rule, (found, right) in sorted(sums.items(), key=lambda item: -item[1][0])
    ]
    ambiguous = sum(
        form["ambiguous"] for each in links.values() for form in each["formats"].values()
    )
    return (
        f"All corpora and formats together, by the rule that found a link; {ambiguous:,} cited "
        "works were ambiguous, and mean nothing.\n\n"
        + table(("rule", "links found", "precision"), rows)
    )


def _mixed(found: Figures) -> str:
    rows = [
        (
            name,
            f"{found['papers'][key]:,}",
            f"{found['links'][key]:,}",
            f"{found['F1@20'][key]['value']:.4f} "
            f"({found['F1@20'][key]['low']:.3f}-{found['F1@20'][key]['high']:.3f})",
        )
        for name, key in (("its own file", "direct"), ("three files", "mixed"))
    ]
    values = found["F1@20"]
    difference = values["mixed"]["value"] - values["direct"]["value"]
    return (
        f"{found['corpus']} as Web of Science text, Scopus CSV and BibTeX, a third each and a "
        "tenth of the papers in two, against its own file without the lists of papers that are in "
        f"BibTeX alone, which tells none: {found['queries']} test queries that have a list, the "
        f"shipped ranker, judged by the known links. The difference is {difference:+.4f}.\n\n"
        + table(("read from", "papers", "links", "F1@20"), rows)
    )


def _speed(found: Figures) -> str:
    cited = sum(found["cited"].values())
    milliseconds = 1000 * found["cpu_seconds"] / found["records"]
    rows = [
        ("records", f"{found['records']:,}"),
        ("references", f"{cited:,}"),
        ("read, merged and linked, one thread", f"{milliseconds:.2f} CPU ms a record"),
        ("peak memory", f"{found['peak_mib']:,.0f} MiB"),
    ]
    return (
        f"An export of the Web of Science made of {found['corpus']}, repeated under other titles "
        "and numbers.\n\n" + table(("export", "cost"), rows)
    )


def _with_interval(figure: Mapping[str, float], count: int) -> str:
    if not count:
        return ""
    return f"{figure['value']:.4f} ({figure['low']:.4f}-{figure['high']:.4f})"


def _recall(told: list[int] | None) -> str:
    return f"{told[1] / told[0]:.3f} of {told[0]:,}" if told and told[0] else ""
