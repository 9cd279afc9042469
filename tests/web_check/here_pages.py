"""Places of passages and of drafts: every state of their pages, by the address that shows it."""

from typing import Any
from urllib.parse import urlencode

from recsys.app.web.upload_reader import DraftText
from recsys.app.web.uploads import pack
from recsys.passages import Body, Mark, Sentence, Span
from tests.web_check.odd_papers import ARABIC, NAME, WORD


def here_pages(paper: dict[str, Any]) -> dict[str, str]:
    """Name the pages; paper: one of the corpus that is asked, with an abstract."""
    words = f"{paper['title']} | was said before."
    passage, draft = {"passage": words}, {"text": _text(paper["title"])}
    odd = {"index": NAME, "passage": f"Rivers {ARABIC} {WORD} | and Crowd."}
    return {
        "here": _cite({**passage, "title": paper["title"], "references": "N. N. (1901) Unknown"}),
        "here-bare": _cite(passage),
        "here-nothing": _cite({**passage, "as_of": "1000"}),
        "here-wrong": _cite({"passage": f"{words} And | again."}),
        "here-empty": _cite({"passage": "..."}),
        "here-to-the-left": _cite({"passage": f"{ARABIC} {ARABIC} | {ARABIC}."}),
        "here-draft": _cite({**draft, "title": paper["title"]}),
        "here-draft-without": _cite({"text": _text(paper["title"], gap=False), "title": "Rivers"}),
        "answer-draft": f"/answer?{urlencode({**draft, 'title': paper['title']})}",
        "odd-here": _cite(odd),
        "odd-here-draft": _cite({"index": NAME, "text": _text(WORD), "title": "Rivers"}),
    }


def _cite(fields: dict[str, str]) -> str:
    return f"/cite?{urlencode(fields)}"


def _text(topic: str, *, gap: bool = True) -> str:
    """Write a draft of some sentences; gap: whether some of them lack a citation."""
    said = (topic, f"{ARABIC} {topic} {ARABIC}", "We measure rivers and glaciers", WORD)
    sentences = [
        Sentence(
            text=f"{words}.",
            marks=(Mark(len(words), (), True, "[CITE]"),) if gap else (),
            section="Related work" if number else WORD,
            file=f"{WORD}.tex" if number == 3 else "",
            span=Span(10 + number, 1, 10 + number, 80),
        )
        for number, words in enumerate(said)
    ]
    return pack(DraftText("draft.tex", Body(tuple(sentences), notes=("A note.",))))
