"""What is taken for a missing citation, and for one in print."""

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.bodies.printed_citations import (
    asks_for_citation,
    is_gap_key,
    printed_citations,
)
from tests.rows import each_row

GAPS = (
    "[CITE]|[cite]|[CITATION]|[citation needed]|[?]|[??]|(REF)|[REF]|(CITE)|[ref]|[XX]|[XXX]|"
    "{{citation needed}}|{{cn}}|@@CITE@@|[TODO: cite Smith]|[todo: add ref]|[add citation]|"
    "[insert reference here]|[cite Smith 2019]|[CITE: BERT paper]|(ref needed)|(citation needed)|"
    "(add ref)|[Author, Year]|(Author, year)|[12, ?]|[?, ?]|(XXX, 2019)|(XX et al., 20XX)|"
    "[needs citation]|[citation?]|[REF?]|[[CITE]]|<<cite>>|[CIT]|(refs)|<citation needed>|"
    "[missing citation]|(TODO: ref)"
).split("|")
NONE = (
    "[1]|(ref. 3)|(Ref 12)|[source](http)|[TODO]|[x]|[X]|(see Section 3)|(?)|[0, 1]|[a, b]|"
    "(reference group)|[REF]: http|(Table 3)|[ref 3]|(XX)|(sources)|[sic]|[...]|(citation counts)|"
    "[reference](a)|[note]"
).split("|")
PRINTED = (
    "(Smith et al., 2019; Lee, 2020)|[12, 14-16]|[3]|(Smith 2019)|(see Smith and Jones, 2019a,b)|"
    "(van der Maaten & Hinton, 2008)|(e.g., Lee, 2020, p. 3)|(Smith, 2019, 2020)|"
    "[Smith et al., 2019]|(Smith, Jones, and Lee 2019)|(O'Neil, in press)|"
    "(cf. M\u00fcller-Thurgau et al. 2001; see also Lee 2000)|(Smith et al., 2019a; 2020b)"
).split("|")
NOT_PRINTED = (
    "(May 2019)|(in 2019)|(2019)|[0, 1]|(n = 2019)|(Figure 3, 2019)|(since 2010)|"
    "(e.g., in 2019)|x[3]"
).split("|")


def found(sign: str) -> list[tuple[str, bool]]:
    text = f"We see {sign} so."
    return [(text[each.start : each.end], each.gap) for each in printed_citations(text)]


@each_row("sign", GAPS)
def test_what_writers_leave_is_a_gap(sign: str) -> None:
    assert found(sign) == [(sign, True)]


@each_row("text", NONE)
def test_what_only_looks_like_it_is_none(text: str) -> None:
    assert not any(gap for _, gap in found(text))


@each_row("citation", PRINTED)
def test_a_printed_citation_is_found_whole(citation: str) -> None:
    assert found(citation) == [(citation, False)]


@each_row("text", NOT_PRINTED)
def test_years_and_numbers_alone_cite_nothing(text: str) -> None:
    assert found(text) == []


def test_a_gap_among_citations_is_found_and_numbers_only_where_they_cite() -> None:
    assert [sign.gap for sign in printed_citations("so (Lee 2019; REF) is")] == [True]
    assert printed_citations("so [12] is", numbers=False) == []


@each_row(
    "key",
    "?|??|TODO|xxx|tbd||citation needed|TODO:smith|CITE|cite-me|ref|missing|XX|addref".split("|"),
)
def test_keys_that_stand_in_for_one(key: str) -> None:
    assert is_gap_key(key)


def test_notes_that_ask_for_a_citation() -> None:
    assert all(map(asks_for_citation, ("cite", "Ref?", "add a citation", "?", "find reference")))
    assert not any(map(asks_for_citation, ("rewrite", "the referee asked this", "recite it", "")))


@given(st.text(alphabet="[](){}<>@#?,; aXREFCIT12SmithL&.09", max_size=120))
def test_signs_never_overlap(text: str) -> None:
    ends = [0]
    for sign in printed_citations(text):
        assert ends[-1] <= sign.start < sign.end <= len(text)
        ends.append(sign.end)
