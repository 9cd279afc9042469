"""Made dumps: the same bytes by size, with all that dumps are full of, read alike in both ways."""

import gzip
import json
from pathlib import Path

from benchmarks.dumps import DUMPS, ONCE, main, make_dump
from tests.built_index import hashes

RECORDS, FILES = 3200, 32


def test_a_size_makes_one_dump(tmp_path: Path) -> None:
    for name in ("one", "again"):
        make_dump(tmp_path / name, RECORDS, FILES)
    assert hashes(tmp_path / "one") == hashes(tmp_path / "again")
    lines: dict[str, list[bytes]] = {}
    for path in sorted((tmp_path / "one").iterdir()):
        kind = path.name.partition("-")[0]
        lines.setdefault(kind, []).extend(gzip.decompress(path.read_bytes()).splitlines())
    assert sum(map(len, lines.values())) == RECORDS
    works, papers, citations = (
        [json.loads(line) for line in lines[kind] if line.endswith(b"}")]
        for kind in ("part", "papers", "xcitations")
    )
    ids = {work["id"] for work in works}
    cited = [each for work in works for each in work["referenced_works"]]
    assert 0.7 < sum(each in ids for each in cited) / len(cited) < 0.9, "a fifth is elsewhere"
    dois = {work["doi"] for work in works if work["doi"]}
    known = [f"https://doi.org/{paper['externalids']['DOI']}" in dois for paper in papers]
    assert 0.3 < sum(known) / len(known) < 0.6, "half of the papers are works, too"
    named = {paper["corpusid"] for paper in papers}
    assert sum(each["citedcorpusid"] in named for each in citations) > 0.9 * len(citations)


def test_both_ways_are_measured_and_written(tmp_path: Path) -> None:
    (tmp_path / "dumps.md").write_text("<!-- dumps -->\n<!-- /dumps -->\n", encoding="utf-8")
    work = tmp_path / "work"
    options = ["--records", "640", "--files", "32", "--jobs", "1", "--work", str(work)]
    asked = ["measure", str(tmp_path / "dump"), *options, "--docs", str(tmp_path)]
    assert main(asked) == 0
    page = (tmp_path / "dumps.md").read_text(encoding="utf-8")
    assert "640 made records in 32 files" in page and "the same bytes" in page
    assert "| processor time, seconds |" in page
    assert hashes(work / ONCE) == hashes(work / DUMPS)
