"""Check the licences of what is installed: `python -m tests.licences`, part of `make audit`.

Each distribution says what it is under. All that it names must be of a family that goes with
Apache-2.0, or the distribution is among those that somebody has looked at.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata

FAMILIES = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|CC0|MPL|Mozilla|CNRI|BSL|Public Domain"
    r"|DFSG approved|LLVM-exception|dependency licenses"
)
LOOKED_AT: Mapping[str, str] = {
    "docutils": "BSD and public domain; under the GPL is a mode for Emacs",
    "gensim": "LGPL-2.1; baselines alone import it, unchanged",
}
"""Distribution -> why it may stay."""


def licences(about: "metadata.PackageMetadata") -> list[str]:
    """List what a distribution says it is under: its expression, its classifiers, or a line."""
    classifiers = [each.split(" :: ") for each in about.get_all("Classifier") or []]
    named = [parts[-1] for parts in classifiers if parts[0] == "License"]
    expression = "".join(about.get_all("License-Expression") or [])
    if not expression and not named:
        expression = "".join(about.get_all("License") or []).strip().partition("\n")[0]
    return re.split(r" AND | OR ", expression) if expression else named


def unsuitable(distributions: Iterable[metadata.Distribution]) -> list[str]:
    """Describe those that name no licence, or one of another family."""
    return sorted(
        f"{each.name}: {', '.join(named) or 'names no licence'}"
        for each in distributions
        if each.name not in LOOKED_AT
        and not ((named := licences(each.metadata)) and all(map(FAMILIES.search, named)))
    )


if __name__ == "__main__":
    installed = [*metadata.distributions()]
    if found := unsuitable(installed):
        sys.exit("error: these do not go with Apache-2.0, or do not say: " + "; ".join(found))
    names = ", ".join(sorted({each.name for each in installed} & {*LOOKED_AT}))
    sys.stdout.write(f"{len(installed)} licences go with Apache-2.0; looked at: {names}\n")
