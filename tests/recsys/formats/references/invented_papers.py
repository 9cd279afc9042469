"""Invented papers, with whatever a title or a name may hold."""

from hypothesis import strategies as st

from recsys.formats.papers.paper_fields import cleaned
from recsys.formats.references.shown_facts import one_line
from recsys.records import Paper

FRAGMENTS = [
    *"{}\\%&$#_^~\"'`-=+@,;:|<>()[]/?!",
    *("--", "``", "''", "\\'e", "{\\'", "\\n", "\n", "\r\n", "\t", "\0", "\x1b[2J", "\u2028"),
    *("and", " and ", "others", " of ", "Jr.", ", Jr", ", ", " ", "\u200b", "\u202e", "\ufeff"),
    *("深度", "学习", "שלום", "é", "e\u0301", "ß", "İ", "🙂", "\ud800", "&amp;", "<i>", "</i>"),
    *("TY  - ", "ER  - ", "@article{", "=SUM(A1)", "BERT", "van", "der", "Lee", "Ann", "Inc."),
]
RAW = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=8).map("".join)


def tidy(text: str) -> str:
    """Clean a text as a corpus does when it takes in a paper, however often that is needed."""
    while (cleaner := cleaned(one_line(text))) != text:
        text = cleaner
    return text


TEXT = RAW.map(tidy)
LETTERS = "abcxyzABC0189"
DOIS = st.text(f"{LETTERS}_();:.", max_size=8).map("10.1234/{}z".format)
URLS = st.text(f"{LETTERS}/_.~%&=;?#@!$'()*+,:-", max_size=12).map("https://a.org/{}".format)


def papers(text: st.SearchStrategy[str]) -> st.SearchStrategy[Paper]:
    """Papers of which at least the title is known."""
    return st.builds(
        Paper,
        id=text,
        title=text.filter(tidy),
        abstract=st.none() | text,
        year=st.none() | st.integers(1400, 2100),
        authors=st.lists(text, max_size=4).map(tuple),
        venue=st.none() | text | st.sampled_from(["ACL", "Journal of Things", "Proc. of X"]),
        doi=st.none() | DOIS,
        url=st.none() | URLS,
    )


TIDY_PAPERS = papers(TEXT)
RAW_PAPERS = papers(RAW)
