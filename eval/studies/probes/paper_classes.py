"""Classes that an encoder was trained to tell, and classes that it never saw."""

import hashlib
from collections.abc import Collection
from pathlib import Path

from recsys.errors import InputError
from recsys.formats.files import display_name, read_text


def is_unseen(name: str, *, share: float, seed: int) -> bool:
    """Decide by the hash of its name whether a class is kept from training.

    It depends neither on the other classes nor on how the name is capitalised: training and probes
    agree without a list, whatever the sizes of classes that they ask for.

    Args:
        name: of the class.
        share: of the names that are unseen, in [0, 1].
        seed: another one gives another choice.
    """
    digest = hashlib.sha256(f"{seed}:{folded(name)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2.0**64


def folded(name: str) -> str:
    """Return the form in which names of classes are compared."""
    return name.strip().casefold()


def read_class_names(path: Path) -> frozenset[str]:
    """Read names of classes, one on each line, in the form in which they are compared.

    Raises:
        InputError: the file cannot be read, or has no name.
    """
    names = frozenset(map(folded, read_text(path).splitlines())) - {""}
    if not names:
        raise InputError(f"{display_name(path)} has no name of a class.", "Write one on each line.")
    return names


def write_class_names(path: Path, names: Collection[str]) -> None:
    """Write names of classes for `read_class_names`, in ascending order.

    Raises:
        InputError: a name has a line break in it.
    """
    for name in names:
        if len(name.splitlines()) != 1:
            raise InputError(f"The class {name!r} is not a line of text.", "Rename it.")
    path.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
