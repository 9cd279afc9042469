"""A few papers that all servers serve, and what a session of tests needs to ask them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.http_exchange import Clock
from recsys.pipelines.online.sites import Keys
from recsys.records import Paper
from tests.online.arxiv_server import ArxivSite
from tests.online.catalogue import Catalogue
from tests.online.crossref_server import CrossrefSite
from tests.online.loopback import Served, Site, serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.pubmed_server import PubMedSite
from tests.online.semantic_scholar_server import SemanticScholarSite
from tests.online.zotero_server import ZoteroSite

KEY = "k3y-of-the-tests"
MAIL = "ann@forest.example"
COUNT = 130
"""Papers: more than a page of any source."""
GONE, OLD, NEW = "10.5555/100", "10.5555/old", "10.5555/40"
"""A paper that was deleted; a name that another had before."""
_BEASTS = "beetle fern honey gravel cloud engine".split()


def _paper(number: int) -> Paper:
    beast = _BEASTS[number % len(_BEASTS)]
    cited = [f"10.5555/{other}" for other in (number // 2, number // 3, number - 7) if other > 0]
    return Paper(
        id=f"10.5555/{number}",
        title=f"The {beast} walks through forest number {number}",
        abstract=f"We watch one {beast} in a forest for {number} days & count leaves.",
        year=1990 + number % 30,
        authors=(f"Ann Ash{number}", "Bob Birch"),
        venue="Forest Letters",
        references=tuple(dict.fromkeys(cited)),
        aliases=(f"pmid:{9000 + number}", f"arxiv:2004.{number:05d}"),
    )


CATALOGUE = Catalogue(
    [_paper(number) for number in range(1, COUNT + 1)],
    merged={OLD: NEW},
    deleted=frozenset({GONE}),
)


class TestClock(Clock):
    """Time that passes when somebody waits, and a little with each look."""

    __test__ = False

    def __init__(self, tick: float = 0.0) -> None:
        self.time, self.tick = 1_800_000_000.0, tick
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    def passed(self) -> float:
        self.time += self.tick
        return self.time

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def chance(self) -> float:
        return 0.5


@dataclass(frozen=True, slots=True)
class Servers:
    """A server for each site, by its name in the table."""

    by_name: Mapping[str, Served] = field(default_factory=dict)
    clients: list[Client] = field(default_factory=list)

    @property
    def addresses(self) -> Mapping[str, str]:
        return {name: served.address for name, served in self.by_name.items()}

    def __getitem__(self, name: str) -> Served:
        return self.by_name[name]

    def client(self, **config: object) -> Client:
        """Return a client that waits for nothing; config: others than the usual ones."""
        usual: dict[str, object] = {"addresses": self.addresses, "clock": TestClock()}
        made: Callable[..., ClientConfig] = ClientConfig
        self.clients.append(Client(made(**{**usual, **config})))
        return self.clients[-1]

    def reset(self) -> None:
        """Hang up, and forget what was asked."""
        for client in self.clients:
            client.__exit__(None, None, None)
        self.clients.clear()
        for served in self.by_name.values():
            served.reset()


def sites(catalogue: Catalogue = CATALOGUE) -> Mapping[str, Site]:
    """Make a site for each row of the table; those of one source share it."""
    keys = frozenset({KEY})
    arxiv, zotero = ArxivSite(catalogue, page=50), ZoteroSite(catalogue, keys, notes=3)
    return {
        "openalex": OpenAlexSite(catalogue, keys),
        "semanticscholar": SemanticScholarSite(catalogue, keys, page=50),
        "crossref": CrossrefSite(catalogue),
        "arxiv": arxiv,
        "arxiv-oai": arxiv,
        "pubmed": PubMedSite(catalogue, keys, listing=frozenset({"10.5555/20"})),
        "zotero": zotero,
        "zotero-web": zotero,
    }


@contextmanager
def all_served() -> Iterator[Servers]:
    """Serve them all until the end."""
    with ExitStack() as stack:
        yield Servers({name: stack.enter_context(serving(s)) for name, s in sites().items()})


def every_key() -> Keys:
    """Return the key under all the variables."""
    names = ("OPENALEX", "SEMANTICSCHOLAR", "PUBMED", "ZOTERO")
    return Keys({f"RECSYS_{name}_KEY": KEY for name in names} | {"RECSYS_MAIL": MAIL})
