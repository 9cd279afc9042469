"""Check what `make release` publishes.

`python -m tests.release_check checkout` says why this checkout must not be released, if so, before
anything is built. `python -m tests.release_check FOLDER` uses the program that is installed in the
virtual environment FOLDER as a stranger would, without a compiler or the network.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

from recsys.app.compiler import COMPILERS
from recsys.store.artifacts import VERSION

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
NOBODY = "http://127.0.0.1:9"
"""Where no proxy listens: what would ask the network fails."""
PATIENCE = 180


def refusal(root: Path = ROOT) -> str | None:
    """Say why a checkout must not be released, and what to do; None where it may be."""

    def git(*words: str) -> list[str]:
        command = ["git", "-C", str(root), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    try:
        changed = git("status", "--porcelain")
        tags = git("tag", "--points-at", "HEAD", "v*")
    except FileNotFoundError:
        return "git is not installed: what is released is a commit. Install git."
    except subprocess.CalledProcessError as error:
        return f"{root} is no clone that git can read: {error.stderr.strip()} Release from a clone."
    if changed:
        shown = ", ".join(line[3:] for line in changed[:3])
        return f"Not committed: {shown}{', ...' * (len(changed) > 3)}. Commit, or remove."
    if tags and f"v{VERSION}" not in tags:
        return (
            f"The tag is {', '.join(tags)} and the version {VERSION}: "
            f"change VERSION in recsys/store/artifacts.py and commit, or tag v{VERSION}."
        )
    return None


def use(installed: Path) -> None:
    """Ask, build from a .bib, ask that, and serve, by what is installed in an environment.

    Raises:
        AssertionError: the program does not do one of them.
    """
    scripts = str(installed.resolve() / ("Scripts" if os.name == "nt" else "bin"))
    for compiler in (*COMPILERS, "cc", "gcc", "cl"):
        assert not shutil.which(compiler, path=scripts), f"there is a compiler in {scripts}"
    program = shutil.which("recsys", path=scripts)
    assert program, f"there is no recsys in {scripts}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"PATH": scripts, "HOME": folder, "RECSYS_CACHE": str(Path(folder, "cache"))}
        environment |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOBODY)

        def run(*words: str | Path) -> str:
            done = subprocess.run(
                [program, *words],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=PATIENCE,
            )
            assert done.returncode == 0, f"recsys {' '.join(map(str, words))}: {done.stderr}"
            return done.stdout

        def ask(draft: str, *words: str) -> None:
            answer = json.loads(run("recommend", EXAMPLES / draft, *words, "--format", "json"))
            titles = [item["title"] for item in answer["recommendations"]]
            assert titles, f"{draft} got no answer"
            sys.stdout.write(f"{draft} {' '.join(words)}: {len(titles)} papers, {titles[0]}\n")

        assert run("--version") == f"recsys {VERSION}\n"
        ask("draft.json")
        ask("paper.tex")
        run("build", EXAMPLES / "paper.bib", "--out", "own.index")
        ask("draft.json", "--index", "own.index")
        with served(program, environment) as address:
            draft = {"draft": json.loads((EXAMPLES / "draft.json").read_text(encoding="utf-8"))}
            question = Request(
                f"{address}v1/recommendations",
                json.dumps(draft).encode(),
                {"Content-Type": "application/json"},
            )
            with build_opener(ProxyHandler({})).open(question, timeout=PATIENCE) as answer:
                papers = json.load(answer)["recommendations"]
        assert papers, "the server has no answer"
        sys.stdout.write(f"serve: {len(papers)} papers\n")


@contextmanager
def served(program: str, environment: dict[str, str]) -> Iterator[str]:
    """Serve the starter corpus; give the address."""
    command = [program, "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            lines = list[str]()
            for line in server.stderr:
                lines.append(line)
                if found := re.search(r"http://\S+", line):
                    yield found[0]
                    return
            raise AssertionError(f"recsys serve: {''.join(lines)}")
        finally:
            server.terminate()


def main(words: list[str]) -> int:
    """Check the checkout, or what is installed in a folder; return the exit code."""
    if len(words) != 1:
        sys.exit(__doc__)
    why = None
    if words[0] == "checkout":
        why = refusal()
    else:
        try:
            use(Path(words[0]))
        except AssertionError as error:
            why = str(error)
    if why:
        sys.stderr.write(f"error: This is not released. {why}\n")
    return int(bool(why))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
