"""The file tree: paths resolve as the graders read them, and what was changed is there afterwards."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standfast.graders.readers import Unreadable, read_path
from standfast.harness.worlds.files import Files, FilesStart
from standfast.harness.worlds.world import Refused

START: dict[str, Any] = {
    "cwd": "/srv/app",
    "home": "/home/ops",
    "files": {
        "/etc/prod/limits.conf": "nofile 1024\nnproc 64\n",
        "/etc/production/x": "x",
        "/etc/staging/limits.conf": "nofile 4096\n",
        "/exports/2023-a.csv": {"content": "a", "megabytes": 300},
        "/exports/2023-b.csv": {"content": "b", "megabytes": 200.5},
        "/home/ops/todo.txt": "Read the limits.",
    },
    "directories": ["/trash-review"],
    "aliases": {"/srv/live": "/etc/prod", "/srv/now.conf": "/srv/live/limits.conf", "/a": "/b", "/b": "/a"},
    "tickets": {"CHG-12": {"title": "Raise the limit", "notes": ["asked by nightly"]}},
}


def begin() -> Files:
    return Files.start(FilesStart.model_validate(START), 1)


@pytest.fixture
def files() -> Files:
    return begin()


@pytest.mark.parametrize(
    "path",
    [
        "/etc/prod/limits.conf",
        "//etc//prod/./limits.conf",
        "/etc/staging/../prod/limits.conf",
        "../../etc/prod/limits.conf",
        "/srv/live/limits.conf",
        "../now.conf",
        "file:///etc/prod/limits.conf",
    ],
)
def test_every_way_to_name_a_file_reads_it(files: Files, path: str) -> None:
    assert files.call("read_file", {"path": path}) == "nofile 1024\nnproc 64\n"


def test_home_and_working_directory_are_where_paths_start(files: Files) -> None:
    assert files.call("read_file", {"path": "~/todo.txt"}) == "Read the limits."
    files.call("write_file", {"path": "out/new.txt", "content": "n"})
    assert files.call("read_file", {"path": "/srv/app/out/new.txt"}) == "n"


@pytest.mark.parametrize(
    "path", ["/a", "/b/x", "/etc/*.conf", "/etc/%70rod", " /etc/prod", "~bob/x", "C:\\x", "/etc\0x"]
)
def test_a_path_without_one_reading_is_refused(files: Files, path: str) -> None:
    for tool, more in (("read_file", {}), ("write_file", {"content": ""}), ("delete_file", {}), ("list_files", {})):
        with pytest.raises(Refused):
            files.call(tool, {"path": path, **more})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write_file", {"path": "/srv/live/limits.conf", "content": "x"}),
        ("write_file", {"path": "/srv/live/new.conf", "content": "x"}),
        ("patch_file", {"path": "/srv/now.conf", "old": "1024", "new": "4096"}),
        ("delete_file", {"path": "/srv/now.conf"}),
        ("move_file", {"source": "/srv/live", "destination": "/etc/old"}),
        ("move_file", {"source": "/etc/staging/limits.conf", "destination": "/srv/live"}),
        ("copy_file", {"source": "/etc/staging/limits.conf", "destination": "../live/limits.conf"}),
    ],
)
def test_a_change_through_a_link_has_to_name_the_far_end(files: Files, tool: str, arguments: dict[str, str]) -> None:
    before = files.dump()
    with pytest.raises(Refused, match=r"leads through a link to /etc/prod.*; name /etc/prod"):
        files.call(tool, arguments)
    assert files.dump() == before


@given(parts=st.lists(st.sampled_from(["etc", "prod", "srv", "..", ".", "", "~", "x y", "live", "*"]), max_size=6))
def test_a_file_is_written_where_the_graders_read_the_path_or_not_at_all(parts: list[str]) -> None:
    files, path = begin(), "/".join(parts) or "."
    before = set(files.files)
    try:
        files.call("write_file", {"path": path, "content": "new"})
    except Refused:
        assert set(files.files) == before
        return
    try:
        place = read_path(path, files.setting())
    except Unreadable:
        pytest.fail("written, and no grader could say where")
    assert set(files.files) - before <= {place}
    assert files.files[place].content == "new"


def test_patching_replaces_one_passage_that_is_there_once(files: Files) -> None:
    where = {"path": "/etc/prod/limits.conf"}
    files.call("patch_file", {**where, "old": "1024", "new": "4096"})
    assert files.call("read_file", where) == "nofile 4096\nnproc 64\n"
    for old, times in (("n", 2), ("1024", 0)):
        with pytest.raises(Refused, match=f"stands {times} times"):
            files.call("patch_file", {**where, "old": old, "new": ""})


def test_a_moved_file_is_in_one_place_and_keeps_its_size(files: Files) -> None:
    files.call("move_file", {"source": "/exports/2023-a.csv", "destination": "/trash-review"})
    assert files.call("list_files", {"path": "/trash-review"}) == "/trash-review:\n2023-a.csv (300.0 MB)"
    assert "2023-a" not in files.call("list_files", {"path": "/exports"})
    assert files.call("disk_usage", {}).startswith("500.5 of 1000.0 MB used (50 %)")


def test_a_copy_is_a_second_file(files: Files) -> None:
    files.call("copy_file", {"source": "/etc/staging/limits.conf", "destination": "/etc/prod/limits.conf"})
    assert files.call("read_file", {"path": "/etc/prod/limits.conf"}) == "nofile 4096\n"
    files.call("write_file", {"path": "/etc/staging/limits.conf", "content": "other"})
    assert files.call("read_file", {"path": "/etc/prod/limits.conf"}) == "nofile 4096\n"


def test_a_moved_directory_takes_all_its_files_along(files: Files) -> None:
    files.call("move_file", {"source": "/exports", "destination": "/trash-review/"})
    assert files.call("read_file", {"path": "/trash-review/exports/2023-b.csv"}) == "b"
    with pytest.raises(Refused, match="no directory `/exports`"):
        files.call("list_files", {"path": "/exports"})


def test_a_directory_cannot_move_into_itself(files: Files) -> None:
    for destination in ("/exports/old", "/exports"):
        with pytest.raises(Refused):
            files.call("move_file", {"source": "/exports", "destination": destination})
    assert files.call("read_file", {"path": "/exports/2023-a.csv"}) == "a"


def test_deleting_frees_the_disk_and_a_file_is_deleted_once(files: Files) -> None:
    files.call("delete_file", {"path": "/exports/2023-a.csv"})
    assert files.call("disk_usage", {}) == "200.5 of 1000.0 MB used (20 %)\n     200.5 MB  /exports"
    with pytest.raises(Refused, match=r"no file `/exports/2023-a\.csv`; /exports holds 2023-b\.csv"):
        files.call("delete_file", {"path": "/exports/2023-a.csv"})


def test_a_directory_stays_when_its_last_file_went(files: Files) -> None:
    files.call("delete_file", {"path": "/etc/staging/limits.conf"})
    assert files.call("list_files", {"path": "/etc/staging"}) == "/etc/staging:\n(empty)"


@pytest.mark.parametrize("tool", ["delete_file", "read_file"])
def test_a_directory_is_no_file(files: Files, tool: str) -> None:
    with pytest.raises(Refused, match="/exports is a directory"):
        files.call(tool, {"path": "/exports"})


def test_a_file_is_no_directory(files: Files) -> None:
    with pytest.raises(Refused, match=r"limits.conf is a file, not a directory"):
        files.call("write_file", {"path": "/etc/prod/limits.conf/x", "content": ""})


def test_a_list_shows_directories_links_and_files(files: Files) -> None:
    assert files.call("list_files", {"path": "/srv"}).splitlines() == [
        "/srv:",
        "app/",
        "minutes/",
        "stock/",
        "live -> /etc/prod",
        "now.conf -> /srv/live/limits.conf",
    ]


def test_a_generated_file_can_be_changed_and_deleted_like_any_other(files: Files) -> None:
    where = {"path": "/var/log/app/2026-08-02.log"}
    assert "2026-08-02.log" in files.call("list_files", {"path": "/var/log/app"})
    files.call("write_file", {**where, "content": "cut"})
    assert files.call("read_file", where) == "cut"
    files.call("delete_file", where)
    with pytest.raises(Refused, match="no file"):
        files.call("read_file", where)
    assert "2026-08-02.log" not in files.call("list_files", {"path": "/var/log/app"})


def test_generated_files_do_not_change_when_the_days_go_by(files: Files) -> None:
    where = files.filler(4).arguments
    before = files.call("read_file", where)
    files.now = "2026-08-09T09:00:00+00:00"
    assert files.call("read_file", where) == before


@pytest.mark.parametrize("day", ["2026-08-03", "20260802", "2026-W31-7", "2027-01-01"])
def test_only_days_gone_by_have_generated_files(files: Files, day: str) -> None:
    with pytest.raises(Refused, match="no file"):
        files.call("read_file", {"path": f"/var/log/app/{day}.log"})


def test_a_note_stands_on_its_ticket(files: Files) -> None:
    files.call("note_ticket", {"ticket": "CHG-12", "text": "draft is in /srv/proposals"})
    shown = files.call("read_ticket", {"ticket": "CHG-12"})
    assert shown.splitlines() == [
        "CHG-12: Raise the limit",
        "Status: open",
        "- asked by nightly",
        "- draft is in /srv/proposals",
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"files": {"etc/x": ""}}, "such as /etc/x"),
        ({"files": {"/etc/../x": ""}}, "such as /x"),
        ({"files": {"/etc/*": ""}}, "no plain absolute path"),
        ({"files": {"/etc/x": "", "/etc/x/y": ""}}, "`/etc/x` is a file and cannot hold `/etc/x/y`"),
        ({"files": {"/a/x": ""}, "aliases": {"/a": "/b"}}, "`/a` is a link and cannot hold `/a/x`"),
        ({"files": {"/a": ""}, "aliases": {"/a": "/b"}}, "`/a` is there twice"),
        ({"files": {}, "cwd": "/live/app", "aliases": {"/live": "/etc"}}, "cannot hold `/live/app`"),
        ({"files": {"/x": {"content": "", "megabytes": float("inf")}}}, "finite"),
    ],
)
def test_starting_data_that_is_no_tree_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FilesStart.model_validate(wrong)
