"""`craton serve`: the playground, a page on this machine."""

from __future__ import annotations

import argparse
import secrets
import signal
import socket
import sys
from typing import TYPE_CHECKING

from craton.arguments.numbers import positive_number, whole_number
from craton.errors import CratonError

if TYPE_CHECKING:
    from collections.abc import Callable

_DESCRIPTION = """\
A page on this machine with an editor: verify programs, watch the progress, read the report, compare two configurations.
It needs no internet, and answers to nobody but this machine.

What is written there runs in processes that see their own folder and the tools of the system, but no other file (the
kernel sees to it: Landlock, Linux 5.13 and later), within limits of time, memory and processes.
"""


_EPILOG = """\
examples:
  craton serve
  craton serve --port 8000 --jobs 2 --time-limit 60
"""


def add_to(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "serve",
        help="a playground in the browser, on this machine",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--port", type=whole_number(0, 65535), default=8765, metavar="N", help="of the page (8765); 0: any that is free"
    )
    parser.add_argument(
        "--jobs", type=whole_number(1, 64), default=1, metavar="N", help="programs that are verified at once (1)"
    )
    parser.add_argument(
        "--memory-limit", type=positive_number, default=2048.0, metavar="MIB", help="of each of them (2048)"
    )
    parser.add_argument(
        "--time-limit", type=positive_number, default=120.0, metavar="SECONDS", help="the most that one may take (120)"
    )
    parser.add_argument(
        "--unconfined",
        action="store_true",
        help="also where the kernel cannot keep programs from including any file of this machine",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from craton.processes.confinement import CannotConfine, version
    from craton.serve.app import Application
    from craton.serve.guard import Guard
    from craton.serve.jobs import Jobs

    serve = _server()
    if not version() and not args.unconfined:
        raise CannotConfine(
            "this kernel cannot keep programs of the page from including files of this machine (Landlock, Linux 5.13"
            " and later); --unconfined serves all the same"
        )
    listening = _listening(args.port)
    port = listening.getsockname()[1]
    jobs = Jobs(args.jobs, int(args.memory_limit * 2**20), confined=not args.unconfined)
    application = Application(Guard(port, secrets.token_urlsafe(24)), jobs, args.time_limit)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it, jobs are ended
    print(f"http://127.0.0.1:{port}/  (end with Ctrl-C)", flush=True)
    try:
        serve(application, listening)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        jobs.close()
    return 0


def _server() -> Callable[[object, socket.socket], None]:
    from waitress.server import create_server

    from craton.serve.app import MOST_BYTES

    def serve(application: object, listening: socket.socket) -> None:
        create_server(application, sockets=[listening], threads=4, max_request_body_size=MOST_BYTES, ident=None).run()

    return serve


def _listening(port: int) -> socket.socket:
    """Bound to this machine's own address, whatever its name resolves to."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # who reads the address may come at once
    except (OSError, OverflowError) as problem:
        listening.close()
        raise CratonError(f"cannot listen on port {port}: {problem}; --port takes another one") from None
    return listening
