"""Corpora that are written and read back: no loss where nothing was lost, and true counts."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.corpora import known_works as made
from benchmarks.corpora.known_works import (
    DOI,
    OTHER,
    PLACE,
    SHARES,
    Citation,
    KnownCorpus,
    cited_pairs,
    citing,
    known_works,
    read_known,
    shared_places,
)
from benchmarks.corpora.measure import (
    compared,
    judge,
    measure_formats,
    measure_links,
    mixture,
    time_reading,
    write_corpora,
    write_direct,
    write_export,
    write_mixture,
)
from benchmarks.corpora.written_formats import (
    BIBTEX,
    FORMATS,
    initials,
    journal,
    printed,
    scopus_citation,
    wos_citation,
    wos_record,
)
from recsys.formats.references.people import Name
from tests.rows import each_row

_WORDS = "amber basalt cedar delta ember fjord granite harbour island juniper kelp".split()
_FAMILIES = "Abbot Brandt Castellan Dorrit Eskola Farrow Gould Hartnell Ibsen Jarvi".split()


def rows_of(count: int) -> list[dict[str, Any]]:
    """Invent papers of ours; every one cites some before it."""
    rng = np.random.default_rng(11)
    rows = []
    for number in range(count):
        words = rng.choice(_WORDS, size=5, replace=False).tolist()
        family = _FAMILIES[number % len(_FAMILIES)]
        cited = rng.choice(number, size=min(number, 6), replace=False).tolist() if number else []
        rows.append(
            {
                "id": f"p{number}",
                "title": f"{' '.join(words).capitalize()} {number}",
                "abstract": f"About {' and '.join(words)}.",
                "year": 1500 + number % 500,
                "authors": [f"{'ABCDEFG'[number % 7]}da {family}", "Wei Wang 0001"],
                "venue": ("Journal of Invented Stones", "Annals of Made Water")[number % 2],
                "references": [f"p{each}" for each in cited],
                "doi": f"10.5555/made.{number}x",
            }
        )
    return rows


def corpus_of(count: int, held_out: int = 0) -> KnownCorpus:
    works = known_works(rows_of(count))
    return KnownCorpus(works, tuple(range(count - held_out)))


@each_row("name", FORMATS)
def test_without_losses_every_link_comes_back(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    corpus, rng = corpus_of(60, held_out=10), np.random.default_rng(1)
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made, "SHARES", dict.fromkeys(SHARES, 0.0))
        found = measure_links(corpus, FORMATS[name], folder, dois=False, rng=rng)
    assert found["links"] > 150
    assert (found["papers"], found["merged"]) == (50, 0)
    if name == BIBTEX:  # It has records alone, and no DOI in two of five.
        assert (found["found"], found["lost"]) == (0, 20)
    else:
        assert found["lost"] == 0
        assert found["precision"]["value"] == found["recall"]["value"] == 1


def test_losses_are_drawn_alike_each_time_and_each_happens() -> None:
    corpus = corpus_of(300)
    cite = citing(corpus, dois=0.5, seed=3)
    drawn = [each for work in corpus.works for each in cite(work)]
    assert drawn == [each for work in corpus.works for each in cite(work)]
    assert {each.tells for each in drawn} == {DOI, PLACE, OTHER}
    assert any(not each.authors for each in drawn)
    assert any(each.year is None for each in drawn)
    years = {each.year - (each.work.year or 0) for each in drawn if each.year}
    assert years == {-1, 0, 1}
    assert 0.4 < np.mean([each.doi is not None for each in drawn]) < 0.6
    assert all(each.volume in (None, each.work.volume) for each in drawn)
    few = replace(corpus, written=corpus.written[:150])  # Works held out are cited, and no links.
    assert all(max(owner, cited) < 150 for owner, cited, _ in cited_pairs(few, cite))


def test_known_works_have_names_and_places() -> None:
    works = known_works(rows_of(200))
    assert works[0].authors[1] == Name("Wang", "Wei")
    assert works == known_works(rows_of(200))
    volumes = {(work.venue, work.year): work.volume for work in works}
    assert all(volumes[work.venue, work.year] == work.volume for work in works)
    meeting = known_works([rows_of(1)[0] | {"venue": "Conference on Stones"}])[0]
    assert meeting.volume is None
    twice = [replace(works[0], number=0), replace(works[0], number=1, page="77777"), works[0]]
    assert shared_places(KnownCorpus(tuple(twice), ())) == (3, 3, 2)


def test_a_corpus_is_read_and_some_works_are_held_out(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows_of(100))
    corpus = read_known(path, np.random.default_rng(0))
    assert (len(corpus.works), len(corpus.written)) == (100, 85)
    assert len(read_known(path, np.random.default_rng(0), 30).written) == 30
    found = measure_formats(path, tmp_path / "work", most=15)
    assert found["records"] == 15
    assert {name.partition(", with")[0] for name in found["formats"]} == set(FORMATS)
    value = {"value": 0.5, "low": 0.4, "high": 0.6}
    mixed = {"corpus": "a", "queries": 3, "F1@20": {"direct": value, "mixed": value}}
    mixed |= {"papers": {"direct": 5, "mixed": 6}, "links": {"direct": 7, "mixed": 8}}
    speed = {"corpus": "b", "records": 10, "cpu_seconds": 0.02, "cited": {"PLACE": 9}}
    speed["peak_mib"] = 100.4
    text = write_corpora({"links": {"made": found}, "mixed": mixed, "speed": speed})
    assert "| three files | 6 | 8 | 0.5000 (0.400-0.600) |" in text
    assert "2.00 CPU ms a record" in text and "| peak memory | 100 MiB |" in text
    assert "| JATS, with DOIs |" in text


def test_links_and_answers_are_judged_by_the_known_links() -> None:
    works = list(known_works(rows_of(4)))
    works = [replace(work, cites=()) for work in works]
    works[3] = replace(works[3], cites=(0, 1), year=2000)
    works[1] = replace(works[1], year=2001)  # Newer than what cites it: no gold of a question.
    corpus = KnownCorpus(tuple(works), (0, 1, 2, 3))

    def cite(work: Any) -> list[Citation]:  # noqa: ANN401 - a known work.
        return [
            Citation(works[n], (), None, None, None, None, None, "10.1/x" if n else None)
            for n in work.cites
        ]

    numbers = {"a": 0, "b": 1, "c": 2, "d": 3}
    run = {"d": {"c": 2.0, "a": 1.0, "unknown": 0.5}}
    [answer] = judge(corpus, {3: "d"}, run, numbers)
    assert (answer.gold, answer.flags.tolist()) == (1, [False, True, False])
    assert judge(corpus, {3: ""}, {}, numbers)[0].gold == 1

    read = {(3, 0): "one", (3, 2): "one"}
    found = compared(corpus, cite, read, np.random.default_rng(0))
    assert (found["links"], found["found"], found["right"]) == (2, 2, 1)
    assert found["precision"] == found["recall"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert found["told"] == {OTHER: [1, 1], DOI: [1, 0]}
    assert found["rules"] == {"one": [2, 1]}


def citation(**changes: Any) -> Citation:  # noqa: ANN401 - fields.
    work = known_works(rows_of(1))[0]
    people = (Name("Smith", "John A."), Name("Lee", "Kim"))
    told = Citation(
        work, people, 2010, "On lamps", "Journal of the Things", "12", "345", "10.1000/x"
    )
    return replace(told, **changes)


def test_a_reference_is_written_as_the_web_of_science_does() -> None:
    # Tags: https://bibliome.github.io/alvisnlp/reference/module/
    # fr.inra.maiage.bibliome.alvisnlp.bibliomefactory.modules.wok.WebOfKnowledgeReader
    # The spelling of references is that of the pages that test_wos_citations names.
    assert wos_citation(citation()) == "Smith JA, 2010, J THING, V12, P345, DOI 10.1000/x"
    assert wos_citation(citation(page="e17", doi=None)) == "Smith JA, 2010, J THING, V12, ARTN e17"
    assert wos_citation(citation(year=None)) == "Smith JA, IN PRESS J THING"
    assert wos_citation(citation(authors=())).startswith("[Anonymous], 2010, J THING")
    assert journal("Proceedings of the American Academy") == "P AM ACADE"
    record = wos_record(known_works(rows_of(1))[0], [citation()])
    assert record.startswith("PT J\nAU Abbot, A\n   Wang, W\nAF Abbot, Ada\n   Wang, Wei\nTI ")
    assert record.endswith("\nUT WOS:000000000000000\nER\n\n")


def test_a_reference_is_written_as_scopus_does() -> None:
    # Journals in full, other than there: https://www.leydesdorff.net/scopus/index.htm
    # Both spellings are those of the pages that test_scopus_citations names.
    assert scopus_citation(citation(doi=None), older=False) == (
        "Smith J.A., Lee K., On lamps, Journal of the Things, 12, 1, pp. 345-355, (2010)"
    )
    assert scopus_citation(citation(doi=None), older=True) == (
        "Smith, J.A., Lee, K., On lamps (2010) Journal of the Things, 12 (1), pp. 345-355"
    )
    assert printed(citation()) == (
        "Smith JA, Lee K. On lamps. Journal of the Things. 2010;12:345-355."
    )
    assert initials(Name("Blanton", "RE"), ".") == "R.E."


def test_a_mixture_overlaps_and_bibtex_has_no_lists(tmp_path: Path) -> None:
    rows = rows_of(600)
    mixed = mixture(rows, np.random.default_rng(2))
    sizes = [len(works) for works in mixed.parts.values()]
    assert 600 * 1.06 < sum(sizes) < 600 * 1.14
    assert len({work.number for works in mixed.parts.values() for work in works}) == 600
    alone = set(range(600)) - mixed.listed
    assert alone <= {work.number for work in mixed.parts[BIBTEX]}
    assert 100 < len(alone) < 220
    files = write_mixture(mixed, tmp_path)
    assert {path.suffix for path in files} == {".txt", ".csv", ".bib"}
    write_direct(rows[:5], frozenset({1, 4}), tmp_path / "direct.jsonl.gz")
    with gzip.open(tmp_path / "direct.jsonl.gz", "rt", encoding="utf-8") as file:
        kept = [bool(json.loads(line)["references"]) for line in file]
    assert kept == [False, True, False, False, True]


def test_an_export_of_any_size_is_written_and_timed(tmp_path: Path) -> None:
    corpus = corpus_of(20)
    write_export(corpus, 45, tmp_path / "export")
    found = time_reading(tmp_path / "export")
    assert (found["records"], found["papers"]) == (45, 45)
    assert sum(found["cited"].values()) > 45 * 30
    assert found["cited"]["OUTSIDE"] < 0.1 * sum(found["cited"].values())
    assert found["cpu_seconds"] > 0
