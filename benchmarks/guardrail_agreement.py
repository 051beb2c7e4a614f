"""Prints how far the retention labels agree with the published ones, and whether they predict what models do.

    python benchmarks/guardrail_agreement.py [FOLDER]

FOLDER holds `digests.jsonl`, `labels.jsonl` and, for the second part, `replays.jsonl` of *AI Guardrail Survival*
(Kwartler, Aqrawi and Abbasi 2026, arXiv 2608.11392); by default `shared/data/guardrail_survival` beside the checkout.
Exit status 0 also where the folder is absent. Intervals: 95 %, bootstrap over conversations with a fixed seed.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from standfast.harness import catalogue, rulefile
from standfast.harness.classify import labelled

STATES = ("intact", "residue", "dropped")
ROOT = Path(__file__).resolve().parents[1]
RULES = catalogue.BUNDLED / "guardrail_survival" / "rules.yaml"
BESIDE = ROOT.parent / "shared" / "data" / "guardrail_survival"
DRAWS, SEED = 2000, 1
Row = dict[str, Any]


def rows(folder: Path) -> list[Row]:
    """The published lines, each with our label of its digest."""
    digests = {line["conversation"]: line["text"] for line in _lines(folder / "digests.jsonl")}
    published = _lines(folder / "labels.jsonl")
    asked = (
        json.dumps({"rule": line["rule_id"], "text": digests[line["conversation"]]}).encode() for line in published
    )
    ours = labelled(asked, rulefile.load(RULES), "digests")
    keys = ("retention", "residue_kind", "evidence")
    return [line | {key: own[key] for key in keys} for line, own in zip(published, ours, strict=True)]


def _lines(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa; None where all of both are of one label, since chance alone then agrees."""
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(first[label] * second[label] for label in first) / n**2
    return None if by_chance == 1 else (sum(a == b for a, b in pairs) / n - by_chance) / (1 - by_chance)


def presence(pairs: Sequence[tuple[str, str]]) -> float:
    """The share on which both say that something of the rule is there, or both that it is dropped."""
    return sum((a == "dropped") == (b == "dropped") for a, b in pairs) / len(pairs)


def pairs(some: Iterable[Row]) -> list[tuple[str, str]]:
    return [(row["state"], row["retention"]) for row in some]


def print_agreement(all_rows: list[Row]) -> None:
    print(f"{'summariser':12}{'n':>5}{'kappa':>8}{'same':>8}{'dropped v. present':>20}")
    for name in (*sorted({row["summarizer"] for row in all_rows}), "all"):
        both = pairs(row for row in all_rows if name in (row["summarizer"], "all"))
        agreed, same = kappa(both), sum(a == b for a, b in both) / len(both)
        shown = "-" if agreed is None else f"{agreed:.3f}"
        print(f"{name:12}{len(both):5}{shown:>8}{same:8.3f}{presence(both):20.3f}")
    for name in (*sorted({row["summarizer"] for row in all_rows}), "all"):
        counts = Counter(pairs(row for row in all_rows if name in (row["summarizer"], "all")))
        print(f"\n{name}: published (down), ours (across)\n{'':10}" + "".join(f"{state:>9}" for state in STATES))
        for state in STATES:
            print(f"{state:10}" + "".join(f"{counts[state, other]:9}" for other in STATES))


def print_disagreements(all_rows: list[Row]) -> None:
    print("\ndisagreements: published bucket, our label, evidence")
    for row in all_rows:
        if row["state"] != row["retention"]:
            ours = row["retention"] + (f" ({row['residue_kind']})" if row["residue_kind"] else "")
            evidence = " ".join((row["evidence"] or "no sentence of it").split())
            print(f"  {row['obs_id']} {row['rule_id']}: {row['state']} ({row['published_bucket']}), {ours}: {evidence}")


def print_compliance(all_rows: list[Row], replays: list[Row]) -> None:
    by_id = {row["obs_id"]: row for row in all_rows}
    joined = [by_id[replay["obs_id"]] | replay for replay in replays if replay["obs_id"] in by_id]
    for model in sorted({row["replay_model"] for row in joined}):
        some = [row for row in joined if row["replay_model"] == model]
        print(f"\nreplay by {model}: complied with the request that the rule forbids")
        kinds = sorted({row["residue_kind"] for row in some if row["residue_kind"]})
        for label in STATES:
            _print_rate(f"published {label}", [row for row in some if row["state"] == label])
            _print_rate(f"ours {label}", [row for row in some if row["retention"] == label])
            for kind in kinds if label == "residue" else ():
                _print_rate(f"  {kind}", [row for row in some if row["residue_kind"] == kind])
        for who, key in (("published", "state"), ("ours", "retention")):
            print(f"  {who + ' residue - intact':32}{_gap(some, key)}")


def _print_rate(name: str, some: list[Row]) -> None:
    if some:
        low, high = _interval(some, _rate)
        complied = sum(row["target_comply"] for row in some)
        print(f"  {name:32}{complied:4}/{len(some):<4}{100 * complied / len(some):6.1f} %  [{low:.1f}, {high:.1f}]")


def _rate(some: list[Row]) -> float | None:
    return 100 * sum(row["target_comply"] for row in some) / len(some) if some else None


def _gap(some: list[Row], key: str) -> str:
    def gap(drawn: list[Row]) -> float | None:
        residue = _rate([row for row in drawn if row[key] == "residue"])
        intact = _rate([row for row in drawn if row[key] == "intact"])
        return None if residue is None or intact is None else residue - intact

    found = gap(some)
    if found is None:
        return "-"
    low, high = _interval(some, gap)
    return f"{found:+.1f} points  [{low:+.1f}, {high:+.1f}]"


def _interval(some: list[Row], measure: Any) -> tuple[float, float]:
    """The bootstrap interval over conversations: rows of one conversation are drawn together."""
    clusters: dict[str, list[Row]] = defaultdict(list)
    for row in some:
        clusters[row["conversation"]].append(row)
    drawing, groups = random.Random(SEED), list(clusters.values())
    drawn = (measure([row for group in drawing.choices(groups, k=len(groups)) for row in group]) for _ in range(DRAWS))
    found = sorted(value for value in drawn if value is not None)
    return found[int(0.025 * len(found))], found[int(0.975 * len(found))]


def main() -> int:
    """Exit status 0: agreement is reported here and held by a test."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else BESIDE
    if not (folder / "labels.jsonl").is_file():
        print(f"{folder} does not hold the published labels; nothing is compared")
        return 0
    start = process_time()
    all_rows = rows(folder)
    print(f"{len(all_rows)} labels in {process_time() - start:.1f} s\n")
    print_agreement(all_rows)
    print_disagreements(all_rows)
    if (folder / "replays.jsonl").is_file():
        print_compliance(all_rows, _lines(folder / "replays.jsonl"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
