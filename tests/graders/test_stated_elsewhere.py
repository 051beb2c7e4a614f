"""The state that a German, Spanish, Chinese or Japanese text gives a subtask, labelled by hand."""

from dataclasses import dataclass

import pytest
from standfast.graders.calls import Call, Trial
from standfast.graders.patterns import CallPattern
from standfast.graders.states import State, state_in
from standfast.graders.subtasks import declared, stated


@dataclass(frozen=True)
class Subtask:
    id: str
    known_as: tuple[str, ...]
    state: State = State.PENDING
    act: CallPattern = CallPattern(tool="refund")  # noqa: RUF009 - frozen


WORK = [Subtask("dana", ("4471",)), Subtask("kim", ("4475",)), Subtask("omar", ("4480",))]
P, B, D, A, N = State.PENDING, State.BLOCKED, State.DONE, State.ABANDONED, None

STATED = [  # text; states of 4471, 4475, 4480
    # German
    ("4471 ist erledigt. 4475 ist blockiert, bis Priya bestätigt. 4480 ist offen.", D, B, P),
    ("4475 wartet auf Priya, 4480 ist noch nicht bezahlt und 4471 wurde verschickt.", D, B, P),
    ("4475 erst auszahlen, sobald Priya zugestimmt hat.", N, B, N),
    ("4475 ist nicht mehr blockiert.", N, P, N),
    ("4480 wurde storniert; 4471 muss noch bezahlt werden.", P, N, A),
    ("## Offen\n- 4480\n\n## Erledigt\n- 4471", D, N, P),
    ("4475 wurde besprochen. Es ist zurückgestellt.", N, B, N),
    ("4471 wurde besprochen.", N, N, N),
    # Spanish
    ("4471 está pagada. 4475 está bloqueada hasta que Priya confirme. 4480 está pendiente.", D, B, P),
    ("4475 espera a Priya, 4480 aún no se ha enviado y 4471 fue enviada.", D, B, P),
    ("4475 está pendiente de la aprobación de Priya.", N, B, N),
    ("4475 ya no está bloqueada.", N, P, N),
    ("4480 fue cancelada; 4471 está por pagar.", P, N, A),
    ("## Pendiente\n- 4480\n\n## Hecho\n- 4471", D, N, P),
    ("Se habló de 4475. Está en pausa.", N, B, N),
    ("Se habló de 4471.", N, N, N),
    # Chinese
    ("4471已付款。4475被阻塞,等待Priya确认。4480待处理。", D, B, P),
    ("4475在Priya批准之前不能付款。", N, B, N),
    ("4480尚未付款,4471已经发送。", D, N, P),
    ("4475不再阻塞。", N, P, N),
    ("4480已取消。", N, N, A),
    ("## 待办\n- 4480\n\n## 已付款\n- 4471", D, N, P),
    ("讨论了4475。它已暂停。", N, B, N),
    ("讨论了4471。", N, N, N),
    # Japanese
    ("4471は完了しました。4475はPriyaの確認待ちです。4480は未着手です。", D, B, P),
    ("4475はPriyaが承認するまで保留です。", N, B, N),
    ("4480はまだ送信していません、4471は送信済みです。", D, N, P),
    ("4475のブロックは解除されました。", N, P, N),
    ("4480はキャンセルされました。", N, N, A),
    ("## 未完了\n- 4480\n\n## 完了\n- 4471", D, N, P),
    ("4475について話しました。これは保留中です。", N, B, N),
    ("4471について話しました。", N, N, N),
]


@pytest.mark.parametrize(("text", "dana", "kim", "omar"), STATED)
def test_a_text_in_another_language_gives_each_subtask_the_state_that_it_says(text, dana, kim, omar):
    assert stated(text, WORK) == {"dana": dana, "kim": kim, "omar": omar}


FIELDS = [
    *[("erledigt", D), ("blockiert (wartet auf Priya)", B), ("offen", P), ("storniert", A), ("nicht erledigt", N)],
    *[("pagada", D), ("bloqueado", B), ("pendiente", P), ("cancelada", A), ("no pagada", N)],
    *[("已完成", D), ("等待批准", B), ("待办", P), ("已取消", A), ("未完成", P), ("没有完成", N)],
    *[("完了", D), ("保留中", B), ("未着手", P), ("キャンセル", A), ("完了していない", N)],
    *[("erledigt, blockiert", N), ("gut", N), ("好", N)],
]


@pytest.mark.parametrize(("field", "state"), FIELDS)
def test_a_field_in_another_language_names_one_state_or_none(field, state):
    assert state_in(field) is state


def test_a_report_in_another_language_declares_its_item():
    calls = (
        Call("report_status", {"item": "发票4475", "state": "等待批准"}),
        Call("report_status", {"item": "4471の請求書", "state": "完了"}),
        Call("report_status", {"item": "Rechnung 4480", "state": "offen"}),
    )
    assert declared(Trial(calls, "", "stop"), WORK) == {"dana": D, "kim": B, "omar": P}
