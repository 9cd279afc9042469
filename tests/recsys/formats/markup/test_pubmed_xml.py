"""After https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html."""

from recsys.formats.markup.pubmed_xml import read
from recsys.records import Reference
from tests.recsys.formats.markup.markup_files import PUBMED, told, works
from tests.rows import each_row


def one(article: str, beside: str = "", data: str = "") -> Reference:
    (work,) = works(
        read,
        f"<PubmedArticle><MedlineCitation><Article>{article}</Article>{beside}</MedlineCitation>"
        f"<PubmedData>{data}</PubmedData></PubmedArticle>",
    )
    return work


def test_mark_up_within_a_citation_is_text() -> None:
    text = "<Citation>Ash A. On <i>Betula</i> roots. J Trees. 2001;7:1.</Citation>"
    (cited,) = one("", "", f"<ReferenceList><Reference>{text}</Reference></ReferenceList>").cites
    assert (cited.title, cited.venue) == ("On Betula roots", "J Trees")


def test_a_citation_may_be_told_by_identifiers_alone() -> None:
    ids = '<ArticleIdList><ArticleId IdType="pmc">PMC77</ArticleId></ArticleIdList>'
    (cited,) = one("", "", f"<ReferenceList><Reference>{ids}</Reference></ReferenceList>").cites
    assert told(cited) == {"ids": ("pmc:PMC77",)}


def test_several_answers_in_one_file() -> None:
    assert works(read, PUBMED + PUBMED) == works(read, PUBMED) * 2


@each_row(
    ("date", "year"),
    [
        ("<Year>2001</Year><Month>Dec</Month>", 2001),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998),
        ("<MedlineDate>Spring 1976</MedlineDate>", 1976),
        ("<MedlineDate>unknown</MedlineDate>", None),
    ],
)
def test_years(date: str, year: int | None) -> None:
    text = f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue></Journal>"
    assert one(text).year == year


def test_the_date_online_counts_where_there_is_no_other() -> None:
    assert one("<ArticleDate><Year>2005</Year></ArticleDate>").year == 2005


def test_a_work_without_an_english_title_has_its_own() -> None:
    text = "<ArticleTitle>[Not Available].</ArticleTitle><VernacularTitle>Eis.</VernacularTitle>"
    assert one(text).title == "Eis"
    assert one("<VernacularTitle>Eis.</VernacularTitle>").title == "Eis"
    assert one("<ArticleTitle>[Ice] in glaciers.</ArticleTitle>").title == "[Ice] in glaciers"


def test_an_abstract_in_another_language_is_better_than_none() -> None:
    other = "<OtherAbstract Language='ger'><AbstractText>Nass.</AbstractText></OtherAbstract>"
    assert one("", other).abstract == "Nass."
    given = "<Abstract><AbstractText>Wet.</AbstractText></Abstract>"
    assert one(given, other).abstract == "Wet."


def test_a_doi_marked_invalid_yields_to_another() -> None:
    wrong = '<ELocationID EIdType="doi" ValidYN="N">10.1234/wrong</ELocationID>'
    right = '<ELocationID EIdType="doi" ValidYN="Y">10.1234/right</ELocationID>'
    assert one(wrong + right).doi == "10.1234/right"
    ids = '<ArticleIdList><ArticleId IdType="doi">10.1234/X</ArticleId></ArticleIdList>'
    assert one("", "", ids).doi == "10.1234/x"


def test_preprints_are_known() -> None:
    types = "<PublicationTypeList><PublicationType>Preprint</PublicationType></PublicationTypeList>"
    doi = '<ELocationID EIdType="doi">10.48550/arXiv.2004.07180</ELocationID>'
    work = one(doi + types)
    assert (work.kind, work.arxiv) == ("article", "2004.07180")


def test_a_book_is_a_work_of_its_own() -> None:
    text = (
        "<PubmedBookArticle><BookDocument><PMID>7</PMID><Book><BookTitle>Water</BookTitle><PubDate>"
        "<Year>2011</Year></PubDate><AuthorList><Author><LastName>Ash</LastName></Author>"
        "</AuthorList></Book></BookDocument></PubmedBookArticle>"
    )
    (book,) = works(read, text)
    assert (book.title, book.kind, book.authors, book.venue) == ("Water", "book", ("Ash",), None)
