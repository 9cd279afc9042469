"""BibTeX as Scopus and the Web of Science export it, with invented content.

The fields are those of https://www.bibliometrix.org/vignettes/Data-Importing-and-Converting.html;
other programs break the lines of a field anew.
"""

import io
from pathlib import Path

from recsys.formats.references import bibtex
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.rows import each_row

SCOPUS, WOS, BROKEN_ANEW = (
    (Path(__file__).with_name("files") / f"{name}.bib").read_text(encoding="utf-8")
    for name in ("scopus", "web_of_science", "broken_anew")
)


def read(text: str) -> list[Reference | Problem]:
    return list(bibtex.read(io.StringIO(text, newline="\n")))


def work(text: str) -> Reference:
    (found,) = read(text)
    assert isinstance(found, Reference)
    return found


def told(text: str) -> list[tuple[object, ...]]:
    return [(c.authors, c.year, c.venue, c.volume, c.page, c.doi) for c in work(text).cites]


def test_scopus_tells_numbers_keywords_and_what_is_cited() -> None:
    found = work(SCOPUS)
    assert found.authors == ("K. Ito", "A. Moreau Jr.")
    assert (found.page, found.pmid, found.ids) == ("9783", "35000001", ("eid:2-s2.0-85000000001",))
    assert found.keyphrases == ("tide", "harbour", "Harbour", "Sea level")
    assert [cited.title for cited in found.cites] == ["Sand & salt", "Waves"]
    assert told(SCOPUS)[0] == (("A. Lee",), 2004, "J. Shores", "3", "14", None)


@each_row("text", [SCOPUS, SCOPUS.replace("source={Scopus},\n", "")])
def test_what_occurs_twice_and_is_not_read_is_no_problem(text: str) -> None:
    assert len(work(text).cites) == 2


def test_the_web_of_science_tells_numbers_and_what_is_cited() -> None:
    found = work(WOS)
    assert (found.page, found.doi, found.ids) == (
        "9783",
        "10.1234/tides_1",
        ("wos:000111111111111",),
    )
    assert told(WOS) == [
        (("A Lee",), 2004, "J SHORES", "3", "14", "10.1234/sand_salt"),
        (("B. Okoro",), 2011, "SEA STUD", "7", "88", None),
        ((), 1999, "HARB REPORT", None, None, None),
    ]


def test_lines_that_another_program_broke_are_put_together() -> None:
    assert told(BROKEN_ANEW) == [
        (("A LEE",), 2004, "J SHORES", "3", "14", None),
        (("B OKORO",), 2011, "SEA STUD", "7", "88", "10.1234/okoro.2011"),
        (("AN MOREAU",), 1999, "HARB REPORT", None, None, None),
    ]


def test_a_part_does_not_inherit_what_its_volume_cites() -> None:
    text = f"@inproceedings{{p, crossref={{Ito2022}}, title={{Part}}}}\n{SCOPUS}"
    part = next(each for each in read(text) if isinstance(each, Reference) and each.key == "p")
    assert (part.cites, part.ids, part.pmid, part.page) == ((), (), None, None)
