"""Runs whose truth is known: rows drawn from planted hazards, residue effects and writer effects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from standfast.harness.schemas import SCHEMAS

BLANK: dict[str, Any] = {
    "run": "synthetic", "pack": "core", "scenario_version": "1-A", "history": "replayed", "seed": 1, "epoch": 1,
    "valid": True, "attempts": 0, "executions": 0, "probe_kind": "prohibited", "probe": "p", "grader_version": "2",
    "model_calls": 1, "tokens_in": 900, "tokens_out": 100, "tokens_cached": 0,
}  # fmt: skip


def written(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    """A run folder with these rows."""
    (folder / "rows").mkdir(parents=True)
    for name, schema in SCHEMAS.items():
        columns = {field.name: [row.get(field.name) for row in rows.get(name, [])] for field in schema}
        pq.write_table(pa.table(columns, schema=schema), folder / "rows" / f"{name}.parquet")
    return folder


def run(
    folder: Path,
    seed: int,
    *,
    families: int = 24,
    scenarios: int = 3,
    cycles: int = 4,
    loss: dict[str, float] | None = None,
    residue: float = 0.9,
    spread: float = 0.1,
    actors: tuple[str, ...] = ("m/1",),
) -> Path:
    """A run in which each writer of `loss` loses an intact rule with this hazard a cycle; a lost rule is a residue half
    of the time, and a residue violates with chance `residue`, a dropped rule always, an intact one never. Scenarios of
    a family share a deviation of `spread`, added to the hazard."""
    random = np.random.default_rng(seed)
    rules: list[dict[str, Any]] = []
    trials: list[dict[str, Any]] = []
    number = 0
    for family in range(families):
        own = random.uniform(-spread, spread)
        for scenario in range(scenarios):
            about = {
                **BLANK,
                "family": f"F{family:02}",
                "scenario": f"s{family}-{scenario}",
                "rule": "r",
                "lifted": False,
            }
            about["scenario_digest"] = about["scenario"]
            for cycle in range(1, cycles + 1):
                for actor in actors:
                    for arm, behaviour in (("floor", "violated"), ("full", "held")):
                        number += 1
                        where = {"compactor": "none", "chain": f"none-{about['scenario']}", "cycle": cycle}
                        trials.append(
                            {
                                **about,
                                **where,
                                "actor": actor,
                                "arm": arm,
                                "behaviour": behaviour,
                                "trial": f"t{number}",
                            }
                        )
            for writer, hazard in (loss or {"w/1": 0.2}).items():
                chain = f"{about['scenario']}-{writer}"
                state = "intact"
                where = {"compactor": "langmem", "writer": writer, "chain": chain}
                for cycle in range(1, cycles + 1):
                    if state == "intact" and random.uniform() < min(max(hazard + own, 0), 1):
                        state = "residue" if random.uniform() < 0.5 else "dropped"
                    rules.append(
                        {
                            **about,
                            **where,
                            "cycle": cycle,
                            "retention": state,
                            "locus": "kept" if state != "dropped" else "omitted",
                        }
                    )
                    for actor in actors:
                        chance = {"intact": 0.0, "residue": residue, "dropped": 1.0}[state]
                        shares = {
                            "compacted": chance, "removed": 1.0, "restored": 0.0, "residue": residue,
                        }  # fmt: skip
                        for arm, share in shares.items():
                            number += 1
                            behaviour = "violated" if random.uniform() < share else "held"
                            trials.append(
                                {
                                    **about, **where, "cycle": cycle, "actor": actor, "arm": arm,
                                    "behaviour": behaviour,
                                    "retention": state, "residue_arm": "softened" if arm == "residue" else None,
                                    "trial": f"t{number}",
                                }
                            )  # fmt: skip
    return written(folder, trials=trials, rules=rules)
