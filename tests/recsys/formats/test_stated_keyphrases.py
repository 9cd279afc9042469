"""Keywords as drafts of every format state them, and prose that speaks of keywords."""

from pathlib import Path

from recsys.formats.drafts.draft_formats import open_draft
from tests.recsys.formats.drafts.printed_draft import BODY, front, read
from tests.recsys.formats.drafts.small_pdf import Text, down
from tests.rows import each_row

_IEEE = r"\begin{IEEEkeywords}bells, \emph{old ropes}.\end{IEEEkeywords}"
_ELSEVIER = r"\begin{keyword}bells \sep old ropes \PACS 12.3\end{keyword}"
_FRONTIERS = "\\tiny\n \\keyFont{ \\section{Keywords:} bells, old ropes}\n"
_BOLD = "\n\\noindent{\\bf Key words and phrases:} bells; old ropes\n"
_ITEMS = "\\begin{itemize}\n\\item bells\n\\item old ropes\n\\end{itemize}\n"
_LATEX = (
    "\\documentclass{article}\n\\title{Ringing bells}%s\n\\begin{document}\n\\maketitle\n"
    "\\begin{abstract}\nWe ring bells.\n%s\\end{abstract}\n%s\n\\section{Introduction}\nHi\n"
    "\\end{document}\n"
)
BOTH = ("bells", "old ropes")


@each_row(
    ("name", "text", "found"),
    [
        ("a.tex", _LATEX % ("", "", _IEEE), BOTH),
        ("b.tex", _LATEX % (r"\keywords{bells \and old ropes}", "", ""), BOTH),
        ("c.tex", _LATEX % ("", "", _ELSEVIER), BOTH),
        ("d.tex", _LATEX % ("", "\n\\textbf{Keywords:} bells, old ropes\n", ""), BOTH),
        ("e.tex", _LATEX % ("", "", _BOLD), BOTH),
        ("i.tex", _LATEX % ("", _FRONTIERS, ""), BOTH),
        ("f.tex", _LATEX % ("", "", "\n\\paragraph{Index Terms} --- bells, old ropes\n"), BOTH),
        ("j.tex", _LATEX % ("", "", "\n\\keywords\n bells, old\nropes\n\n"), BOTH),
        ("k.tex", _LATEX % ("", "", "\n\\begin{quote}\\textbf{Key words.} bells; old ropes"), BOTH),
        ("l.tex", _LATEX % ("", "", "\n\\section*{Keywords}\n" + _ITEMS), BOTH),
        ("m.tex", _LATEX % ("\\def\\keywords#1{}", "", "\n\\keywords\n"), ()),
        ("g.tex", _LATEX % ("", "", "\nKeywords such as these are many, and so is text.\n"), ()),
        ("h.tex", _LATEX % (r"\newcommand{\keywords}[1]{\textbf{Keywords: #1}}", "", ""), ()),
        ("a.md", "---\ntitle: Ringing\nkeywords: [bells, old ropes]\n---\nText", BOTH),
        ("b.md", "---\ntitle: Ringing\nkeywords: bells; old ropes\n---\nText", BOTH),
        ("c.md", "# Ringing\n\n## Abstract\n\nWe ring.\n\n**Keywords:** bells, old ropes\n", BOTH),
        ("d.md", "# Ringing\n\n## Keywords are not enough\n\nWe ring, and ring.\n", ()),
        ("a.txt", "Ringing\n\nAbstract\nWe ring.\n\nKeywords: bells,\n  old ropes\n\nOnce", BOTH),
        ("b.txt", "R\n\nAbstract\nWe.\n\nINDEX TERMS\nbells \u2022 old ropes\n\nOnce", BOTH),
        ("d.txt", "Ringing\n\nKeywords: bells, old ropes\nAuthors: Ada Ash\n\nWe ring.", BOTH),
        ("c.txt", "Ringing\n\nWe search by keywords: few are found, and none is old.\n", ()),
        ("a.json", '{"title": "Ringing", "keywords": ["bells", "old ropes"]}', BOTH),
        ("b.json", '{"title": "R", "keyphrases": ["bells"], "keywords": ["ropes"]}', ("bells",)),
        ("a.org", "#+TITLE: Ringing\n#+KEYWORDS: bells, old ropes\n\n* Introduction\nHi", BOTH),
        ("a.typ", '#show: ieee.with(title: [R], index-terms: ("bells", "old ropes"))\n= A', BOTH),
        ("b.typ", '#set document(title: "R", keywords: ([bells], [old ropes]))\n= A\nHi', BOTH),
        ("c.typ", '#set document(title: "R", keywords: "bells, old ropes")\n= A\nHi', BOTH),
    ],
)
def test_keywords_are_read_as_they_are_stated(
    tmp_path: Path, name: str, text: str, found: tuple[str, ...]
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert open_draft(path).manuscript.keyphrases == found


def test_a_pdf_states_some_on_the_lines_that_follow_each_other() -> None:
    stated = down(["Keywords: beetles, nests,", "old gar-", "dens", "Text begins here."], y=600)
    found = read([*front(), *stated])
    assert found.keyphrases == ("beetles", "nests", "old gardens")
    assert BODY and read(front()).keyphrases == ()


_LINES = ["Visual Maps, Old Bells and Ropes, Virtual Re-", "ality, Large Towers", "and Rings"]
_LISTED = ("Visual Maps", "Old Bells and Ropes", "Virtual Reality", "Large Towers and Rings")
_FRONT = front()[: -len(BODY)]
_HEADED = [Text("KEYWORDS", 72, 594, 11)]


@each_row(
    ("stated", "found"),
    [
        ([*_HEADED, *down([*_LINES, "ACM Reference Format:"], y=580)], _LISTED),
        ([*_HEADED, *down(["bells", "old ropes"], y=580)], BOTH),
        (down(["Keywords:", "bells", "old ropes", "A b s t r a c t"], y=580), BOTH),
        (down(["Keywords:", "abstract syntax trees", "Email spam", "Abstract"], y=580),
         ("abstract syntax trees", "Email spam")),
        (down(["Keywords: bells, old", "ropes", "E-mail address: a@b.cd"], y=580), BOTH),
        (down([f"Index Terms\u2014{_LINES[0]}", *_LINES[1:]], y=580), _LISTED),
        (down(["Index Terms\u2014bells,", "old ropes.", "Bells are hung"], y=580), BOTH),
        (down(["Additional Key Words and Phrases: bells,", "old ropes"], y=580), BOTH),
        (down(["Keywords: Visual \u00b7 Virtual", "Reality \u00b7", "Rings"], y=580),
         ("Visual", "Virtual Reality", "Rings")),
        (down(["Key words: bells \u2013 old", "ropes"], y=580), BOTH),
        (down(["Key words. bells, old ropes", "AMS subject classifications. 68T50"], y=580), BOTH),
        (down(["Keywords bells; old ropes"], y=580), BOTH),
        (down(["Keywords: bells, old", "ropes", "2010 MSC: 62F15"], y=580), BOTH),
        (down(["Keywords: bells, old ropes", f"Text begins {'and goes on ' * 3}"], y=580), BOTH),
        (down(["Keywords: bells, old ropes", "Text goes on. It does"], y=580), BOTH),
        (down(["Keywords such as these are many, and so", "is text."], y=580), ()),
        (down(["keywords; this is how", "we search"], y=580), ()),
        (down(["keywords.", "Bells", "ropes"], y=580), ()),
        (down(["Keywords", f"Bells {'are rung and rung ' * 5}"], y=580), ()),
    ],
)  # fmt: skip
def test_a_pdf_states_some_as_journals_print_them(
    stated: list[Text], found: tuple[str, ...]
) -> None:
    assert read([*_FRONT, *stated, *down(BODY, y=500)]).keyphrases == found


def test_a_word_in_the_text_of_a_pdf_is_no_heading() -> None:
    table = [*_HEADED, *down(["bells", "ropes"], y=580)]
    assert read([*_FRONT, *table], [*down(BODY), *table]).keyphrases == ("bells", "ropes")
    assert read(front(), table).keyphrases == ()
