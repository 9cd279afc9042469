from recsys.formats.papers.external_ids import named, placeholder
from recsys.formats.papers.paper_fields import first_page, lower_doi
from recsys.records import Reference
from tests.rows import each_row


@each_row(
    ("name", "value", "expected"),
    [
        ("DOI", "https://doi.org/10.1234/AB", Reference(doi="10.1234/ab")),
        ("doi", "no identifier", Reference()),
        ("ArXiv", "2004.07180v2", Reference(arxiv="2004.07180")),
        ("arxiv_id", "math/0309136", Reference(arxiv="math/0309136")),
        ("ACL", "p18-1001", Reference(acl="P18-1001")),
        ("pubmed", 30000001, Reference(pmid="30000001")),
        ("pmid", "https://pubmed.ncbi.nlm.nih.gov/30000001/", Reference(pmid="30000001")),
        ("PubMedCentral", "6000001", Reference(ids=("pmc:PMC6000001",))),
        ("pmcid", "PMC6000001", Reference(ids=("pmc:PMC6000001",))),
        ("MAG", 289, Reference(ids=("mag:289",))),
        ("openalex", "https://openalex.org/W289", Reference(ids=("openalex:W289",))),
        ("DBLP", "conf/x/Y01", Reference(ids=("dblp:conf/x/Y01",))),
        ("ISBN", "9780000000000", Reference()),
        ("mag", None, Reference()),
        ("mag", True, Reference()),
        ("mag", ["289"], Reference(ids=("mag:289",))),
        ("dblp", "a b", Reference()),
        (None, "x", Reference()),
    ],
)
def test_identifiers_have_one_spelling(name: object, value: object, expected: Reference) -> None:
    assert named(Reference(), [(name, value)]) == expected


def test_a_doi_tells_the_identifier_of_who_gave_it() -> None:
    preprint = named(Reference(), [("doi", "10.48550/arXiv.2004.07180")])
    paper = named(Reference(), [("doi", "10.18653/v1/2020.acl-main.207")])
    assert (preprint.arxiv, paper.acl) == ("2004.07180", "2020.acl-main.207")


def test_the_first_of_a_kind_counts_and_what_is_known_stays() -> None:
    before = Reference(pmid="1", ids=("mag:1",))
    found = named(before, [("doi", "10.1234/a"), ("doi", "10.1234/b"), ("mag", 1), ("mag", 2)])
    assert found == Reference(pmid="1", doi="10.1234/a", ids=("mag:1", "mag:2"))


def test_numbers_and_dois() -> None:
    assert named(Reference(), [("pmid", "0012")]).pmid == "12"
    assert named(Reference(), [("pmid", "PMID")]).pmid is None
    assert lower_doi("see 10.1234/AB.") == "10.1234/ab"


@each_row(
    ("pages", "first"),
    [
        ("501-522", "501"),
        ("501\u2013522", "501"),
        ("501 -- 522", "501"),
        ("pp. 5-9, 12", "5"),
        ("S-12-S-19", "S-12"),
        ("e1042", "e1042"),
        ("PLoS-7", "PLoS-7"),
        (17, "17"),
        ("-", "-"),
        ("", None),
        (True, None),
        (None, None),
        (["1"], None),
    ],
)
def test_pages_begin_somewhere(pages: object, first: str | None) -> None:
    assert first_page(pages) == first


@each_row(
    ("names", "none"),
    [
        ("pmid:0 pmc:PMC0 mag:0 eid:scopus eid:2001 wos:scopus lens:none", True),
        ("arxiv:1011.1669", True),
        ("10.0000/x.1 10.1000/xyz123 10.xxxx/xxxxx 10.1145/nnnnnnn.nnnnnnn 10.3390/xx010005", True),
        ("10.1109/access.2017.doi 10.1007/s00000-000-0000-0 10.1145/1122445.1122456", True),
        ("pmid:10 pmc:PMC100 mag:1 eid:2-s2.0-85 wos:000000000000001 lens:000-01", False),
        ("arxiv:1011.16690 arxiv:1011.1668 s2:abcdef0 own zotero:0 acl:P18-1001", False),
        ("10.1000/182 10.1000/1 10.1007/s00000-000-0000-1 10.1016/s0140-6736(00)00001-0", False),
        ("10.1007/s00799-xx-0302 10.1109/access.2017.2710000 10.1/x 10.5555/00", False),
    ],
)  # fmt: skip
def test_what_stands_where_nothing_is_known_is_no_identifier(names: str, none: bool) -> None:
    assert [n for n in names.split() if (placeholder(n) is not None) is not none] == []
