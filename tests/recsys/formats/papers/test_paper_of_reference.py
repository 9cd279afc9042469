from recsys.formats.papers.external_ids import paper_of
from recsys.formats.papers.paper_formats import BY_NAME, OWN
from recsys.records import Paper, Reference

WORK = Reference(
    key="k",
    id="W1",
    title="T",
    authors=("Ann Lee",),
    year=2020,
    venue="J",
    abstract="We.",
    doi="10.1234/AB",
    arxiv="2004.07180",
    acl="P18-1001",
    pmid="12",
    url="https://a.org",
    kind="article-journal",
    ids=("openalex:W1", "mag:1", "W1"),
    keyphrases=("x",),
    cited_ids=("W2",),
)


def test_what_identifies_a_work_becomes_an_alias() -> None:
    assert paper_of(WORK) == Paper(
        id="W1",
        title="T",
        abstract="We.",
        year=2020,
        authors=("Ann Lee",),
        venue="J",
        references=("W2",),
        keyphrases=("x",),
        doi="10.1234/AB",
        url="https://a.org",
        labels={"type": "article-journal"},
        aliases=(
            *("10.1234/ab", "arxiv:2004.07180", "pmid:12", "acl:P18-1001"),
            *("openalex:W1", "mag:1"),
        ),
    )


def test_our_own_papers_have_the_aliases_that_they_say() -> None:
    record = {"id": "p1", "title": "T", "doi": "10.1234/AB", "aliases": ["pmid:7", "p1", "pmid:7"]}
    paper = paper_of(BY_NAME[OWN].reference_of(record), own=True)
    assert paper == Paper("p1", "T", doi="10.1234/AB", aliases=("pmid:7",))


def test_a_type_of_its_own_stays() -> None:
    typed = Reference(id="x", title="T", kind="book", labels={"type": "monograph"})
    assert paper_of(typed).labels == {"type": "monograph"}
