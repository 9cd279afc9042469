"""Keywords Plus are made from the titles that a paper cites: in no format are they its keywords."""

from pathlib import Path

from recsys.formats.exports.export_facts import parted_phrases
from tests.pipelines.corpora.corpus_files import read
from tests.rows import each_row

FILES = sorted(Path(__file__).with_name("keywords_plus").iterdir())
"""The same work as programs export it, with an author's keyword and one of Keywords Plus."""


@each_row("file", FILES)
def test_no_format_takes_them_for_keywords_of_the_authors(tmp_path: Path, file: Path) -> None:
    papers, _ = read(file, folder=tmp_path)
    (paper,) = papers.values()
    assert paper["keyphrases"] == ["polar night"]
    assert '"keywords_plus": ["adaptation"]' in paper["labels"]


@each_row(
    ("found", "ids", "parted"),
    [
        (("Lidar", "GIS", "MAYA"), ["wos:1"], (("Lidar",), ("gis", "maya"))),
        (("GIS", "Lidar"), ["wos:1"], (("GIS", "Lidar"), ())),
        (("GIS", "MAYA"), ["wos:1"], ((), ("gis", "maya"))),
        (("Lidar", "GIS"), ["eid:1"], (("Lidar", "GIS"), ())),
        ((), ["wos:1"], ((), ())),
    ],
)
def test_they_are_the_capitals_at_the_end_of_a_record_of_web_of_science(
    found: tuple[str, ...], ids: list[str], parted: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    assert parted_phrases(found, ids) == parted
