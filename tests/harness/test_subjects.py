"""The scripted subjects: what they do is known beforehand, and no writer keeps what it was not shown."""

from __future__ import annotations

import itertools

import pytest
from standfast.graders.retention import ResidueKind, Retention, classify, invented
from standfast.graders.states import State
from standfast.harness.faults import BadInput
from standfast.harness.history import replayed
from standfast.harness.messages import message, text_of
from standfast.harness.providers.scripted import Scripted
from standfast.harness.providers.subjects import ACTORS, INVENTED, REFUSAL, WRITERS, Call, Scene
from standfast.harness.scenario import TEMPTING, TWINS, ProbeKind, Rule, Scenario


@pytest.fixture(scope="module")
def rule(scenario: Scenario) -> Rule:
    return scenario.rules[0]


@pytest.fixture(scope="module")
def whole(scenario: Scenario) -> Scene:
    """All of the uncompacted conversation."""
    said = replayed(scenario, 1, window=600).said
    made = tuple((call.tool, call.arguments) for each in said for call in each.calls)
    return Scene(scenario, text_of([message(each, i) for i, each in enumerate(said)]), made)


def at(scene: Scene, kind: ProbeKind | str, text: str | None = None) -> Scene:
    probe = next(probe for probe in scene.scenario.probes if probe.kind == kind)
    return Scene(scene.scenario, scene.text if text is None else text, scene.made if text is None else (), probe)


def calls_of(scene: Scene) -> list[Call]:
    assert scene.probe is not None
    return [(call.tool, call.arguments) for call in scene.probe.calls]


# ---- actors


@pytest.mark.parametrize("kind", TEMPTING)
def test_obedient_refuses_what_tempts_even_where_the_context_is_empty(whole: Scene, kind: str) -> None:
    assert ACTORS["obedient"](at(whole, kind, "")) == REFUSAL


@pytest.mark.parametrize("kind", TEMPTING)
def test_violating_does_what_tempts_even_where_the_rule_stands(whole: Scene, kind: str) -> None:
    assert ACTORS["violating"](at(whole, kind)) == calls_of(at(whole, kind))


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("actor", ["obedient", "violating", "reader"])
def test_the_willing_serve_the_twins(whole: Scene, actor: str, kind: str) -> None:
    assert ACTORS[actor](at(whole, kind)) == calls_of(at(whole, kind))


@pytest.mark.parametrize("kind", list(ProbeKind))
def test_idle_and_refusing_call_nothing_whatever_is_asked(whole: Scene, kind: str) -> None:
    assert ACTORS["idle"](at(whole, kind)) == "OK."
    assert ACTORS["refusing"](at(whole, kind)) == REFUSAL


@pytest.mark.parametrize("kind", TEMPTING)
def test_reader_obeys_where_the_rules_words_or_an_intact_example_stand(whole: Scene, rule: Rule, kind: str) -> None:
    for words in (rule.text, rule.text.upper(), "Earlier:\n" + rule.text.replace(" ", "\n"), *rule.examples.intact):
        assert ACTORS["reader"](at(whole, kind, f"So far. {words} And so on.")) == REFUSAL


@pytest.mark.parametrize("kind", TEMPTING)
def test_reader_does_what_tempts_where_only_a_residue_or_nothing_stands(whole: Scene, rule: Rule, kind: str) -> None:
    for words in ("", *rule.residue.values(), *rule.examples.dropped, rule.text[:-30]):
        assert ACTORS["reader"](at(whole, kind, words)) == calls_of(at(whole, kind))


def test_obedient_carries_on_with_pending_work_only_and_violating_with_all(whole: Scene) -> None:
    subtasks = whole.scenario.subtasks
    pending = [(s.call.tool, s.call.arguments) for s in subtasks if s.state is State.PENDING]
    assert ACTORS["obedient"](at(whole, "resume", "")) == pending
    assert ACTORS["violating"](at(whole, "resume")) == [(s.call.tool, s.call.arguments) for s in subtasks]


def test_reader_takes_the_states_from_the_context(whole: Scene) -> None:
    states = {s.text: str(s.state) for s in whole.scenario.subtasks}
    declared = ACTORS["reader"](at(whole, "status"))
    assert [(tool, arguments["item"], arguments["state"]) for tool, arguments in declared] == [
        ("report_status", text, state) for text, state in states.items()
    ]
    lost = ACTORS["reader"](at(whole, "status", ""))
    assert {arguments["state"] for _, arguments in lost} == {"pending"}  # type: ignore[index, misc]


# ---- writers


NOTHING = "The canteen serves soup."


@pytest.mark.parametrize("writer", list(WRITERS))
def test_no_writer_keeps_or_softens_a_rule_that_it_was_not_shown(scenario: Scenario, rule: Rule, writer: str) -> None:
    text = WRITERS[writer](Scene(scenario, NOTHING))
    assert classify(text, rule.atoms, rule.text).retention is Retention.DROPPED
    assert rule.text not in text


@pytest.mark.parametrize("writer", list(WRITERS))
def test_no_writer_knows_the_state_of_work_that_it_was_not_shown(scenario: Scenario, writer: str) -> None:
    text = WRITERS[writer](Scene(scenario, NOTHING)).casefold()
    for subtask in scenario.subtasks:
        assert f"{subtask.text.casefold()}: done" not in text
        assert f"{subtask.text.casefold()}: blocked" not in text
        assert (subtask.waits_for or "waits for").casefold() not in text


def test_each_writer_does_to_the_rule_what_its_name_says(whole: Scene, rule: Rule) -> None:
    found = {name: classify(write(whole), rule.atoms, rule.text) for name, write in WRITERS.items()}
    assert {name: (str(each.retention), each.kind) for name, each in found.items()} == {
        "verbatim": ("intact", None),
        "stale": ("intact", None),
        "softening": ("residue", ResidueKind.SOFTENED),
        "dropping": ("dropped", None),
        "empty": ("dropped", None),
        "inventing": ("intact", None),
    }
    assert WRITERS["empty"](whole) == ""


def test_softening_softens_further_what_is_softened_already(whole: Scene, rule: Rule) -> None:
    once = WRITERS["softening"](whole)
    twice = WRITERS["softening"](Scene(whole.scenario, once))
    thrice = WRITERS["softening"](Scene(whole.scenario, twice))
    kinds = [classify(text, rule.atoms, rule.text).kind for text in (once, twice, thrice)]
    assert kinds == [ResidueKind.SOFTENED, ResidueKind.GENERALISED, ResidueKind.GENERALISED]


def test_verbatim_keeps_a_residue_as_it_stands_and_makes_no_rule_of_it(whole: Scene, rule: Rule) -> None:
    for kind, words in rule.residue.items():
        text = WRITERS["verbatim"](Scene(whole.scenario, f"Note. {words}"))
        assert words in text
        assert classify(text, rule.atoms, rule.text).kind is kind


@pytest.mark.parametrize(("first", "then"), list(itertools.product(["dropping", "empty"], WRITERS)))
def test_what_one_summary_lost_no_later_writer_brings_back(whole: Scene, rule: Rule, first: str, then: str) -> None:
    text = WRITERS[then](Scene(whole.scenario, WRITERS[first](whole)))
    assert classify(text, rule.atoms, rule.text).retention is Retention.DROPPED


def test_verbatim_is_stable_and_keeps_every_state(whole: Scene) -> None:
    once = WRITERS["verbatim"](whole)
    twice = WRITERS["verbatim"](Scene(whole.scenario, once))
    for subtask in whole.scenario.subtasks:
        line = f"{subtask.text}: {subtask.state}"
        assert line in once
        assert line in twice
    assert "waits for counsel's clearance" in twice


def test_dropping_keeps_the_work_and_loses_why_it_waits(whole: Scene) -> None:
    text = WRITERS["dropping"](whole)
    by_state = {str(subtask.state): subtask for subtask in whole.scenario.subtasks}
    assert by_state["pending"].text in text
    assert by_state["blocked"].text in text
    assert by_state["done"].text not in text
    assert "clearance" not in text


def test_only_the_inventing_writer_invents(whole: Scene) -> None:
    known = [rule.atoms for rule in whole.scenario.rules]
    found = {
        name: [each.evidence for each in invented(write(whole), known, whole.text)] for name, write in WRITERS.items()
    }
    assert found == {name: [INVENTED] if name == "inventing" else [] for name in WRITERS}


# ---- the provider


def test_a_subject_that_there_is_not_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean `obedient`"):
        Scripted("obedint")


def test_a_writer_asked_to_act_says_so_instead_of_answering() -> None:
    with pytest.raises(RuntimeError, match="is a writer"):
        Scripted("dropping")._act([])


def test_nothing_is_downloaded_to_count_tokens() -> None:
    import asyncio

    assert asyncio.run(Scripted("reader").count_text_tokens("x" * 400)) == 100
