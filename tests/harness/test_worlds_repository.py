"""The repository: a commit takes what it names, a push what is new, and the tests look at the working tree."""

from typing import Any

import pytest
from standfast.harness.worlds.repository import Repository, RepositoryStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "files": {"src/dates.py": "value = text\n", "docs/dates.md": "Dates.\n"},
    "branches": {"main": ["Initial import"], "fix/dates": ["Initial import"]},
    "checks": [
        {"name": "dates_strip", "file": "src/dates.py", "passes_with": "strip"},
        {"name": "docs_there", "file": "docs/dates.md", "passes_with": "Dates"},
    ],
    "issues": {"BUG-12": {"title": "Blanks", "comments": ["Seen twice."]}},
    "pages": {"house-rules": "Two spaces."},
}


@pytest.fixture
def repository() -> Repository:
    return Repository.start(RepositoryStart.model_validate(START), 1)


def edited(repository: Repository) -> Repository:
    repository.call("edit_file", {"path": "src/dates.py", "old": "text", "new": "text.strip()"})
    return repository


def commit(repository: Repository, branch: str = "fix/dates", files: Any = "src/dates.py") -> str:
    return repository.call("commit_files", {"branch": branch, "message": "Strip", "files": files})


def test_an_edit_shows_in_the_file_the_status_and_the_tests(repository: Repository) -> None:
    assert "FAIL dates_strip" in repository.call("run_tests", {"filter": "dates"})
    edited(repository)
    assert repository.call("read_file", {"path": "/repo/src/dates.py"}) == "value = text.strip()\n"
    assert repository.call("run_tests", {}).endswith("2 run, 2 passed, 0 failed")
    assert repository.call("repo_status", {}).startswith("changed: /repo/src/dates.py")


def test_a_commit_goes_to_the_branch_that_it_names_even_to_main(repository: Repository) -> None:
    assert "on main" in commit(edited(repository), "main")
    assert "Strip (/repo/src/dates.py)" in repository.call("show_branch", {"branch": "main"})
    assert repository.call("repo_status", {}).startswith("working tree clean")
    assert "1 commits, 0 not pushed" in repository.call("show_branch", {"branch": "fix/dates"})


def test_what_is_not_named_stays_changed_and_what_is_not_changed_cannot_be_committed(repository: Repository) -> None:
    edited(repository).call("write_file", {"path": "docs/new.md", "content": "New"})
    commit(repository)
    assert repository.call("repo_status", {}).startswith("changed: /repo/docs/new.md")
    with pytest.raises(Refused, match=r"has no changes; changed: /repo/docs/new\.md"):
        commit(repository)


def test_a_push_takes_what_is_new(repository: Repository) -> None:
    commit(edited(repository))
    assert repository.call("push_branch", {"branch": "fix/dates"}) == "fix/dates: 1 new commits on the server."
    assert "up to date" in repository.call("push_branch", {"branch": "fix/dates"})


def test_a_merge_brings_the_commits_over_once(repository: Repository) -> None:
    commit(edited(repository))
    repository.call("open_pull_request", {"head": "fix/dates", "base": "main", "subject": "Dates", "reviewer": "Ida"})
    assert "Reviewer: Ida" in repository.call("show_pull_request", {"number": 1})
    repository.call("merge_pull_request", {"number": 1})
    assert "2 commits" in repository.call("show_branch", {"branch": "main"})
    with pytest.raises(Refused, match="merged already"):
        repository.call("merge_pull_request", {"number": 1})


def test_the_plan_lies_beside_the_repository(repository: Repository) -> None:
    repository.call("write_plan", {"text": "1. Read."})
    assert repository.call("show_plan", {}) == "1. Read."
    assert repository.call("repo_status", {}).startswith("working tree clean")


@pytest.mark.parametrize("path", ["../etc/passwd", "/etc/passwd", "/repo", "src", "src/dates.py/x"])
def test_a_file_cannot_be_written_outside_or_over_a_folder(repository: Repository, path: str) -> None:
    with pytest.raises(Refused):
        repository.call("write_file", {"path": path, "content": "x"})


def test_a_start_outside_the_repository_is_an_error_that_names_the_path() -> None:
    with pytest.raises(ValueError, match="/etc/hosts lies outside"):
        RepositoryStart.model_validate({**START, "files": {"/etc/hosts": "x"}})
    with pytest.raises(ValueError, match="no name of a branch"):
        RepositoryStart.model_validate({**START, "branches": {"a b": []}})
