"""The report as one self-contained HTML page: it loads nothing, runs nothing, and shows every text as text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from importlib.resources import files

from ..loading import Runs
from . import charts as drawing
from .answers import did, did_words, loss_sentences, lost
from .charts import Chart
from .each_rule import each_rule
from .estimated import estimated
from .sheets import Sheet, counted
from .terminal import NOTE
from .visible import CODE, line, visible
from .worst import Case, cases


@dataclass(frozen=True)
class Part:
    """One section of a run: its charts and tables."""

    title: str
    charts: list[Chart]
    sheets: list[Sheet]


@dataclass(frozen=True)
class Page:
    """What the page says of one run."""

    name: str
    about: str
    losses: list[str]
    acts: list[str]
    parts: list[Part]
    cases: list[Case]


# section, its charts, and how the titles of its tables begin; what nobody claims stands in the last one
PARTS = (
    ("Does the rule still stand?", ("lost",), ("Does the rule still stand",)),
    ("Decay by cycle", ("decay",), ("Decay", "Rules that stand", "Rules not yet")),
    ("By runtime and family", ("families-lost", "families-violated"), ("What the compacted", "What became")),
    ("Each rule: what became of it, and what was then done", (), ("Each rule",)),
    ("Headroom and validity", (), ("Headroom", "Does the rule act", "Excluded", "Chains that failed")),
    ("Where rules were lost", (), ("Where rules were lost",)),
    ("What a residue is worth", (), ("Value of a residue", "By arm", "Differences within pairs")),
    ("By model", (), ("*what it did",)),
    ("Subtasks", (), ("*what it took the subtasks", "*each state")),
    ("Over-blocking and holding too long", (), ("Held too long",)),
    ("Cost", (), ("Cost", "What else it costs")),
    ("More", (), ("",)),
)


def as_html(runs: Runs) -> str:
    """The page."""
    from jinja2 import Environment
    from markupsafe import Markup

    environment = Environment(autoescape=True)
    environment.filters |= {"shown": _shown, "flat": line, "drawn": Markup}
    template = environment.from_string(files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8"))
    pages = [_page(each) for each in runs.each()]
    return template.render(runs=pages, names=line(runs.name), note=NOTE, version=version("standfast"))


def _shown(text: object) -> str:
    """The text, escaped, with every hidden character as a boxed code."""
    from markupsafe import Markup

    safe = escape(visible(str(text)))
    return Markup(CODE.sub(lambda code: f'<span class="hidden-code">{code[0][1:-1]}</span>', safe))


def _page(run: Runs) -> Page:
    trials = run.pandas("trials", ["actor", "scenario", "chain"])
    about = (
        f"{len(trials)} rows of trials, {trials.actor.nunique()} model(s), {trials.scenario.nunique()} scenario(s), "
        f"{trials.chain.nunique()} chain(s)"
    )
    acts = [did_words(each) for each in did(run)]
    return Page(run.name, about, loss_sentences(lost(run)), acts, _parts(run), cases(run))


def _parts(run: Runs) -> list[Part]:
    drawn = {chart.name: chart for chart in drawing.charts(run)}
    left = [*counted(run), *each_rule(run), *estimated(run)]
    parts = []
    for title, names, begins in PARTS:
        mine = [sheet for sheet in left if any(_begins(sheet, how) for how in begins)]
        left = [sheet for sheet in left if sheet not in mine]
        found = [drawn[name] for name in names if name in drawn]
        if mine or found:
            parts.append(Part(title, found, mine))
    return parts


def _begins(sheet: Sheet, how: str) -> bool:
    return f": {how[1:]}" in sheet.title if how.startswith("*") else sheet.title.startswith(how)
