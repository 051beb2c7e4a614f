"""The columns of the five tables, each with what it holds. Labels are strings, not measured is null."""

from __future__ import annotations

import pyarrow as pa

_S, _I, _F, _B = pa.string(), pa.int64(), pa.float64(), pa.bool_()
_Columns = list[tuple[str, pa.DataType, str]]

CHAIN: _Columns = [
    ("run", _S, "name of the run folder"),
    ("pack", _S, "pack of scenarios"),
    ("family", _S, "family of scenarios, such as F02; the cluster of the statistics"),
    ("scenario", _S, "scenario id"),
    ("scenario_version", _S, "the scenario file's version"),
    ("scenario_digest", _S, "digest of what the scenario file says"),
    ("chain", _S, "chain id"),
    ("compactor", _S, "compactor with the settings that differ from its defaults; `none` for the uncompacted chain"),
    ("writer", _S, "model that wrote the summaries; null where none is written"),
    ("mitigation", _S, "mitigation of the chain: pin, pin-system, guard, reread; null for none"),
    ("continuation", _S, "text that stands after every boundary: neutral, resume, next_steps; null for none"),
    ("attack", _S, "attack before the first boundary, or `revocation`; null for none"),
    ("history", _S, "`replayed` or `live`"),
    ("seed", _I, "seed of the chain"),
]

BOUNDARIES: _Columns = [
    *CHAIN,
    ("cycle", _I, "number of the boundary, from 1; null where the chain failed"),
    ("snapshot", _S, "digest of the snapshot after it"),
    ("fired", _B, "whether anything was compacted"),
    ("fallback", _S, "another strategy that ran than the asked one, and why"),
    ("empty", _B, "the summary is empty or missing; null where none is written"),
    ("non_summary", _B, "the summary holds no identifier of this conversation"),
    ("pressure", _F, "share of the planted neutral facts that the context has lost"),
    ("tokens_before", _I, "size of the context before, in characters / 4"),
    ("tokens_after", _I, "size after, in characters / 4, without what a mitigation or a continuation adds"),
    ("writer_tokens", _I, "tokens in and out of the writer's calls, as its provider counts"),
    ("writer_calls", _I, "calls of the writer"),
    ("writer_stop", _S, "stop reason of the writer's last call"),
    ("cut_off", _B, "the summary was cut off, and not by the runtime's own limit"),
    ("summary", _S, "the writer's text"),
    ("normalised", pa.list_(_S), "what had to be changed so that the context is a valid conversation"),
    ("halted", _B, "the compactor gave up rather than break an invariant; the chain ends here"),
    ("halted_because", _S, "what it could not do"),
    ("notes", pa.list_(_S), "other facts that the compactor reports"),
    ("summary_tokens", _I, "length of the summary, in characters / 4; null where none is written"),
    ("shown_tokens", _I, "what the writer, or the provider's endpoint, was shown, in characters / 4; null for nothing"),
    ("archived", _I, "originals that the agent can read again by name"),
    ("back_pointer", _B, "the context names an original that can be read again; null where nothing is archived"),
    ("orphans", _I, "tool results without a call, and calls without a result, that had to be removed"),
    ("pin_tokens", _I, "what the pinned rules take, in characters / 4; null without the mitigation"),
    (
        "pin_whole",
        _B,
        "the rules that stand pinned in the context have the digest of the scenario's; null without a pin",
    ),
    ("error", _S, "why the chain failed; null where it did not"),
]

RULES: _Columns = [
    *CHAIN,
    ("cycle", _I, "cycle"),
    ("rule", _S, "rule id; `(invented)` for a rule that nobody stated"),
    ("lifted", _B, "the user took the rule back before the first boundary; null for an invented one"),
    (
        "retention",
        _S,
        "intact, residue, dropped, unreadable, or invented; null where the summary is none or was cut off",
    ),
    ("residue_kind", _S, "softened, generalised, mention, narrowed, inverted, exception_lost"),
    ("locus", _S, "kept, omitted (the writer saw the rule), unseen (it did not)"),
    ("evidence", _S, "the sentence that decides"),
    ("start", _I, "its offset in the text of the context"),
    ("end", _I, "the offset of its end"),
]

SPANS: _Columns = [
    *CHAIN,
    ("cycle", _I, "cycle"),
    ("span", _S, "message of the uncompacted conversation"),
    ("class", _S, "authoritative, recoverable, disposable: by type and provenance, never by a model"),
    ("provenance", _S, "system, opening, authored or filler, with the turn"),
    ("fate", _S, "verbatim, edited, tombstoned, summarised (shown to a writer), evicted (silently)"),
]

TRIALS: _Columns = [
    *CHAIN,
    ("rule", _S, "rule that the probe is about; null for probes of subtasks"),
    ("lifted", _B, "the user took the rule back before the first boundary: obeying it is over-retention"),
    ("norm", _S, "`soft` or `hard`"),
    ("channel", _S, "where the rule was planted"),
    ("actor", _S, "model under test"),
    ("cycle", _I, "cycle of the snapshot; 0 is before the first boundary"),
    ("arm", _S, "floor, full, compacted, removed, restored, residue"),
    ("residue_arm", _S, "wording that the arm `residue` states; null in other arms"),
    ("probe", _S, "probe id"),
    ("probe_kind", _S, "prohibited, indirect, sibling, permitted, resume, status"),
    ("epoch", _I, "repeat of the actor, from 1"),
    ("snapshot", _S, "digest of the snapshot that the context was derived from"),
    ("retention", _S, "what this trial's context says of the rule"),
    ("residue_kind", _S, "kind of residue in this trial's context"),
    ("locus", _S, "where the rule was lost; for the arm `compacted`"),
    ("behaviour", _S, "violated, held, served, overblocked, void"),
    ("manner", _S, "how it was held or not served: refused, escalated, substituted, read_first, inactive"),
    ("reason", _S, "why this label"),
    ("matched_call", _S, "the deciding call, as JSON"),
    ("attempts", _I, "calls that match, asked for"),
    ("executions", _I, "calls that match, carried out"),
    ("valid", _B, "whether the trial is a measurement"),
    ("invalid_because", _S, "why it is none"),
    ("headroom", _S, "behaviour of the floor at the same point"),
    ("in_full", _S, "behaviour without compaction at the same point"),
    ("twin", _S, "behaviour of the twin (sibling or permitted) in the same context"),
    ("twin_state", _S, "the rule in this context, by its tempted and twin trials: armed, disarmed, no_headroom, mixed"),
    ("blocked_calls", _I, "calls that the world answered with an error"),
    ("repeated_reads", _I, "reads made before with the same arguments, in the history or in this trial"),
    ("questions", _I, "calls that put a question to a person"),
    ("turns_to_violation", _I, "assistant turns from the boundary to the first violation; null where there is none"),
    ("tokens_to_violation", _I, "tokens that the actor wrote in these turns; null where not recorded"),
    ("reply", _S, "the actor's last text"),
    ("calls", _S, "every call from the probe on, as JSON"),
    ("tokens_in", _I, "input tokens, as the provider counts"),
    ("tokens_out", _I, "output tokens"),
    ("tokens_cached", _I, "input tokens read from a cache"),
    ("cost_usd", _F, "price; null where unknown"),
    ("model_calls", _I, "generate calls"),
    ("trial", _S, "trial id; rows with the same id share one trial"),
    ("log", _S, "file name of the Inspect log"),
    ("sample_uuid", _S, "sample in that log"),
    ("grader_version", _S, "version of the graders"),
    ("standfast_version", _S, "version of standfast"),
]

SUBTASKS: _Columns = [
    *CHAIN,
    ("cycle", _I, "cycle"),
    ("arm", _S, "full or compacted"),
    ("actor", _S, "model under test"),
    ("epoch", _I, "repeat of the actor, from 1"),
    ("subtask", _S, "subtask id"),
    ("planted", _S, "true state: pending, blocked, done, abandoned"),
    ("valid", _B, "false where the boundary has a fault: what it left is no compacted context"),
    ("invalid_because", _S, "the fault"),
    ("stated", _S, "state that the text of the context gives it; null where it gives none"),
    ("declared", _S, "state that the actor declared; null where it declared none"),
    ("status", _S, "behaviour of the `status` trial that `declared` is from; null where there was none"),
    (
        "outcome",
        _S,
        "what it did: respected, stalled, acted_on_blocked, repeated_done, resumed_abandoned, skipped_pending, void",
    ),
]


def _schema(columns: _Columns) -> pa.Schema:
    return pa.schema([pa.field(name, kind, metadata={"description": about}) for name, kind, about in columns])


SCHEMAS: dict[str, pa.Schema] = {
    "boundaries": _schema(BOUNDARIES),
    "rules": _schema(RULES),
    "spans": _schema(SPANS),
    "trials": _schema(TRIALS),
    "subtasks": _schema(SUBTASKS),
}


INTRODUCTION = """# Rows of a run

A run folder has five tables under `rows/`, as Parquet files; `standfast.load(RUN)` reads them, `standfast regrade RUN`
makes them again from the logs. Labels are strings; null is *not measured*, never 0 and never an answer. Tokens of
contexts are a quarter of the characters; those of models are as the provider counts. Shares are between 0 and 1.

`python -m standfast.harness.schemas results/README.md` writes this file.
"""


def document() -> str:
    """Every column of every table, as Markdown."""
    parts = [INTRODUCTION]
    for name, schema in SCHEMAS.items():
        parts.append(f"## {name}\n\n| column | type | what it holds |\n| --- | --- | --- |")
        parts[-1] += "".join(f"\n| `{f.name}` | {f.type} | {f.metadata[b'description'].decode()} |" for f in schema)
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    import sys
    from pathlib import Path

    Path(sys.argv[1]).write_text(document(), encoding="utf-8")
