import copy
import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.formats.papers.paper_fields import FieldError
from recsys.formats.papers.paper_formats import BY_NAME, format_of
from recsys.records import Reference
from tests.recsys.formats.papers.service_records import (
    ARXIV,
    BETTER_BIBTEX,
    CROSSREF,
    CSL,
    CSL_OF_CROSSREF,
    DBLP,
    EUROPE_PMC,
    LENS,
    OPENALEX,
    RECORDS,
    S2_API,
    S2AG_ABSTRACT,
    S2AG_CITATION,
    S2AG_PAPER,
    S2AG_SUMMARY,
    S2ORC_METADATA,
    S2ORC_PARSED,
    S2ORC_PDF,
    Example,
)
from tests.rows import each_row

DOI = "10.5555/meadow.2019.17"
JUNK: list[object] = [
    *(None, "", "text", 5, -1.5, 1e400, True, "\ud800", 10**30),
    *([], [None], [[1]], [[[]]], {}, {"x": {"y": 1}}, [{}], [{"a": []}]),
]


def read(record: Example) -> Reference:
    form = format_of(record)
    assert form is not None
    return form.reference_of(record)


@each_row(("name", "record"), RECORDS)
def test_records_are_known_by_their_keys(name: str, record: Example) -> None:
    form = format_of(record)
    assert form is not None
    assert form.name == name


@each_row(
    "record",
    [S2_API, S2AG_PAPER, S2ORC_METADATA, S2ORC_PARSED, ARXIV, LENS, EUROPE_PMC, DBLP, OPENALEX,
     BETTER_BIBTEX["items"][0], CSL],
)  # fmt: skip
def test_every_service_tells_the_same_work(record: Example) -> None:
    found = read(record)
    assert (found.title, found.doi) == ("Hedgerow ecology", DOI)
    assert found.authors[0] in ("Rosa Fields", "Rosa M. Fields")
    assert found.year == (None if record is S2ORC_PARSED else 2018 if record is ARXIV else 2019)
    told = {None, "We walk. We see.", "BACKGROUND We walk. RESULTS We see."}
    assert found.abstract in told


@each_row("record", [S2_API, S2AG_PAPER, LENS, EUROPE_PMC, DBLP, OPENALEX, CROSSREF, CSL])
def test_volume_and_first_page_are_told(record: Example) -> None:
    found = read(record)
    assert (found.volume, found.page) == ("12", "101")


def test_a_work_of_crossref_is_read_whole() -> None:
    found = read(CROSSREF)
    assert found.title == "Hedgerow ecology: A walk"
    assert found.authors == ("Rosa Fields", "The Hedge Group", "Jan Veld Jr.")
    assert (found.id, found.doi, found.arxiv) == (None, DOI, "1801.00123")
    assert (found.year, found.venue) == (2019, "Journal of Meadows")
    assert found.abstract == "We walk. We see."
    assert found.keyphrases == ("Ecology", "Plant Science")
    assert (found.kind, found.labels) == ("article-journal", {"type": "journal-article"})


def test_references_of_crossref_become_works_as_far_as_they_are_told() -> None:
    first, second, third, printed, preprint = read(CROSSREF).cites
    assert first == Reference(doi="10.5555/old.1")
    assert second == Reference(
        title="Of ditches",
        authors=("WT Marsh",),
        year=2001,
        venue="Wetlands",
        volume="7",
        page="249",
    )
    assert third == Reference(title="A flora", authors=("Blum",), year=1950)
    assert (printed.title, printed.year) == ("Stone walls of the north", 2003)
    assert preprint == Reference(doi="10.48550/arxiv.1702.00001", arxiv="1702.00001")


def test_crossref_says_less_as_csl() -> None:
    assert (read(CSL_OF_CROSSREF).title, read(CSL_OF_CROSSREF).venue) == (
        "Hedgerow ecology",
        "Journal of Meadows",
    )


@each_row(
    ("dates", "year"),
    [
        ({"issued": {"date-parts": [[None]]}, "published-online": {"date-parts": [[2001]]}}, 2001),
        ({"issued": {"date-parts": [[]]}, "created": {"date-parts": [[1999, 1, 1]]}}, 1999),
        ({"posted": {"date-parts": [[2020, 5]]}, "created": {"date-parts": [[2021]]}}, 2020),
        ({}, None),
    ],
)
def test_crossref_has_many_dates(dates: Example, year: int | None) -> None:
    record = {"DOI": "10.5555/x", "member": "1", "title": ["T"]}
    assert read(record | dates).year == year


def test_what_crossref_tells_nothing_of_is_left_out() -> None:
    with pytest.raises(FieldError, match="missing title"):
        read({"DOI": "", "title": [], "member": "1"})
    assert read({"DOI": "10.5555/X", "member": "1"}) == Reference(doi="10.5555/x", kind="document")


def test_identifiers_of_semantic_scholar() -> None:
    api, dataset = read(S2_API), read(S2AG_PAPER)
    assert (api.id, dataset.id) == ("ab" * 20, "7001")
    assert (api.arxiv, api.acl, api.pmid) == ("1801.00123", "P19-1001", "30000001")
    assert api.ids == (
        f"s2:{'ab' * 20}",
        "corpusid:7001",
        "dblp:journals/mead/Fields19",
        "mag:2890001112",
        "pmc:PMC6000001",
    )
    assert dataset.ids == ("corpusid:7001", "mag:2890001112")
    assert api.cited_ids == ("cd" * 20,)


def test_parts_of_papers_have_an_id_and_no_title() -> None:
    assert read(S2AG_CITATION) == Reference(id="7001", cited_ids=("7002",))
    abstract = read(S2AG_ABSTRACT)
    assert (abstract.id, abstract.title, abstract.doi) == ("7001", None, DOI)
    assert abstract.abstract == "We walk. We see."
    parsed = read(S2ORC_PDF)
    assert (parsed.id, parsed.title, parsed.cited_ids) == ("7001", None, ("7002",))
    assert parsed.abstract == "We walk. We see."
    with pytest.raises(FieldError, match="summary or a vector"):
        read(S2AG_SUMMARY)
    with pytest.raises(FieldError, match="missing id"):
        read(S2AG_CITATION | {"citingcorpusid": None})
    assert read(S2AG_CITATION | {"citedcorpusid": None}).cited_ids == ()


def test_cited_works_without_an_id_are_told_as_they_are_described() -> None:
    stiles = Reference(title="On stiles", authors=("Lucy Step",), year=1999)
    assert read(S2_API).cites == (stiles,)
    assert read(S2ORC_PDF).cites == (
        replace(stiles, venue="Paths", volume="3", page="7", doi="10.5555/stiles"),
    )


def test_s2orc_names_papers_by_corpus_id() -> None:
    metadata, parsed = read(S2ORC_METADATA), read(S2ORC_PARSED)
    assert (metadata.id, metadata.cited_ids) == ("7001", ("7002", "7003"))
    assert (parsed.id, parsed.cited_ids) == ("7001", ("7002",))
    assert metadata.ids == ("corpusid:7001", "pmc:PMC6000001", "mag:2890001112")
    assert metadata.abstract == "BACKGROUND We walk. RESULTS We see."
    assert parsed.authors == ("Rosa Fields",)


def test_an_arxiv_paper_is_as_old_as_its_first_version() -> None:
    found = read(ARXIV)
    assert (found.arxiv, found.year, found.kind) == ("1801.00123", 2018, "article")
    assert found.authors == ("Rosa Fields", "Jan Veld Jr")
    assert found.url == "https://arxiv.org/abs/1801.00123"
    assert found.labels == {
        "fields": ["q-bio.PE", "stat.AP"],
        "journal_ref": "J. Mead. 12 (2019) 101",
    }
    old = read(ARXIV | {"id": "math/0309136", "versions": None})
    assert (old.arxiv, old.year) == ("math/0309136", 2020)
    assert read(ARXIV | {"authors_parsed": None}).authors == ("Rosa Fields", "Jan Veld Jr")


def test_lens_names_what_it_cites_by_its_own_ids() -> None:
    found = read(LENS)
    assert (found.id, found.pmid) == ("100-004-910-081-14X", "30000001")
    assert found.cited_ids == ("000-000-000-000-001", "000-000-000-000-002")
    assert found.ids == ("lens:100-004-910-081-14X", "mag:2890001112", "openalex:W2890001112")
    assert found.authors == ("Rosa Fields", "The Hedge Group")


def test_europe_pmc_names_people_in_parts_or_in_one_text() -> None:
    assert read(EUROPE_PMC).authors == ("Rosa Fields", "The Hedge Group")
    bare = {key: value for key, value in EUROPE_PMC.items() if key != "authorList"}
    assert read(bare).authors == ("R Fields", "The Hedge Group")
    assert (read(bare).pmid, read(bare).ids) == ("30000001", ("pmc:PMC6000001",))
    assert read({"id": "7", "source": "MED", "title": "T.", "pubYear": "1999"}).pmid == "7"


def test_dblp_has_no_lists_of_one_and_numbers_people() -> None:
    assert read(DBLP).authors == ("Rosa Fields", "Jan Veld")
    assert (read(DBLP).venue, read(DBLP).arxiv) == ("J. Mead.", "1801.00123")
    alone = {"author": {"@pid": "1", "text": "Bo Li"}}
    single = read(DBLP | {"authors": alone, "venue": "CoRR", "ee": "https://a.org"})
    assert (single.authors, single.venue, single.url) == (("Bo Li",), "CoRR", "https://a.org")
    assert single.ids == ("dblp:journals/mead/FieldsV19",)


def test_openalex_tells_what_is_retracted_and_where_else_a_work_lies() -> None:
    found = read(OPENALEX)
    assert found.labels == {"type": "article", "retracted": True}
    assert (found.arxiv, found.pmid) == ("1801.00123", "30000001")
    assert found.ids == ("openalex:W2890001112", "pmc:PMC6000001", "mag:2890001112")


def test_numbers_of_pubmed_stand_in_fields_or_in_zoteros_notes() -> None:
    for record in (CSL, BETTER_BIBTEX["items"][0]):
        found = read(record)
        assert (found.pmid, found.ids[-1]) == ("30000001", "pmc:PMC6000001")
        assert found.keyphrases == ("hedges", "ecology")


def test_notes_of_zotero_are_no_works() -> None:
    with pytest.raises(FieldError, match="note or an attachment"):
        read(BETTER_BIBTEX["items"][1])


@each_row(("name", "record"), RECORDS)
def test_fields_of_a_wrong_type_are_unknown_or_refused(name: str, record: Example) -> None:
    for key in record:
        for junk in JUNK:
            checked(name, record | {key: junk})


@each_row(("name", "record"), RECORDS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_damage_inside_a_record_is_unknown_or_refused(
    name: str, record: Example, data: st.DataObject
) -> None:
    damaged: Any = copy.deepcopy(record)
    place: Any = damaged
    for _ in range(data.draw(st.integers(0, 4))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key]:
            place[key] = data.draw(st.sampled_from(JUNK))
            break
        place = place[key]
    checked(name, damaged)


def checked(name: str, record: Example) -> None:
    """Read a record that may be damaged; what is read has the types that it should."""
    try:
        found = BY_NAME[name].reference_of(record)
    except FieldError:
        return
    for field in fields(Reference):
        value = getattr(found, field.name)
        if field.name in ("year",):
            assert value is None or type(value) is int
        elif field.name in ("authors", "ids", "keyphrases", "cited_ids"):
            assert all(isinstance(each, str) and each for each in value)
        elif field.name == "cites":
            assert all(isinstance(each, Reference) for each in value)
        elif field.name == "labels":
            json.dumps(value)
        else:
            assert value is None or isinstance(value, str)
