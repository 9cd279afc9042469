"""Notices as Scopus, the Web of Science, PubMed and PsycINFO export them.

The examples are written after what others found to strip from such exports: the patterns listed in
https://github.com/massimoaria/bibliometrix and the notices that Elsevier, Wiley and IEEE prescribe,
https://www.elsevier.com/about/policies-and-standards/copyright.
"""

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.papers.text_hygiene import says_absent, without_notices
from tests.rows import each_row

TEXT = "We ask how ice melts. It melts slowly."
TAILS = (
    "(C) 2015 Elsevier B.V. All rights reserved.",
    "\u00a9 2012 The Authors. Published by Elsevier Ltd.",
    "\u00a9 2012 The Author(s)",
    "Copyright (c) 2010 John Wiley & Sons, Ltd.",
    "Copyright \u00a9 2001 S. Karger AG, Basel",
    "(c) 2009 Optical Society of America",
    "Crown Copyright (C) 2008 Published by Elsevier Ltd. All rights reserved.",
    "This article is protected by copyright. All rights reserved",
    "Published by Elsevier Ltd.",
    "Published by Elsevier Ltd on behalf of the Society of Ice. This is an open access article "
    "under the CC BY-NC-ND license (http://creativecommons.org/licenses/by-nc-nd/4.0/).",
    "(PsycINFO Database Record (c) 2016 APA, all rights reserved)",
    "Copyright 2004 by the American Geophysical Union.",
    "\u00a9 2003 Wiley-VCH Verlag GmbH & Co. KGaA, Weinheim",
    "(C) 1998 International Glacier Federation Published by Elsevier Science Ltd.",
    "Copyright of Ice Letters is the property of Ice House and its content may not be copied or "
    "emailed to multiple sites without the holder's permission. However, users may print it.",
)
HEADS = (
    "\u00a9 2020 IEEE.",
    "\u00a9 2015 Elsevier B.V. All rights reserved.",
    "\u00a9 2015, Springer-Verlag Berlin Heidelberg.",
    "\u00a9 The Author(s) 2019.",
    "Copyright \u00a9 2014 Inderscience Enterprises Ltd.",
    "\u00a9 2003 Wiley-VCH Verlag GmbH & Co. KGaA, Weinheim.",
    "\u00a9 2021 The Authors. Published by Ice House Ltd on behalf of the Society of Ice.",
)
LABELS = ("Abstract", "Abstract:", "ABSTRACT:", "Summary.", "ABSTRACT", "Abstract \u2014")


@each_row("tail", TAILS)
@each_row("between", [" ", "", "\n"])
def test_a_notice_at_the_end_is_cut(tail: str, between: str) -> None:
    assert without_notices(TEXT + between + tail) == TEXT
    assert says_absent(without_notices(tail))


@each_row("head", HEADS)
def test_a_notice_at_the_beginning_is_cut(head: str) -> None:
    assert without_notices(f"{head} {TEXT}") == TEXT
    assert without_notices(f"{head} Aim. {TEXT}") == f"Aim. {TEXT}"


@each_row(
    "text",
    [
        TEXT,
        "Background: ice. Methods: we melt it.",
        "Abstract interpretation of programs is old.",
        "Abstract Meaning Representation is a formalism.",
        "Summary statistics are given.",
        "We ask if groups (a), (b), and (c) 2010 data differ.",
        "Who owns a text? Copyright 2010 reforms changed the answer.",
        "The sign \u00a9 2015 is discussed by lawyers.",
        "All rights reserved to the state are listed here, one by one.",
        "A catalogue published by Elsevier in 1990 is compared with ours.",
        "\u00a9 2020 is what most pages say, and we ask why. It is law.",
        "Open access articles are cited more often.",
    ],
)
def test_a_text_about_such_things_stays(text: str) -> None:
    assert without_notices(text) == text


@each_row(
    "text",
    ["", "-", "N/A", "[No abstract available]", "(no abstract)", "Abstract not available.", "None"],
)
def test_what_says_nothing_is_no_abstract(text: str) -> None:
    assert says_absent(text)


@given(st.text(max_size=80), st.sampled_from(TAILS), st.text(max_size=20))
def test_only_ends_are_cut(text: str, tail: str, more: str) -> None:
    assert without_notices(text + tail + more) in text + tail + more
