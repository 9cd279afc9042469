"""How well references are checked: fit the chances, and measure on references of known truth.

    python -m benchmarks.reference_checks fit --data DIR --work DIR
    python -m benchmarks.reference_checks measure --data DIR --work DIR

DATA holds NAME/papers.jsonl.gz and NAME/split.json for each corpus, and hallmark. Reference lists
are those of real papers, as people print them: in five styles, and as careless BibTeX. Some of
their references are altered or invented, and a share of the works is hidden from the check.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import matching_quality
from benchmarks.bench import (
    DOCS,
    HERE,
    OUT,
    Bench,
    Data,
    Docs,
    Figures,
    Results,
    Work,
    program,
    read_papers,
    run_recsys,
    tell,
)
from benchmarks.corpora.known_works import KnownWork, known_works
from benchmarks.pdfs.invented_papers import Work as PrintedWork
from benchmarks.pdfs.printing import STYLES, styled_entry
from benchmarks.result_tables import Report, share
from recsys.checking import chances
from recsys.checking.check import Holdings, Source, check, index_source, record_of_paper
from recsys.checking.fields import compare, plain_title, shared_authors
from recsys.checking.fixes import fixes
from recsys.checking.venues import same_venue
from recsys.checking.verdicts import SURE, CheckReport, Record, Verdict
from recsys.eval.significance import expected_calibration_error
from recsys.formats.bodies.printed_works import printed_work
from recsys.formats.references.bibtex_entries import with_fields
from recsys.formats.references.people import Name
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.indexes.opening import open_collection
from recsys.query.matching import title_of
from recsys.records import Paper, Reference
from recsys.store.artifacts import write_json
from recsys.store.collection import Collection

FITTED = ("archaeology", "taxonomy", "acl")
MEASURED = ("vis", "elife", "plantsci")
"""Corpora to which chances are fitted, and others on which they are measured."""
BIBTEX = "BibTeX"
WAYS = (*STYLES, BIBTEX)
LISTS, SHORTEST, LONGEST = 120, 8, 60
YEAR = 2026
_TAG = re.compile(r"<[^>]+>")
_PRINTED_NOISE = {"DOI": 0.35}

ALTERED = (
    "other authors", "some authors missing", "a word of the title", "another venue",
    "another year", "another work's DOI", "a made-up DOI",
)  # fmt: skip
MADE_UP = ("two titles in one", "all made up")


@dataclass(frozen=True, slots=True)
class Known:
    """A reference and the truth about it. fault: "" where it is true. row: the work; -1: none."""

    reference: Reference
    fault: str
    row: int


class Lists:
    """The reference lists of a corpus, written as people write them."""

    def __init__(self, bench: Bench, corpus: str, seed: int = 0) -> None:
        self.collection = open_collection(bench.built(corpus))
        self.rng = np.random.default_rng(seed)
        split = json.loads(bench.split(corpus).read_text(encoding="utf-8"))
        queries = self.collection.corpus.rows([*split["dev"], *split["test"]])
        self.queries = self.rng.permutation(queries).tolist()
        self.papers = self.collection.corpus.full_papers

    def drawn(self, *, faults: bool = False) -> Iterator[tuple[str, list[Known]]]:
        """Yield lists, each in one way of writing.

        faults: whether some of them have any: a share of inventions as in `chances.PRIOR`, and
        twice as many references that are described wrongly.
        """
        shares, weights = zip(*chances.PRIOR, strict=True)
        drawn_shares = self.rng.choice(shares, LISTS, p=np.array(weights) / sum(weights))
        corpus, count = self.collection.corpus, 0
        for row in self.queries:
            if count == LISTS:
                return
            cited = corpus.rows(list(self.papers([row])[0].references))
            rows = [each for each in cited.tolist() if each >= 0][:LONGEST]
            if len(rows) < SHORTEST:
                continue
            way = WAYS[count % len(WAYS)]
            yield way, self._written(rows, way, float(drawn_shares[count]) if faults else 0.0)
            count += 1

    def bibtex(self) -> Iterator[tuple[str, list[tuple[str, Paper]]]]:
        """Yield lists as BibTeX with faults, and the fault and the truth of each entry."""
        for row in self.queries[:LISTS]:
            cited = self.collection.corpus.rows(list(self.papers([row])[0].references))
            papers = corpus_papers(self.collection, [each for each in cited.tolist() if each >= 0])
            drawn = self.rng.integers(len(self.collection.corpus), size=200)
            others = corpus_papers(self.collection, drawn)
            written, truth = list[Paper](), list[tuple[str, Paper]]()
            for paper in papers[:LONGEST]:
                fault = self._one(ALTERED) if self.rng.random() < 0.3 else ""
                changed = (
                    altered(paper, fault, others, self.rng, structured=True) if fault else None
                )
                truth.append((fault if changed else "", paper))
                written.append(changed or paper)
            dois = [paper.doi for paper in written]
            yield matching_quality.bibtex(written, dois, self.rng, wrong_dois=0.0), truth

    def _written(self, rows: Sequence[int], way: str, invented: float) -> list[Known]:
        papers = corpus_papers(self.collection, rows)
        others = corpus_papers(
            self.collection, self.rng.integers(len(self.collection.corpus), size=200)
        )
        found, written = list[tuple[str, int]](), list[Paper]()
        for row, paper in zip(rows, papers, strict=True):
            drawn, fault = self.rng.random(), ""
            if drawn < invented:
                fault = self._one(MADE_UP)
            elif drawn < 3 * invented:
                fault = self._one(ALTERED)
            changed = None
            if fault:
                changed = altered(paper, fault, others, self.rng, structured=way == BIBTEX)
            found.append(
                (fault if changed else "", row if fault not in MADE_UP or not changed else -1)
            )
            written.append(changed or paper)
        references = printed(written, way, self.rng)
        return [  # A DOI that was not told is no fault.
            Known(reference, "" if "DOI" in fault and not reference.doi else fault, row)
            for reference, (fault, row) in zip(references, found, strict=True)
            if reference is not None
        ]

    def _one(self, choices: Sequence[str]) -> str:
        return choices[int(self.rng.integers(len(choices)))]


def corpus_papers(collection: Collection, rows: Iterable[int]) -> list[Paper]:
    """Return papers with the DOI that an id may be."""
    papers = collection.corpus.papers(list(rows))
    return [replace(p, doi=p.id if p.id.startswith("10.") else p.doi) for p in papers]


def printed(papers: Sequence[Paper], way: str, rng: np.random.Generator) -> list[Reference | None]:
    """Write references one way, and read them again; None where nothing could be read."""
    if way == BIBTEX:
        text = matching_quality.bibtex(papers, [p.doi for p in papers], rng, wrong_dois=0.0)
        read = {each.key: each for each in parse_bibliography(text, "noisy.bib").references}
        return [read.get(f"ref{place}") for place in range(len(papers))]
    records = [
        {"id": p.id, "title": p.title, "authors": p.authors, "venue": p.venue, "year": p.year,
         "doi": p.doi} for p in papers
    ]  # fmt: skip
    found = list[Reference | None]()
    for work in known_works(records):
        entry = _TAG.sub("", unescape(styled_entry(_as_printed(work, rng), way)))
        reference = printed_work(entry, f"ref{work.number}")
        found.append(reference if reference.title else None)
    return found


def _as_printed(work: KnownWork, rng: np.random.Generator) -> PrintedWork:
    meeting = work.volume is None or not work.volume.isdigit()
    page = int(work.page) if work.page and work.page.isdigit() else 17
    year = work.year or 2000
    if rng.random() < matching_quality.SHARES["year off by one"] / 4:
        year += 1 if rng.random() < 0.5 else -1
    return PrintedWork(
        str(work.number), work.title, work.authors or (Name("Anonymous"),), year,
        work.venue or "Unpublished", "inproceedings" if meeting else "article",
        int(work.volume or 0) if not meeting else 1, int(rng.integers(1, 12)), page,
        (work.doi or "") if rng.random() < _PRINTED_NOISE["DOI"] else "",
    )  # fmt: skip


def altered(
    paper: Paper, fault: str, others: Sequence[Paper], rng: np.random.Generator, *, structured: bool
) -> Paper | None:
    """Describe a work wrongly, or one that does not exist; None where that can't be done to it.

    structured: the reference names all authors, so that some can be left out.
    """
    other = others[int(rng.integers(len(others)))]
    words = paper.title.split(" ")
    if fault == "other authors":
        strange = not set(map(str.lower, paper.authors)) & set(map(str.lower, other.authors))
        return (
            replace(paper, authors=other.authors)
            if paper.authors and other.authors and strange
            else None
        )
    if fault == "some authors missing":
        few = structured and len(paper.authors) > 3
        return replace(paper, authors=paper.authors[: len(paper.authors) // 2]) if few else None
    if fault == "a word of the title":
        long = [at for at, word in enumerate(words) if len(word) > 5 and word.isalpha()]
        new = [word for word in other.title.split(" ") if len(word) > 5 and word.isalpha()]
        if not long or not new or new[0].lower() == words[long[0]].lower():
            return None
        at = long[int(rng.integers(len(long)))]
        return replace(paper, title=" ".join([*words[:at], new[0].lower(), *words[at + 1 :]]))
    if fault == "another venue":
        names = [each.venue for each in others if each.venue and paper.venue]
        wrong = [name for name in names if same_venue(name, paper.venue or "") is False]
        return replace(paper, venue=wrong[0]) if wrong else None
    if fault == "another year":
        return replace(paper, year=paper.year + int(rng.integers(3, 12))) if paper.year else None
    if fault == "another work's DOI":
        return replace(paper, doi=other.doi) if paper.doi and other.doi else None
    if fault == "a made-up DOI":
        number = int(rng.integers(70_000, 99_999))
        return (
            replace(paper, doi=f"10.{number}/{int(rng.integers(1_000_000))}") if paper.doi else None
        )
    more = other.title.split(" ")
    title = " ".join([*words[: len(words) // 2 + 1], *more[len(more) // 2 :]])
    if len(title_of(title).telling) < 4:
        return None
    doi = f"10.{int(rng.integers(70_000, 99_999))}/{int(rng.integers(1_000_000))}"
    made = replace(paper, title=title, doi=doi if rng.random() < 0.2 else None)
    if fault == "all made up":
        names = [name for each in others[:40] for name in each.authors]
        picked = rng.permutation(len(names))[: int(rng.integers(2, 5))]
        made = replace(made, authors=tuple(names[at] for at in picked), venue=other.venue)
    return made


def hiding(source: Source, hidden: frozenset[str]) -> Source:
    """Let a source lack some works."""

    def look(references: Sequence[Reference]) -> Iterator[Holdings]:
        for held in source.look(references):
            named, alike = (
                tuple(record for record in records if record.id not in hidden)
                for records in (held.named, held.alike)
            )
            yield Holdings(named, alike)

    return replace(source, look=look)


def hidden_of(
    collection: Collection, share_hidden: float, rng: np.random.Generator
) -> frozenset[str]:
    """Draw the ids of works that a source lacks."""
    gone = np.flatnonzero(rng.random(len(collection.corpus)) < share_hidden)
    return frozenset(collection.corpus.ids[row] for row in gone.tolist())


def fit(data: Data, work: Work = OUT) -> None:
    """Fit the chance of identity on lists of the corpora FITTED, and write it into the package."""
    nothing = {"names": [*chances.IDENTITY], "weights": [0.0] * len(chances.IDENTITY), "bias": 0.0}
    write_json(chances.MODELS, {"identity": nothing})  # What is looked up is judged on the way.
    from sklearn.linear_model import LogisticRegression

    bench = Bench(data, work)
    pairs = (pair for corpus in FITTED for pair in _identities(Lists(bench, corpus), corpus))
    numbers, truth = zip(*pairs, strict=True)
    fitted = LogisticRegression(max_iter=1000).fit(np.array(numbers), truth)
    weights = [round(float(weight), 4) for weight in fitted.coef_[0]]
    bias = round(float(fitted.intercept_[0]), 4)
    found = nothing | {"weights": weights, "bias": bias, "of": len(truth)}
    write_json(chances.MODELS, {"identity": found})


def _identities(lists: Lists, corpus: str) -> Iterator[tuple[tuple[float, ...], bool]]:
    for known, source, _ in faulty_lists(lists, index_source(lists.collection, corpus), corpus):
        held = source.look([each.reference for each in known])
        for each, holdings in zip(known, held, strict=True):
            title = plain_title(each.reference.title or "")
            for record in (*holdings.named, *holdings.alike):
                theirs = plain_title(record.work.title or "")
                numbers = chances.identity_numbers(each.reference, title, record.work, theirs)
                yield numbers, is_meant(record, each, lists.collection)


def faulty_lists(
    lists: Lists, source: Source, corpus: str
) -> Iterator[tuple[list[Known], Source, frozenset[str]]]:
    """Draw lists with faults, each with the source without some works, and the ids of these."""
    for count, (_, known) in enumerate(lists.drawn(faults=True)):
        tell(f"{corpus}, faults", count + 1, LISTS)
        hidden = hidden_of(lists.collection, float(lists.rng.choice(chances.LACKING)), lists.rng)
        yield known, hiding(source, hidden), hidden


def is_meant(record: Record | None, known: Known, collection: Collection) -> bool:
    """Tell whether a record is the work, or one of its title by the same people, or of its year."""
    if record is None or known.row < 0:
        return False
    if record.id == collection.corpus.ids[known.row]:
        return True
    paper = collection.corpus.papers([known.row])[0]
    same = title_of(paper.title).words == title_of(record.work.title or "").words
    near = abs((paper.year or 0) - (record.work.year or 0)) <= 1
    people = shared_authors(Reference(authors=paper.authors), record.work)
    return same and (near or (people or 0.0) > 0.5)


def measure(
    data: Data,
    work: Work = OUT,
    results: Results = HERE / "checking.json",
    docs: Docs = DOCS,
) -> None:
    """Measure on hallmark and on lists of the corpora MEASURED, and rewrite the page."""
    report = Report("checking", results, docs)
    report.read()
    bench = Bench(data, work)
    found: Figures = {"hallmark": measure_hallmark(bench)}
    found["lists"] = {corpus: measure_lists(bench, corpus) for corpus in MEASURED}
    report.keep(found)


def measure_lists(bench: Bench, corpus: str) -> Figures:
    """Measure false alarms, faults found and calibration on a corpus's lists.

    Returns:
        {"true": by way of writing the share of true references that are said to differ, or not to
        exist; "true, a fifth missing": the same where sources lack a fifth of the works;
        "faults": by kind, the share found; "identity", "absence": calibration errors}.
    """
    lists = Lists(bench, corpus, seed=1)
    source = index_source(lists.collection, corpus)
    figures: Figures = {}
    for name, gone in (("true", 0.0), ("true, a fifth missing", 0.2)):
        flags: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
        lists.rng = np.random.default_rng(1)
        for count, (way, known) in enumerate(lists.drawn()):
            tell(f"{corpus}, {name}", count + 1, LISTS)
            hidden = hidden_of(lists.collection, gone, lists.rng)
            report = check([k.reference for k in known], [hiding(source, hidden)], this_year=YEAR)
            for item in report.items:
                absent = item.absent is not None and item.absent >= SURE
                flags[way].append((item.verdict is Verdict.DIFFERS, absent))
        everything = [flag for some in flags.values() for flag in some]
        figures[name] = {
            way: {"references": len(some), "flagged": share(sum(map(any, some)), len(some)),
                  "absent": share(sum(absent for _, absent in some), len(some))}
            for way, some in {**flags, "all": everything}.items()
        }  # fmt: skip
    figures |= _faults(lists, source, corpus)
    figures["fixes"] = measure_fixes(bench, corpus)
    return figures


def _faults(lists: Lists, source: Source, corpus: str) -> Figures:
    """Measure what is found of faults, and how far chances are off, on lists that have some."""
    seen, caught = Counter[str](), Counter[str]()
    sure, right, absent, invented = [], [], [], []
    lists.rng = np.random.default_rng(2)
    for known, without, hidden in faulty_lists(lists, source, corpus):
        report = check([k.reference for k in known], [without], this_year=YEAR)
        for each, item in zip(known, report.items, strict=True):
            ids = lists.collection.corpus.ids
            there = each.row < 0 or ids[each.row] not in hidden
            if each.fault and there:
                seen[each.fault] += 1
                caught[each.fault] += item.is_wrong
            if item.record is not None:
                sure.append(item.record.chance)
                right.append(is_meant(item.record, each, lists.collection))
            if item.absent is not None:
                absent.append(item.absent)
                invented.append(each.row < 0)
    told = {
        name: share(sum(caught[each] for each in kinds), sum(seen[each] for each in kinds))
        for name, kinds in (("described wrongly", ALTERED), ("invented", MADE_UP))
    }
    return told | {"identity": _off(sure, right), "absence": _off(absent, invented)}


def _off(told: Sequence[float], truth: Sequence[bool]) -> Figures:
    """Return the calibration error of chances, in ten bins of equal width."""
    chance, true = np.array(told), np.array(truth, float)
    error = expected_calibration_error(chance, true) if len(chance) else 0.0
    return {"references": len(chance), "error": error, "true": float(true.mean())}


_FIELD_OF = {
    "other authors": "authors", "some authors missing": "authors", "a word of the title": "title",
    "another venue": "venue", "another year": "year", "another work's DOI": "doi",
    "a made-up DOI": "doi",
}  # fmt: skip


def measure_fixes(bench: Bench, corpus: str) -> Figures:
    """Measure what is corrected in BibTeX: {"right", of fields that were altered; "wrong", changes
    after which a field is not that of the work; "changes"}.
    """
    lists = Lists(bench, corpus, seed=3)
    source = index_source(lists.collection, corpus)
    right, asked, wrong, changed = 0, 0, 0, 0
    for text, truth in lists.bibtex():
        before = {each.key: each for each in parse_bibliography(text, "a.bib").references}
        report = check(list(before.values()), [source], this_year=YEAR)
        new = with_fields(text, fixes(report, text))
        after = {each.key: each for each in parse_bibliography(new, "a.bib").references}
        items = {item.reference.key: item for item in report.items}
        for place, (fault, paper) in enumerate(truth):
            key, true = f"ref{place}", record_of_paper(paper, {})
            row = lists.collection.corpus.row(paper.id) or 0
            if key not in before:
                continue
            compared = (compare(read[key], true, this_year=YEAR) for read in (before, after))
            told, still = ({each.field for each in f if each.agrees is False} for f in compared)
            if fault and _FIELD_OF[fault] in told:
                asked += 1
                right += _FIELD_OF[fault] not in still
            if still - told and not is_meant(
                items[key].record, Known(before[key], "", row), lists.collection
            ):
                wrong += len(still - told)
            changed += before[key] != after[key]
    return {"right": share(right, asked), "wrong": wrong, "entries changed": changed}


def measure_hallmark(bench: Bench) -> Figures:
    """Check the public entries of hallmark against their truth, all of it and nine tenths.

    Returns:
        {"unread": entries that no reader takes, "all", "nine tenths": {"detected", "false": shares;
        "kinds": the share found, by kind; "absence": calibration error}}.
    """
    entries, truth = hallmark(bench.data / "hallmark")
    bench.work.mkdir(parents=True, exist_ok=True)
    papers = bench.work / "hallmark.jsonl"
    papers.write_text("".join(json.dumps(paper) + "\n" for paper in truth), encoding="utf-8")
    index = bench.work / "hallmark.index"
    run_recsys("build", papers, "--out", index, "--force")
    collection = open_collection(index)
    read, references = read_entries(entries)
    figures: Figures = {"unread": len(entries) - len(read)}
    for name, gone in (("all", 0.0), ("nine tenths", 0.1)):
        hidden = hidden_of(collection, gone, np.random.default_rng(0))
        source = hiding(index_source(collection, "hallmark"), hidden)
        figures[name] = hallmark_figures(read, check(references, [source], this_year=YEAR))
    return figures


def read_entries(
    entries: Sequence[Mapping[str, Any]],
) -> tuple[list[Mapping[str, Any]], list[Reference]]:
    """Read entries as BibTeX; return those that can be read, and what was read."""
    text = ""
    for entry in entries:
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in entry["fields"].items())
        text += f"@{entry['bibtex_type']}{{{entry['bibtex_key']},\n{fields}}}\n"
    known = {each.key: each for each in parse_bibliography(text, "dev.bib").references}
    read = [entry for entry in entries if entry["bibtex_key"] in known]
    return read, [known[entry["bibtex_key"]] for entry in read]


def hallmark_figures(read: Sequence[Mapping[str, Any]], report: CheckReport) -> Figures:
    """Count what was said of entries: see `measure_hallmark`."""
    seen, caught = Counter[str](), Counter[str]()
    absent, invented = list[float](), list[bool]()
    for entry, item in zip(read, report.items, strict=True):
        true = entry["label"] == "VALID"
        kind = "true" if true else str(entry["hallucination_type"]).replace("_", " ")
        seen[kind] += 1
        caught[kind] += item.is_wrong
        if item.absent is not None:
            absent.append(item.absent)
            invented.append(not true)
    faults = sorted(kind for kind in seen if kind != "true")
    return {
        "detected": share(sum(caught[k] for k in faults), sum(seen[k] for k in faults)),
        "false": share(caught["true"], seen["true"]),
        "kinds": {kind: share(caught[kind], seen[kind]) for kind in faults},
        "absence": _off(absent, invented),
    }


def hallmark(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Read the entries, and make papers of what is true."""
    names = "dev_public", "valid_entries"
    entries, valid = (read_papers(folder / f"{name}.jsonl.gz") for name in names)
    papers: dict[tuple[str, ...], dict[str, Any]] = {}
    for entry in (*valid, *(each for each in entries if each["label"] == "VALID")):
        fields = entry["fields"]
        paper = {
            "id": f"true:{len(papers)}", "title": fields["title"],
            "authors": fields["author"].split(" and "), "year": int(fields["year"]),
            "venue": fields.get("booktitle") or fields.get("journal"),
            "doi": fields.get("doi"), "url": fields.get("url"),
        }  # fmt: skip
        known = papers.setdefault(title_of(fields["title"]).words, paper)
        known.update({name: value for name, value in paper.items() if value and not known[name]})
    return entries, list(papers.values())


main: Callable[..., int] = program("benchmarks.reference_checks", fit, measure)

if __name__ == "__main__":
    raise SystemExit(main())
