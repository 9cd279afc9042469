"""Packages that an extra brings: which extra each is in, and what is said without it."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

from recsys.errors import MissingExtraError

EXTRAS: Mapping[str, str] = {
    "docx": "serve",
    "gensim": "baselines",
    "httpx2": "online",
    "jinja2": "report",
    "lancedb": "lance",
    "matplotlib": "report",
    "networkx": "serve",
    "obstore": "store",
    "optuna": "tune",
    "pypdf": "pdf",
    "python_multipart": "serve",
    "ray": "ray",
    "sklearn": "studies",
    "starlette": "serve",
    "torch": "train",
    "transformers": "train",
    "usearch": "hnsw",
    "uvicorn": "serve",
}
"""Module -> the extra that installs it. What is not here comes with every installation."""


def need(module: str, purpose: str) -> None:
    """Refuse to go on where a package of an extra is not installed.

    Args:
        module: in EXTRAS.
        purpose: what cannot be done without, as the beginning of a sentence.

    Raises:
        MissingExtraError: the package cannot be imported.
    """
    try:
        import_module(module)
    except ImportError as error:
        raise _missing(module, purpose) from error


def installed(module: str) -> bool:
    """Tell whether a module could be imported, without doing so."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def missing_extra(error: ImportError) -> MissingExtraError | None:
    """Say which extra a failed import asks for; None where no extra would help."""
    module = (error.name or "").partition(".")[0]
    return _missing(module, "This command") if module in EXTRAS else None


def _missing(module: str, purpose: str) -> MissingExtraError:
    return MissingExtraError(
        f"{purpose} needs {module}, which is not installed.",
        f"pip install 'recsys[{EXTRAS[module]}]'",
    )
