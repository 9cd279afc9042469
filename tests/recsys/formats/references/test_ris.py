import io

import pytest

from recsys.formats.references import ris
from recsys.formats.references.bibliography import bibliography
from recsys.records import Bibliography, Reference

RECORD = """TY  - JOUR
ID  - cohan
A1  - Cohan, Arman
AU  - King, Martin Luther, Jr.
T1  - SPECTER: a model
of documents
JO  - J. Things
Y1  - 2020/05/01/
N2  - We present.
UR  - https://a.org/x;y
DO  - doi:10.1234/AB
N1  - arXiv:2004.07180
ER  - 
"""


def read(text: str, name: str) -> Bibliography:
    return bibliography(ris.read(io.StringIO(text, newline="\n")), name)


def test_a_record_becomes_a_reference() -> None:
    found = read(RECORD, "x.ris")
    assert found.problems == ()
    assert found.references == (
        Reference(
            key="cohan",
            title="SPECTER: a model of documents",
            authors=("Martin Luther King Jr.", "Arman Cohan"),
            year=2020,
            venue="J. Things",
            abstract="We present.",
            doi="10.1234/ab",
            arxiv="2004.07180",
            url="https://a.org/x;y",
            kind="article-journal",
        ),
    )


@pytest.mark.parametrize("end", ["ER  - ", "ER  -", "ER - "])
def test_ends_are_spelt_in_several_ways(end: str) -> None:
    found = read(f"TY - CONF\nTI - One\n{end}\n\nTY  - CONF\nTI  - Two\n{end}", "x.ris")
    assert [each.title for each in found.references] == ["One", "Two"]
    assert found.problems == ()


def test_a_record_without_end_is_kept_and_reported() -> None:
    found = read("TY  - JOUR\nTI  - One\n\nTY  - JOUR\nTI  - Two\n", "x.ris")
    assert [each.title for each in found.references] == ["One", "Two"]
    assert found.problems == (
        "line 1: the record has no end (ER).",
        "line 4: the record has no end (ER).",
    )


def test_what_stands_outside_records_is_passed_over() -> None:
    found = read("1.\nProvider: X\nAU  - Nobody\n" + RECORD + "TI  - stray\n", "x.ris")
    assert len(found.references) == 1


def test_a_file_without_records_says_so() -> None:
    assert read("nothing", "x.ris").problems == ("x.ris holds no references.",)
