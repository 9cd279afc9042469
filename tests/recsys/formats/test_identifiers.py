import html
from collections.abc import Callable
from urllib.parse import quote

from hypothesis import assume, given
from hypothesis import strategies as st

from recsys.formats.identifiers import acl, arxiv, doi
from tests.rows import each_row

SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"


@each_row(
    ("text", "expected"),
    [
        ("10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        ("https://doi.org/10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        ("http://dx.doi.org/10.1109/TVCG.2020.12", "10.1109/tvcg.2020.12"),
        ("DOI:10.1109/TVCG.2020.12", "10.1109/tvcg.2020.12"),
        ("doi10.1109/TVCG.2020.12", "10.1109/tvcg.2020.12"),
        ("http://x.org/go?id=doi:10.1109%2FTVCG.2020.12&atitle=A+b", "10.1109/tvcg.2020.12"),
        ("https://doi.org/10.1234/a&b", "10.1234/a&b"),
        ("https://doi.org/10.1109%2FTVCG.2020.12", "10.1109/tvcg.2020.12"),
        ("As shown before (doi: 10.1000/xyz123).", "10.1000/xyz123"),
        ('<a href="https://doi.org/10.1000/1">10.1000/1</a>', "10.1000/1"),
        ("10.1000/1</a>", "10.1000/1"),
        ("{10.1007/978-3\\_4{\\_}5}", "10.1007/978-3_4_5"),
        ("10.1007/s\u00ad10994", "10.1007/s10994"),
        (SICI.upper(), SICI),
        (SICI.replace("<", "%3C").replace(">", "%3E"), SICI),
        (SICI.replace("<", "&lt;").replace(">", "&amp;gt;"), SICI),
        ("10.1016/S0140-6736(05)67889-0.", "10.1016/s0140-6736(05)67889-0"),
        ("[10.1016/0304-3975(83)90020-8]", "10.1016/0304-3975(83)90020-8"),
        ("https://onlinelibrary.wiley.com/doi/10.1111/cgf.13456/abstract?x=1", "10.1111/cgf.13456"),
        ("https://example.org/pdf/10.1007/s00371-020-01.pdf#page=2", "10.1007/s00371-020-01"),
        ("10.1109/visual.1991.175821", "10.1109/visual.1991.175821"),
        ("10.1145/one 10.1145/two", "10.1145/one"),
        ("10.1000.10/123456", "10.1000.10/123456"),
        # Lines that end within it, and those that do not.
        (SICI.replace(":8<", ":8\n    <"), SICI),
        ("see 10.1000/(99)49:\n8-x and more", "10.1000/(99)49:8-x"),
        ("of 10.5555/j.\ntrd.2021.12 and", "10.5555/j.trd.2021.12"),
        ("10.1000/s10\u00ad\n994", "10.1000/s10994"),
        ("10.1000/12\nand more", "10.1000/12"),
        ("10.1000/12\n2020", "10.1000/12"),
        ("10.1000/12\nAccessed", "10.1000/12"),
        ("10.1000/12\n10.1000/34", "10.1000/12"),
        ("10.1000/12\n- 34", "10.1000/12"),
        # What is escaped in the query of an address is no query of it.
        ("https://doi.org/10.1000/2%3C1:a%23b%3E2?x=1", "10.1000/2<1:a#b>2"),
        ("10.1000/a\u20111", "10.1000/a-1"),
        (r"\href{https://doi.org/10.1000/a\_1}{text}", "10.1000/a_1"),
        ("[10.1000/a.1](https://doi.org/10.1000/a.1)", "10.1000/a.1"),
        ("10.1000/one;10.1000/two", "10.1000/one"),
        ("10.1000/one,https://doi.org/10.1000/two", "10.1000/one"),
    ],
)
def test_a_doi_is_found_and_brought_to_one_spelling(text: str, expected: str) -> None:
    assert doi(text) == expected


@each_row(
    ("text", "expected"),
    [
        ("https://doi.org/10.1145/nnnnnnn.nnnnnnn", None),
        ("https://doi.org/10.1145/XXXXXXX.XXXXXXX", None),
        ("10.1145/3544548.3580XXX", None),
        ("10.1145/1122445.1122456", None),
        ("10.1109/TVCG.20xx.xxxxxxx", None),
        ("10.1007/s00799-xx-0302", "10.1007/s00799-xx-0302"),
        ("10.1000/volume-xxx-3", "10.1000/volume-xxx-3"),
        ("10.1000/innnnner", "10.1000/innnnner"),
    ],
)
def test_what_a_template_prints_until_it_is_filled_in_is_no_doi(
    text: str, expected: str | None
) -> None:
    assert doi(text) == expected


@each_row(
    ("text", "expected"),
    [
        ("2004.07180", "2004.07180"),
        (" 2004.07180v12 ", "2004.07180"),
        ("2004.07180v2 [cs.CL]", "2004.07180"),
        ("0704.0001", "0704.0001"),
        ("arXiv:2004.07180v2", "2004.07180"),
        ("arXiv preprint arXiv:2004.07180 (2020)", "2004.07180"),
        ("ArXiv, 2004.07180", "2004.07180"),
        ("CoRR abs/2004.07180", "2004.07180"),
        ("https://arxiv.org/abs/2004.07180", "2004.07180"),
        ("https://arxiv.org/pdf/2004.07180v2.pdf", "2004.07180"),
        ("https://ar5iv.org/html/2004.07180", "2004.07180"),
        ("https://doi.org/10.48550/arXiv.2004.07180", "2004.07180"),
        ("hep-th/9110012", "hep-th/9110012"),
        ("see HEP-TH/9110012v3, page 2", "hep-th/9110012"),
        ("arXiv:math.GT/0309136", "math/0309136"),
        ("https://arxiv.org/abs/cond-mat%2F0309136", "cond-mat/0309136"),
        ("http://arxiv.org/pdf/cs.CL/0601001.pdf", "cs/0601001"),
    ],
)
def test_an_arxiv_id_is_found_without_version_and_class(text: str, expected: str) -> None:
    assert arxiv(text) == expected


@each_row(
    ("text", "expected"),
    [
        ("P18-1001", "P18-1001"),
        ("a83-1003", "A83-1003"),
        ("ACL:W18-54011", "W18-54011"),
        ("2020.ACL-main.207", "2020.acl-main.207"),
        ("https://aclanthology.org/P18-1001/", "P18-1001"),
        ("https://aclanthology.org/2020.findings-emnlp.12.pdf", "2020.findings-emnlp.12"),
        ("http://www.aclweb.org/anthology/P/P18/P18-1001.pdf", "P18-1001"),
        ("http://aclweb.org/anthology-new/W/W11/W11-0123", "W11-0123"),
        ("https://doi.org/10.18653/v1/2020.acl-main.207", "2020.acl-main.207"),
        ("10.3115/v1/P14-1001", "P14-1001"),
    ],
)
def test_an_anthology_id_is_found_and_spelt_as_there(text: str, expected: str) -> None:
    assert acl(text) == expected


@each_row(
    ("find", "texts"),
    [
        (doi, ["doi", "10.12/3", "110.1145/3", "2.10.1145/3", "10.1145", "10.1145/", "10.1145/...",
     "10.1145 / 12", "v10.1145/3", "https://example.org/10/2020/11",
     "\u0661\u0660.\u0661\u0661\u0664\u0665/3"]),
        (arxiv, ["pages 2004.07180", "10.1145/2004.07180", "2013.07180", "2004.071801", "arXiv",
     "arXiv:2000.01234", "physics-lab/9110012", "hep-th/9113012", "see 1200.1234 to 1300.1234"]),
        (acl, ["ISO P18-1001", "P18-10012345", "P18-101", "10.1162/tacl_a_00001", "2020.acl-main",
     "https://aclanthology.org/volumes/2020.acl-main/", "https://example.org/P18-1001"]),
    ],
)  # fmt: skip
def test_nonsense_holds_no_identifier(
    find: Callable[[str | None], str | None], texts: list[str | None]
) -> None:
    assert [text for text in (None, "", *texts) if find(text) is not None] == []


PIECES = (
    "10. 10.1145/ 10.18653/v1/ arXiv: doi: % %2F %25 & &amp; &lt; < > ( ) / . , v2 [cs.CL] hep-th/ "
    "9110012 2004.07180 P18-1001 2020.acl-main.7 aclanthology.org/ https:// abs/ \\_ { } x".split()
)
ODD = (" ", "\n", "\u200b", "é", "\u0663", "\x00")
TEXTS = st.lists(st.sampled_from((*PIECES, *ODD)) | st.text(max_size=3), max_size=12).map("".join)


@each_row("find", [doi, arxiv, acl])
@given(text=TEXTS)
def test_an_identifier_found_again_is_itself(
    find: Callable[[str | None], str | None], text: str
) -> None:
    found = find(text)
    assert found is None or find(found) == found


@given(
    prefix=st.sampled_from(
        ["", "doi:", "DOI: ", "https://doi.org/", "http://dx.doi.org/", "see ("]
    ),
    registrant=st.from_regex(r"[1-9][0-9]{3,5}", fullmatch=True),
    suffix=st.from_regex(r"[a-z0-9]([a-z0-9._()-]*[a-z0-9])?", fullmatch=True),
    after=st.sampled_from(["", ".", ",", "; ", ").", " and more", '">here</a>']),
)
def test_a_doi_survives_any_wrapping(prefix: str, registrant: str, suffix: str, after: str) -> None:
    balanced = suffix.replace("(", "").replace(")", "")
    assume("nnnnn" not in balanced and "xxx" not in balanced)  # A template's placeholder.
    wanted = f"10.{registrant}/{balanced}"
    if "://" in prefix:
        wanted = wanted.removesuffix(".pdf").removesuffix(".html").removesuffix(".htm")
    assert doi(prefix + f"10.{registrant}/{balanced.upper()}" + after) == wanted


def latex(less: str, greater: str) -> Callable[[str], str]:
    return lambda doi: doi.replace("<", less).replace(">", greater)


WRITTEN: tuple[Callable[[str], str], ...] = (
    latex(r"{\textless}", r"{\textgreater}"),
    latex(r"\textless{}", r"\textgreater{}"),
    latex(r"\textless ", r"\textgreater "),
    latex("$<$", "$>$"),
    latex("{$<$}", "{$>$}"),
    latex(r"{\$}{\textless}{\$}", r"{\$}{\textgreater}{\$}"),
    latex(r"{\$}<{\$}", r"{\$}>{\$}"),
    latex(r"$\lt$", r"$\gt$"),
    latex(r"\ensuremath{<}", r"\ensuremath{>}"),
    latex("{<}", "{>}"),
    latex("&#60;", "&#x3E;"),
    lambda doi: doi.replace("_", r"{\_}"),
    lambda doi: doi.replace("_", r"\textunderscore{}"),
    lambda doi: doi.replace("_", r"$\_$"),
    lambda doi: html.escape(doi),
    lambda doi: html.escape(html.escape(doi)),
    lambda doi: quote(doi),
    lambda doi: quote(doi, safe=""),
    lambda doi: quote(quote(doi, safe=""), safe=""),
    lambda doi: f"https://doi.org/{quote(doi)}",
    lambda doi: f"http://dx.doi.org/{quote(doi, safe='')}",
    lambda doi: f'<a href="https://doi.org/{quote(doi)}">{html.escape(doi)}</a>',
    lambda doi: f"see (DOI: {doi}).",
    lambda doi: f"{{{doi}}}, ",
    lambda doi: f"<{doi}>",
    lambda doi: f"info:doi/{doi}",
    lambda doi: doi.upper(),
    lambda doi: doi.replace("/", "/\u200b").replace("1", "1\u00ad"),
    lambda doi: doi.replace(")", ")\n   ").replace("<", "\n<"),
)
"""How programs write one DOI; each works upon all of it."""
part = st.from_regex(r"[a-z0-9]([a-z0-9._;:-]{0,8}[a-z0-9])?", fullmatch=True)
grammar = st.builds(
    "10.{}/{}".format,
    st.from_regex(r"[1-9][0-9]{3,5}(\.[1-9][0-9]?)?", fullmatch=True),
    st.lists(
        st.one_of(
            part,
            st.builds("({})".format, part),
            st.builds("[{}]".format, part),
            st.builds("<{}>".format, part),
            st.builds("_{}".format, part),
        ),
        min_size=1,
        max_size=4,
    ).map("".join),
)
"""DOIs as publishers make them, SICIs among them; they end in a letter, a digit or a bracket."""


@each_row("write", WRITTEN)
@given(name=grammar)
def test_however_a_doi_is_written_it_is_read_the_same(
    write: Callable[[str], str], name: str
) -> None:
    assume("nnnnn" not in name and "xxx" not in name)  # A template's placeholder.
    assume(not name.endswith((".htm", ".html", ".pdf")) and "/:" not in name)
    assert doi(name) == doi(write(name)) == name
