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
    SHARES,
    Citation,
    KnownCorpus,
    cited_pairs,
    citing,
    known_works,
    read_known,
)
from benchmarks.corpora.measure import (
    compared,
    measure_formats,
    measure_links,
    write_corpora,
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
    assert any(not each.authors for each in drawn)
    assert any(each.year is None for each in drawn)
    years = {each.year - (each.work.year or 0) for each in drawn if each.year}
    assert years == {-1, 0, 1}
    assert 0.4 < np.mean([each.doi is not None for each in drawn]) < 0.6
    assert all(each.volume in (None, each.work.volume) for each in drawn)
    few = replace(corpus, written=corpus.written[:150])  # Works held out are cited, and no links.
    assert all(max(owner, cited) < 150 for owner, cited in cited_pairs(few, cite))


def test_known_works_have_names_and_places() -> None:
    works = known_works(rows_of(200))
    assert works[0].authors[1] == Name("Wang", "Wei")
    assert works == known_works(rows_of(200))
    volumes = {(work.venue, work.year): work.volume for work in works}
    assert all(volumes[work.venue, work.year] == work.volume for work in works)
    meeting = known_works([rows_of(1)[0] | {"venue": "Conference on Stones"}])[0]
    assert meeting.volume is None


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
    text = write_corpora({"links": {"made": found}})
    jats = found["formats"]["JATS, with DOIs"]["recall"], found["formats"]["JATS"]["recall"]
    with_dois, without = (f"{each['value']:.3f}" for each in jats)
    assert f"| JATS | {with_dois} ({without}) | " in text


def test_links_are_judged_by_the_known_links() -> None:
    works = list(known_works(rows_of(4)))
    works = [replace(work, cites=()) for work in works]
    works[3] = replace(works[3], cites=(0, 1))
    corpus = KnownCorpus(tuple(works), (0, 1, 2, 3))

    def cite(work: Any) -> list[Citation]:  # noqa: ANN401 - a known work.
        return [
            Citation(works[n], (), None, None, None, None, None, "10.1/x" if n else None)
            for n in work.cites
        ]

    read = {(3, 0): "one", (3, 2): "one"}
    found = compared(corpus, cite, read, np.random.default_rng(0))
    assert (found["links"], found["found"], found["right"]) == (2, 2, 1)
    assert found["precision"] == found["recall"] == {"value": 0.5, "low": 0.5, "high": 0.5}
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
    assert record.endswith("\nUT WOS:000000000000001\nER\n\n")


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
