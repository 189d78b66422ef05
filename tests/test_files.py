"""A file is there as a whole or not at all, and what cannot be written is said in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.files import CannotWrite, make_directory, write_atomically


@pytest.mark.parametrize("content", ["ünïcode\n", b"\x00\xff", ""])
def test_the_content_is_what_was_given(content: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("something older and longer")
    write_atomically(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(tmp_path.iterdir()) == [path], "nothing is left behind"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    (folder / "inside").mkdir(parents=True)
    with pytest.raises(CannotWrite, match=f"cannot write {folder}: "):
        write_atomically(folder, "text")
    assert list(tmp_path.iterdir()) == [folder]
    with pytest.raises(CannotWrite, match="No such file or directory"):
        write_atomically(tmp_path / "missing" / "file", "text")


def test_directories_are_made_with_all_they_lie_in(tmp_path: Path) -> None:
    make_directory(tmp_path / "a" / "b")
    make_directory(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="cannot make the directory"):
        make_directory(tmp_path / "file" / "b")
