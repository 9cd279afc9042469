"""The format is described in `markup_files`."""

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.markup.endnote_xml import read
from tests.recsys.formats.markup.markup_files import told, works


def one(inside: str) -> dict[str, object]:
    (work,) = works(read, f"<xml><records><record>{inside}</record></records></xml>")
    return told(work)


def test_numbers_of_accession_count_where_it_is_known_whose_they_are() -> None:
    assert "pmid" not in one("<accession-num>12345</accession-num>")
    assert one("<accession-num>PMID: 12345</accession-num>")["pmid"] == "12345"
    assert one("<accession-num>2-s2.0-85012345678</accession-num>")["ids"] == (
        "eid:2-s2.0-85012345678",
    )


def test_the_address_of_a_record_of_pubmed_tells_its_number() -> None:
    """Bookends and others write it so: https://www.sonnysoftware.com/bookends/."""
    address = "<url><style>http://www.ncbi.nlm.nih.gov/pubmed/25000001</style></url>"
    found = one(f"<urls><related-urls>{address}</related-urls></urls>")
    assert found["pmid"] == "25000001"


def test_a_record_without_anything_is_a_work_that_says_nothing() -> None:
    assert one("") == {"kind": "document"}
    assert one("<titles/><contributors><authors/></contributors><dates/>") == {"kind": "document"}


WORDS = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Sm", "Po")), min_size=1)


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_the_words_of_a_title_are_kept_in_any_style(words: list[str]) -> None:
    # What looks like mark-up within text is taken away elsewhere, and is not meant here.
    plain = [word.replace("<", "").replace("&", "") or "x" for word in words]
    styled = " ".join(f'<style face="bold">{escape(word)}</style>' for word in plain)
    title = one(f"<titles><title>{styled}</title></titles>")["title"]
    assert title == " ".join(plain)
