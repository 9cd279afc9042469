"""An invented file of each format of citing sentences, as its documentation describes it."""

import json
from collections.abc import Mapping

SAID = "Owls hunt voles at night."


def lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


OWN = lines(
    {"citing": "a1", "cited": "b1", "text": "Owls hunt voles at night [CITE].", "section": "Prey"},
    {"citing": "a1", "cited": "b2", "text": "Snow fell. Owls hunt voles at night <cite>Y</cite>."},
)
S2AG = lines(
    {
        "citationid": 7,
        "citingcorpusid": 11,
        "citedcorpusid": 22,
        "isinfluential": False,
        "contexts": ["\u2026Owls hunt voles at night [12, 13].", None],
        "intents": [["background"], None],
    },
    {
        "citationid": 8,
        "citingcorpusid": 11,
        "citedcorpusid": None,
        "contexts": ["Owls hunt voles."],
    },
    {"citationid": 9, "citingcorpusid": 11, "citedcorpusid": 23, "contexts": None, "intents": None},
)
REFERENCES = json.dumps(
    {
        "offset": 0,
        "citingPaperInfo": {
            "paperId": "f" * 40,
            "title": "On owls",
            "externalIds": {"DOI": "10.1/O"},
        },
        "data": [
            {
                "isInfluential": True,
                "contexts": ["Owls hunt voles at night."],
                "contextsWithIntent": [{"context": "Owls hunt voles at night.", "intents": ["x"]}],
                "citedPaper": {"paperId": None, "title": "Voles of the night", "year": 1999},
            },
            {
                "contexts": [],
                "contextsWithIntent": [{"context": "Owls hunt voles at night.", "intents": []}],
                "citedPaper": {
                    "paperId": "e" * 40,
                    "externalIds": {"CorpusId": 5, "ArXiv": "1101.00001"},
                },
            },
        ],
    },
    indent=1,
)
CITATIONS = json.dumps(
    {
        "offset": 0,
        "next": 1,
        "data": [
            {"contexts": ["Owls hunt voles at night."], "citingPaper": {"paperId": "d" * 40}},
        ],
    }
)
MASKED = json.dumps(
    {
        f"A0{n}-1001_B01-2002_{n}": {
            "masked_text": f"r fell . Owls hunt voles OTHERCIT at night ( TARGETCIT ) . Then {n}",
            "context_id": f"A0{n}-1001_B01-2002_{n}",
            "citing_id": f"A0{n}-1001",
            "refid": "B01-2002",
        }
        for n in range(3)
    }
)
UNARXIVE_2020 = (
    "22\u241e31\u241f32\u241e11\u241e1101.00001\u241eNone\u241fNone\u241e1202.00002\u241e"
    "It rained CIT . Owls hunt voles FORMULA at night MAINCIT . Snow fell.\n"
    "None\u241e\u241eNone\u241eNone\u241e\u241e1202.00002\u241eOwls hunt voles MAINCIT .\n"
)
PEERREAD = (
    "target_id,source_id,left_citated_text,right_citated_text,target_year,source_year\n"
    '1202.00002,1101.00001,"It rained. Owls hunt voles","at night. Snow, too, fell.",2012,2011\n'
)
# S2ORC cuts brackets in two, and sets spaces before full stops.
PARAGRAPH = "It rained. Owls hunt voles at night (Fox, 2001; Ant 2002 ) . Snow fell."
SPANS = [
    {"start": 36, "end": 47, "text": "(Fox, 2001;", "ref_id": "BIBREF0"},
    {"start": 48, "end": 56, "text": "Ant 2002", "ref_id": "BIBREF1"},
]
S2ORC = lines(
    {
        "paper_id": "11",
        "_pdf_hash": "0",
        "abstract": [],
        "body_text": [{"section": "Prey", "text": PARAGRAPH, "cite_spans": SPANS, "ref_spans": []}],
        "bib_entries": {
            "BIBREF0": {
                "title": "Voles",
                "authors": [{"first": "A", "middle": [], "last": "Fox"}],
                "year": 2001,
                "link": "22",
            },
            "BIBREF1": {
                "title": "Mice",
                "authors": [],
                "link": None,
                "other_ids": {"DOI": ["10.1/M"]},
            },
        },
    }
)
UNARXIVE_2022 = lines(
    {
        "paper_id": "1202.00002",
        "_source_hash": "ab",
        "metadata": {"title": "On owls"},
        "body_text": [
            {
                "section": "Prey",
                "content_type": "paragraph",
                "text": "Owls hunt {{formula:0-1}} voles at night {{cite:abc}}, {{cite:def}}.",
                "cite_spans": [
                    {"start": 41, "end": 53, "text": "{{cite:abc}}", "ref_id": "abc"},
                    {"start": 55, "end": 67, "text": "{{cite:def}}", "ref_id": "def"},
                ],
            }
        ],
        "bib_entries": {
            "abc": {
                "bib_entry_raw": "A. Fox, Voles, Owl J. 3 (2001) 4.",
                "contained_arXiv_ids": [],
                "ids": {"open_alex_id": "https://openalex.org/W22", "doi": ""},
            },
            "def": {
                "bib_entry_raw": "B. Ant, Mice.",
                "contained_arXiv_ids": [{"id": "1101.00001"}],
            },
        },
    }
)
_TEXT = "Prey\nIt rained. Owls hunt voles at night [1], [2]. Snow fell.\nEnd"
S2ORC_API = lines(
    {
        "corpusid": 11,
        "externalids": {"doi": "10.1/o"},
        "content": {
            "text": _TEXT,
            "annotations": {
                "sectionheader": '[{"start":0,"end":4}]',
                "paragraph": '[{"start":"5","end":"61"}]',
                "bibref": json.dumps(
                    [
                        {"start": 41, "end": 44, "attributes": {"ref_id": "b0"}},
                        {"start": 46, "end": 49, "attributes": {"ref_id": "b1"}},
                    ]
                ),
                "bibentry": '[{"start":61,"end":63,"attributes":{"id":"b0","matched_paper_id":22}},'
                '{"start":61,"end":63,"attributes":{"id":"b1"}}]',
            },
        },
    }
)
JATS = """<?xml version="1.0"?>
<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
<article-id pub-id-type="doi">10.1000/O</article-id>
<title-group><article-title>On owls</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><sec><title>Prey<xref ref-type="bibr" rid="r1">1</xref></title>
<p>It rained (<xref ref-type="fig" rid="f1">Figure 1</xref>). <italic>Owls</italic> hunt voles at
night.<sup><xref ref-type="bibr" rid="r1">1</xref>&#x2013;<xref ref-type="bibr" rid="r3">3</xref>
</sup> Snow fell.<fig id="f1"><caption><p>Never read <xref rid="r1">1</xref>.</p></caption></fig>
<list><list-item><p>Owls hunt voles at night [<xref ref-type="bibr" rid="r4 r1">4,1</xref>].</p>
</list-item></list></p></sec></sec></body>
<back><ref-list>
<ref id="r1"><element-citation publication-type="journal"><person-group
person-group-type="author"><name><surname>Fox</surname><given-names>A</given-names></name>
</person-group><article-title>Voles</article-title><source>Owl J</source><year>2001</year>
<pub-id pub-id-type="doi">10.1000/V</pub-id></element-citation></ref>
<ref id="r2"><element-citation><article-title>Mice of the moor</article-title><source>Owl J</source>
<year>2002</year></element-citation></ref>
<ref id="r3"><element-citation><article-title>Shrews</article-title><source>Owl J</source>
<pub-id pub-id-type="pmid">333</pub-id></element-citation></ref>
<ref id="r4"><mixed-citation>Gone.</mixed-citation></ref>
</ref-list></back></article>
"""
LATEX = r"""\documentclass{article}
\title{On owls}\author{Ann Fox}
\begin{document}\maketitle
\section{Prey}
It rained. Owls hunt voles at night~\cite{fox01, ant}.
\begin{thebibliography}{9}
\bibitem{fox01} A. Fox. Voles of the marsh. Owl Journal 3, 2001. doi:10.1000/v
\bibitem{ant} B. Ant.
\newblock Mice of the moor.
\newblock {\em Owl Journal}, 4, 2002.
\end{thebibliography}
\end{document}
"""

EXAMPLES: Mapping[str, str] = {
    "own": OWN,
    "s2ag": S2AG,
    "references": REFERENCES,
    "citations": CITATIONS,
    "masked": MASKED,
    "unarxive 2020": UNARXIVE_2020,
    "peerread": PEERREAD,
    "s2orc": S2ORC,
    "unarxive 2022": UNARXIVE_2022,
    "s2orc api": S2ORC_API,
    "jats": JATS,
    "latex": LATEX,
}
