"""The charts: Vega-Lite specifications, drawn as SVG for the page and as PNG for slides."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from .. import effects, tables
from ..loading import Source
from ..retained import INVENTED
from .answers import LOST, lost, where
from .visible import line

INK, LINE = "#010203", "#040506"  # stand-ins, which the page replaces by the reader's own colours
PAPER = {INK: "#1b1b1b", LINE: "#d5d5d5"}
PAGE = {INK: "currentColor", LINE: "var(--line)"}
# told apart with every kind of colour vision, and on light and dark ground alike
COLOURS = ["#0f7fc4", "#d9730d", "#12946e", "#c2569b", "#8a6fd1", "#9a7b0a", "#d0453e", "#5c8f1f"]


@dataclass(frozen=True)
class Chart:
    """A chart by name, its title, what it says for those who do not see it, and its specification."""

    name: str
    title: str
    says: str
    spec: dict[str, Any]

    def svg(self) -> str:
        """The chart as inline SVG, in the colours of the page that it stands in."""
        import vl_convert

        drawn = vl_convert.vegalite_to_svg(self.spec)
        for stand_in, colour in PAGE.items():
            drawn = drawn.replace(stand_in, colour)
        # two charts of one page must not share ids
        drawn = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{self.name}-", drawn)
        drawn = re.sub(
            r' xmlns:xlink="[^"]*"| aria-(?:label|roledescription)="[^"]*"| role="graphics-[^"]*"', "", drawn
        )
        head = f'<svg role="img" aria-label="{escape(self.says)}"'
        return re.sub(
            r"<svg([^>]*)>", rf"{_literal(head)}\1><title>{_literal(escape(self.title))}</title>", drawn, count=1
        )

    def png(self) -> bytes:
        """The chart as PNG on a white ground, twice as large as on the page."""
        import json

        import vl_convert

        text = json.dumps(self.spec)
        for stand_in, colour in PAPER.items():
            text = text.replace(stand_in, colour)
        return bytes(
            vl_convert.vegalite_to_png({**json.loads(text), "title": self.title, "background": "white"}, scale=2)
        )


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\")


def charts(source: Source) -> list[Chart]:
    """The charts of a run, of those that have anything to show."""
    makers: tuple[Callable[[Source], Chart | None], ...] = (_lost, _decay, _lost_by_family, _violated_by_family)
    return [chart for chart in (make(source) for make in makers) if chart is not None]


def write_pngs(source: Source, folder: Path) -> list[Path]:
    """The files that were written, one a chart."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for chart in charts(source):
        file = folder / f"{chart.name}.png"
        file.write_bytes(chart.png())
        files.append(file)
    return files


def _spec(chart: Any) -> dict[str, Any]:
    dressed = (
        chart.configure(background="transparent", font="system-ui, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, domainColor=LINE, tickColor=LINE, gridColor=LINE,
                        labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=320)
        .configure_header(labelColor=INK, titleColor=INK, labelFontSize=13, labelFontWeight="bold", title=None)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12, titleFontSize=12, labelLimit=320)
        .configure_title(color=INK)
    )  # fmt: skip
    spec: dict[str, Any] = dressed.to_dict()
    return spec


PERCENT = "%"


def _share(field: str, title: str) -> Any:
    import altair as alt

    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT, tickCount=5))


def _lost(source: Source) -> Chart | None:
    """The share of rules lost at the first boundary, with its interval: a line a compactor and writer."""
    import altair as alt

    found = [each for each in lost(source) if each.lost.n]
    if not found:
        return None
    frame = pd.DataFrame(
        [{"who": where(e.compactor, e.writer), "share": e.lost.k / e.lost.n, "low": e.lost.estimate.low,
          "high": e.lost.estimate.high} for e in found]
    )  # fmt: skip
    who = alt.Y("who:N", title=None, sort=list(frame.who))
    rule = alt.Chart(frame).mark_rule(strokeWidth=3, opacity=0.55, color=COLOURS[0])
    point = alt.Chart(frame).mark_point(filled=True, size=90, opacity=1, color=COLOURS[0])
    chart = alt.layer(
        rule.encode(y=who, x=_share("low", "rules lost at the first boundary"), x2="high:Q"),
        point.encode(y=who, x=_share("share", "rules lost at the first boundary")),
    )
    says = "; ".join(f"{where(e.compactor, e.writer)}: {e.lost.words}" for e in found)
    return Chart("lost", "Rules lost at the first boundary", says, _spec(chart.properties(width=360)))


def _decay(source: Source) -> Chart | None:
    """Violations by cycle with bands, a panel a model; with one cycle alone, points with their intervals."""
    import altair as alt

    frame = effects.decay(source)
    frame = frame[frame.value.notna()] if len(frame) else frame
    if not len(frame):
        return None
    frame = frame.assign(
        who=[line(_who(each)) for _, each in frame.iterrows()],
        model=frame.actor.map(line),
        cycle=frame.cycle.astype(int),
    )[["model", "who", "cycle", "value", "low", "high", "n"]]
    for column in ("value", "low", "high"):
        frame[column] = frame[column].astype(float)
    says = "; ".join(f"{e.model}, {e.who}, cycle {e.cycle}: {e.value:.0%} of {e.n}" for e in frame.itertuples())
    colour = alt.Color(
        "who:N", title=None, scale=alt.Scale(range=COLOURS), legend=alt.Legend(orient="bottom", columns=1)
    )
    if frame.cycle.max() > 1:
        x = alt.X("cycle:O", title="cycle", axis=alt.Axis(labelAngle=0))
        scale = alt.Scale(domain=[0, 1])
        y = alt.Y("value:Q", title="violated", scale=scale, axis=alt.Axis(format=PERCENT, tickCount=5))
        base = alt.Chart(frame)
        layered = alt.layer(
            base.mark_area(opacity=0.16).encode(x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour),
            base.mark_line(point=True, strokeWidth=2).encode(
                x=x, y=y, color=colour, strokeDash=alt.StrokeDash("who:N", legend=None)
            ),
        ).properties(width=330, height=210)
    else:
        who = alt.Y("who:N", title=None)
        base = alt.Chart(frame)
        layered = alt.layer(
            base.mark_rule(strokeWidth=3, opacity=0.55, color=COLOURS[1]).encode(
                y=who, x=_share("low", "violated after the first boundary"), x2="high:Q"
            ),
            base.mark_point(filled=True, size=90, opacity=1, color=COLOURS[1]).encode(
                y=who, x=_share("value", "violated after the first boundary")
            ),
        ).properties(width=360)
    chart = layered.facet(facet=alt.Facet("model:N", title=None), columns=1)
    return Chart("decay", "Violations by cycle, valid trials", says, _spec(chart))


def _who(each: pd.Series) -> str:
    """Compactor, mitigation and writer of a line."""
    treated = f" +{each['mitigation']}" if isinstance(each["mitigation"], str) else ""
    return where(f"{each['compactor']}{treated}", each["writer"] if isinstance(each["writer"], str) else None)


def _lost_by_family(source: Source) -> Chart | None:
    """Rules lost at the first boundary: a heat map of compactors and families."""
    rules = tables.read(source, "rules")
    rules = rules[rules.compactor.ne("none") & rules.cycle.eq(1) & rules.rule.ne(INVENTED)]
    rules = rules[rules.retention.isin(tables.RETENTIONS) & rules.family.notna()]
    if not len(rules):
        return None
    frame = _cells(rules.assign(hit=rules.retention.isin(LOST)), None)
    return _heat("families-lost", "Rules lost at the first boundary, by family of scenarios", frame)


def _violated_by_family(source: Source) -> Chart | None:
    """Violations of valid trials, all cycles: a heat map of compactors and families, a panel a model."""
    trials = effects.tempted(source)
    valid = trials[trials.arm.eq("compacted") & trials.valid.eq(True) & trials.family.notna()]
    if not len(valid):
        return None
    frame = _cells(valid.assign(hit=valid.violates.eq(1)), "actor")
    return _heat("families-violated", "Violations after compaction, by family of scenarios", frame)


def _cells(rows: pd.DataFrame, panel: str | None) -> pd.DataFrame:
    keys = ["compactor", "writer", "family", *([panel] if panel else [])]
    cells = rows.groupby(keys, dropna=False).hit.agg(["sum", "size"]).reset_index()
    who = [where(str(one), other if isinstance(other, str) else None)
           for one, other in zip(cells.compactor, cells.writer, strict=True)]  # fmt: skip
    return pd.DataFrame(
        {
            "who": who,
            "family": cells.family.map(line),
            "panel": cells[panel].map(line) if panel else "all",
            "share": cells["sum"] / cells["size"],
            "text": [f"{k}/{n}" for k, n in zip(cells["sum"], cells["size"], strict=True)],
        }
    )


def _heat(name: str, title: str, frame: pd.DataFrame) -> Chart:
    import altair as alt

    x = alt.X("family:N", title=None, axis=alt.Axis(labelAngle=0))
    y = alt.Y("who:N", title=None)
    colour = alt.Color(
        "share:Q", scale=alt.Scale(domain=[0, 1], range=["#dbe9f4", "#08457e"]),
        legend=alt.Legend(title="share", format=PERCENT, orient="bottom"),
    )  # fmt: skip
    ink = alt.condition("datum.share > 0.45", alt.value("#ffffff"), alt.value("#10233a"))
    base = alt.Chart(frame)
    both = alt.layer(base.mark_rect().encode(x=x, y=y, color=colour), base.mark_text(fontSize=11).encode(
        x=x, y=y, text="text:N", color=ink)).properties(width=alt.Step(46), height=alt.Step(24))  # fmt: skip
    says = "; ".join(
        f"{'' if e.panel == 'all' else f'{e.panel}, '}{e.who}, {e.family}: {e.text}" for e in frame.itertuples()
    )
    panels = frame.panel.nunique() > 1 or frame.panel.iloc[0] != "all"
    chart = both.facet(facet=alt.Facet("panel:N", title=None), columns=1) if panels else both
    return Chart(name, title, says, _spec(chart))
