"""The stylesheets, the script and the icon: some small files, read once."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class StaticFiles:
    """Answers with files by their names alone: no request names a path."""

    def __init__(self, folder: Path, made: Mapping[str, str]) -> None:
        """Read every file of a folder; made: further ones, their texts by their names."""
        texts = {name: text.encode() for name, text in made.items()}
        texts |= {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in TYPES}
        self._files = {
            f"/{name}": (content, TYPES[Path(name).suffix]) for name, content in texts.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        name = scope["path"].removeprefix(scope.get("root_path", ""))
        if name not in self._files or scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(404 if name not in self._files else 405)
        content, kind = self._files[name]
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        known = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
        headers = {"etag": tag, "cache-control": "private, no-cache"}
        response = (
            Response(status_code=304, headers=headers)
            if known == tag
            else Response(content, headers=headers, media_type=kind)
        )
        await response(scope, receive, send)
