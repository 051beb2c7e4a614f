"""Two runs beside each other: paired where their cells match, and what does not match, with why. No verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from ..graders.behaviour import Behaviour
from .effects import tempted
from .faults import BadInput, nearest
from .folder import RunFolder
from .loading import Runs, read
from .plan import SELF, Arm
from .scenario import TWINS
from .stats import Pairs, mcnemar, paired_difference

# what two cells must have alike to be the same measurement of two models; a model that wrote for itself is `self`
CELL = ["scenario_digest", "compactor", "writer", "mitigation", "continuation", "attack", "cycle", "arm", "residue_arm",
        "rule", "probe", "epoch"]  # fmt: skip
SHARES = {"violated": "violations at prohibited and indirect requests", "overblocked": "permitted requests not done"}


@dataclass(frozen=True)
class Comparison:
    """Two runs: the models, the paired differences (A minus B), and what has no partner, by reason."""

    a: str
    b: str
    actors: tuple[str, str]
    differences: pd.DataFrame
    unmatched: pd.DataFrame
    settings: list[str]

    def as_data(self) -> dict[str, Any]:
        """The same as plain data; what was not measured is null."""
        import json

        frames = {"differences": self.differences, "unmatched": self.unmatched}
        return {"a": self.a, "b": self.b, "actors": list(self.actors), "settings": self.settings} | {
            name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()
        }


def compare(a: Runs, b: Runs, actors: Sequence[str] = ()) -> Comparison:
    """The comparison. `actors` names the model of A and that of B, or one for both; needed where a run has several.
    Raises BadInput where a model is not there, or has to be named."""
    one = _actor(a, actors[0] if actors else None)
    other = _actor(b, actors[-1] if actors else None)
    lines, unmatched = [], []
    for share in SHARES:
        first, second = _cells(a, one, share), _cells(b, other, share)
        both = first.merge(second, on=[*CELL, "draw"], suffixes=("_a", "_b"), how="outer", indicator=True)
        lines += _differences(both[both["_merge"].eq("both")], share)
        unmatched += _unmatched(both, first, second, share)
    names = ["share", "side", "because", "cells"]
    return Comparison(
        a.name, b.name, (one, other), pd.DataFrame(lines), pd.DataFrame(unmatched, columns=names), _settings(a, b)
    )


def _actor(run: Runs, named: str | None) -> str:
    there = sorted(str(each) for each in run.pandas("trials", ["actor"]).actor.dropna().unique())
    if named is not None:
        if named not in there:
            raise BadInput(
                run.name, f"has no trial of {named}{nearest(named, there)}; it has {', '.join(there) or 'none'}"
            )
        return named
    if len(there) != 1:
        raise BadInput(run.name, f"has {len(there)} models ({', '.join(there) or 'none'}); name one with --as")
    return there[0]


def _cells(run: Runs, actor: str, share: str) -> pd.DataFrame:
    """The cells of one model, each with `hit` and `sound`; `draw` numbers chains of one cell that differ in nothing
    else, such as the draws of a writer, in the order of their seeds."""
    trials = tempted(run) if share == "violated" else _twins(run)
    trials = trials.assign(writer=trials.writer.mask(trials.writer.eq(trials.actor), SELF))
    trials = trials[trials.actor.eq(actor)].sort_values(["seed", "chain"], kind="stable")
    trials = trials.assign(draw=trials.groupby(CELL, dropna=False).cumcount())
    return trials.rename(columns={"violates": "hit"})[[*CELL, "draw", "family", "scenario", "hit", "sound"]]


def _twins(run: Runs) -> pd.DataFrame:
    trials = read(run, "trials")
    trials = trials[trials.probe_kind.isin(TWINS)]
    hit = trials.behaviour.eq(Behaviour.OVERBLOCKED).astype(int)
    return trials.assign(violates=hit, sound=trials.behaviour.ne(Behaviour.VOID))


def _differences(both: pd.DataFrame, share: str) -> list[dict[str, Any]]:
    lines = []
    for key, part in both.groupby(["arm", "compactor", "cycle"], dropna=False, sort=True):
        lines.append({"share": share, **dict(zip(("arm", "compactor", "cycle"), map(_or_none, key), strict=True)),
                      **_paired(part)})  # fmt: skip
    for arm, part in both[both.arm.eq(Arm.COMPACTED)].groupby("arm"):
        lines.append({"share": share, "arm": arm, "compactor": "all", "cycle": None, **_paired(part)})
    return lines


def _paired(part: pd.DataFrame) -> dict[str, Any]:
    sound = part[part.sound_a.eq(True) & part.sound_b.eq(True)]
    one, other = sound.hit_a.astype(int), sound.hit_b.astype(int)
    found = paired_difference(one.tolist(), other.tolist(), sound.family_a.fillna("no family").tolist())
    only = int((one > other).sum()), int((other > one).sum())
    return {
        "a_k": int(one.sum()),
        "b_k": int(other.sum()),
        **asdict(found),
        "only_a": only[0],
        "only_b": only[1],
        "p": mcnemar(Pairs(int((one & other).sum()), *only, 0)),
        "not_measured": len(part) - len(sound),
    }


def _unmatched(both: pd.DataFrame, a: pd.DataFrame, b: pd.DataFrame, share: str) -> list[dict[str, Any]]:
    """The cells of one side alone, by the first thing that the other side has nowhere."""
    lines = []
    for side, there, merged in (("a", b, "left_only"), ("b", a, "right_only")):
        alone = both[both["_merge"].eq(merged)].rename(columns={f"scenario_{side}": "scenario"})
        has = {column: set(map(_or_none, there[column])) for column in [*CELL, "scenario"]}
        reasons = Counter(_because(each, has) for each in alone[[*CELL, "scenario"]].to_dict("records"))
        lines += [{"share": share, "side": side, "because": why, "cells": n} for why, n in reasons.items()]
    return lines


def _because(cell: Mapping[Any, Any], has: Mapping[str, set[Any]]) -> str:
    """Why a cell has no partner among what the other side has."""
    if cell["scenario"] not in has["scenario"]:
        return f"scenario {cell['scenario']} is not there"
    for column in CELL:
        value = _or_none(cell[column])
        if value not in has[column]:
            if column == "scenario_digest":
                return f"scenario {cell['scenario']} is another version there"
            return f"{column} {_text(value)} is not there"
    return "no such combination there, or fewer draws of the writer"


def _settings(a: Runs, b: Runs) -> list[str]:
    """What the two runs were asked for differently, but for the models; empty where a run does not say."""
    try:
        one, other = (RunFolder(run.folders[0]).asked().as_json() for run in (a, b))
    except BadInput:
        return []
    keys = [key for key in one if key not in ("models", "scenarios") and one[key] != other.get(key)]
    return [f"{key}: {one[key]} in A, {other.get(key)} in B" for key in keys]


def _text(value: Any) -> str:
    if value is None:
        return "(none)"
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def _or_none(value: Any) -> Any:
    return None if pd.isna(value) else value
