"""Start `recsys mcp`: the entry point of the bundle."""

import sys

from recsys.app.cli import console

if __name__ == "__main__":
    sys.argv[1:1] = ["mcp"]
    console()
