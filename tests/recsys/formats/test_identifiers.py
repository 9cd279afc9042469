from collections.abc import Callable

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
