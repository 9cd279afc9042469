"""How long an editor waits for a completion of `recsys lsp`, and what that costs.

    python -m benchmarks.editor my.index --completions 1000

Each is asked in a sentence that the server has not seen, in a draft that cites papers of the index.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from recsys.formats.bodies.running_text import sentence_spans
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.reference_writers import bibtex
from recsys.indexes.opening import open_collection

CITED = 60
"""Works that the draft cites, each in a sentence of its own."""
WARM = 20
"""Completions that are not counted: by then all is read, and all code has run."""


def draft_of(index: Path, sentences: int) -> tuple[str, str, list[str]]:
    """Return a draft without its last sentence, its bibliography, and sentences that may end it."""
    corpus = open_collection(index).corpus
    rows = [place * len(corpus) // CITED for place in range(CITED)]
    papers = corpus.papers(rows)
    keys = citation_keys(papers)
    cited = "\n".join(f"{p.title} \\cite{{{k}}}." for p, k in zip(papers, keys, strict=True))
    head = f"\\documentclass{{article}}\\title{{{papers[0].title}}}\\begin{{document}}"
    told, row = list[str](), 1
    while len(told) < sentences:
        [paper] = corpus.full_papers([row % len(corpus)])
        text = paper.abstract or paper.title
        told += [f"{text[start:end]} {row}" for start, end in sentence_spans(text)]
        row += 7
    draft = f"{head}\n{cited}\n\\bibliography{{refs}}\n\n"
    return draft, bibtex(papers, keys), told[:sentences]


def processor_ms(process: int) -> float:
    """Return what all threads of a process have taken of a processor."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e6


def resident_mb(process: int) -> float:
    """Return the memory that a process has at the moment."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def measure(index: Path, folder: Path, completions: int) -> dict[str, float]:
    """Ask a server for completions, one after the other; milliseconds, megabytes."""
    draft, works, sentences = draft_of(index, completions + WARM)
    (folder / "refs.bib").write_text(works, encoding="utf-8")
    uri = (folder / "paper.tex").as_uri()
    client = LanguageClient("benchmark", "1")
    client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: None)
    command = ("-m", "recsys", "lsp", "--index", str(index.resolve()))
    await client.start_io(sys.executable, *command)
    server = client._server
    assert server is not None
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    opened = lsp.TextDocumentItem(uri, "latex", 0, draft)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(opened))
    waited, taken, resident = list[float](), list[float](), list[float]()
    for number, sentence in enumerate(sentences):
        plain = "".join(each for each in sentence if each not in "\\{}%$&#~^_\n")
        text = f"{draft}{plain} \\cite{{"
        changed = lsp.TextDocumentContentChangeWholeDocument(text)
        named = lsp.VersionedTextDocumentIdentifier(number + 1, uri)
        begun, before = time.perf_counter(), processor_ms(server.pid)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(named, [changed]))
        end = lsp.Position(text.count("\n"), len(text.rpartition("\n")[2].encode("utf-16-le")) // 2)
        asked = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), end)
        offered = await client.text_document_completion_async(asked)
        assert isinstance(offered, lsp.CompletionList) and offered.items
        waited.append(1000 * (time.perf_counter() - begun))
        taken.append(processor_ms(server.pid) - before)
        resident.append(resident_mb(server.pid))
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]  # pygls has no types there.
    found = {"completions": float(completions)}
    for name, values in (("wall", waited[WARM:]), ("processor", taken[WARM:])):
        *_, last = statistics.quantiles(values, n=20)
        found |= {f"{name}_p50_ms": statistics.median(values), f"{name}_p95_ms": last}
    half = len(resident) // 2
    return found | {"rss_half_mb": max(resident[:half]), "rss_end_mb": max(resident[half:])}


def main() -> int:
    """Measure one index, and write the figures as a line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editor")
    parser.add_argument("index", type=Path)
    parser.add_argument("--completions", type=int, default=1000)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = asyncio.run(measure(options.index, Path(folder), options.completions))
    sys.stdout.write(json.dumps({name: round(value, 1) for name, value in found.items()}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
