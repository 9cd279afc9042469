"""Take the tags of HTML, JATS and MathML out of a text: known ones, no other "<...>"."""

import re

_LONGEST_FORMULA = 6_000
"""Characters of a formula in mark-up: what is longer is left as it is."""
_INLINE = (
    "i|b|em|strong|sub|sup|span|italic|bold|sc|a|u|tt|font|small|big|inf|scp|xref|ext-link|label|"
    "inline-formula|alternatives|tex-math|named-content|styled-content|monospace|underline|roman|"
    "sans-serif|overline|strike|abbr|emph|math|mrow|mi|mn|mo|ms|msub|msup|msubsup|"
    "mfrac|mtext|mspace|mover|munder|munderover|mstyle|semantics|annotation|annotation-xml|mfenced|"
    "mtable|mtr|mtd|msqrt|mroot|mpadded|mphantom|mmultiscripts|mprescripts|menclose|"
    "inline-graphic|email|uri|sup2|nobr|wbr"
)
_BLOCK = (
    "p|div|br|sec|title|abstract|abstracttext|h[1-6]|ul|ol|li|list|list-item|table|tr|td|th|tbody|"
    "thead|disp-formula|disp-quote|section|article|hr|dl|dt|dd|pre|blockquote|center|fig|caption|"
    "def-list|def-item|para|simplepara|paragraph|body|html|graphic|statement"
)
_ATTRIBUTES = r"""(?:\s+[\w:.-]{1,40}\s*=\s*(?:"[^"<>]{0,999}"|'[^'<>]{0,999}'|[^\s<>"']{1,99}))*"""
_ANY_INLINE = re.compile(
    rf"</?(?:(?:\w{{1,10}}:)?(?:{_INLINE})|mml:[\w-]{{1,20}}){_ATTRIBUTES}\s*/?>", re.IGNORECASE
)
_ANY_BLOCK = re.compile(
    rf"</?(?:(?:\w{{1,10}}:)?(?:{_BLOCK})|jats:[\w-]{{1,20}}){_ATTRIBUTES}\s*/?>", re.IGNORECASE
)
_HEADING = re.compile(
    r"(?<=[\w)\]])[ \n]*</(?:jats:)?(?:title|label)>(?:\s*<(?:jats:)?p(?:\s[^<>]{0,200})?>)?"
    r"(?!\s*\Z)",
    re.IGNORECASE,
)
_SAYS_ABSTRACT = re.compile(
    r"<((?:jats:)?title)>\s*(?:abstract|summary)\s*[:.]?\s*</\1>", re.IGNORECASE
)
# A comment holds no other, so that many that do not end take no longer than one.
_COMMENT = re.compile(
    rf"<!--(?:(?!<!--).){{0,{_LONGEST_FORMULA}}}?-->|<!\[CDATA\[|\]\]>", re.DOTALL
)
_MATH = re.compile(r"<(?:\w{1,10}:)?math\b", re.IGNORECASE)
# The same formula in TeX, beside its MathML or within it.
_TEX = re.compile(
    rf"<((?:\w{{1,10}}:)?(?:tex-math|annotation(?:-xml)?)){_ATTRIBUTES}>"
    rf".{{0,{_LONGEST_FORMULA}}}?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_DOCUMENT = re.compile(
    rf"\\documentclass.{{0,{_LONGEST_FORMULA}}}?"
    rf"\\begin\{{document\}}(.{{0,{_LONGEST_FORMULA}}}?)\\end\{{document\}}",
    re.DOTALL,
)


def without_tags(text: str) -> str:
    """Take out the tags of HTML, JATS and MathML; formulas that are there twice stay once.

    >>> without_tags("<p>H<sub>2</sub>O at <i>p</i> < 0.05</p>").strip()
    'H2O at p < 0.05'
    """
    if "<!" in text or "]]>" in text:
        text = _COMMENT.sub("", text)
    if _MATH.search(text):
        text = _TEX.sub("", text)
    if "\\documentclass" in text:
        text = _DOCUMENT.sub(r"\1", text)
    text = _HEADING.sub(": ", _SAYS_ABSTRACT.sub(" ", text))
    return _ANY_BLOCK.sub(" ", _ANY_INLINE.sub("", text))
