"""Check hallmark's entries against servers of OpenAlex and Crossref that hold its truth.

python -m tests.online.measure_checks --data DIR
"""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks.reference_checks import hallmark, hallmark_figures, read_entries
from recsys.checking.check import check
from recsys.pipelines.online.check_online import online_source
from recsys.pipelines.online.client import Client, ClientConfig
from recsys.pipelines.online.sources import source
from recsys.records import Paper
from tests.online.catalogue import Catalogue
from tests.online.crossref_server import CrossrefSite
from tests.online.loopback import Site, serving
from tests.online.openalex_server import OpenAlexSite
from tests.online.world import TestClock

YEAR = 2026


def main() -> int:
    """Print what is detected, and what is falsely said, by each source and by both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    entries, truth = hallmark(parser.parse_args().data / "hallmark")
    papers = [
        Paper(
            each["id"], each["title"], None, each["year"], tuple(each["authors"]), each["venue"],
            doi=(each["doi"] or "").lower() or None, url=each["url"],
        )
        for each in truth
    ]  # fmt: skip
    read, references = read_entries(entries)
    with ExitStack() as stack:
        catalogue = Catalogue(papers)
        sites: dict[str, Site] = {
            "openalex": OpenAlexSite(catalogue),
            "crossref": CrossrefSite(catalogue),
        }
        addresses = {name: stack.enter_context(serving(s)).address for name, s in sites.items()}
        client = stack.enter_context(Client(ClientConfig(addresses=addresses, clock=TestClock())))
        for names in (("openalex",), ("crossref",), ("openalex", "crossref")):
            asked = [online_source(source(name, client)) for name in names]
            found = hallmark_figures(read, check(references, asked, this_year=YEAR))
            detected, false = found["detected"]["value"], found["false"]["value"]
            sys.stdout.write(f"{' + '.join(names)}: {detected:.3f} found, {false:.3f} false\n")
            kinds = found["kinds"].items()
            sys.stdout.write("".join(f"  {k}: {v['value']:.3f}\n" for k, v in kinds))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
