"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a name to write to, and put that file in place of another one when all went well.

    Whatever happens in between, Ctrl-C too, leaves what was there before, and nothing else.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a.txt") as part:
    ...         written = part.write_text("all of it")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    path = path.resolve()  # what a link points to is replaced, not the link
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.stem}-", suffix=f".part{path.suffix}"
    )
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())  # else a crash could leave the new name without its content
        part.chmod(_mode(path))
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Refuse a file that could not be written, before long work."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it.")
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is no file that could be replaced; give another name.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}; make it first.")


def _mode(path: Path) -> int:
    """Return the rights of a file that is replaced, or of a new one."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
