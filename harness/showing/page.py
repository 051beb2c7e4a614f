"""A scenario as one HTML page for reviewers: it loads nothing, and every text of the scenario is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape

from ..history import Said
from .card import VOID, Card, ProbeCard, RuleCard

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --mark: #e6a70033; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
.meta { opacity: .75; margin-top: .2rem; }
.box { border: 1px solid var(--line); border-radius: .5rem; padding: .2rem 1rem .6rem; margin: 1rem 0; }
blockquote { margin: .6rem 0; padding: .4rem .9rem; border-left: 4px solid var(--line); background: var(--soft); }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: .3rem 0; }
table { border-collapse: collapse; width: 100%; } 
td, th { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; }
td { border-top: 1px solid var(--line); } .kind { white-space: nowrap; font-weight: 600; }
.said { margin: .5rem 0; padding: .3rem .8rem; border-radius: .4rem; border: 1px solid var(--line); }
.user { background: var(--soft); } .plants { background: var(--mark); } .tool { margin-left: 2rem; }
.who { font-size: .8rem; opacity: .7; } .boundary { text-align: center; opacity: .7; margin: 1.5rem 0; }
summary { cursor: pointer; }
"""


def as_html(card: Card) -> str:
    """The page."""
    s = card.scenario
    body = [
        f"<h1>{escape(s.title)}</h1>",
        f'<p class="meta">{escape(_meta(card))}</p>',
        f"<p>{escape(s.about.strip())}</p>",
        "<h2>Rules</h2>",
        *map(_rule, card.rules),
        "<h2>Subtasks, where they stand at the first boundary</h2>",
        _table(("subtask", "state", "work"), ((_code(id), escape(state), escape(t)) for id, state, t in card.subtasks)),
        "<h2>Probes, one ends a trial</h2>",
        f"<p>Every trial may also be void: {escape(VOID)}.</p>",
        *map(_probe, card.probes),
        "<h2>Conversation, as the agent sees it</h2>",
        "<p>Of filler one piece is shown, where a run puts as many as its window asks for.</p>",
        *_chunks(card),
        "<h2>Tools</h2>",
        _table(
            ("tool", "arguments", "what it does"),
            ((_code(name), escape(parameters), escape(about)) for name, parameters, about in card.tools),
        ),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(s.id)}</title>'
    top = f"<!doctype html>\n<html lang=en>\n<head>{head}<style>{STYLE}</style></head>\n<body>"
    return "\n".join([top, *body, "</body>\n</html>\n"])


def _meta(card: Card) -> str:
    s = card.scenario
    parts = [s.id, f"family {s.family}", f"version {s.version}", f"world {s.world.name}", f"language {s.language}"]
    return " · ".join([*parts, *([f"domain {s.domain}"] if s.domain else [])])


def _rule(rule: RuleCard) -> str:
    return "\n".join(
        [
            f'<div class="box"><h3>{_code(rule.id)}</h3>',
            f"<blockquote>{escape(rule.text)}</blockquote>",
            f"<p>{escape(' '.join(rule.meaning))}</p>",
            "<p>It is broken by</p>",
            _list(escape(each) for each in rule.broken_by),
            "<details><summary>What a summary may make of it</summary>",
            _list(f"<b>{escape(kind)}</b>: {escape(text)}" for kind, text in rule.residues),
            "</details></div>",
        ]
    )


def _probe(probe: ProbeCard) -> str:
    about = f" · {_code(probe.rule)}" if probe.rule else ""
    labels = ((f"<b>{label}</b>", escape(needs)) for label, needs in probe.labels if label != "void")
    return "\n".join(
        [
            f'<div class="box"><p><span class="kind">{probe.kind}</span>{about} · {_code(probe.id)}<br>',
            f"{escape(probe.what)}{f', at {escape(probe.at)}' if probe.at else ''}</p>",
            f"<blockquote>{escape(probe.ask)}</blockquote>",
            *(f"<p>Who does as asked calls {_code(call)}</p>" for call in probe.calls),
            _table(("label", "what it needs"), labels),
            "</div>",
        ]
    )


def _chunks(card: Card) -> Iterator[str]:
    for number, chunk in enumerate(card.chunks, 1):
        yield from map(_said, chunk)
        yield f'<p class="boundary">— boundary {number} —</p>'


def _said(said: Said) -> str:
    who = f"turn {said.turn} · {said.role}" if said.turn and said.role != "tool" else said.role
    if said.plants:
        who += f" · states {', '.join(said.plants)}"
    classes = " ".join(["said", said.role, *(["plants"] if said.plants else [])])
    calls = "".join(
        f"<pre>→ {escape(call.tool)}({escape(json.dumps(call.arguments, ensure_ascii=False))})</pre>"
        for call in said.calls
    )
    return f'<div class="{classes}"><div class="who">{escape(who)}</div>{_words(said)}{calls}</div>'


def _words(said: Said) -> str:
    if said.role != "tool":
        return f"<div>{escape(said.text).replace(chr(10), '<br>')}</div>"
    opened = " open" if said.origin == "authored" else ""
    name = escape(said.answers.tool if said.answers else "result")
    return f"<details{opened}><summary>{name}</summary><pre>{escape(said.text)}</pre></details>"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{top}</tr>\n{body}</table>"


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
