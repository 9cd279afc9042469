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
ABSTRACT_NAMES = (
    r"(?:abstract|summary|zusammenfassung|kurzfassung|r\u00e9sum\u00e9|resumen|resumo|"
    r"riassunto|sommario|samenvatting|sammanfattning|streszczenie|\u00f6zet|"
    r"\u0430\u043d\u043d\u043e\u0442\u0430\u0446\u0438\u044f|\u6458\u8981|\u8981\u65e8|\u8981\u7d04|\ucd08\ub85d)"
)
INTRODUCTION_NAMES = (
    r"(?:introduction|einleitung|einf\u00fchrung|introducci\u00f3n|"
    r"introdu\u00e7\u00e3o|introduzione|inleiding|background|motivation|contents|"
    r"\u0432\u0432\u0435\u0434\u0435\u043d\u0438\u0435|\u5f15\u8a00|\u5e8f\u8ad6|\u306f\u3058\u3081\u306b)"
)
KEYWORDS_NAMES = (
    r"(?:(?:author )?key ?-?words?\b|index terms|schl(?:\u00fcssel|ag)w\u00f6rter|"
    r"mots[ -]cl\u00e9s|palabras[ -]clave|palavras[ -]chave|parole[ -]chiave|trefwoorden|"
    r"ccs concepts|jel\b|\u5173\u952e\u8bcd|\u30ad\u30fc\u30ef\u30fc\u30c9|"
    r"\u043a\u043b\u044e\u0447\u0435\u0432\u044b\u0435 \u0441\u043b\u043e\u0432\u0430)"
)
"""What stands above or before an abstract, and what follows it, in several languages."""

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
    "casestudy casestudies appendix preface foreword prologue".split()
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

_AROUND_TITLE = re.compile(
    r"""(?:
        (?:(?:main|first|second|co|thesis|external|internal|academic)[ -])?
          (?:supervisor|advis[oe]r|promot[eo]r|examiner)s?(?:\s*:.*)?
        | (?:supervised|presented|written|prepared|edited)\ by\b.* | submitted\ (?:to|in|for|by)\b.*
        | (?:(?:international|european|american|british|canadian|open|new)\ ){0,3}
          (?:journal|proceedings|transactions|annals|archives|bulletin)\ (?:of|on|for)\ .{3,80}
        | (?:\w+\ ){0,3}(?:letters|review|quarterly|journal),?\ (?:vol|no|issue)\b.*
        | (?:\w+\ ){0,3}journal\W*\d.*
        | (?:an?\ |the\ )?
          (?:(?:doctoral|ph\.?d\.?|(?:master|bachelor)['\u2019]?s?|diploma|[mb]\.?sc\.?)\ ?)?
          (?:thesis|dissertation|(?:research|final\ year)\ project)
          (?:\ (?:submitted|presented|in|for|by|at)\b.*)?
        | (?:in\ partial\ fulfil|for\ the\ degree).*
        | (?:the\ )?university\ of(?:\ [\w.,-]+){1,4}
        | (?!.*\b(?:at|in|the|and|of|for|to)\b)(?:[\w.-]+\ ){1,3}university
        | (?:department|faculty|institute)\ of(?:\ [\w&.,-]+){1,6}
        | (?:cover|title)\ (?:letter|page|sheet) | running\ (?:head|title)\b.*
        | (?:working|discussion)\ paper\b.{0,30} | technical\ report\b.{0,30}
        | (?:draft|preprint|manuscript|version|revision)
          \W{0,3}(?:no\.?|id|number|of|from)?\W{0,3}\d.{0,20}
        | (?:draft|preprint|manuscript|untitled|table\ of\ contents|list\ of\ \w+|chapter\ \w+)
        | (?:accepted|published|received)\b.{0,60}\d{4}.? | under\ review\b.{0,60}
        | (?:corresponding\ author|word\ count)\b.* | dear\ (?:editor|dr|prof|sir|madam|reviewer).*
        | (?:doi|arxiv)\ ?:.* | is[sb]n\b.{0,30} | (?:https?://|www\.)\S*
        | (?:vol(?:ume)?\.?|no\.|pages?|pp\.)\ ?\d.*
        | (?:\d{1,2}\ )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\ [\d\ ,]{4,12}
        | by | [\W\d_]*
    )\W*""",
    re.VERBOSE | re.IGNORECASE,
)
"""What covers and the heads of pages say before a title."""


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


def is_section_name(title: str) -> bool:
    """Whether a heading is one that papers have within them, which is no title of a paper."""
    return letters_of(title) in _NAMES or ends_text(title)


def is_beside_title(line: str) -> bool:
    """Whether a line is of a cover or of the head of a page: a journal, a university, a person."""
    return _AROUND_TITLE.fullmatch(" ".join(line[:300].split())) is not None


def is_caption(text: str) -> bool:
    """Whether a paragraph is the caption of a figure or a table."""
    return bool(_CAPTION.match(text))


def letters_of(title: str) -> str:
    """Return the letters of a heading without its number, in lower case."""
    return re.sub(r"[\W\d_]+", "", bare(title)).lower()
