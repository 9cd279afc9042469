"""Works as each XML format tells them, and files that are cut, changed, or something else.

The formats are described in `markup_files`.
"""

import io
import json
import random
from html import escape

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.markup.dblp_xml import DBLP
from recsys.formats.markup.endnote_xml import ENDNOTE
from recsys.formats.markup.jats_xml import JATS
from recsys.formats.markup.pubmed_xml import PUBMED
from recsys.formats.markup.xml_stream import XmlFormat
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.markup.markup_files import FILES, text_of, told, works
from tests.rows import each_row

FORMATS = {DBLP: "dblp", ENDNOTE: "endnote", JATS: "jats", PUBMED: "pubmed"}


def read(text: str) -> list[Reference]:
    (form,) = (form for form in FORMATS if form.looks_so(text))
    return works(form.read, text)


def dblp(inside: str) -> str:
    return f"<dblp><book>{inside}</book></dblp>"


def endnote(inside: str) -> str:
    return f"<xml><records><record>{inside}</record></records></xml>"


def jats(meta: str, back: str = "") -> str:
    front = f"<front><article-meta>{meta}</article-meta></front>"
    return f"<article>{front}<back>{back}</back></article>"


def pubmed(article: str, beside: str = "", data: str = "") -> str:
    citation = f"<MedlineCitation><Article>{article}</Article>{beside}</MedlineCitation>"
    return f"<PubmedArticle>{citation}<PubmedData>{data}</PubmedData></PubmedArticle>"


def pub_date(date: str) -> str:
    return pubmed(f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue></Journal>")


_OTHER = "<OtherAbstract Language='ger'><AbstractText>Nass.</AbstractText></OtherAbstract>"
_GERMAN = "<VernacularTitle>Eis.</VernacularTitle>"
_WRONG = '<ELocationID EIdType="doi" ValidYN="N">10.1234/wrong</ELocationID>'
_RIGHT = '<ELocationID EIdType="doi" ValidYN="Y">10.1234/right</ELocationID>'
_DOIS = '<ArticleIdList><ArticleId IdType="doi">10.1234/X</ArticleId></ArticleIdList>'
_PREPRINT = "<PublicationTypeList><PublicationType>Preprint</PublicationType></PublicationTypeList>"
_ARXIV = '<ELocationID EIdType="doi">10.48550/arXiv.2004.07180</ELocationID>'
_BOOK = (
    "<PubmedBookArticle><BookDocument><PMID>7</PMID><Book><BookTitle>Water</BookTitle><PubDate>"
    "<Year>2011</Year></PubDate><AuthorList><Author><LastName>Ash</LastName></Author>"
    "</AuthorList></Book></BookDocument></PubmedBookArticle>"
)
# Bookends and others write the number of PubMed so: https://www.sonnysoftware.com/bookends/.
_ADDRESS = "<url><style>http://www.ncbi.nlm.nih.gov/pubmed/25000001</style></url>"
_PICTURE = '<abstract abstract-type="teaser"><p>Look!</p></abstract>'
_TRANSLATED = '<trans-abstract xml:lang="de"><p>Nass.</p></trans-abstract>'
_PEOPLE = (
    '<contrib-group><contrib contrib-type="author"><string-name>Ash, Ada</string-name></contrib>'
    '<contrib contrib-type="author"><name-alternatives><name><surname>Kobayashi</surname>'
    "<given-names>Jun</given-names></name><name><surname>小林</surname></name>"
    "</name-alternatives></contrib></contrib-group>"
)
_OWN_DOI = (
    "<abstract><p>Trees grow.</p><p><bold>DOI:</bold> <ext-link>http://dx.doi.org/10.1234/x.001"
    "</ext-link></p></abstract>"
)
_SUBJECTS = (
    '<article-categories><subj-group subj-group-type="display-channel"><subject>Letter</subject>'
    "</subj-group><subj-group><subject>Botany</subject></subj-group></article-categories>"
)


@each_row(
    ("text", "field", "value"),
    [
        (dblp("<author>Wei Wang 0001</author>"), "authors", ("Wei Wang",)),
        (dblp("<author>Wei Wang</author>"), "authors", ("Wei Wang",)),
        (dblp("<author>Group 42</author>"), "authors", ("Group 42",)),
        # Whose number of accession it is must be known.
        (endnote("<accession-num>12345</accession-num>"), "pmid", None),
        (endnote("<accession-num>PMID: 12345</accession-num>"), "pmid", "12345"),
        (endnote("<accession-num>2-s2.0-8501234</accession-num>"), "ids", ("eid:2-s2.0-8501234",)),
        (endnote(f"<urls><related-urls>{_ADDRESS}</related-urls></urls>"), "pmid", "25000001"),
        (pub_date("<Year>2001</Year><Month>Dec</Month>"), "year", 2001),
        (pub_date("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>"), "year", 1998),
        (pub_date("<MedlineDate>Spring 1976</MedlineDate>"), "year", 1976),
        (pub_date("<MedlineDate>unknown</MedlineDate>"), "year", None),
        (pubmed("<ArticleDate><Year>2005</Year></ArticleDate>"), "year", 2005),
        (pubmed(f"<ArticleTitle>[Not Available].</ArticleTitle>{_GERMAN}"), "title", "Eis"),
        (pubmed(_GERMAN), "title", "Eis"),
        (pubmed("<ArticleTitle>[Ice] in lakes.</ArticleTitle>"), "title", "[Ice] in lakes"),
        (pubmed("", _OTHER), "abstract", "Nass."),
        (pubmed("<Abstract><AbstractText>A.</AbstractText></Abstract>", _OTHER), "abstract", "A."),
        (pubmed(_WRONG + _RIGHT), "doi", "10.1234/right"),
        (pubmed("", "", _DOIS), "doi", "10.1234/x"),
        (pubmed(_ARXIV + _PREPRINT), "kind", "article"),
        (pubmed(_ARXIV + _PREPRINT), "arxiv", "2004.07180"),
        (_BOOK, "title", "Water"),
        (_BOOK, "kind", "book"),
        (_BOOK, "authors", ("Ash",)),
        (_BOOK, "venue", None),
        (jats('<pub-date date-type="pub"><year>2004</year></pub-date>'), "year", 2004),
        (jats('<pub-date pub-type="collection"><year>2003</year></pub-date>'), "year", 2003),
        (jats("<pub-date><string-date>May 2002</string-date></pub-date>"), "year", 2002),
        (jats('<pub-date pub-type="pmc-release"><year>1</year></pub-date>'), "year", None),
        (jats("<history><date><year>2000</year></date></history>"), "year", None),
        (jats(_PEOPLE), "authors", ("Ada Ash", "Jun Kobayashi")),
        (jats(_PICTURE + _TRANSLATED), "abstract", "Nass."),
        (jats(f"{_PICTURE}{_TRANSLATED}<abstract><p>Wet.</p></abstract>"), "abstract", "Wet."),
        (jats(_OWN_DOI), "abstract", "Trees grow."),
        (jats(_SUBJECTS), "labels", {"subjects": ["Botany"]}),
    ],
)  # fmt: skip
def test_what_a_work_is(text: str, field: str, value: object) -> None:
    (work,) = read(text)
    assert told(work).get(field) == value


def reference(inside: str) -> str:
    return pubmed("", "", f"<ReferenceList><Reference>{inside}</Reference></ReferenceList>")


def entry(citation: str) -> str:
    return jats("", f"<ref-list><ref>{citation}</ref></ref-list>")


def titled(title: str, more: str = "") -> str:
    return f"<element-citation><article-title>{title}</article-title>{more}</element-citation>"


def older(name: str) -> str:
    return entry(
        f'<{name} citation-type="journal"><person-group person-group-type="editor"><name><surname>X'
        '</surname></name></person-group><person-group person-group-type="author"><name><surname>'
        "Oak</surname></name><etal/></person-group><source>J</source><year>1999</year>"
        f"<fpage>7</fpage></{name}>"
    )


_OLDER = dict(authors=("Oak",), venue="J", year=1999, page="7", kind="article-journal")
_CHAPTER = (
    '<element-citation publication-type="book"><chapter-title>Roots</chapter-title>'
    "<source>Trees</source></element-citation>"
)
_CITATION = "<Citation>Ash A. On <i>Betula</i> roots. J Trees. 2001;7:1.</Citation>"
_CITED = dict(
    title="On Betula roots", authors=("A Ash",), year=2001, venue="J Trees", volume="7", page="1."
)
_PMC = '<ArticleIdList><ArticleId IdType="pmc">PMC77</ArticleId></ArticleIdList>'
_DOI = {"doi": "10.1234/a"}


@each_row(
    ("text", "cited"),
    [
        (reference(_CITATION), [_CITED]),
        (reference(_PMC), [{"ids": ("pmc:PMC77",)}]),
        *((older(f"{name}citation"), [_OLDER]) for name in ("nlm-", "", "element-", "mixed-")),
        (entry(_CHAPTER), [{"title": "Roots", "venue": "Trees", "kind": "book"}]),
        (entry(titled("One") + titled("Two")), [{"title": "One"}, {"title": "Two"}]),
        # As SciELO's journals do: https://gist.github.com/gustavofonseca/704dccdb7332285ed324.
        (entry(f"<mixed-citation>A. Tree. 1999.</mixed-citation>{titled('T')}"), [{"title": "T"}]),
        (entry(titled("T", "<comment>See there.</comment>")), [{"title": "T"}]),
        (entry(titled("T", '<pub-id pub-id-type="doi">no DOI</pub-id>')), [{"title": "T"}]),
        *(
            (entry(titled("T", link)), [{"title": "T", **known}])
            for link, known in (
                ('<pub-id pub-id-type="pmcid">PMC77</pub-id>', {"ids": ("pmc:PMC77",)}),
                ('<pub-id pub-id-type="arxiv">2004.07180v2</pub-id>', {"arxiv": "2004.07180"}),
                ('<uri xlink:href="https://arxiv.org/abs/2004.0718"/>', {"arxiv": "2004.0718"}),
                ('<ext-link xlink:href="https://www.ncbi.nlm.nih.gov/pubmed/12"/>', {"pmid": "12"}),
                ('<ext-link ext-link-type="doi" xlink:href="10.1234/A">x</ext-link>', _DOI),
                ('<ext-link ext-link-type="doi">10.1234/A</ext-link>', _DOI),
                ('<comment><uri xlink:href="https://doi.org/10.1234/A"/></comment>', _DOI),
                ("<comment>doi: 10.1234/A.</comment>", _DOI),
                ('<uri xlink:href="http://dx.doi.org/10.1234/A">x</uri>', _DOI),
            )
        ),
    ],
)  # fmt: skip
def test_what_a_work_cites(text: str, cited: list[dict[str, object]]) -> None:
    (work,) = read(text)
    assert [*map(told, work.cites)] == cited


_PERSON = (
    '<dblpperson name="Ada Ash"><person key="homepages/a"><author>Ada Ash</author></person>'
    '<r><article key="a"><author>Ada Ash</author><title>Trees.</title></article></r></dblpperson>'
)
_LATIN = (
    '<?xml version="1.0" encoding="ISO-8859-1"?><dblp><book key="b"><title>Bäume</title></book>'
    "</dblp>"
)
_HOME = '<dblp><www key="homepages/a"><author>A</author><title>Home Page</title></www></dblp>'


@each_row(
    ("form", "text", "titles"),
    [
        (DBLP, _LATIN.encode("latin-1"), ["Bäume"]),
        (DBLP, _PERSON, ["Trees"]),
        (DBLP, _HOME, []),
        (JATS, "<article><title>A book in another XML</title></article>", []),
    ],
)
def test_which_works_a_file_holds(form: XmlFormat, text: str | bytes, titles: list[str]) -> None:
    assert [work.title for work in works(form.read, text)] == titles


def test_several_articles_and_answers_in_one_file_are_read_one_by_one() -> None:
    article = text_of("jats")[text_of("jats").index("<article ") :]
    (alone,) = works(JATS.read, text_of("jats"))
    assert works(JATS.read, f"<pmc-articleset>{article}{article}</pmc-articleset>") == [alone] * 2
    harvested = f"<OAI-PMH><record><metadata>{article}</metadata></record></OAI-PMH>"
    assert works(JATS.read, harvested) == [alone]
    assert works(PUBMED.read, text_of("pubmed") * 2) == works(PUBMED.read, text_of("pubmed")) * 2


def test_a_record_without_anything_is_a_work_that_says_nothing() -> None:
    for inside in ("", "<titles/><contributors><authors/></contributors><dates/>"):
        assert [*map(told, works(ENDNOTE.read, endnote(inside)))] == [{"kind": "document"}]


WORDS = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Sm", "Po")), min_size=1)


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_the_words_of_a_title_are_kept_in_any_style(words: list[str]) -> None:
    # What looks like mark-up within text is taken away elsewhere, and is not meant here.
    plain = [word.replace("<", "").replace("&", "") or "x" for word in words]
    styled = " ".join(f'<style face="bold">{escape(word)}</style>' for word in plain)
    (work,) = works(ENDNOTE.read, endnote(f"<titles><title>{styled}</title></titles>"))
    assert work.title == " ".join(plain)


@each_row(("form", "name"), FORMATS.items())
def test_documented_works_are_read_with_what_they_cite(form: XmlFormat, name: str) -> None:
    expected = json.loads(FILES.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    found = works(form.read, text_of(name))
    shown = [
        told(work) | ({"cites": [*map(told, work.cites)]} if work.cites else {}) for work in found
    ]
    assert json.loads(json.dumps(shown)) == expected
    assert works(form.read, text_of(name).replace("\n", "\r\n")) == found


@each_row(("form", "name"), FORMATS.items())
def test_a_file_is_known_by_its_beginning_and_by_one_format(form: XmlFormat, name: str) -> None:
    text = text_of(name)
    for beginning in (text, text[: len(text) // 2], "\ufeff" + text, text.replace("\n", "\r\n")):
        assert [each for each in FORMATS if each.looks_so(beginning)] == [form]


@each_row(
    ("text", "known"),
    [
        ("", []),
        ("TY  - JOUR\nER  - \n", []),
        ("@article{a, title={<article><front>}}", []),
        ('{"title": "<xml><records>"}', []),
        ("FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\n", []),
        ("PMID- 1\nTI  - <PubmedArticleSet>\n", []),
        ("<!DOCTYPE html><html><body><article><front></front></article></body></html>", []),
        ("<article><para>DocBook</para></article>", []),
        ("<xml><data/></xml>", []),
        ("<records><record/></records>", []),
        ('<?xml version="1.0"?><feed><entry/></feed>', []),
        ("<collection><record><leader/></record></collection>", []),
        ('<?xml version="1.0"?><xml><records></records></xml>', [ENDNOTE]),
        ("<PubmedArticleSet></PubmedArticleSet>", [PUBMED]),
        ('<!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp></dblp>', [DBLP]),
    ],
)
def test_a_header_alone_is_known_and_other_files_are_not(text: str, known: list[XmlFormat]) -> None:
    assert [form for form in FORMATS if form.looks_so(text)] == known
    assert all(works(form.read, text) == [] for form in known)


@each_row("part", ["<", "<a", "<!--", "<?", "<a ", "</a>", "<!DOCTYPE ", "<article "])
def test_looking_at_a_long_beginning_takes_no_longer(part: str) -> None:
    for form in FORMATS:
        form.looks_so(part * (100_000 // len(part)))
        form.looks_so("<article>" + part * (100_000 // len(part)))


@each_row(("form", "name"), FORMATS.items())
def test_a_file_cut_anywhere_gives_its_first_works(form: XmlFormat, name: str) -> None:
    raw = text_of(name).encode()
    whole = list(form.read(io.BytesIO(raw)))
    for end in range(0, len(raw), 97):
        found = list(form.read(io.BytesIO(raw[:end])))
        problems = [each for each in found if isinstance(each, Problem)]
        assert found[: len(found) - len(problems)] == whole[: len(found) - len(problems)]
        assert len(problems) == (1 if end else 0)


@each_row(("form", "name"), FORMATS.items())
def test_elements_in_any_order_and_place_do_no_harm(form: XmlFormat, name: str) -> None:
    """Element names are kept and their nesting is not: a reader may rely on no schema."""
    rng = random.Random(7)
    names = sorted(set(text_of(name).replace("/", " ").replace(">", " ").split("<")))
    tags = sorted({name.split()[0] for name in names if name.split() and name[0].isalpha()})
    for _ in range(100):
        stack: list[str] = []
        parts: list[str] = []
        for _ in range(60):
            if stack and rng.random() < 0.45:
                parts.append(f"</{stack.pop()}>")
            else:
                stack.append(rng.choice(tags))
                said = rng.choice(["", " ", "2001", "Oak O. A.", "10.1234/x"])
                parts.append(f"<{stack[-1]}>{said}")
        parts += [f"</{tag}>" for tag in reversed(stack)]
        found = list(form.read(io.BytesIO(f"<all>{''.join(parts)}</all>".encode())))
        assert all(isinstance(each, Reference) for each in found)
