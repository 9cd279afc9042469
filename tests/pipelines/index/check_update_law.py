"""Check the law of updates: `python -m tests.pipelines.index.check_update_law RUNS STEPS SEED`."""

import sys

from tests.torture.warm import warm

warm()  # Before numpy is imported: it reads there how many threads it may start.

from tests.pipelines.index.update_law import check  # noqa: E402

if __name__ == "__main__":
    sys.stdout.write(check(*map(int, sys.argv[1:4])) + "\n")
