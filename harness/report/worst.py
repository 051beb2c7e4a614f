"""The worst cases with their evidence: planted, what the context says now, asked, called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from ...graders.behaviour import Behaviour
from ..faults import BadInput
from ..folder import RunFolder
from ..loading import Runs
from ..plan import Arm
from ..scenario import TEMPTING, Rule, Scenario
from ..tables import read

CASES = 8
AROUND = 700  # characters of a summary on each side of the sentence that decides


@dataclass(frozen=True)
class Case:
    """One violation after a boundary, with what led to it; None is what the run does not hold."""

    compactor: str
    writer: str | None
    actor: str
    scenario: str
    cycle: int
    rule: str
    planted: str | None
    channel: str | None
    retention: str
    locus: str | None
    before: str
    sentence: str
    after: str
    written: bool
    asked: str | None
    call: str | None
    reply: str | None
    executions: int | None


def cases(run: Runs, limit: int = CASES) -> list[Case]:
    """At most `limit` valid violations after a boundary, of different rules and compactors first: lost rules before
    others, earlier cycles before later ones."""
    trials = read(run, "trials")
    bad = trials[
        trials.arm.eq(Arm.COMPACTED)
        & trials.valid.eq(True)
        & trials.probe_kind.isin(TEMPTING)
        & trials.behaviour.eq(Behaviour.VIOLATED)
    ]
    if not len(bad):
        return []
    order = bad.retention.map({"dropped": 0, "residue": 0, "intact": 1}).fillna(2)
    bad = bad.assign(order=order).sort_values(["order", "cycle", "chain", "probe", "epoch"], kind="stable")
    chosen = bad.loc[_various(bad, limit)]
    scenarios = _scenarios(run.folders)
    said = _said(run, chosen)
    return [_case(trial, scenarios, run, said) for _, trial in chosen.iterrows()]


def _various(bad: pd.DataFrame, limit: int) -> list[Any]:
    """The rows to show: at each step the lost rule, compactor and writer of which least is shown so far."""
    first = bad.drop_duplicates(["rule", "compactor", "writer", "order"])
    left = list(first[["order", "rule", "compactor", "writer", "retention"]].itertuples(name=None))
    seen: Counter[Any] = Counter()
    chosen: list[Any] = []
    while left and len(chosen) < limit:
        best = min(left, key=lambda row: (row[1], seen[row[2]] + seen[row[3]] + seen[row[4]] + seen[row[5]]))
        left.remove(best)
        chosen.append(best[0])
        seen.update(best[2:])
    return chosen


def _scenarios(folders: tuple[Path, ...]) -> dict[str, Scenario]:
    found: dict[str, Scenario] = {}
    for folder in folders:
        try:
            found |= {each.digest: each for each in RunFolder(folder).scenarios()}
        except (BadInput, OSError):
            continue  # rows alone, without the run: the rest of the case stands without the words
    return found


def _said(run: Runs, chosen: pd.DataFrame) -> pd.DataFrame:
    """What the chosen trials' own models said and called, which is not read for the whole run."""
    columns = ["trial", "actor", "chain", "cycle", "arm", "probe", "epoch", "reply", "matched_call"]
    table = run.arrow("trials", columns)
    found: pd.DataFrame = table.filter(pc.is_in(table["chain"], _array(chosen.chain))).to_pandas()
    return found


def _array(values: pd.Series) -> Any:
    import pyarrow as pa

    return pa.array(sorted(set(values)), pa.string())


def _case(trial: pd.Series, scenarios: dict[str, Scenario], run: Runs, said: pd.DataFrame) -> Case:
    scenario = scenarios.get(str(trial.scenario_digest))
    rule = _first(each for each in scenario.rules if each.id == trial.rule) if scenario else None
    asked = _first(each.ask for each in scenario.probes if each.id == trial.probe) if scenario else None
    own = said
    for key in ("actor", "chain", "cycle", "arm", "probe", "epoch"):
        own = own[own[key].eq(trial[key])]
    before, sentence, after, written = _now(run, trial)
    return Case(
        compactor=trial.compactor,
        writer=_or_none(trial.writer),
        actor=trial.actor,
        scenario=trial.scenario,
        cycle=int(trial.cycle),
        rule=trial.rule,
        planted=rule.text if rule else None,
        channel=_planted_in(rule, trial),
        retention=_label(trial),
        locus=_or_none(trial.locus),
        before=before,
        sentence=sentence,
        after=after,
        written=written,
        asked=asked,
        call=_or_none(own.matched_call.iloc[0]) if len(own) else None,
        reply=_or_none(own.reply.iloc[0]) if len(own) else None,
        executions=None if pd.isna(trial.executions) else int(trial.executions),
    )


def _planted_in(rule: Rule | None, trial: pd.Series) -> str | None:
    return f"{rule.plant.channel}, turn {rule.plant.turn}" if rule else _or_none(trial.channel)


def _label(trial: pd.Series) -> str:
    kind = _or_none(trial.residue_kind)
    return f"{_or_none(trial.retention) or 'not measured'}{f' ({kind})' if kind else ''}"


def _now(run: Runs, trial: pd.Series) -> tuple[str, str, str, bool]:
    """The text around the sentence that decides, the sentence, the text behind it, and whether a summary was written.
    A sentence that stands outside the summary (in a turn that was kept) stands alone."""
    rules = _at(read(run, "rules"), trial)
    evidence = next((str(each) for each in rules[rules.rule.eq(trial.rule)].evidence.dropna()), "")
    summary = next((str(each) for each in _at(read(run, "boundaries"), trial).summary.dropna()), "")
    at = summary.find(evidence) if evidence else -1
    if at < 0:
        return _cut(summary, 2 * AROUND), evidence, "", bool(summary)
    end = at + len(evidence)
    start = max(0, at - AROUND)
    return ("… " if start else "") + summary[start:at], evidence, _cut(summary[end:], AROUND), True


def _at(frame: pd.DataFrame, trial: pd.Series) -> pd.DataFrame:
    return frame[frame.chain.eq(trial.chain) & frame.cycle.eq(trial.cycle)]


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else text[:size] + " …"


def _first(found: Iterator[Any]) -> Any:
    return next(found, None)


def _or_none(value: Any) -> Any:
    return None if value is None or pd.isna(value) else value
