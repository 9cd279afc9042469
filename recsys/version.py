"""The version of the program: the one place where it is written."""

VERSION = "0.2.0"
"""Read by the build of the package, too."""
CREATED_BY = f"recsys {VERSION}"
"""How artifacts name the program that wrote them; no key depends on it, so that a new version
continues what another one began."""
