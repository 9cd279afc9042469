"""The program as a process of its own: `python -m tests.run_recsys ARGUMENTS`.

Ctrl-C reaches it even where the tests run in a shell's background, which ignores that signal.
"""

import signal
import sys

from recsys.app.cli import main

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
