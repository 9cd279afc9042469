"""Articles as the E-utilities of PubMed answer, after https://www.ncbi.nlm.nih.gov/books/NBK25499.

Written after the documentation as of 2026-11-22; not recorded. A paper is an article where it has
an alias `pmid:`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

from tests.online.catalogue import Catalogue
from tests.online.loopback import Asked, Fault, Given, as_json, as_xml, page_of

_TERM = re.compile(r'"?([^"\[\]]+?)"?\[(ti|tiab|doi)\](?: (AND|OR) )?')


@dataclass(eq=False)
class PubMedSite:
    """What PubMed would say of a catalogue.

    listing: ids of papers whose records list their references; elink knows those of all.
    """

    catalogue: Catalogue
    keys: frozenset[str] = frozenset()
    listing: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        named = self.catalogue.named("pmid")
        self._articles = {pmid: n for pmid, n in named.items() if not self.catalogue.is_gone(n)}
        self._pmid = {number: name for name, number in self._articles.items()}

    def answer(self, asked: Asked) -> Given:
        """Answer esearch, elink and efetch."""
        key = asked.parameters.get("api_key")
        if key and self.keys and key not in self.keys:
            return as_json({"error": f"API key invalid: {key}"}, 401)
        tool = asked.path.removeprefix("/entrez/eutils/")
        if asked.fault is Fault.NOT_A_LIST:
            return as_xml("<PubmedArticleSet><PubmedArticle>") if "fetch" in tool else as_json({})
        if tool == "esearch.fcgi":
            return self._search(asked)
        if tool == "elink.fcgi":
            return self._link(asked)
        return self._fetch(asked) if tool == "efetch.fcgi" else Given(b"", 404)

    def _search(self, asked: Asked) -> Given:
        form = asked.form
        terms = [(match[1], match[2], match[3]) for match in _TERM.finditer(form["term"])]
        if terms and terms[0][1] == "doi":
            numbers = [self.catalogue.number_of.get(doi.lower()) for doi, _, _ in terms]
            found = [number for number in numbers if number is not None and number in self._pmid]
        else:
            words = [word for word, _, _ in terms]
            together = any(joined == "AND" for _, _, joined in terms) or terms[0][1] == "ti"
            ranked = self.catalogue.ranked([words] if together else [[word] for word in words])
            found = [number for number in ranked if number in self._pmid]
        found = [number for number in found if self._fits(number, form)]
        shown = page_of(found, int(form["retstart"]), int(form["retmax"]), asked)
        ids = [self._pmid[number] for number in shown]
        return as_json({"esearchresult": {"count": str(len(found)), "idlist": ids}})

    def _fits(self, number: int, form: Mapping[str, str]) -> bool:
        if form.get("datetype") == "edat":
            paper = self.catalogue.papers[number]
            return f"{paper.year}/01/01" >= form["mindate"]
        first, last = int(form.get("mindate", "0")), int(form.get("maxdate", "9999"))
        return first <= int(self.catalogue.years[number]) <= last

    def _link(self, asked: Asked) -> Given:
        pairs = parse_qsl(asked.body.decode())
        link = dict(pairs)["linkname"]
        sets = []
        for pmid in (value for name, value in pairs if name == "id"):
            number = self._articles.get(pmid)
            others: Sequence[int] = ()
            if number is not None:
                cited, citing = self.catalogue.cited[number], self.catalogue.citing.get(number, ())
                others = citing if link == "pubmed_pubmed_citedin" else cited
            links = [self._pmid[other] for other in others if other in self._pmid]
            found = {"dbto": "pubmed", "linkname": link, "links": links}
            sets.append({"dbfrom": "pubmed", "ids": [pmid], "linksetdbs": [found] if links else []})
        return as_json({"header": {"type": "elink"}, "linksets": sets})

    def _fetch(self, asked: Asked) -> Given:
        numbers = [self._articles.get(pmid) for pmid in asked.form["id"].split(",")]
        known = [number for number in numbers if number is not None]
        articles = "".join(self._article(number, asked) for number in known)
        return as_xml(f'<?xml version="1.0"?><PubmedArticleSet>{articles}</PubmedArticleSet>')

    def _article(self, number: int, asked: Asked) -> str:
        paper, pmid = self.catalogue.papers[number], self._pmid[number]
        doi = self.catalogue.doi_of[number]
        title = f"<ArticleTitle>{escape(paper.title)}.</ArticleTitle>"
        people = "".join(
            f"<Author><LastName>{escape(family)}</LastName><ForeName>{escape(given)}</ForeName>"
            "</Author>"
            for given, family in self.catalogue.people(number)
        )
        place = f'<ELocationID EIdType="doi">{escape(doi)}</ELocationID>' if doi else ""
        told = (
            f"<Journal><JournalIssue><PubDate><Year>{paper.year}</Year></PubDate></JournalIssue>"
            f"<Title>{escape(paper.venue or '')}</Title></Journal>{title}{place}<Abstract>"
            f"<AbstractText>{escape(paper.abstract or '')}</AbstractText></Abstract>"
            f"<AuthorList>{people}</AuthorList>"
        )
        if asked.fault in (Fault.NULLS, Fault.WRONG_TYPES):
            told = title if asked.fault is Fault.NULLS else f"{title}<Journal>7</Journal>"
        cited = ""
        if paper.id in self.listing:
            cited = "".join(
                "<Reference><ArticleIdList>"
                f'<ArticleId IdType="pubmed">{self._pmid[other]}</ArticleId>'
                "</ArticleIdList></Reference>"
                for other in self.catalogue.cited[number]
                if other in self._pmid
            )
        return (
            f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID>'
            f"<Article>{told}</Article></MedlineCitation><PubmedData>"
            f"<ReferenceList>{cited}</ReferenceList></PubmedData></PubmedArticle>"
        )
