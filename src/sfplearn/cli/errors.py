"""One place where errors become one line, and an exit code.

0 is fine, 1 something unexpected, 2 wrong input or usage, 130 Ctrl-C. With SFPLEARN_TRACEBACK=1
all of an error is shown.
"""

import errno
import os
import signal
import sys
import traceback
import warnings
from typing import Any, NoReturn

from typer.core import TyperGroup

FINE, UNEXPECTED, WRONG = 0, 1, 2

# What shells add to the number of the signal that ended a command.
BY_SIGNAL = 128

# Letters of a message; those of libraries may be long.
LONGEST = 5000


class Stopped(BaseException):
    """Somebody pressed Ctrl-C, or ended the process.

    Not a KeyboardInterrupt, which searches take as a wish to make do with what they have.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.code = BY_SIGNAL + number


class ReaderLeft(Exception):  # noqa: N818 - no error: it had enough
    """Whoever read our output went away."""


def stop_on_signals() -> None:
    """Let signals unwind the work, so that nothing half-written stays."""

    def stop(number: int, frame: Any) -> NoReturn:
        raise Stopped(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


class Commands(TyperGroup):
    """The commands of `sfp`, whose errors are one line on standard error."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command, and end with its exit code."""
        settings["standalone_mode"] = False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = super().main(*args, **settings)
                sys.stdout.flush()
        except SystemExit:
            raise
        except BaseException as error:
            code = end_of(error)
        sys.exit(code if isinstance(code, int) else FINE)


def end_of(error: BaseException) -> int:
    """Say on one line what went wrong, and return the exit code."""
    trace(error)
    if isinstance(error, ReaderLeft | BrokenPipeError):
        fall_silent()
        return FINE
    code, message = explain(error)
    say(message)
    return code


def trace(error: BaseException) -> None:
    """Show all of an error, if that was asked for."""
    if os.environ.get("SFPLEARN_TRACEBACK"):
        traceback.print_exception(error)


def survived(error: Exception) -> str:
    """Return one line about an error that cost only a part of the work.

    >>> survived(ValueError("Rows are too few."))
    'Rows are too few.'
    """
    trace(error)
    _, message = explain(error)
    return " ".join(message.split())


def explain(error: BaseException) -> tuple[int, str]:
    """Return the exit code and the message of an error."""
    if isinstance(error, Stopped):
        return error.code, "stopped; no file was written."
    if isinstance(error, KeyboardInterrupt):
        return BY_SIGNAL + signal.SIGINT, "stopped; no file was written."
    if hasattr(error, "format_message"):  # usage, told by typer
        # A library that typer asks begins its own words so.
        message = error.format_message().replace("Value error, ", "")
        return WRONG, f"{message} Try: {_command_of(error)} --help"
    if isinstance(error, MemoryError):
        return (
            WRONG,
            "there is not enough memory; leave columns out with --drop, or use fewer rows.",
        )
    if isinstance(error, OSError):
        return WRONG, _os_message(error)
    missing_library = isinstance(error, ImportError) and "pip install" in str(error)
    if isinstance(error, ValueError) or missing_library:
        return WRONG, str(error)
    reason = f"{type(error).__name__}: {error}"
    return UNEXPECTED, f"unexpected {reason} (set SFPLEARN_TRACEBACK=1 to see where)"


def say(message: str) -> None:
    """Write one line to standard error, whatever it can show."""
    line = " ".join(str(message).split())
    line = line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
    encoding = sys.stderr.encoding or "utf-8"
    shown = line.encode(encoding, "backslashreplace").decode(encoding)
    print(f"sfp: {shown}", file=sys.stderr)  # noqa: T201


def _command_of(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context is not None else "sfp"


def _os_message(error: OSError) -> str:
    """Return what an error of the system means."""
    if error.errno == errno.ENOSPC:
        return "the disk is full; make room, or set TMPDIR to a folder on a larger one."
    if error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."


def fall_silent() -> None:
    """Print to nobody from now on: whoever read our output had enough of it."""
    # Python flushes once more at exit, which would fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
