"""A process that gives up the file system: from then on it, and all that it starts, sees only what it names.

The kernel enforces it (Landlock, Linux 5.13 and later; no privileges are needed). Other processes outside can neither
be looked into nor, where the kernel knows how to forbid it, be signalled; no connections are made.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from craton.errors import CratonError

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the numbers of the system calls, the same on all architectures
_VERSION = 1  # asks for the version instead
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_OF_FILES = _EXECUTE | _WRITE | _READ | 1 << 14 | 1 << 15  # truncate, ioctl
_KNOWN = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}  # by version


class CannotConfine(CratonError):
    """The kernel does not know how to, or refuses."""


def version() -> int:
    """Of what the kernel can do; 0 if it can do nothing of it."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def confine(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Files and folders that stay readable (programs in them can be run), and those that can be changed, too; what does
    not exist is passed over. For processes of one thread only: others would not be confined.
    """
    known = version()
    if not known:
        raise CannotConfine("this kernel cannot confine a process to some files (Landlock, Linux 5.13 and later)")
    libc = _libc()
    handled = _KNOWN[min(known, max(_KNOWN))]
    attributes = struct.pack("=Q", handled)
    if known >= 4:
        attributes += struct.pack("=Q", 3)  # connections
    if known >= 6:
        attributes += struct.pack("=Q", 3)  # abstract sockets and signals
    rules = _checked(libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    for path in readable:
        _allow(rules, path, handled & (_EXECUTE | _READ | _LIST))
    for path in writable:
        _allow(rules, path, handled)
    _checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(libc.syscall(_RESTRICT, rules, 0))
    os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = rights if path.is_dir() else rights & _OF_FILES
        _checked(_libc().syscall(_ADD, rules, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0))
    finally:
        os.close(place)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        raise CannotConfine(f"the kernel refuses to confine a process: {os.strerror(ctypes.get_errno())}")
    return result
