"""Cut from an abstract what a publisher puts around it: notices of copyright, the word "Abstract".

A notice begins with its mark or with a set phrase, and every word of it that is not capitalised is
one that such notices use: a sentence about copyright has others, and stays.
"""

import re

_TAIL = 700
"""Characters of the end that are searched."""
_HEAD = 300
_HINTS = ("\u00a9", "(c)", "copyright", "published by", "rights reserved", "licen")
_NAMES = (
    r"Elsevier|Wiley|Springer|Blackwell|Academic Press|Oxford|Cambridge|Taylor|Sage|SAGE|Karger|"
    r"Informa|Kluwer|Nature|Macmillan|BioMed|Thieme|Lippincott|Emerald|World Scientific|IOP|IEEE|"
    r"ACM|AAAS|MDPI|Frontiers|NRC|Hindawi|"
    r"[A-Z][\w&' -]{0,60}(?:Ltd|Inc|B\.V|GmbH|Press|Society|LLC)"
)
_MARK = r"(?:\u00a9|\([cC]\)|&copy;)"
_YEAR = r"(?:1[89]|20)\d\d"
_BEFORE = r"(?:\A|(?<=[.!?;:)\]\"'\u201d\u2019>])\s*|\n\s*)"
_START = re.compile(
    rf"\(?(?:Crown )?(?:Copyright|COPYRIGHT)?\s*{_MARK}\s*(?={_YEAR}|\s*[A-Z])|"
    rf"{_BEFORE}(?:\(?(?:Crown )?(?:Copyright|COPYRIGHT)\s*(?:{_YEAR}|[A-Z])|"
    rf"(?:Published|PUBLISHED) by (?:the )?(?:{_NAMES})|(?i:all rights reserved)\b|"
    r"This article is protected by copyright|"
    r"(?:This is an )?[Oo]pen[- ][Aa]ccess (?:article )?(?:under|distributed|published)|"
    r"\(?(?:PsycINFO|APA PsycInfo) Database Record)"
)
_PROPERTY = re.compile(
    r"\s*Copyright of .{3,200} is the property of .{3,200} and its content may not be copied.*",
    re.DOTALL,
)
_SMALL = frozenset(
    """all rights reserved by the of and for on behalf in is an a under this article open access
    licence license licensed licensee licenses published publishing protected copyright terms
    distributed creative commons attribution non commercial noncommercial derivs derivatives
    unported hosting production et und de van y e der la le du des di del en association with
    international inc ltd co publishers publisher society author authors as where otherwise noted
    except http https www org com by nc nd sa part to it which permits any exclusive database record
    c cc press kgaa gmbh corporation company from c pte llc plc sons s
    creativecommons doi reproduced permission from""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
# What follows a notice, or is the rest of a name that was cut at its full stop.
_MORE = re.compile(
    r"\s*(?:(?i:all rights reserved)|Published by[^.]{0,100}|Production and hosting[^.]{0,60}|"
    r"(?:This article is published )?[Uu]nder (?:an? )?exclusive licen[cs]e[^.]{0,80}|"
    r"This (?:is an open[- ]access article|article is (?:protected|published))[^.]{0,160}|"
    r"Open [Aa]ccess[^.]{0,100}|Licensee [^.]{0,60}|on behalf of[^.]{0,120}|"
    r"[A-Z]\.|V\.|B\.\s?V\.?|Inc|Ltd|LLC|Co\.|& Co[^.]{0,40}|KGaA[^.]{0,40}|Weinheim)\s*[.,;)]*"
)
_SENTENCE_END = re.compile(r"[.;]\s+(?=\S)|\n\s*")
_STARTERS = (
    "We|The|This|These|In|A|An|It|Our|There|To|For|Here|Although|While|With|On|Many|Most|As|At|By|"
    "Recent|Recently|Background|Objectives?|Purpose|Aims?|Introduction|Context|Motivation|Methods?|"
    "Despite|Since|When|One|Both|From|Over|Given|Is|How|What|Using|Based|If|Some|Several|Two|Three"
)
_LABEL = re.compile(
    r"\s*(?:(?i:abstract|summary|abstracts?\s*/\s*\w+|zusammenfassung|r\u00e9sum\u00e9|resumen|"
    r"resumo|riassunto|\u6458\s*\u8981|\u8981\u65e8|"
    r"\u0430\u043d\u043d\u043e\u0442\u0430\u0446\u0438\u044f)"
    r"(?:\s*[:.\u2014\u2013]\s*|\s+[-\u2014\u2013]\s*|\s*\n\s*)|"
    rf"(?:Abstract|Summary)\s*(?=(?:{_STARTERS})\b)|(?:ABSTRACT|SUMMARY)\s+(?=\S*[a-z]|A\s)|"
    # What a web page had in a heading sticks to the first word.
    r"(?:Abstract|Summary)(?=[A-Z])|(?:ABSTRACT|SUMMARY)(?=[A-Z][a-z]|A\s))"
)
_ABSENT = frozenset(
    """abstract, abstract available from the publisher, abstract is missing, abstract missing
    abstract not available, abstract not provided, abstract unavailable
    an abstract is not available
    an abstract is not available for this content, click to view, first page of article
    first page preview, kein abstract, missing, n a, na, nan, no abstract, no abstract available
    no abstract available for this article, no abstract is available, no abstract provided
    no abstract is available for this article, no abstract was provided, no abstracts, no data
    no summary available, none, not applicable, not available, not provided, null, object object
    summary, tbd, there is no abstract, this article has no abstract, unavailable, undefined
    unknown, without abstract""".replace("\n    ", ", ").split(", ")
)
"""In lower case, words alone."""
_LONGEST_ABSENT = 60


def says_absent(text: str) -> bool:
    """Tell whether a text only says that there is none, or says nothing.

    >>> says_absent("[No abstract available]"), says_absent("N/A"), says_absent("None of us knows")
    (True, True, False)
    """
    if len(text) > _LONGEST_ABSENT:
        return False
    words = " ".join(_WORD.findall(text.casefold()))
    return not words or words in _ABSENT


def without_notices(text: str) -> str:
    """Cut the notices of a publisher, and the label, from the ends of an abstract.

    >>> without_notices("Abstract: Ice melts. (C) 2015 Elsevier B.V. All rights reserved.")
    'Ice melts.'
    >>> without_notices("\u00a9 2020 IEEE. We ask who owns a copyright.")
    'We ask who owns a copyright.'
    """
    lower = text[-_TAIL:].lower()
    if any(hint in lower for hint in _HINTS):
        if match := _PROPERTY.search(text, max(0, len(text) - 3 * _TAIL)):
            text = text[: match.start()].rstrip()
        else:
            starts = _START.finditer(text, max(0, len(text) - _TAIL))
            if match := next((m for m in starts if _is_notice(text[m.start() :])), None):
                text = text[: match.start()].rstrip(" \n\t-\u2013\u2014([|/*")
    if text[:20].lstrip("( ").startswith(("\u00a9", "C)", "c)", "Copyright", "COPYRIGHT", "Crown")):
        # Up to the end of the first sentence, and what goes on with the notice after that.
        end = _SENTENCE_END.search(text, 0, _HEAD) if _START.match(text) else None
        if end and _is_notice(text[: end.start()]):
            at = end.end()
            while (more := _MORE.match(text, at)) and more.end() > at:
                at = more.end()
            left = text[at:].lstrip()
            if left[:1].isalnum() or left[:1] in "\"'([\u201c\u2018":
                text = left
    return _LABEL.sub("", text, count=1) if _LABEL.match(text) else text


def _is_notice(text: str) -> bool:
    return all(word[0].isupper() or word in _SMALL for word in _WORD.findall(text))
