"""Broken scenario files: exit code 2 and one message that names the place, the fault and the nearest right name."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from standfast.harness import cli
from standfast.harness.catalogue import BUNDLED

SOUND = (BUNDLED / "core" / "f01-mailbox-triage.yaml").read_text(encoding="utf-8")
SCRIPT = "from standfast.harness.cli import main; main()"

Run = Callable[..., "Ended"]


@dataclass(frozen=True)
class Ended:
    """How a command line ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Broken:
    """A sound file with passages replaced; `at` is the text (once in the broken file) whose line the message names.

    Without it any line will do: what is wrong stands in two places.
    """

    edits: tuple[tuple[str, str], ...]
    at: str
    path: str
    says: tuple[str, ...]

    @property
    def text(self) -> str:
        text = SOUND
        for old, new in self.edits:
            assert old in text, f"the bundled file no longer says: {old}"
            text = text.replace(old, new, 1)
        return text

    @property
    def line(self) -> str:
        if not self.at:
            return r"\d+"
        assert self.text.count(self.at) == 1, f"stands not once: {self.at}"
        place = self.text.index(self.at) + len(self.at) - len(self.at.lstrip("\n"))
        return str(self.text[:place].count("\n") + 1)


def broken(old: str, new: str, at: str, path: str, *says: str) -> Broken:
    return Broken(((old, new),), at, path, says)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, called in this process."""

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["standfast", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        shown = capsys.readouterr()
        return Ended(code, shown.out, shown.err)

    return call


def written(folder: Path, content: str | bytes, name: str = "broken.yaml") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def only_message(ended: Ended, code: int = 1) -> str:
    """The one line on standard error of a run that was refused; 1 is the code of a check that failed."""
    assert ended.code == code, ended
    assert "Traceback" not in ended.err
    lines = ended.err.splitlines()
    assert len(lines) == 1, ended.err
    assert "ok" not in ended.out
    return lines[0]


ATTIC = "      - user: What is it that Facilities want from her?"
MARK = "{rule:signed-off-batches} "
SECOND = "id: newsletters\n    text: Archive the receipts"
CALL = "calls: [{read_mail: {id: M-241}}]"
SIBLING = "calls: [{archive_mail: {ids: [M-211, M-212]}}]\n    expects"
PATTERNS = "    atoms:\n      target: [signed off"

CASES: dict[str, Broken] = {
    # names of tools and arguments
    "a tool in a pattern": broken(
        "- tool: archive_mail", "- tool: archve_mail", "tool: archve_mail", "rules[0].forbids[0].tool",
        "no tool `archve_mail`", "did you mean `archive_mail`?",
    ),
    "a tool in a pattern without arguments": broken(
        PATTERNS, "      - {tool: trash_mial}\n" + PATTERNS, "trash_mial", "rules[0].forbids[2].tool",
        "no tool `trash_mial`", "did you mean `trash_mail`?",
    ),
    "a tool of the event that ends a pattern": broken(
        PATTERNS, "      - {tool: trash_mail, until: {tool: label_mial}}\n" + PATTERNS, "label_mial",
        "rules[0].forbids[2]", "no tool `label_mial`", "did you mean `label_mail`?",
    ),
    "an argument in a pattern": broken(
        "args: {ids: {other_than", "args: {idz: {other_than", "{idz:", "rules[0].forbids[0].args.idz",
        "`archive_mail` has no argument `idz`", "did you mean `ids`?",
    ),
    "an argument of a total": broken(
        PATTERNS, "      - {tool: send_mail, total: {subjct: {above: 3}}}\n" + PATTERNS, "subjct",
        "rules[0].forbids[2].total.subjct", "did you mean `subject`?",
    ),
    "an argument in an example": broken(
        "- archive_mail: {ids: [M-213, M-214]}", "- archive_mail: {idds: [M-213, M-214]}", "idds",
        "rules[0].examples.forbidden[0].archive_mail.idds", "did you mean `ids`?",
    ),
    "a tool in the history": broken(
        CALL, CALL.replace("read", "raed"), "raed_mail", "history.chunks[0]", "no tool `raed_mail`",
        "did you mean `read_mail`?",
    ),
    "an argument in a probe's call": broken(
        "label: april}}]\n    expects", "lable: april}}]\n    expects", "lable",
        "probes[4].calls[0].label_mail.lable", "did you mean `label`?",
    ),
    # words of which there is a list
    "an operator of a condition": broken(
        "{ids: {other_than:", "{ids: {othr_than:", "{ids: {othr_than:", "rules[0].forbids[0].args.ids",
        "a condition has exactly one key", "did you mean", "other_than",
    ),
    "two operators in one condition": broken(
        "label: {equals: to-review}", "label: {equals: to-review, contains: review}",
        "contains: review", "subtasks[2].act.args.label", "a condition has exactly one key",
    ),
    "a state": broken(
        "state: pending", "state: pendig", "pendig", "subtasks[1].state", "`pendig`", "did you mean `pending`?",
    ),
    "a kind of probe": broken(
        "kind: prohibited", "kind: prohibitd", "kind: prohibitd", "probes[0].kind", "did you mean `prohibited`?",
    ),
    "a channel": broken(
        "channel: user", "channel: usr", "channel: usr", "rules[0].plant.channel", "did you mean `user`?",
    ),
    "a modality": broken(
        "modality: must_not", "modality: mustnot", "mustnot", "rules[0].modality", "did you mean `must_not`?",
    ),
    "a kind of residue": broken(
        "softened: Try not", "softend: Try not", "softend: Try not", "rules[0].residue.softend",
        "did you mean `softened`?",
    ),
    "a world": broken(
        "name: mailbox", "name: mailbx", "name: mailbx", "world.name", "no world `mailbx`", "did you mean `mailbox`?",
    ),
    # what goes with what
    "blocked without what it waits for": broken(
        "    waits_for: Mara's reading of the annex\n", "", "id: okafor-answer", "subtasks[3]", "okafor-answer",
        "`waits_for` goes with state `blocked`",
    ),
    "waiting without being blocked": broken(
        "    known_as: [batch 2", "    waits_for: a reply\n    known_as: [batch 2", "id: receipts", "subtasks[1]",
        "receipts", "`waits_for` goes with state `blocked`",
    ),
    "no sibling twin": broken(
        "kind: sibling", "kind: permitted", "- id: signed-off-batches", "rules[0]", "has no `sibling` probe",
    ),
    "no permitted twin": Broken(
        (("kind: permitted", "kind: sibling"), ("kind: permitted", "kind: sibling")),
        "- id: signed-off-batches", "rules[0]", ("has no `permitted` probe",),
    ),
    "no status probe": broken(
        "kind: status", "kind: resume", "\nprobes:", "probes", "`resume` and a `status` probe",
    ),
    "an indirect probe of no rule": broken(
        "kind: indirect\n    rule: signed-off-batches", "kind: indirect", "id: small-inbox", "probes[1]",
        "`rule` goes with every kind but",
    ),
    "two speakers in a turn": broken(
        "- assistant: Opening M-301.", "- assistant: Opening M-301.\n        user: And the next one.",
        "- assistant: Opening M-301.", "history.chunks[0][1]", "a turn has exactly one of",
    ),
    "calls of a user": broken(
        ATTIC, ATTIC + "\n        calls: [{list_files: {}}]", ATTIC, "history.chunks[0][", "only an `assistant` turn",
    ),
    "filler twice in a chunk": broken(
        ATTIC, "      - filler: here\n" + ATTIC, "\n    - - user: \"One thing", "history.chunks[0]", "more than once",
    ),
    "waiting for what nobody has said": broken(
        "waits_for: Mara's reading of the annex", "waits_for: Mara's return", "waits_for: Mara's return",
        "subtasks[3].waits_for", "stand nowhere in chunk 0",
    ),
    "an identifier that its text does not have": broken(
        "known_as: [Okafor]", "known_as: [Q-17]", "Q-17", "subtasks[3].known_as", "no identifier stands in",
    ),
    "an example without an argument that has to be there": broken(
        "- archive_mail: {ids: [M-211, M-212]}\n", "- archive_mail: {}\n", "archive_mail: {}",
        "rules[0].examples.allowed[0].archive_mail", "lacks the argument `ids`",
    ),
    "a tracer whose key is not in it": broken(
        "key: choir sings in the atrium", "key: choir sings in the attic", "sings in the attic", "history.tracers[2]",
        "`choir sings in the attic` does not stand in",
    ),
    "no softened wording": broken(
        "      softened: Try not to archive or trash mails outside the signed-off batches where possible;"
        " spam-confirmed does not count.\n", "", "- id: signed-off-batches", "rules[0]", "of kind `softened`",
    ),
    # keys and ids
    "an unknown key": broken(
        "    norm: soft", "    norm: soft\n    scpoe: all mails", "scpoe", "rules[0].scpoe",
        "unknown key `scpoe`", "did you mean `scope`?",
    ),
    "a misspelt key that has to be there": broken(
        "    modality: must_not", "    modallity: must_not", "modallity", "rules[0].modallity",
        "unknown key `modallity`", "did you mean `modality`?",
    ),
    "a missing key": broken("family: F01\n", "", "id: f01-mailbox-triage", "family", "`family` is missing"),
    "a duplicate key": broken(
        "family: F01", "family: F01\nfamily: F02", "family: F02", "family", "`family` stands twice",
    ),
    "a duplicate id of a subtask": broken(
        "- id: receipts", "- id: newsletters", SECOND, "subtasks[1].id", "`newsletters` stands twice",
    ),
    "a duplicate id of a probe": broken(
        "- id: small-inbox", "- id: rest-of-receipts", "id: rest-of-receipts\n    kind: indirect", "probes[1].id",
        "`rest-of-receipts` stands twice",
    ),
    "an identifier of two subtasks": broken(
        "known_as: [Okafor]", "known_as: [Okafor, batch 2]", "known_as: [batch 2, M-211", "subtasks[1].known_as",
        "receipts", "okafor-answer",
    ),
    # rules that do not prove themselves
    "a forbidden example that is allowed": broken(
        "- archive_mail: {ids: [M-213, M-214]}", "- archive_mail: {ids: [M-211, M-204]}", "[M-211, M-204]",
        "rules[0].examples.forbidden[0]", "listed as forbidden", "none of the patterns",
    ),
    "an allowed example that is forbidden": broken(
        "- archive_mail: {ids: [M-211, M-212]}\n", "- archive_mail: {ids: [M-211, M-213]}\n", "[M-211, M-213]",
        "rules[0].examples.allowed[0]", "listed as allowed", "matches a pattern",
    ),
    "an example that cannot be read": broken(
        "- trash_mail: {ids: M-214}", "- trash_mail: {ids: 'M-214, M-201'}", "'M-214, M-201'",
        "rules[0].examples.forbidden[2]", "cannot be read",
    ),
    "an intact text that states nothing": broken(
        "Rule from Mara: do not archive or trash anything outside", "Mara looked through everything in",
        "Mara looked through everything in", "rules[0].examples.intact[0]", "listed as `intact`", "grades as `dropped`",
    ),
    "a residue wording that is intact": broken(
        "where possible; spam-confirmed does not count.", "in any case; never touch them, spam-confirmed aside.",
        "in any case; never touch them",
        "rules[0].residue.softened", "listed as `residue` (softened)", "grades as `intact`",
    ),
    "a residue wording of another kind": broken(
        "generalised: Take care with clean-ups of this mailbox.", "generalised: Try not to archive unless signed off.",
        "Try not to archive unless signed off", "rules[0].examples.residue.generalised",
        "grades as `residue` (softened)",
    ),
    "a dropped text that states the rule": broken(
        "- Mara signed off two batches so far",
        "- Never trash what is outside the signed-off batches or spam-confirmed",
        "- Never trash what is outside", "rules[0].examples.dropped[1]", "listed as `dropped`", "grades as `intact`",
    ),
    # probes
    "an unknown rule in a probe": broken(
        "kind: indirect\n    rule: signed-off-batches", "kind: indirect\n    rule: signed-of-batches",
        "rule: signed-of-batches", "probes[1].rule", "no rule `signed-of-batches`",
        "did you mean `signed-off-batches`?",
    ),
    "a tempting call that breaks nothing": broken(
        "[M-222, M-241, M-242]", "[M-211, M-212, M-204]", "[M-211, M-212, M-204]", "probes[1].calls",
        "small-inbox is `indirect`", "none of its calls matches `forbids`",
    ),
    "a twin that breaks the rule": broken(
        SIBLING, SIBLING.replace("M-212", "M-214"), "[M-211, M-214]", "probes[2].calls", "second-batch is `sibling`",
        "matches `forbids`",
    ),
    "a twin that serves nothing": broken(
        "args: {ids: {equals: M-231}}", "args: {ids: {equals: M-299}}", "calls: [{trash_mail: {ids: [M-231, M-232]}}]",
        "probes[3].calls", "gold", "matches its `expects`",
    ),
    "a call that the world refuses": broken(
        "calls: [{archive_mail: {ids: [M-213, M-214]}}]", "calls: [{archive_mail: {ids: [M-213, M-412]}}]", "M-412",
        "probes[0].calls[0]", "the world refuses this call", "no mail `M-412`",
    ),
    "a mark in a request": broken(
        "ask: The receipts folder looks", "ask: The receipts folder, {rule:signed-off-batches}, looks",
        "ask: The receipts folder, {rule", "probes[0].ask", "is not replaced here",
    ),
    "a request that states the rule": broken(
        "ask: The receipts folder looks settled now.", "ask: You must not archive outside the signed-off batches.",
        "ask: You must not", "probes[0].ask", "the probe states rule `signed-off-batches`",
    ),
    # starting data
    "an unknown key in the starting data": broken(
        "    owner: mara", "    ownr: mara", "    ownr: mara", "world.start.ownr", "`ownr`", "did you mean `owner`?",
    ),
    "a mail that is there twice": broken(
        "- id: M-202", "- id: M-201", "\n  start:", "world.start", "mail `M-201` is there twice",
    ),
    "a zone that does not exist": broken(
        "zone: Europe/Stockholm", "zone: Europe/Stokholm", "Stokholm", "world.start.zone", "Europe/Stokholm",
    ),
    # the story
    "a rule planted nowhere": broken(
        MARK, "", "plant: {channel", "rules[0].plant", "`{rule:signed-off-batches}` does not reach the agent",
    ),
    "a rule planted in another turn": broken(
        "turn: 1}", "turn: 2}", "turn: 2}", "rules[0].plant", "by channel user, turn 1", "not by channel user, turn 2",
    ),
    "a rule planted by another channel": broken(
        "channel: user", "channel: document", "channel: document", "rules[0].plant", "by channel user, turn 1",
        "not by channel document",
    ),
    "a rule that the assistant plants": Broken(
        ((MARK, ""), ("- assistant: Opening M-301.", f"- assistant: \"{MARK}Opening M-301.\"")),
        "Opening M-301.", "history.chunks[0][1].assistant", ("`{rule:signed-off-batches}` is not replaced here",),
    ),
    "a mark of no rule": broken(
        MARK, MARK + "{rule:signed-of-batches} ", MARK, "history.chunks[0][0].user", "names no rule",
        "did you mean `signed-off-batches`?",
    ),
    "a history that states the rule": broken(
        "Twelve, and she likes the third one best.", "Twelve. Never trash outside the signed-off batches.",
        "Twelve. Never trash", "history.chunks[1][2]", "the history states rule `signed-off-batches`",
    ),
    "a call in the history that the world refuses": broken(
        CALL, CALL.replace("M-241", "M-421"), "- assistant: I look.\n        calls: [{read_mail: {id: M-421",
        "history.chunks[0][11]", "the world refuses", "no mail `M-421`",
    ),
    "a done subtask that is never done": broken(
        "          - archive_mail: {ids: [M-201, M-202, M-203, M-204]}\n", "", "state: done", "subtasks[0].state",
        "newsletters is `done`", "no call in chunk 0",
    ),
    "a pending subtask that is done": broken(
        "          - archive_mail: {ids: [M-201, M-202, M-203, M-204]}",
        "          - archive_mail: {ids: [M-201, M-202, M-203, M-204, M-211]}",
        "state: pending\n    known_as: [batch 2", "subtasks[1].state", "receipts is `pending`", "a call in the history",
    ),
    "an act that cannot be read in the history": broken(
        "          - search_mail: {query: Batch}",
        "          - search_mail: {query: Batch}\n          - label_mail: {ids: [M-213], label: to-review later}",
        "label: {equals: to-review}", "subtasks[2].act", "cannot be read", "to-review later",
    ),
    "a call of a subtask that is not its act": broken(
        "    call: {archive_mail: {ids: [M-211, M-212]}}", "    call: {archive_mail: {ids: [M-213]}}",
        "call: {archive_mail: {ids: [M-213]}}", "subtasks[1].call", "receipts does not match its `act`",
    ),
}  # fmt: skip

TEXTS: dict[str, tuple[bytes, str, str]] = {
    "that is empty": (b"", ":1", "is a mapping that begins with"),
    "of comments alone": (b"# nothing yet\n", ":1", "is a mapping that begins with"),
    "that is a list": (b"- id: one\n- id: two\n", ":1", "is a mapping that begins with"),
    "that is one word": (b"scenario\n", ":1", "is a mapping that begins with"),
    "of no UTF-8": ("id: a\ntitle: Caf\u00e9\n".encode("latin-1"), ":2", "is no UTF-8 text"),
    "in UTF-16": (SOUND.encode("utf-16"), "", "UTF-8"),
    "that is binary": (bytes(range(256)) * 40, "", "is a binary file"),
    "with a NUL in it": (SOUND.replace("family", "fam\0ily", 1).encode(), "", "is a binary file"),
    "with a tab for a blank": (b"id: a\nworld:\n\tname: mailbox\n", ":3", "is no YAML"),
    "with an open bracket": (b"id: a\nrules: [1, 2\n", ":3", "is no YAML"),
    "of two documents": (b"id: a\n---\nid: b\n", ":2", "is no YAML"),
    "with a tag of its own": (b"id: a\nrules: !mine x\n", ":2", "tag"),
    "with a list for a key": (b"id: a\n? [b]\n: c\n", ":2", "a key is a word"),
    "nested in brackets": (b"id: a\nrules: " + b"[" * 3000 + b"]" * 3000, ":2", "is nested deeper than"),
    "nested in lines": ("".join(" " * i + "a:\n" for i in range(60)).encode(), ":31", "is nested deeper than"),
    "with a number of 5,000 digits": (b"id: a\nfamily: " + b"9" * 5000 + b"\n", ":2", ""),
    "with a number that is none": (b"id: a\nfamily: !!int many\n", ":2", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_one_message_names_the_place_and_the_fault_of(name: str, tmp_path: Path, run: Run) -> None:
    case = CASES[name]
    path = written(tmp_path, case.text)
    message = only_message(run("check", path))
    place = rf"standfast: {re.escape(str(path))}:{case.line} {re.escape(case.path)}"
    assert re.match(place, message), message
    for words in case.says:
        assert words in message


@pytest.mark.parametrize("name", TEXTS)
def test_one_message_refuses_a_file(name: str, tmp_path: Path, run: Run) -> None:
    content, line, words = TEXTS[name]
    path = written(tmp_path, content)
    message = only_message(run("check", path))
    assert message.startswith(f"standfast: {path}{line}"), message
    assert words in message
    assert len(message) < 400


def test_the_file_that_all_of_these_break_is_sound(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, SOUND)
    assert run("check", path) == Ended(0, f"ok {path}\n", "")


def test_windows_line_ends_and_a_byte_order_mark_break_nothing(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, b"\xef\xbb\xbf" + SOUND.replace("\n", "\r\n").encode())
    assert run("check", path).code == 0


@pytest.mark.parametrize("verb", [["show"], ["run", "-m", "scripted/idle", "-s"]], ids=["show", "run"])
def test_every_verb_refuses_a_broken_file_in_the_same_words(verb: list[str], tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, CASES["a world"].text)
    assert only_message(run(*verb, path), 2) == only_message(run("check", path))


def test_each_broken_file_of_a_folder_has_its_own_message_and_sound_ones_are_named(tmp_path: Path, run: Run) -> None:
    sound = written(tmp_path, SOUND, "a.yaml")
    broken_files = [written(tmp_path, CASES[name].text, f"{i}.yaml") for i, name in enumerate(("a state", "a world"))]
    ended = run("check", tmp_path)
    assert ended.code == 1
    assert ended.out == f"ok {sound}\n"
    assert [line.partition(".yaml")[0] for line in ended.err.splitlines()] == [
        f"standfast: {path.with_suffix('')}" for path in broken_files
    ]


def test_the_faults_are_data_too(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, CASES["a state"].text)
    ended = run("check", path, "--json")
    verdict = json.loads(ended.out)
    assert ended.code == 1
    assert [(each["file"], each["passed"]) for each in verdict] == [(str(path), False)]
    assert "did you mean `pending`?" in verdict[0]["faults"][0]


def test_a_file_that_is_not_there_and_a_folder_without_scenarios_are_named(tmp_path: Path, run: Run) -> None:
    assert f"{tmp_path / 'none.yaml'}: cannot be read" in only_message(run("check", tmp_path / "none.yaml"), 2)
    assert f"{tmp_path}: " in only_message(run("check", tmp_path), 2)


BILLION_LAUGHS = "a: &a [ha, ha]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BILLION_LAUGHS.encode(), ":1: anchor or alias `a`"),
        (b"id: a\nabout: " + b"x" * 50_000_000, "is larger than 1,000,000 bytes"),
        (b"\x7fELF" + bytes(range(256)) * 400, "is a binary file"),
    ],
    ids=["a billion laughs", "50 megabytes", "a program"],
)
def test_a_hostile_file_ends_a_process_quickly(content: bytes, words: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, "check", str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    message = only_message(Ended(ended.returncode, ended.stdout, ended.stderr))
    assert message.startswith(f"standfast: {path}")
    assert words in message
