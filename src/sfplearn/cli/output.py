"""Files that commands write: checked before long work, written whole or not at all."""

import os
from pathlib import Path

from sfplearn.persist.writing import whole_file

__all__ = ["check_output", "whole_file"]


def check_output(path: Path, endings: tuple[str, ...], sources: tuple[Path, ...] = ()) -> Path:
    """Refuse, before long work, a file that could not be written, or that is read from."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it with -o.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is no file that could be replaced; give another name with -o.")
    if path.suffix.lower() not in endings:
        raise ValueError(f"{path} should end in {' or '.join(endings)}; give another name with -o.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {path.parent}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"The folder {path.parent} cannot be written to; name another with -o.")
    if path.exists() and any(path.samefile(source) for source in sources if source.exists()):
        raise ValueError(f"{path} is read from, and would be lost; give another name with -o.")
    return path
