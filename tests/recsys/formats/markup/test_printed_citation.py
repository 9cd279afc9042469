from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.bodies.printed_works import cited_work
from tests.rows import each_row

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
        "venue": "Journal of Forests",
        "volume": "12",
        "page": "33",
    },
    # As publishers send them to PubMed.
    "Ash, A. , Birch, B. K. , &amp; Elm, C. (2008). Trees of two lands. Forest Letters, 4, "
    "581\u2013584. 10.1234/fl.2008.0051": {
        "title": "Trees of two lands",
        "authors": ("A. Ash",),
        "year": 2008,
        "venue": "Forest Letters",
        "volume": "4",
        "page": "581",
        "doi": "10.1234/fl.2008.0051",
    },
    "Ash AB, Birch B (2010) Shade and light. Science 330: 1344\u20131348.": {
        "title": "Shade and light",
        "authors": ("AB Ash",),
        "year": 2010,
        "venue": "Science",
        "volume": "330",
        "page": "1344",
    },
    "Kr\u00f6mer G (2007) Self-eating: a tree. Rev Trees 8: e741.": {
        "title": "Self-eating: a tree",
        "authors": ("G Kr\u00f6mer",),
        "year": 2007,
        "venue": "Rev Trees",
        "volume": "8",
        "page": "e741",
    },
    "Development. 1989;107 Suppl:65-74": {
        "venue": "Development",
        "year": 1989,
        "volume": "107",
        "page": "65",
    },
    "Nature. 1987 Jan 1-7;325(6099):81-4": {
        "venue": "Nature",
        "year": 1987,
        "volume": "325",
        "page": "81",
    },
    "Birch B. Puzzles of bark. Annu. Rev. Trees. 2013;75:621\u2013644. doi: 10.1234/art-75.": {
        "title": "Puzzles of bark",
        "authors": ("B Birch",),
        "year": 2013,
        "venue": "Annu. Rev. Trees",
        "volume": "75",
        "page": "621",
        "doi": "10.1234/art-75",
    },
    "Ada Ash and Ben Birch (1999) Whole names.": {
        "title": "Whole names",
        "authors": ("Ada Ash",),
        "year": 1999,
    },
    "Elm E. Highly accurate trees. Nature (2021).": {
        "title": "Highly accurate trees",
        "authors": ("E Elm",),
        "year": 2021,
    },
    "Code https://example.org/lab/related": {},
    "": {},
    "ibid.": {},
}


@each_row("text", KNOWN)
def test_what_is_printed_is_understood(text: str) -> None:
    found = {name: value for name, value in asdict(cited_work(text)).items() if value}
    assert found == KNOWN[text]


@given(st.text(max_size=300))
def test_any_text_gives_a_work(text: str) -> None:
    cited_work(text)


@each_row(
    "part", ["Oak O, ", "(2001) ", "A, B. ", "2001;", "a. ", "1(", "2001 ", "A", ". 12, ", "10.1/"]
)
def test_a_long_text_takes_no_longer(part: str) -> None:
    cited_work(part * 200_000)
