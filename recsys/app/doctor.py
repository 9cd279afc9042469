"""Check the machine, the installation and the sources on the web; each problem has a next step."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from recsys.app import compiler
from recsys.app.cache import cache_folder
from recsys.app.terminal import wrapped
from recsys.errors import (
    EXTRAS,
    ArtifactError,
    InputError,
    OnlineError,
    SourceUnreachable,
    installed,
    need,
)
from recsys.machine import processors
from recsys.store.kernels import loops

if TYPE_CHECKING:
    from recsys.pipelines.online.client import ClientConfig

NEEDED_SPACE = 2 * 2**30
"""Bytes of free disk space that the starter index and a first corpus need with room to spare."""
_REINSTALL = "Reinstall: `make venv` in a checkout, or `pip install --force-reinstall citerec`."
_TELLING_CPU_FLAGS = ("sse4_2", "avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp")
_TRY_ANNOY = (
    "import annoy; i = annoy.AnnoyIndex(3, 'angular'); i.add_item(0, [1, 0, 0]); i.build(1)"
)
_TRY_ONNX = "import onnxruntime as o; assert 'CPUExecutionProvider' in o.get_available_providers()"


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found; `hint` is the next step where it is a problem."""

    name: str
    ok: bool
    detail: str
    hint: str = ""

    def text(self, columns: int | None = None) -> str:
        """Write it as a line, and its next step below it where there is a problem.

        columns: of the terminal that it is wrapped to; None: it is not.
        """
        state = "ok" if self.ok else "PROBLEM"
        line = wrapped(f"{state:<7}  {self.name:<9}  {self.detail}", columns, hanging=20)
        return line if self.ok else f"{line}\n{wrapped(' ' * 20 + self.hint, columns)}"


def examine(*, online: bool = False) -> Iterator[Check]:
    """Run every check, in order; those that send requests only if they are asked for."""
    yield from _packages()
    yield _loads("runtime", "onnxruntime", _TRY_ONNX, _REINSTALL)
    yield _annoy()
    detail = "compiled"
    if not loops.COMPILED:  # Numpy's loops are slower, and no problem.
        asked = os.environ.get(loops.VARIABLE) == "plain"
        why = f"as set by {loops.VARIABLE}" if asked else "as none were compiled at installation"
        detail = f"numpy's are used instead, {why}; answers are slower"
    yield Check("kernels", True, detail)
    yield from _machine()
    if online:
        yield from examine_sources()


def _packages() -> Iterator[Check]:
    yield Check(
        "python",
        sys.version_info >= (3, 11),
        f"{platform.python_version()} on {platform.platform(terse=True)}",
        "Use Python 3.11 or newer.",
    )
    try:
        requirements = metadata.requires("citerec") or []
    except metadata.PackageNotFoundError:
        requirements = []
    needed = [each for each in requirements if "extra ==" not in each]
    names = [re.split(r"[^A-Za-z0-9._-]", name, maxsplit=1)[0] for name in needed]
    versions = {name: _version(name) for name in names}
    missing = sorted(name for name in names if versions[name] is None)
    detail = ", ".join(f"{name} {versions[name] or 'MISSING'}" for name in names)
    hint = f"Run `pip install {' '.join(missing)}`." if missing else _REINSTALL
    found = bool(names) and not missing
    yield Check("packages", found, detail or "no metadata of citerec", hint)

    lacking = sorted({extra for module, extra in EXTRAS.items() if not installed(module)})
    parts = [", ".join(sorted({*EXTRAS.values()}.difference(lacking))) or "none"]
    parts += [f"`pip install 'citerec[{','.join(lacking)}]'` adds the rest"] if lacking else []
    yield Check("extras", True, "; ".join(parts))  # To lack one is no problem.

    try:
        from recsys.pipelines.encoders.checkpoints import minilm_folder
        from recsys.pipelines.encoders.export_encoder import packaged_encoder

        folder = packaged_encoder() or minilm_folder()
    except ArtifactError as error:
        yield Check("encoder", False, error.what, error.hint)
    except ImportError as error:
        yield Check("encoder", False, str(error), _REINSTALL)
    else:
        yield Check("encoder", True, f"all-MiniLM-L6-v2 in {folder}")


def _annoy() -> Check:
    if not installed("annoy"):
        detail = "not installed, needed only for `--vectors annoy`: `pip install 'citerec[annoy]'`"
        if lacking := compiler.missing():
            detail += f", and there is no {' and no '.join(lacking)}: {compiler.how_to_install()}"
        return Check("annoy", True, detail)
    flags = os.environ.get("ANNOY_COMPILER_ARGS")
    check = _loads(
        "annoy",
        "annoy",
        _TRY_ANNOY,
        "Annoy is compiled for the processor it is installed on. For another one, run "
        "`ANNOY_COMPILER_ARGS=-O3,-std=c++14,-fpermissive,-DANNOYLIB_MULTITHREADED_BUILD "
        "pip install --force-reinstall --no-cache-dir --no-binary annoy annoy`.",
    )
    shown = f"ANNOY_COMPILER_ARGS={flags}" if flags else "compiled with -march=native by default"
    return replace(check, detail=f"{check.detail}, {shown}")


def _machine() -> Iterator[Check]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    flags = set(re.findall(r"\w+", text))
    known = ", ".join(flag for flag in _TELLING_CPU_FLAGS if flag in flags) or "features unknown"
    yield Check("cpu", True, f"{platform.machine()}, {processors()} cores, {known}")

    try:
        folder = cache_folder().absolute()
    except InputError as error:
        yield Check("cache", False, error.what, error.hint)
        there = Path.cwd()
    else:
        there = next(path for path in (folder, *folder.parents) if path.exists())
        usable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
        hint = f"{there} is not writable: set RECSYS_CACHE to a folder that is."
        yield Check("cache", usable, str(cache_folder()), hint)

    free = shutil.disk_usage(there).free
    hint = f"Free {NEEDED_SPACE / 2**30:.0f} GiB, or set RECSYS_CACHE to a folder on another disk."
    yield Check("disk", free >= NEEDED_SPACE, f"{free / 2**30:,.1f} GiB free at {there}", hint)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _loads(name: str, package: str, code: str, hint: str) -> Check:
    """Try a compiled library in a process of its own: a wrong one would kill this one."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Check(name, True, f"{package} {_version(package)} works")
    last = (done.stderr.strip().splitlines() or [f"killed by signal {-done.returncode}"])[-1]
    return Check(name, False, f"{package} does not work: {last}", hint)


# Ask each source on the web one small thing: does it answer, is the key good, what is left?

PATIENCE = 20.0
"""Seconds for one answer."""
_ASKED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "openalex": ("/works/W2741809807", {"select": "id"}),
    "semanticscholar": (
        "/graph/v1/paper/649def34f8be52c8b66281af98ae884c09aef38b",
        {"fields": "paperId"},
    ),
    "crossref": ("/works", {"rows": "0"}),
    "arxiv": ("/api/query", {"id_list": "2004.07180"}),
    "arxiv-oai": ("/oai", {"verb": "Identify"}),
    "pubmed": ("/entrez/eutils/einfo.fcgi", {"db": "pubmed", "retmode": "json"}),
    "zotero": ("/api/users/0/items/top", {"v": "3", "limit": "1"}),
    "zotero-web": ("/keys/current", {"v": "3"}),
}
"""Source -> the path and the values that it is asked for."""


def examine_sources(config: "ClientConfig | None" = None) -> Iterator[Check]:
    """Ask every source once, in order; nothing is stored.

    Args:
        config: of the client; as this user's environment says where none are given.

    Raises:
        MissingExtraError: the package that asks is not installed.
        InputError: a key cannot be one, or others may read the file of keys.
    """
    need("httpx2", "Asking sources on the web")
    from recsys.pipelines.online.client import Client, ClientConfig, Question
    from recsys.pipelines.online.sites import SITES, read_keys

    given = config or ClientConfig(keys=read_keys())
    once = replace(given, store=None, tries=1, longest=PATIENCE, most_requests=3 * len(_ASKED))
    with Client(once) as client:
        for name, (path, values) in _ASKED.items():
            if name == "zotero-web" and not client.has_key(name):
                continue  # There is nothing to ask for without one.
            # A source that does not have the one thing that is asked for has answered all the same.
            question = Question(
                name,
                path,
                tuple(values.items()),
                json=not name.startswith("arxiv"),
                tolerated=frozenset({404}),
                kept=False,
            )
            try:
                reply = client.ask(question)
            except OnlineError as error:
                unreachable = isinstance(error, SourceUnreachable)
                if unreachable and name == "zotero":  # Not to have it is no problem.
                    idle = "not running here; needed only for its library"
                    yield Check(name, True, idle)
                    continue
                hint = "Check the network, or try again later." if unreachable else error.hint
                yield Check(name, False, error.what, hint)
                continue
            facts = ["answers"]
            if key := SITES[name].key:
                facts.append("the key is good" if client.has_key(name) else f"no key ({key})")
            left = reply.headers.get("x-ratelimit-remaining", "")
            allowed = reply.headers.get("x-ratelimit-limit", "")
            if left.isdigit() and allowed.isdigit():
                facts.append(f"{int(left):,} of {int(allowed):,} credits left")
            yield Check(name, True, ", ".join(facts))
