"""After https://jats.nlm.nih.gov/archiving/tag-library/1.3/."""

from recsys.formats.markup.jats_xml import read
from recsys.records import Reference
from tests.recsys.formats.markup.markup_files import JATS, told, works
from tests.rows import each_row


def one(meta: str, back: str = "") -> Reference:
    (work,) = works(
        read,
        f"<article><front><article-meta>{meta}</article-meta></front><back>{back}</back></article>",
    )
    return work


def cited(citation: str) -> dict[str, object]:
    (work,) = one("", f"<ref-list><ref>{citation}</ref></ref-list>").cites
    return told(work)


def test_articles_in_a_set_are_read_one_by_one() -> None:
    article = JATS[JATS.index("<article ") :]
    (alone,) = works(read, JATS)
    assert works(read, f"<pmc-articleset>{article}{article}</pmc-articleset>") == [alone, alone]
    harvested = f"<OAI-PMH><record><metadata>{article}</metadata></record></OAI-PMH>"
    assert works(read, harvested) == [alone]


@each_row(
    ("dates", "year"),
    [
        ('<pub-date date-type="pub"><year>2004</year></pub-date>', 2004),
        ('<pub-date pub-type="collection"><year>2003</year></pub-date>', 2003),
        ('<pub-date><string-date>May 2002</string-date></pub-date>', 2002),
        ('<pub-date pub-type="pmc-release"><year>2001</year></pub-date>', None),
        ('<history><date date-type="received"><year>2000</year></date></history>', None),
    ],
)  # fmt: skip
def test_years(dates: str, year: int | None) -> None:
    assert one(dates).year == year


def test_people_without_parts_and_in_other_scripts() -> None:
    text = (
        '<contrib-group><contrib contrib-type="author"><string-name>Ash, Ada</string-name>'
        "</contrib>"
        '<contrib contrib-type="author"><name-alternatives><name><surname>Kobayashi</surname>'
        "<given-names>Jun</given-names></name><name><surname>小林</surname></name>"
        "</name-alternatives></contrib></contrib-group>"
    )
    assert one(text).authors == ("Ada Ash", "Jun Kobayashi")


def test_an_abstract_in_another_language_is_better_than_none() -> None:
    picture = '<abstract abstract-type="teaser"><p>Look!</p></abstract>'
    other = '<trans-abstract xml:lang="de"><p>Nass.</p></trans-abstract>'
    assert one(picture + other).abstract == "Nass."
    assert one(f"{picture}{other}<abstract><p>Wet.</p></abstract>").abstract == "Wet."


@each_row("name", ["nlm-citation", "citation", "element-citation", "mixed-citation"])
def test_older_names_of_citations(name: str) -> None:
    text = (
        f'<{name} citation-type="journal"><person-group person-group-type="editor"><name><surname>X'
        '</surname></name></person-group><person-group person-group-type="author"><name><surname>'
        "Oak</surname></name><etal/></person-group><source>J</source><year>1999</year>"
        f"<fpage>7</fpage></{name}>"
    )
    assert cited(text) == {
        "authors": ("Oak",),
        "venue": "J",
        "year": 1999,
        "page": "7",
        "kind": "article-journal",
    }


def test_a_chapter_has_the_title_of_the_chapter() -> None:
    text = (
        '<element-citation publication-type="book"><chapter-title>Roots</chapter-title>'
        "<source>Trees</source></element-citation>"
    )
    assert cited(text) == {"title": "Roots", "venue": "Trees", "kind": "book"}


@each_row(
    ("link", "found"),
    [
        ('<pub-id pub-id-type="pmcid">PMC77</pub-id>', {"ids": ("pmc:PMC77",)}),
        ('<pub-id pub-id-type="arxiv">2004.07180v2</pub-id>', {"arxiv": "2004.07180"}),
        ('<pub-id pub-id-type="doi">no DOI</pub-id>', {}),
        ('<ext-link xlink:href="https://arxiv.org/abs/2004.07180"/>', {"arxiv": "2004.07180"}),
        ('<ext-link xlink:href="https://www.ncbi.nlm.nih.gov/pubmed/123"/>', {"pmid": "123"}),
        ('<ext-link ext-link-type="doi" xlink:href="10.1234/A">x</ext-link>', {"doi": "10.1234/a"}),
        ('<ext-link ext-link-type="doi">10.1234/A</ext-link>', {"doi": "10.1234/a"}),
        ('<comment><uri xlink:href="https://doi.org/10.1234/A"/></comment>', {"doi": "10.1234/a"}),
        ("<comment>doi: 10.1234/A.</comment>", {"doi": "10.1234/a"}),
        ("<comment>See there.</comment>", {}),
        ('<uri xlink:href="http://dx.doi.org/10.1234/A">x</uri>', {"doi": "10.1234/a"}),
    ],
)  # fmt: skip
def test_identifiers_of_cited_works(link: str, found: dict[str, object]) -> None:
    text = f"<element-citation><article-title>T</article-title>{link}</element-citation>"
    assert cited(text) == {"title": "T", **found}


def test_several_citations_in_one_entry_are_several_works() -> None:
    citation = "<element-citation><article-title>{}</article-title></element-citation>"
    entry = f"<ref>{citation.format('One')}{citation.format('Two')}</ref>"
    found = one("", f"<ref-list>{entry}</ref-list>").cites
    assert [work.title for work in found] == ["One", "Two"]


def test_an_entry_that_gives_its_work_twice_is_one_work() -> None:
    """As SciELO's journals do: https://gist.github.com/gustavofonseca/704dccdb7332285ed324."""
    entry = (
        "<ref><mixed-citation>Ash A. Trees. J. 1999;1:2.</mixed-citation>"
        "<element-citation><article-title>Trees</article-title></element-citation></ref>"
    )
    found = one("", f"<ref-list>{entry}</ref-list>").cites
    assert [work.title for work in found] == ["Trees"]


def test_an_abstract_is_told_without_its_own_doi() -> None:
    text = (
        "<abstract><p>Trees grow.</p><p><bold>DOI:</bold> <ext-link>http://dx.doi.org/10.1234/x.001"
        "</ext-link></p></abstract>"
    )
    assert one(text).abstract == "Trees grow."


def test_subjects_are_told_without_the_kind_of_article() -> None:
    text = (
        '<article-categories><subj-group subj-group-type="display-channel"><subject>Letter'
        "</subject></subj-group><subj-group><subject>Botany</subject></subj-group>"
        "</article-categories>"
    )
    assert one(text).labels == {"subjects": ["Botany"]}


def test_what_has_no_front_matter_is_no_work() -> None:
    assert works(read, "<article><title>A book in another XML</title></article>") == []
