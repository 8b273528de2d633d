"""The page that shows a run move: that of `polhode view`, for browsers and notebooks."""
from __future__ import annotations

import html
import os
import subprocess
import tempfile
import webbrowser
from typing import Any, Mapping, Sequence

from ._errors import UsageError
from ._program import model_file, program


class Page:
    """A self-contained page. A notebook displays it; `open` shows it in a browser, `save` keeps it."""

    def __init__(self, text: str, title: str) -> None:
        self.html, self.title = text, title

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write it to a file."""
        with open(file, "w", encoding="utf-8") as f:
            f.write(self.html)

    def open(self) -> None:
        """Show it in a browser, from a file that stays until the system tidies up."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as f:
            f.write(self.html)
        webbrowser.open(f"file://{f.name}")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="480" frameborder="0"></iframe>'

    def __repr__(self) -> str:
        return f"<page of '{self.title}': {len(self.html) // 1024} KiB>"


# Keys of run{} that no option of the program has; none of them changes what is seen.
_NOT_SHOWN = ("every", "max_iterations")


def page_of(model: Any, title: str, parameters: Mapping[str, float], options: Sequence[str]) -> Page:
    """Run it once more in the program, which writes the page."""
    if model is None:
        raise UsageError("a system of one's own has no shapes to show")
    arguments = []
    for name, value in parameters.items():
        arguments += ["--set", f"{name}={value!r}"]
    for key, said in (o.split("=", 1) for o in options):
        if key not in _NOT_SHOWN:
            arguments += ["--" + key.replace("_", "-")] if said == "true" else ["--" + key.replace("_", "-"), said]
    with tempfile.TemporaryDirectory() as folder, model_file(model) as file:
        to = os.path.join(folder, "page.html")
        done = subprocess.run([program(), "view", *file, *arguments, "-o", to, "--quiet"], capture_output=True, text=True)
        if not os.path.isfile(to):
            raise UsageError(done.stderr.strip().removeprefix("polhode: ") or f"polhode view ended with {done.returncode}")
        with open(to, encoding="utf-8") as f:
            return Page(f.read(), title)
