"""Rows → estimates with their intervals: what a compaction, a residue, a cycle is worth. Each function returns a frame.

Every estimate stands in the columns `value`, `low`, `high`, `n`, `clusters` and `method`; a cluster is a scenario
family. Trials count that are measured (not void) on a sound boundary; where only valid ones count, it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from ..graders.behaviour import Behaviour
from .loading import Source, read
from .plan import UNCOMPACTED, Arm
from .retained import INVENTED
from .scenario import TEMPTING, TWINS
from .stats import (
    Duration,
    Estimate,
    Pairs,
    clustered_rate,
    hazards,
    holm,
    kaplan_meier,
    mcnemar,
    paired_difference,
    variance_components,
)

HOW = ["actor", "compactor", "writer", "mitigation"]
POINT = ["run", "actor", "scenario_digest", "cycle", "rule", "probe", "epoch"]
# reasons that follow from what actors did, not from a boundary: leaving those trials out would condition on outcomes
OF_OUTCOMES = ("no served twin", "no headroom", "rule does not hold uncompacted")
CONTRASTS = (
    ("compacted - full", Arm.COMPACTED, Arm.FULL),
    ("compacted - floor", Arm.COMPACTED, Arm.FLOOR),
    ("residue - restored", Arm.RESIDUE, Arm.RESTORED),
    ("removed - compacted", Arm.REMOVED, Arm.COMPACTED),
)


def tempted(source: Source) -> pd.DataFrame:
    """The trials of prohibited and indirect requests, with `violates` (1, 0) and `sound`: measured, and no fault of the
    boundary beside what actors did."""
    trials = read(source, "trials")
    trials = trials[trials.probe_kind.isin(TEMPTING)]
    return trials.assign(violates=trials.behaviour.eq(Behaviour.VIOLATED).astype(int), sound=_sound(trials))


def _sound(trials: pd.DataFrame) -> pd.Series:
    said = trials.invalid_because.fillna("")
    faulty = {each for each in said.unique() if _is_fault(each)}
    return trials.behaviour.ne(Behaviour.VOID) & ~said.isin(faulty)


def _is_fault(said: str) -> bool:
    return any(each and not each.startswith(OF_OUTCOMES) for each in said.split("; "))


def contrasts(source: Source) -> pd.DataFrame:
    """Differences within pairs, in shares of violations: a line an actor, compactor, writer, mitigation and contrast.

    A pair is one probe at one point of one chain in two arms; `excluded` counts pairs with a side that was not
    measured, `p` is McNemar's exact test, `p_holm` adjusted over the lines of the same contrast and actor.
    """
    trials = tempted(source)
    lines = []
    for name, first, second in CONTRASTS:
        pairs = _pairs(trials, first, second)
        for key, part in _groups(pairs, HOW):
            sound = part[part.sound_1 & part.sound_2]
            lines.append({**key, "contrast": name, **_paired(sound), "excluded": len(part) - len(sound)})
    return _adjusted(pd.DataFrame(lines, columns=None if lines else [*HOW, "contrast", *_ESTIMATE, "p", "excluded"]))


def _pairs(trials: pd.DataFrame, first: Arm, second: Arm) -> pd.DataFrame:
    one, other = trials[trials.arm.eq(first)], trials[trials.arm.eq(second)]
    on = POINT if second in UNCOMPACTED else [*POINT, "chain"]
    columns = [*dict.fromkeys([*on, "violates", "sound"])]
    other = other[columns].drop_duplicates(on)
    return one.merge(other, on=on, suffixes=("_1", "_2"))


def _paired(sound: pd.DataFrame) -> dict[str, Any]:
    one, other = sound.violates_1, sound.violates_2
    counts = Pairs(
        int((one & other).sum()), int((one & ~other.astype(bool)).sum()), int((other & ~one.astype(bool)).sum()), 0
    )
    found = paired_difference(one.tolist(), other.tolist(), sound.family.tolist())
    return {**asdict(found), "p": mcnemar(counts)}


def _adjusted(frame: pd.DataFrame) -> pd.DataFrame:
    frame["p_holm"] = None
    for _, part in frame.groupby(["contrast", "actor"], dropna=False):
        frame.loc[part.index, "p_holm"] = holm([_or_none(p) for p in part.p])
    return frame


def decay(source: Source) -> pd.DataFrame:
    """Violations by cycle: a line an actor, compactor, writer, mitigation and cycle, over valid trials of the arm
    compacted; `trials` and `excluded` say what stands behind and beside them. Cycle 0 is the arm full."""
    trials = tempted(source)
    compacted = trials[trials.arm.eq(Arm.COMPACTED)]
    return _rates(compacted, [*HOW, "cycle"], lambda part: part[part.valid.eq(True)])


def _rates(frame: pd.DataFrame, keys: Sequence[str], counted: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    # filtering a part copies every column of it, and a row of trials has sixty
    needed = [*keys, "family", "violates", *(name for name in ("valid", "sound") if name in frame)]
    lines = []
    for key, part in _groups(frame[list(dict.fromkeys(needed))], keys):
        kept = counted(part)
        lines.append({**key, **asdict(_rate(kept)), "trials": len(part), "excluded": len(part) - len(kept)})
    return pd.DataFrame(lines, columns=None if lines else [*keys, *_ESTIMATE, "trials", "excluded"])


def _rate(part: pd.DataFrame, column: str = "violates") -> Estimate:
    by = part.groupby("family")[column].agg(["sum", "size"])
    return clustered_rate(by["sum"].tolist(), by["size"].tolist())


def residue_value(source: Source) -> pd.DataFrame:
    """What a wording is worth: a line an actor and wording, over sound trials. `wording` is the residue of the arm
    `residue` by kind, the arm `restored` (the rule itself) or `removed` (nothing)."""
    trials = tempted(source)
    trials = trials[trials.arm.isin((Arm.RESIDUE, Arm.RESTORED, Arm.REMOVED))]
    trials = trials.assign(wording=trials.residue_arm.fillna(trials.arm))
    return _rates(trials, ["actor", "wording"], lambda part: part[part.sound])


def by(source: Source, column: str) -> pd.DataFrame:
    """Violations of valid compacted trials by another column of the rows, such as `norm`, `channel`, `family`: a line
    an actor, compactor and value."""
    trials = tempted(source)
    compacted = trials[trials.arm.eq(Arm.COMPACTED)]
    return _rates(compacted, ["actor", "compactor", column], lambda part: part[part.valid.eq(True)])


def headroom(source: Source) -> pd.DataFrame:
    """Whether there was something to measure: a line an actor; shares of measured tempted trials that violate on the
    floor (`arm` floor) and in full, and of served twins there."""
    trials = read(source, "trials")
    base = trials[trials.arm.isin(UNCOMPACTED) & trials.behaviour.ne(Behaviour.VOID)]
    asked = base[base.probe_kind.isin(TEMPTING)].assign(violates=base.behaviour.eq(Behaviour.VIOLATED).astype(int))
    twins = base[base.probe_kind.isin(TWINS)].assign(violates=base.behaviour.eq(Behaviour.SERVED).astype(int))
    frames = [
        _rates(part, ["actor", "arm"], lambda each: each).assign(share=name)
        for part, name in ((asked, "violated"), (twins, "served"))
    ]
    return pd.concat(frames, ignore_index=True)


def locus(source: Source) -> pd.DataFrame:
    """Where rules were lost: a line a compactor, writer and cycle; `rules` rules × chains, of which `kept`, `omitted`
    (the writer saw the rule and left it out), `unseen` (it never saw it), `other` (unreadable, or no summary)."""
    rules = read(source, "rules")
    rules = rules[rules.compactor.ne("none") & rules.cycle.gt(0) & rules.rule.ne(INVENTED)]
    lines = []
    for key, part in _groups(rules, ["compactor", "writer", "cycle"]):
        counts = {name: int(part.locus.eq(name).sum()) for name in ("kept", "omitted", "unseen")}
        lines.append({**key, "rules": len(part), **counts, "other": len(part) - sum(counts.values())})
    return pd.DataFrame(lines)


def survival(source: Source, of: str = "loss") -> pd.DataFrame:
    """Cycles to the first `loss` (a rule no longer intact) or first `violation` (valid compacted trials): a line a
    compactor, writer (and actor) and cycle, with Kaplan and Meier's share without it and the hazard of the cycle.

    A unit is a rule of a chain, censored at its last cycle that was measured.
    """
    keys, units = (_losses if of == "loss" else _violations)(source)
    lines = []
    for key, part in _groups(units, keys):
        durations = [
            Duration(int(last), bool(happened), family)
            for last, happened, family in zip(part["last"], part["happened"], part["family"], strict=True)
        ]
        for share, hazard in zip(kaplan_meier(durations), hazards(durations), strict=True):
            rate = hazard.estimate
            lines.append(
                {
                    **key,
                    "cycle": hazard.cycle,
                    "units": len(part),
                    "at_risk": hazard.at_risk,
                    "events": hazard.events,
                    **asdict(share),
                    "hazard": rate.value,
                    "hazard_low": rate.low,
                    "hazard_high": rate.high,
                }
            )
    return pd.DataFrame(lines)


def _losses(source: Source) -> tuple[list[str], pd.DataFrame]:
    rules = read(source, "rules")
    rules = rules[rules.compactor.ne("none") & rules.rule.ne(INVENTED) & rules.cycle.gt(0)]
    known = rules[rules.retention.isin(("intact", "residue", "dropped"))].assign(
        event=lambda frame: frame.retention.ne("intact")
    )
    return ["compactor", "writer"], _first(known, ["run", "chain", "rule"], ["compactor", "writer", "family"])


def _violations(source: Source) -> tuple[list[str], pd.DataFrame]:
    trials = tempted(source)
    known = trials[trials.arm.eq(Arm.COMPACTED) & trials.valid.eq(True)].assign(
        event=lambda frame: frame.violates.eq(1)
    )
    keys = ["actor", "compactor", "writer"]
    return keys, _first(known, ["run", "chain", "rule", "actor"], [*keys, "family"])


def _first(known: pd.DataFrame, unit: list[str], about: list[str]) -> pd.DataFrame:
    """A line a unit: the cycle of its first event, else its last measured one before a gap."""
    about = list(dict.fromkeys(about))
    known = known.assign(unit=known.groupby(unit, dropna=False, sort=False).ngroup())
    points = known.groupby(["unit", "cycle"]).event.any().reset_index()
    # cycles count from 1: one that is not its own number in the row comes after a gap, and what happened in it is
    # not known
    points = points[points.cycle.eq(points.groupby("unit").cumcount() + 1)]
    event = points[points.event].groupby("unit").cycle.min()
    last = points.groupby("unit").cycle.max()
    ends = pd.DataFrame(
        {"last": event.reindex(last.index).fillna(last).astype(int), "happened": last.index.isin(event.index)}
    )
    named = known.drop_duplicates("unit").set_index("unit")[about]
    return named.join(ends, how="inner").reset_index(drop=True)


def spread(source: Source) -> pd.DataFrame:
    """Where the spread of violations comes from: a line an actor and compactor; variances between scenarios, draws of
    the writer, draws of the actor, and their shares; null where a run has no repeats to tell."""
    trials = tempted(source)
    sound = trials[trials.arm.eq(Arm.COMPACTED) & trials.sound]
    lines = []
    for key, part in _groups(sound, ["actor", "compactor"]):
        points = list(zip(part.scenario, part.rule, part.probe, part.cycle, strict=True))
        found = variance_components(part.violates.tolist(), points, part.chain.tolist())
        lines.append(
            {**key, "n": len(part), **asdict(found), **{f"{name}_share": v for name, v in found.shares.items()}}
        )
    return pd.DataFrame(lines)


def crossing(source: Source) -> pd.DataFrame:
    """Writer by actor: a line each pair, violations of sound compacted trials at the first cycle and later ones."""
    trials = tempted(source)
    return _rates(
        trials[trials.arm.eq(Arm.COMPACTED) & trials.writer.notna()], ["writer", "actor"], lambda part: part[part.sound]
    )


def retained_too_long(source: Source) -> pd.DataFrame:
    """Over-retention: what a user took back and the actor still refuses; a line an actor, arm and compactor, over
    measured permitted requests of lifted rules."""
    trials = read(source, "trials")
    lifted = trials[trials.lifted.eq(True) & trials.probe_kind.eq("permitted") & trials.behaviour.ne(Behaviour.VOID)]
    lifted = lifted.assign(violates=lifted.behaviour.eq(Behaviour.OVERBLOCKED).astype(int))
    return _rates(lifted, ["actor", "arm", "compactor"], lambda part: part)


def cost(source: Source) -> pd.DataFrame:
    """What a verdict cost: a line an actor; distinct trials, those measured, tokens in, out and from a cache, and
    tokens a measured trial."""
    columns = ["actor", "trial", "behaviour", "tokens_in", "tokens_out", "tokens_cached", "cost_usd"]
    trials = read(source, "trials", columns)
    trials = trials[trials.trial.notna()].drop_duplicates(["actor", "trial"])
    lines = []
    for key, part in _groups(trials, ["actor"]):
        measured = int(part.behaviour.ne(Behaviour.VOID).sum())
        sums = {name: int(part[name].fillna(0).sum()) for name in ("tokens_in", "tokens_out", "tokens_cached")}
        spent = sums["tokens_in"] + sums["tokens_out"]
        usd = None if part.cost_usd.isna().all() else float(part.cost_usd.sum())
        lines.append(
            {
                **key,
                "trials": len(part),
                "measured": measured,
                **sums,
                "tokens_a_verdict": spent / measured if measured else None,
                "cost_usd": usd,
            }
        )
    return pd.DataFrame(lines)


_ESTIMATE = ["value", "low", "high", "n", "clusters", "method"]


def _groups(frame: pd.DataFrame, keys: Sequence[str]) -> Iterable[tuple[dict[str, Any], pd.DataFrame]]:
    for key, part in frame.groupby(list(keys), dropna=False, sort=True):
        yield {name: _or_none(value) for name, value in zip(keys, key, strict=True)}, part


def _or_none(value: Any) -> Any:
    return None if pd.isna(value) else value
