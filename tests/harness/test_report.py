"""The report: one page that loads nothing and runs nothing, whatever a model wrote, with numbers that rows bear out."""

from __future__ import annotations

import importlib.util
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from standfast.harness import cli
from standfast.harness.loading import Runs
from standfast.harness.report import writing
from standfast.harness.report.charts import charts
from standfast.harness.report.markdown import as_markdown
from standfast.harness.report.page import as_html
from standfast.harness.report.visible import visible
from standfast.harness.stats import clustered_rate


def _synthetic() -> ModuleType:
    spec = importlib.util.spec_from_file_location("synthetic_runs", Path(__file__).with_name("synthetic.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


synthetic = _synthetic()
EVIL = "<script>alert(1)</script> [x](javascript:alert(2)) \x1b[31mred \u202egnp.exe <img src=x onerror=y>"


class Read(HTMLParser):
    """What a page holds: its tags with attributes, its texts, and whether every tag is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.opened: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.opened or self.opened.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def trial(number: int, behaviour: str, arm: str = "compacted", **besides: Any) -> dict[str, Any]:
    none = arm in ("floor", "full")
    return {
        **synthetic.BLANK, "family": "F01", "scenario": "s", "scenario_digest": "d", "rule": "r", "lifted": False,
        "chain": "none-s" if none else "c", "compactor": "none" if none else "langmem",
        "writer": None if none else "w/1", "actor": "m/1", "cycle": 1, "arm": arm, "trial": f"t{number}",
        "behaviour": behaviour, **besides,
    }  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which every text of a model, a file or a name wants out."""
    names = {"actor": EVIL, "compactor": f"c{EVIL}", "writer": f"w{EVIL}", "rule": f"r{EVIL}", "scenario": f"s{EVIL}"}
    said = {"reply": EVIL, "matched_call": json.dumps({"to": EVIL}, ensure_ascii=False), "reason": EVIL}
    trials = [
        trial(1, "violated", "floor", actor=EVIL),
        trial(2, "held", "full", actor=EVIL),
        trial(3, "violated", retention="residue", residue_kind="softened", locus="kept", **names, **said),
        trial(4, "void", valid=False, invalid_because=EVIL, **names),
    ]
    chain = {**trials[2], "summary": f"Before. {EVIL} After.", "fired": True, "tokens_before": 9, "tokens_after": 3}
    rules = [{**trials[2], "evidence": EVIL, "start": 8, "end": 8 + len(EVIL)}]
    boundaries = [chain, {**chain, "chain": "c2", "cycle": None, "error": EVIL}]
    folder = tmp_path_factory.mktemp("hostile") / "run"
    return synthetic.written(folder, trials=trials, rules=rules, boundaries=boundaries)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted") / "run"
    return synthetic.run(
        folder, 7, families=5, scenarios=2, cycles=2, loss={"w/1": 0.4, "w/2": 0.1}, actors=("m/1", "m/2")
    )


@pytest.fixture(scope="module")
def page(planted: Path) -> str:
    return as_html(Runs.of([planted]))


def outside(page: Read) -> list[tuple[str, str, str | None]]:
    """The attributes by which a page could load or run something."""
    return [
        (tag, name, value)
        for tag, attributes in page.tags
        for name, value in attributes.items()
        if name.startswith("on")
        or (name in ("src", "href", "xlink:href", "srcset", "action", "data") and not (value or "").startswith("#"))
        or "url(" in (value or "").replace("url(#", "")
    ]


@pytest.mark.parametrize("which", ["hostile", "planted"])
def test_the_page_loads_nothing_and_runs_nothing_and_is_well_formed(which: str, request: pytest.FixtureRequest) -> None:
    text = as_html(Runs.of([request.getfixturevalue(which)]))
    page = Read(text)
    assert page.wrong == []
    assert page.opened == []
    assert {tag for tag, _ in page.tags} & {
        "script",
        "img",
        "iframe",
        "link",
        "object",
        "embed",
        "base",
        "form",
    } == set()
    assert outside(page) == []
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)
    assert style
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_whatever_a_model_wrote_stands_there_as_text(hostile: Path) -> None:
    text = as_html(Runs.of([hostile]))
    shown = "".join(Read(text).texts)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "alert(1)" in shown
    assert '<span class="hidden-code">U+202E</span>' in text
    assert '<span class="hidden-code">U+001B</span>' in text
    sentence = re.search("<mark>(.*?)</mark>", text, re.DOTALL)
    assert sentence
    assert "".join(Read(sentence[1]).texts) == visible(EVIL).replace("⟦", "").replace("⟧", "")


def test_markdown_and_terminal_show_hostile_text_as_text(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    markdown = as_markdown(Runs.of([hostile]))
    cli.app(["report", str(hostile)], standalone_mode=False)
    for text in (markdown, capsys.readouterr().out):
        assert "\x1b[31m" not in text
        assert "\u202e" not in text
        assert "U+202E" in text
    assert "<script" not in markdown
    assert re.search(r"(?<!\\)\]\(", markdown) is None  # no bracket that is not escaped opens a link


def test_every_picture_and_table_is_named_and_headings_do_not_jump(page: str) -> None:
    read = Read(page)
    tags = read.tags
    assert tags[0] == ("html", {"lang": "en"})
    pictures = [attributes for tag, attributes in tags if tag == "svg"]
    assert len(pictures) == 4
    assert all(each["role"] == "img" and each["aria-label"] for each in pictures)
    assert page.count("<table>") == page.count("<caption>") > 10
    assert {attributes.get("scope") for tag, attributes in tags if tag == "th"} == {"col", "row"}
    levels = [int(tag[1]) for tag, _ in tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_stands_out_from_its_ground_in_light_and_dark(page: str) -> None:
    themes = [
        dict(re.findall(r"--([\w-]+): (#\w{6})", each)) for each in re.findall(r":root \{(.*?)\}", page, re.DOTALL)[:2]
    ]
    assert len(themes) == 2
    for theme in themes:
        for ink in ("ink", "soft", "code"):
            for ground in ("paper", "box"):
                assert contrast(theme[ink], theme[ground]) >= 4.5, (ink, ground, theme)
        assert contrast(theme["mark-ink"], theme["mark"]) >= 4.5


def answer(text: str) -> list[str]:
    """The sentences of the first screen."""
    part = re.search(r'<div class="answer".*?</div>', text, re.DOTALL)
    assert part
    return re.findall(r"<li>(.*?)</li>", part[0], re.DOTALL)


def of(hits: pd.Series, families: pd.Series) -> str:
    by = pd.DataFrame({"hit": hits.astype(int), "family": families}).groupby("family").hit.agg(["sum", "count"])
    found = clustered_rate(list(by["sum"]), list(by["count"]))
    assert found.low is not None
    assert found.high is not None
    share = f"{hits.mean():.0%}; 95% interval {found.low * 100:.0f}–{found.high * 100:.0f}%, {len(by)} families"
    return f"{hits.sum()} of {len(hits)} ({share})"


def test_every_number_of_the_first_screen_is_counted_again_from_the_rows(planted: Path, page: str) -> None:
    rules = pd.read_parquet(planted / "rows" / "rules.parquet")
    trials = pd.read_parquet(planted / "rows" / "trials.parquet")
    said = answer(page)
    expected = []
    for (compactor, writer), part in rules[rules.cycle == 1].groupby(["compactor", "writer"]):
        lost = part.retention != "intact"
        dropped, residue = (part.retention == "dropped").sum(), (part.retention == "residue").sum()
        words = f"the first boundary lost {of(lost, part.family)} of the rules: {dropped} dropped, {residue} left"
        expected.append(f"{compactor}, written by {writer}: {words} as a residue.")
    for actor, part in trials.groupby("actor"):
        compacted = part[(part.arm == "compacted") & (part.cycle == 1)]
        now, full, floor = (of(p.behaviour == "violated", p.family) for p in
                            (compacted, part[part.arm == "full"], part[part.arm == "floor"]))  # fmt: skip
        expected.append(
            f"{actor}: asked for what a rule forbids, it violated the rule in {now} (before compaction {full}, where "
            f"the rule was never stated {floor}). Excluded: 0 trials."
        )
    assert sorted(said) == sorted(expected)


def test_excluded_trials_are_counted_with_their_reasons_and_a_share_of_nothing_is_none(hostile: Path) -> None:
    folder = hostile.parent / "nothing"
    synthetic.written(folder, trials=[trial(1, "held", valid=False, invalid_because="empty summary; no headroom")])
    said = answer(as_html(Runs.of([folder])))
    assert said == [
        "No rule was followed over a boundary in this run.",
        "m/1: no valid trial after the first boundary, so nothing is said of it (before compaction none measured, "
        "where the rule was never stated none measured). Excluded: 1 "
        "trials, because: empty summary (1); no headroom (1).",
    ]


def test_a_run_of_nothing_has_a_page_without_any_share(tmp_path: Path) -> None:
    synthetic.written(tmp_path / "run")
    text = as_html(Runs.of([tmp_path / "run"]))
    assert "No valid trial after a boundary violated a rule" in text
    assert "0%" not in "".join(Read(text.partition("</style>")[2]).texts)
    assert charts(Runs.of([tmp_path / "run"])) == []


def test_the_verb_writes_page_markdown_pictures_and_data(
    planted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs.of([planted])
    written = writing.write(runs, tmp_path / "a" / "r.html", tmp_path / "r.md", tmp_path / "png")
    assert [file.name for file in written] == [
        "r.html", "r.md", "lost.png", "decay.png", "families-lost.png", "families-violated.png"
    ]  # fmt: skip
    assert all(file.read_bytes()[:4] == b"\x89PNG" for file in written[2:])
    cli.app(["report", str(planted), "--json"], standalone_mode=False)
    data = json.loads(capsys.readouterr().out)
    assert [line["actor"] for line in data["cross"]] == ["m/1", "m/2"]
    assert {"cross", "retention", "estimates"} <= set(data)
    assert {"contrasts", "decay", "locus", "cost"} <= set(data["estimates"])
