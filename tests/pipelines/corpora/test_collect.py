"""Files of any format become one table of papers, which is the same however they are told."""

import gzip
import json
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import CorpusError
from recsys.formats.work_stream import Remark
from recsys.pipelines.corpora.collect import Reading
from recsys.pipelines.corpora.link_citations import Rule
from tests.pipelines.corpora.corpus_files import (
    BIB,
    GLACIERS,
    RIVERS,
    SAND,
    collected,
    json_lines,
    openalex,
    read,
    references,
    three,
    write,
)
from tests.recsys.formats.exports.zotero_maker import Library
from tests.recsys.formats.source_examples import TEXTS
from tests.rows import few


def test_three_formats_of_one_paper_are_one_and_each_gives_its_best(tmp_path: Path) -> None:
    papers, report = read(*three(tmp_path), folder=tmp_path)
    assert len(papers) == 3
    rivers = papers[RIVERS]
    assert rivers["title"] == "Slow rivers of the northern plain"
    assert rivers["abstract"].startswith("We followed nine rivers")
    assert rivers["authors"] == ["Ada Ash", "Ben Birch"]
    assert rivers["venue"] == "Journal of Water"
    assert "wos:000370000000001" in rivers["aliases"]
    assert [(each.name, each.format, each.works) for each in report.files] == [
        ("refs.bib", "BibTeX", 2),
        ("papers.ris", "RIS", 2),
        ("savedrecs.txt", "Web of Science", 2),
    ]
    assert (sum(each.works for each in report.files), report.papers) == (6, 3)
    assert sum(report.joined.values()) == 3


def test_cited_works_are_linked_across_formats_and_others_keep_a_name(tmp_path: Path) -> None:
    papers, report = read(*three(tmp_path), folder=tmp_path)
    glaciers = next(name for name in papers if name.startswith(GLACIERS))
    assert references(papers) == {
        RIVERS: [glaciers, "10.5555/lost", "cite:nobody n|1981|2|3"],
        glaciers: [],
        SAND: [RIVERS, glaciers],
    }
    assert report.cited == {
        Rule.IDENTIFIER: 1,
        Rule.PLACE: 2,
        Rule.TITLE: 0,
        Rule.AMBIGUOUS: 0,
        Rule.OUTSIDE: 2,
    }


def test_the_order_of_files_changes_neither_papers_nor_links(tmp_path: Path) -> None:
    """Ids are the surest names; only of equally good values the first file's is taken."""
    found = []
    for order in permutations(three(tmp_path)):
        papers, report = read(*order, folder=tmp_path)
        found.append((papers.keys(), {n: sorted(r) for n, r in references(papers).items()}))
        assert {key: each["title"] for key, each in papers.items()}[RIVERS].startswith("Slow")
        assert report.papers == 3
    assert all(each == found[0] for each in found)


def test_a_copy_of_a_file_adds_nothing(tmp_path: Path) -> None:
    files = three(tmp_path)
    copies = [write(tmp_path / f"copy-{path.name}", path.read_text()) for path in files]
    once, _ = read(*files, folder=tmp_path)
    twice, report = read(*files, *copies, folder=tmp_path)
    assert sum(each.works for each in report.files) == 12
    assert once.keys() == twice.keys()
    assert {n: set(r) for n, r in references(once).items()} == {
        n: set(r) for n, r in references(twice).items()
    }


def test_two_ids_of_our_own_file_are_two_papers_whatever_they_share(tmp_path: Path) -> None:
    records = [{"id": f"p{n}", "title": "The same title", "year": 2001} for n in range(3)]
    papers, report = read(json_lines(tmp_path / "own.jsonl", records), folder=tmp_path)
    assert list(papers) == ["p0", "p1", "p2"]
    assert not any(report.joined.values())


def test_an_id_of_ours_wins_over_those_of_services(tmp_path: Path) -> None:
    own = json_lines(
        tmp_path / "own.jsonl", [{"id": "mine", "title": "Rivers", "doi": "10.5555/WATER.2001.101"}]
    )
    papers, _ = read(*three(tmp_path), own, folder=tmp_path)
    assert "mine" in papers and papers["mine"]["doi"].lower() == RIVERS
    assert "wos:" in papers["mine"]["aliases"][0]
    assert references(papers)[SAND][0] == "mine"


S2_PAPERS: list[dict[str, Any]] = [
    {"corpusid": 1, "title": "Slow rivers of the plain", "year": 2001, "externalids": {}},
    {"corpusid": 2, "title": "How glaciers carve a valley", "year": 1999, "externalids": {}},
]
S2_ABSTRACTS: list[dict[str, Any]] = [
    {"corpusid": 2, "abstract": "Ice is heavy.", "openaccessinfo": {}}
]
S2_CITATIONS: list[dict[str, Any]] = [
    {"citationid": 9, "citingcorpusid": 1, "citedcorpusid": 2, "isinfluential": False},
    {"citationid": 10, "citingcorpusid": 1, "citedcorpusid": 77, "isinfluential": False},
    {"citationid": 11, "citingcorpusid": 88, "citedcorpusid": 2, "isinfluential": False},
]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_what_a_data_set_keeps_in_parts_is_put_together(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    parts: tuple[list[dict[str, Any]], ...] = (S2_PAPERS, S2_ABSTRACTS, S2_CITATIONS)
    files = [json_lines(tmp_path / f"part{n}.jsonl", part) for n, part in enumerate(parts)]
    papers, report = read(*(files[place] for place in order), folder=tmp_path)
    assert len(papers) == 2
    first, second = sorted(papers.values(), key=lambda paper: -paper["year"])
    assert second["abstract"] == "Ice is heavy."
    assert second["id"] in first["references"]
    assert report.untitled == 1  # What is cited by paper 88, which is not there.


def test_works_of_a_service_stand_in_any_number_of_files(tmp_path: Path) -> None:
    one = json_lines(
        tmp_path / "works" / "updated_date=2024-01-01" / "part_000",
        [openalex(1, referenced_works=["https://openalex.org/W2", "https://openalex.org/W9"])],
    )
    two = tmp_path / "works" / "updated_date=2024-02-01" / "part_000.gz"
    two.parent.mkdir(parents=True)
    two.write_bytes(
        gzip.compress(json.dumps(openalex(2, doi="https://doi.org/10.5555/W.2")).encode())
    )
    manifest = write(tmp_path / "works" / "manifest", '{"entries": [{"url": "s3://x/part_000"}]}')
    own = json_lines(
        tmp_path / "own.jsonl",
        [{"id": "mine", "title": "Of what rivers are made", "references": ["10.5555/w.2", "W1"]}],
    )
    papers, report = read(tmp_path / "works", own, folder=tmp_path)
    assert papers.keys() == {"W1", "W2", "mine"}
    assert references(papers)["W1"] == ["W2", "W9"]
    assert len(report.skipped) == 1 and str(manifest) in report.skipped[0]
    assert one.is_file()


def test_a_work_that_was_merged_is_found_by_its_old_id(tmp_path: Path) -> None:
    works = json_lines(
        tmp_path / "works.jsonl",
        [openalex(1), openalex(2, referenced_works=["https://openalex.org/W11"])],
    )
    write(
        tmp_path / "merged_ids" / "works" / "2024-01-01.csv",
        "merge_date,id,merge_into_id\n2024-01-01,W11,W10\n2024-02-01,W10,W1\n2024-02-01,W8,W7\n",
    )
    authors = write(
        tmp_path / "merged_ids" / "authors" / "2024-01-01.csv",
        "merge_date,id,merge_into_id\n2024-01-01,A11,A10\n",
    )
    papers, report = read(works, tmp_path / "merged_ids", folder=tmp_path)
    assert papers.keys() == {"W1", "W2"}
    assert {"W10", "W11"} <= set(papers["W1"]["aliases"])
    assert report.untitled == 1
    assert [str(authors) in told for told in report.skipped] == [True]


PREPRINT = {
    "id": "p",
    "title": "A slow river is measured once more in winter",
    "authors": ["Ada Ash", "Ben Birch"],
    "year": 2019,
    "venue": "arXiv preprint arXiv:1901.00001",
    "doi": "10.48550/arXiv.1901.00001",
}


@pytest.mark.parametrize("apart", [False, True])
def test_a_preprint_and_its_paper_are_one_unless_told(tmp_path: Path, apart: bool) -> None:
    preprint = json_lines(tmp_path / "preprints.jsonl", [PREPRINT])
    journal = write(
        tmp_path / "paper.bib",
        "@article{x, title={A Slow River Is Measured Once More in Winter}, year=2021, "
        "author={Ash, Ada and Birch, Ben}, journal={Journal of Water}, doi={10.5555/once}}",
    )
    papers, _ = read(preprint, journal, reading=Reading(apart=apart), folder=tmp_path)
    if apart:
        assert papers.keys() == {"p", "10.5555/once"}
    else:
        (paper,) = papers.values()
        assert (paper["id"], paper["year"], paper["doi"]) == ("p", 2021, "10.5555/once")
        assert paper["venue"] == "Journal of Water"
        assert "arxiv:1901.00001" in paper["aliases"]


def test_a_library_and_an_export_of_it_are_the_same_papers(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.add(
        "journalArticle",
        {
            "title": "Slow rivers of the northern plain",
            "date": "2001",
            "DOI": "10.5555/water.2001.101",
            "creators": [("author", "Ada", "Ash")],
        },
    )
    bib = write(tmp_path / "refs" / "refs.bib", BIB)
    papers, report = read(tmp_path, bib, folder=bib.parent)
    assert len(papers) == 2 and RIVERS in papers
    assert [each.format for each in report.files] == ["Zotero library", "BibTeX"]


def test_remarks_and_oddities_are_counted_over_all_files(tmp_path: Path) -> None:
    one = tmp_path / "one.ris"
    one.write_bytes("TY  - JOUR\nTI  - Flüsse des Nordens\nER  - \n".encode("cp1252"))
    two = json_lines(tmp_path / "two.jsonl", [{"id": "a", "title": "T", "year": 99999}])
    _, report = read(one, two, folder=tmp_path)
    assert sum(report.oddities.values()) == 1
    assert report.remarks[Remark.IMPOSSIBLE_YEAR] == 1
    assert report.remarks[Remark.NO_ABSTRACT] == 2


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4), st.randoms())
@few(8)
def test_any_files_together_are_papers_with_distinct_ids(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]], random: Random
) -> None:
    folder = tmp_path_factory.mktemp("any")
    files = [write(folder / f"file{n}", text) for n, (_, text) in enumerate(texts)]
    try:
        table, report = collected(*files, folder=folder)
    except CorpusError as error:
        assert "usable paper" in error.what  # Such as citations alone.
        return
    ids = table.column("id").to_pylist()
    assert len(ids) == len(set(ids)) == report.papers > 0
    assert all(table.column("title").to_pylist())
    for own, names in zip(ids, table.column("aliases").to_pylist(), strict=True):
        assert own not in (names or ())
    random.shuffle(files)
    other, _ = collected(*files, folder=folder)
    assert len(other) == len(table)  # Ids may differ, where no name is surer than another.


def test_a_reading_is_recorded_as_versions_did_that_knew_no_titles_only() -> None:
    old = {"columns": [["title", "TI"]], "apart": True}
    reading = Reading((("title", "TI"),), apart=True)
    assert Reading.from_record(old) == reading
    assert json.loads(json.dumps(reading.record())) == old
    titles = Reading(titles_only=True)
    assert Reading.from_record(json.loads(json.dumps(titles.record()))) == titles
