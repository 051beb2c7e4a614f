"""The report on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..comparing import Comparison
from ..loading import Source, as_runs
from .answers import sentences
from .compared import sheets
from .estimated import estimated
from .sheets import Sheet, counted
from .visible import visible

NOTE = (
    "A share is k/n; in tables of counts with its 95 % Wilson interval over trials, which are not independent; in the "
    "text and in tables of estimates with an interval clustered by scenario family. – is not measured."
)


def show(source: Source, console: Console) -> None:
    """Prints what a run found, and what was excluded."""
    run = as_runs(source)
    trials = run.pandas("trials", ["actor"])
    about = f"{len(trials)} trials, {trials.actor.nunique()} model(s)"
    console.print(Text(f"\nstandfast {visible(run.name)}: {about}\n", style="bold"))
    for sentence in sentences(run):
        console.print(Text(f"• {sentence}"))
    console.print()
    for sheet in [*counted(run), *estimated(run)]:
        console.print(_table(sheet))
        console.print()
    console.print(Text(NOTE, style="dim"))


def show_comparison(found: Comparison, console: Console) -> None:
    """Prints the paired differences of two runs, and what has no partner."""
    printed = sheets(found)
    for sheet in printed:
        console.print(_table(sheet))
        console.print()
    for setting in found.settings:
        console.print(Text(f"asked differently: {visible(setting)}"))
    if not any(sheet.title != "Without a partner" for sheet in printed):
        console.print(Text("No cell of one run is in the other: nothing can be compared."))


def _table(sheet: Sheet) -> Table:
    table = Table(
        title=Text(visible(sheet.title), style="bold"),
        caption=Text(visible(sheet.about), style="dim italic"),
        title_justify="left",
        caption_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for name in sheet.left:
        table.add_column(Text(name), no_wrap=name != "because", overflow="fold")
    for name in sheet.right:
        table.add_column(Text(name), justify="right", overflow="fold")
    for cells in sheet.lines:
        table.add_row(*map(Text, cells))
    return table
