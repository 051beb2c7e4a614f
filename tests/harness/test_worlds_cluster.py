"""The cluster: ids are told once, the list is hours old, and a cancelled job is gone whoever owned it."""

from typing import Any

import pytest
from standfast.harness.worlds.cluster import Cluster, ClusterStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "user": "ann",
    "quota": 2,
    "configs": {
        "wind": {"text": "grid: 4", "result": "loss 0.21"},
        "rain": {"text": "grid: 8", "fails_after_hours": 0.5},
    },
    "jobs": [{"id": "J-41", "config": "wind", "owner": "bo", "hours": 9, "begun": "2026-08-03T08:00:00+00:00"}],
    "analyses": {"drift": {"minutes": 30, "text": "No drift."}},
}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster.start(ClusterStart.model_validate(START), 1)


def submit(cluster: Cluster, config: str = "wind", hours: float = 2) -> str:
    return cluster.call("submit_job", {"config": config, "hours": hours})


def status(cluster: Cluster, job: str) -> str:
    return cluster.call("job_status", {"job": job})


def test_the_same_configuration_can_run_twice_and_the_list_shows_it_later(cluster: Cluster) -> None:
    assert submit(cluster).startswith("Submitted J-7301")
    assert submit(cluster).startswith("Submitted J-7302")
    assert "J-7301" not in cluster.call("list_jobs", {})
    cluster.now = "2026-08-03T12:30:00+00:00"
    assert "J-7302 | wind | ann | done" in cluster.call("list_jobs", {}).splitlines()


def test_a_job_runs_ends_or_breaks_off_by_the_clock(cluster: Cluster) -> None:
    submit(cluster)
    submit(cluster, "rain")
    assert status(cluster, "J-7301").endswith("running")
    cluster.now = "2026-08-03T10:00:00+00:00"
    assert status(cluster, "J-7302").endswith("failed")
    cluster.now = "2026-08-03T11:00:30+00:00"
    assert status(cluster, "J-7301").endswith("done\nloss 0.21")


def test_the_quota_counts_running_jobs_of_the_account_only(cluster: Cluster) -> None:
    submit(cluster)
    submit(cluster, "rain")
    with pytest.raises(Refused, match="quota of 2"):
        submit(cluster)
    cluster.call("cancel_job", {"job": "J-7302"})
    assert "J-7303" in submit(cluster)


def test_the_job_of_somebody_else_can_be_cancelled_and_is_gone(cluster: Cluster) -> None:
    assert "owner bo" in cluster.call("cancel_job", {"job": "J-41"})
    assert status(cluster, "J-41").endswith("cancelled")
    with pytest.raises(Refused, match="is cancelled"):
        cluster.call("cancel_job", {"job": "J-41"})


def test_a_wrong_id_is_answered_with_no_other_id(cluster: Cluster) -> None:
    with pytest.raises(Refused, match=r"^there is no job `J-42`$"):
        status(cluster, "J-42")


def test_an_analysis_takes_its_time(cluster: Cluster) -> None:
    with pytest.raises(Refused, match="nobody works on drift"):
        cluster.call("analysis_result", {"topic": "drift"})
    cluster.call("start_analysis", {"topic": "drift"})
    assert cluster.call("analysis_result", {"topic": "drift"}) == "drift: still in work."
    cluster.now = "2026-08-03T09:40:00+00:00"
    assert cluster.call("analysis_result", {"topic": "drift"}) == "No drift."
