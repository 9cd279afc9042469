"""Tell headings and captions from sentences by their words, where no markup does."""

import re

LONGEST_HEADING_WORDS = 12
LIST_NAMES = (
    r"(?:references(?: cited| and notes)?|(?:list of )?references|reference list|bibliography|"
    r"literature(?: cited)?|cited literature|works cited|reading list|literatur(?:verzeichnis)?|"
    r"r\u00e9f\u00e9rences(?: bibliographiques)?|bibliographie|"
    r"referencias(?: bibliogr\u00e1ficas)?)"
)
"""What stands above a list of cited works, to be read without regard to case."""

_NUMBER = r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5})[.)]?\s{1,4})"
_NUMBERED = re.compile(rf"\A{_NUMBER}(?=[^\W\d_])")
_ENDED = re.compile(r"[.;,:!]\Z|\.\S{0,3}\Z")
_CAPTION = re.compile(
    r"(?i:figures?|figs?\.?|tables?|tab\.|schemes?|listings?|algorithms?|box|boxes|plates?|charts?|"
    r"abbildung|abb\.|tabelle|tableau|figura|tabla)"
    r"\s{0,3}(?:[A-Z]?\.?\d{1,3}|[IVX]{1,5})(?:\.\d{1,3})?[a-z]?\s{0,2}(?:[.:|\u2013\u2014]|\Z)"
)
_NAMES = frozenset(
    "introduction background motivation relatedwork relatedworks previouswork priorwork "
    "literaturereview materialsandmethods methodsandmaterials materials methods method methodology "
    "approach experiments experiment experimentalsetup experimentalresults evaluation results "
    "resultsanddiscussion discussion discussionandconclusion discussionandconclusions conclusion "
    "conclusions conclusionandfuturework conclusionsandfuturework concludingremarks summary "
    "futurework limitations implementation analysis theory preliminaries overview datasets data "
    "casestudy casestudies appendix".split()
)
_AFTER_TEXT = frozenset(
    "acknowledgement acknowledgements acknowledgment acknowledgments funding authorcontributions "
    "competinginterests competinginterest conflictofinterest conflictsofinterest "
    "declarationofcompetinginterest dataavailability dataavailabilitystatement "
    "additionalinformation supplementarymaterial supplementarymaterials supportinginformation "
    "abouttheauthors authorbiographies abbreviations ethics ethicsstatement danksagung "
    "remerciements computationaldetails references bibliography contents tableofcontents "
    "listoffigures listoftables keywords abstract creditauthorshipcontributionstatement".split()
)
_SKIPPED = re.compile(
    r"""\W*(?:[\divx.]+\s+)?(?:
        abstract | keywords | references | bibliography | literature\ cited | works\ cited
        | acknowledge?ments?(?:\ and\ .{0,60})?
        | fundings?(?:\ (?:statement|information|sources?))?
        | (?:declarations?\ of\ )?(?:conflicts?|competing|declarations?)(?:\ of)?(?:\ financial)?
          (?:\ interests?)?
        | authors?['\u2019s]*\s+contributions?(?:\ statement)? | credit\b.{0,60}
        | about\ the\ authors? | computational\ details | session\ info(?:rmation)?
    )\W*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""Sections in which nothing is cited, or that are no running text."""


def bare(title: str) -> str:
    """Return a heading without its number and white space."""
    return _NUMBERED.sub("", " ".join(title.split())).strip()


def is_heading(text: str) -> bool:
    """Whether a line or paragraph looks like a heading: by a number, or by a usual name."""
    words = text.split()
    if not 0 < len(words) <= LONGEST_HEADING_WORDS or _ENDED.search(text.strip()):
        return False
    named = letters_of(text)
    if named in _NAMES or named in _AFTER_TEXT:
        return True
    number = _NUMBERED.match(text)
    rest = text[number.end() :] if number else ""
    return rest[:1].isupper() and sum(map(str.isalpha, rest)) > len(rest) / 2


def ends_text(title: str) -> bool:
    """Whether what stands below a heading is no running text: thanks, funding, lists."""
    return letters_of(title) in _AFTER_TEXT or _SKIPPED.match(title) is not None


def is_caption(text: str) -> bool:
    """Whether a paragraph is the caption of a figure or a table."""
    return bool(_CAPTION.match(text))


def letters_of(title: str) -> str:
    """Return the letters of a heading without its number, in lower case."""
    return re.sub(r"[\W\d_]+", "", bare(title)).lower()
