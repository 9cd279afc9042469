"""Preprints as arXiv answers: the query API in Atom, and OAI-PMH.

After https://info.arxiv.org/help/api/user-manual.html and https://www.openarchives.org/OAI/2.0 (as
of 2026-11-22); not recorded. A paper is a preprint where it has an alias `arxiv:`.
"""

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tests.online.catalogue import Catalogue
from tests.online.loopback import Asked, Fault, Given, as_xml, page_of

_WORD = re.compile(r"(?:ti|all):(\w+)")
_SPAN = re.compile(r"submittedDate:\[(\d{4})\d* TO (\d{4})\d*\]")
_FEED = (
    '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">'
    "<title>arXiv Query</title>{}</feed>"
)
_OAI = (
    '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
    "<responseDate>2026-11-22T00:00:00Z</responseDate>{}</OAI-PMH>"
)


@dataclass(eq=False)
class ArxivSite:
    """What arXiv would say of a catalogue.

    page: records of one answer of OAI-PMH.
    """

    catalogue: Catalogue
    page: int = 1000

    def __post_init__(self) -> None:
        self._preprints = self.catalogue.named("arxiv")
        self._id = {number: name for name, number in self._preprints.items()}

    def answer(self, asked: Asked) -> Given:
        """Answer /api/query and /oai."""
        if asked.fault is Fault.NOT_A_LIST:
            return as_xml("<feed><entry>")
        if asked.path == "/api/query":
            return self._query(asked)
        return self._list_records(asked) if asked.path == "/oai" else Given(b"", 404)

    def _query(self, asked: Asked) -> Given:
        if "id_list" in asked.parameters:
            ids = asked.parameters["id_list"].split(",")
            found = [self._preprints[name] for name in ids if name in self._preprints]
        else:
            found = self._found(asked.parameters["search_query"])
        start = int(asked.parameters.get("start", "0"))
        shown = page_of(found, start, int(asked.parameters.get("max_results", "10")), asked)
        there = (number for number in shown if not self.catalogue.is_gone(number))
        return as_xml(_FEED.format("".join(self._entry(number, asked) for number in there)))

    def _found(self, query: str) -> list[int]:
        words = _WORD.findall(query)
        found = self.catalogue.ranked([words] if " AND ti:" in query else [[w] for w in words])
        if span := _SPAN.search(query):
            first, last = int(span[1]), int(span[2])
            found = [n for n in found if first <= self.catalogue.years[n] <= last]
        return [number for number in found if number in self._id]

    def _list_records(self, asked: Asked) -> Given:
        token = asked.parameters.get("resumptionToken", "")
        if token and asked.fault is Fault.EXPIRED:
            return as_xml(_OAI.format('<error code="badResumptionToken">expired</error>'))
        since, start = (token.split("|")[0], int(token.split("|")[1])) if token else ("", 0)
        since = since or asked.parameters.get("from", "")
        found = sorted(
            (number for number in self._id if self._stamp(number) >= since),
            key=lambda number: (self._stamp(number), number),
        )
        if not found:
            return as_xml(_OAI.format('<error code="noRecordsMatch"/>'))
        shown = page_of(found, start, self.page, asked)
        more = f"{since}|{start + self.page}" if start + self.page < len(found) else ""
        records = "".join(self._record(number, asked) for number in shown)
        tail = f"<resumptionToken>{more}</resumptionToken>" if more or token else ""
        return as_xml(_OAI.format(f"<ListRecords>{records}{tail}</ListRecords>"))

    def _entry(self, number: int, asked: Asked) -> str:
        paper, name = self.catalogue.papers[number], self._id[number]
        title = f"<title>{escape(paper.title)}</title>"
        address = f"<id>http://arxiv.org/abs/{name}v2</id>"
        if asked.fault in (Fault.NULLS, Fault.WRONG_TYPES):
            odd = "" if asked.fault is Fault.NULLS else "<published>soon</published><author/>"
            return f"<entry>{address}{title}{odd}</entry>"
        people = "".join(f"<author><name>{escape(a)}</name></author>" for a in paper.authors)
        doi = self.catalogue.doi_of[number]
        given = f'<arxiv:doi xmlns:arxiv="a">{escape(doi)}</arxiv:doi>' if doi else ""
        return (
            f"<entry>{address}{title}<published>{paper.year}-01-02T00:00:00Z</published>"
            f"<summary>{escape(paper.abstract or '')}</summary>{people}{given}"
            '<category term="cs.DL"/></entry>'
        )

    def _record(self, number: int, asked: Asked) -> str:
        paper, name = self.catalogue.papers[number], self._id[number]
        stamp = f"<identifier>oai:arXiv.org:{name}</identifier>"
        stamp += f"<datestamp>{self._stamp(number)}</datestamp>"
        if self.catalogue.is_gone(number):
            return f'<record><header status="deleted">{stamp}</header></record>'
        people = "".join(
            f"<author><keyname>{escape(family)}</keyname><forenames>{escape(given)}</forenames>"
            "</author>"
            for given, family in self.catalogue.people(number)
        )
        doi = self.catalogue.doi_of[number]
        given = f"<doi>{escape(doi)}</doi>" if doi else ""
        whole = (
            f"{given}<created>{paper.year}-01-02</created><authors>{people}</authors>"
            f"<abstract>{escape(paper.abstract or '')}</abstract>"
            "<categories>cs.DL cs.IR</categories>"
        )
        told = "" if asked.fault is Fault.NULLS else whole
        return (
            f'<record><header>{stamp}</header><metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/">'
            f"<id>{name}</id><title>{escape(paper.title)}</title>{told}</arXiv></metadata></record>"
        )

    def _stamp(self, number: int) -> str:
        return f"{self.catalogue.papers[number].year}-01-01"
