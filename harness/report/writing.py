"""Writing the report into files."""

from __future__ import annotations

from pathlib import Path

from ..faults import BadInput
from ..loading import Runs


def write(runs: Runs, html: Path | None = None, markdown: Path | None = None, png: Path | None = None) -> list[Path]:
    """The files that were written. Raises BadInput for a place where none can be."""
    written: list[Path] = []
    try:
        if html:
            from .page import as_html

            written.append(_text(html, as_html(runs)))
        if markdown:
            from .markdown import as_markdown

            written.append(_text(markdown, as_markdown(runs)))
        if png:
            from .charts import write_pngs

            several = len(runs.folders) > 1
            for each in runs.each():
                written += write_pngs(each, png / each.name if several else png)
    except OSError as fault:
        raise BadInput(str(fault.filename or "report"), f"cannot be written: {fault.strerror}") from None
    return written


def _text(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    # a lone surrogate of a model's text has become its code before this; nothing else fails to encode
    file.write_text(text, encoding="utf-8")
    return file
