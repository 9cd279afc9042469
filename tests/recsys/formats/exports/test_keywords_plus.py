"""Keywords Plus are made from the titles that a paper cites: in no format are they its keywords."""

from pathlib import Path

from recsys.formats.exports.export_facts import parted_phrases
from tests.pipelines.corpora.corpus_files import read, write
from tests.rows import each_row

_XML = (
    '<?xml version="1.0" encoding="UTF-8"?><xml><records><record><ref-type name="Journal Article">'
    "17</ref-type><titles><title>Slow lanterns</title></titles><dates><year>2016</year></dates>"
    "<keywords><keyword>polar night</keyword><keyword>ADAPTATION</keyword></keywords>"
    "<accession-num>WOS:000370000000007</accession-num></record></records></xml>"
)


@each_row(
    ("name", "text"),
    [
        (
            "savedrecs.txt",
            "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nTI Slow lanterns\nPY 2016\n"
            "DE polar night\nID ADAPTATION\nUT WOS:000370000000007\nER\n\nEF\n",
        ),
        (
            "savedrecs.tsv",
            "PT\tAU\tTI\tSO\tDE\tID\tPY\tUT\nJ\tA\tSlow lanterns\tB\tpolar night\tADAPTATION\t2016"
            "\tWOS:000370000000007\n",
        ),
        (
            "savedrecs.csv",
            "Publication Type,Article Title,Source Title,Author Keywords,Keywords Plus,"
            "Publication Year,UT (Unique WOS ID)\nJ,Slow lanterns,B,polar night,ADAPTATION,2016,"
            "WOS:000370000000007\n",
        ),
        (
            "savedrecs.ris",
            "TY  - JOUR\nTI  - Slow lanterns\nPY  - 2016\nKW  - polar night\nKW  - ADAPTATION\n"
            "AN  - WOS:000370000000007\nER  -\n",
        ),
        (
            "savedrecs.enw",
            "%0 Journal Article\n%T Slow lanterns\n%D 2016\n%K polar night; ADAPTATION\n"
            "%M WOS:000370000000007\n",
        ),
        ("savedrecs.xml", _XML),
    ],
)
def test_no_format_takes_them_for_keywords_of_the_authors(
    tmp_path: Path, name: str, text: str
) -> None:
    papers, _ = read(write(tmp_path / name, text), folder=tmp_path)
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
