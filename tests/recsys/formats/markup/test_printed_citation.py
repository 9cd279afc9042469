from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.markup.printed_citation import cited_work

# Forms after "Citing Medicine", https://www.ncbi.nlm.nih.gov/books/NBK7256/, whose lists PubMed
# takes over, and after those that JATS' tagged examples print.
KNOWN = {
    "Oak O, Elm E. Soils of the north. J Soil Sci. 2001 Mar 5;7(2):101-9.": {
        "title": "Soils of the north",
        "authors": ("O Oak",),
        "year": 2001,
        "venue": "J Soil Sci",
        "volume": "7",
        "page": "101",
    },
    "van der Oak OP, et al. Is it so? J Soil Sci. 2001;7 Suppl 1:S10-9. doi: 10.1234/s.10": {
        "title": "Is it so?",
        "authors": ("OP van der Oak",),
        "year": 2001,
        "venue": "J Soil Sci",
        "volume": "7",
        "page": "S10",
        "doi": "10.1234/s.10",
    },
    "Science. 1980 May 2;208(4443):e5": {
        "venue": "Science",
        "year": 1980,
        "volume": "208",
        "page": "e5",
    },
    "Elm E. A book on elms. 2nd ed. Berlin: Press; 1998.": {
        "title": "A book on elms",
        "authors": ("E Elm",),
        "year": 1998,
    },
    "Ash, A. and Birch, B. (2004). Growing trees in the dark. Journal of Forests 12, 33-49.": {
        "title": "Growing trees in the dark",
        "authors": ("A. Ash",),
        "year": 2004,
        "volume": "12",
        "page": "33",
    },
    "": {},
    "ibid.": {},
}


@pytest.mark.parametrize("text", KNOWN)
def test_what_is_printed_is_understood(text: str) -> None:
    found = {name: value for name, value in asdict(cited_work(text)).items() if value}
    assert found == KNOWN[text]


@given(st.text(max_size=300))
def test_any_text_gives_a_work(text: str) -> None:
    cited_work(text)


@pytest.mark.parametrize("part", ["Oak O, ", "2001;", "a. ", "1(", "2001 ", "A", ". 12, ", "10.1/"])
def test_a_long_text_takes_no_longer(part: str) -> None:
    cited_work(part * 200_000)
