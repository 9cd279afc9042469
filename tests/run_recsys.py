"""The program as a process of its own: `python -m tests.run_recsys ARGUMENTS`."""

import sys

from recsys.app.cli import console

if __name__ == "__main__":
    sys.exit(console())
