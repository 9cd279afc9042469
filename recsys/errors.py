"""Define every error that recsys raises on purpose, and raise those of packages that are missing.

    RecsysError                 something went wrong; the message ends in what to do next
    ├── InputError              a file or value given by the user cannot be used
    │   ├── DraftError          the draft is unreadable, of the wrong shape, or empty
    │   ├── CorpusError         the corpus file is unreadable or holds no usable paper
    │   ├── SplitError          the split file does not fit the index, or leaks
    │   └── LeakageError        an evaluation would reward what was seen in training, or the future
    ├── ArtifactError           a stored artifact (index, ranker, encoder) cannot be used
    │   ├── ArtifactMissing     nothing is there, or the build never finished
    │   ├── ArtifactCorrupt     a file is missing, cut short, or has another checksum
    │   └── ArtifactMismatch    another kind, schema version, encoder or feature list
    ├── OnlineError             a source on the web did not give what it was asked for
    │   ├── SourceUnreachable   nothing came back, or only failures, as often as it was tried
    │   ├── KeyRefused          it wants a key, or refuses the one that it was given
    │   ├── BudgetGone          what it allows in a day is used up
    │   ├── AnswerNotUnderstood what came back is too large, cut short, or of another shape
    │   └── PlanExceeded        one more request would be more than was planned
    ├── UsageError              the words of a command line do not fit together
    ├── MissingExtraError       an optional package is not installed
    └── NothingFound            everything ran, and nothing was left to answer

The library raises; only `recsys.app` catches, prints, and picks the exit code.
"""

from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

LONGEST_WHAT, LONGEST_HINT = 600, 1000
"""Characters of an error: what it quotes may be as long as a file."""


class RecsysError(Exception):
    """Report what happened, with the offending value, and what to do next.

    Args:
        what: one sentence: what happened, with the value.
        hint: one sentence: the next step.
    """

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        self.what = shortened(what, LONGEST_WHAT)
        self.hint = shortened(hint, LONGEST_HINT)
        super().__init__(self.what)

    def __str__(self) -> str:
        """Join what happened and the next step into one line."""
        return " ".join(f"{self.what} {self.hint}".split())


class InputError(RecsysError):
    """A file or value given by the user cannot be used."""


class DraftError(InputError):
    """The draft is unreadable, of the wrong shape, or empty."""


class CorpusError(InputError):
    """The corpus file is unreadable or holds no usable paper."""


class SplitError(InputError):
    """The split file does not fit the index, or leaks test queries into training."""


class LeakageError(InputError):
    """An evaluation would reward what a ranker saw in training, or knowledge of the future."""


class ArtifactError(RecsysError):
    """A stored artifact cannot be used."""


class ArtifactMissing(ArtifactError):
    """Nothing is there, or the build never finished."""


class ArtifactCorrupt(ArtifactError):
    """A file of the artifact is missing, cut short, or has another checksum."""


class ArtifactMismatch(ArtifactError):
    """The artifact is of another kind, schema version, encoder or feature list."""


class OnlineError(RecsysError):
    """A source on the web did not give what it was asked for."""


class SourceUnreachable(OnlineError):
    """Nothing came back, or only failures, as often as it was tried."""


class KeyRefused(OnlineError):
    """The source wants a key, or refuses the one that it was given."""


class BudgetGone(OnlineError):
    """What the source allows in a day is used up.

    until: when it may be asked again, in seconds since 1970; None where it does not say.
    """

    def __init__(self, what: str, hint: str = "", *, until: float | None = None) -> None:
        super().__init__(what, hint)
        self.until = until


class AnswerNotUnderstood(OnlineError):
    """What came back is too large, cut short, or of another shape than its documentation says."""


class PlanExceeded(OnlineError):
    """One more request would be more than was planned."""


class UsageError(RecsysError):
    """The words of a command line are none of the program's, or do not fit together."""

    exit_code = 2


class MissingExtraError(RecsysError):
    """An optional package is not installed; the hint is the pip command."""


class NothingFound(RecsysError):
    """Everything ran, and nothing was left to answer."""

    exit_code = 3


def near_miss(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the closest known word, or an empty string."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def near_path(path: Path) -> str:
    """Return " Did you mean 'x'?" for the file or folder beside that has the closest name."""
    return near_miss(path.name, (each.name for each in path.parent.glob("*")))


def check_name(name: str, known: Collection[str], what: str) -> None:
    """Refuse a name that is not known.

    Raises:
        InputError: naming what it may have meant, and all that there are.
    """
    if name not in known:
        told = f"There is no {what} {name!r}.{near_miss(name, known)}"
        raise InputError(told, f"Choose among {', '.join(known)}.")


def shortened(text: str, most: int) -> str:
    """Cut the middle out of what is longer than so many characters: its end tells something."""
    if len(text) <= most:
        return text
    kept = most - len(" ... ")
    end = kept // 3
    return f"{text[: kept - end]} ... {text[-end:]}"


# Packages that an extra brings: which extra each is in, and what is said without it.

_MODULES: Mapping[str, str] = {
    "annoy": "annoy", "baselines": "gensim whoosh", "editors": "pygls", "hnsw": "usearch",
    "lance": "lancedb", "mcp": "mcp", "online": "httpx2", "pdf": "pypdfium2",
    "ranker": "lightgbm scipy", "ray": "ray", "report": "jinja2 matplotlib",
    "serve": "docx networkx python_multipart starlette uvicorn", "store": "obstore",
    "studies": "sklearn", "train": "onnx safetensors torch transformers", "tune": "optuna",
}  # fmt: skip
EXTRAS = {module: extra for extra, modules in _MODULES.items() for module in modules.split()}
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
        f"pip install 'citerec[{EXTRAS[module]}]'",
    )
