"""Fits that survive a crash: parameters are kilobytes, so every pass can leave them on disk."""

import os
import pickle
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ENDING = ".sfp-checkpoint"


class Checkpoint(NamedTuple):
    """A file that holds how far a fit has come, while it is not finished.

    Every fit has a file of its own in the folder, so that several can share it. They are
    pickles: go on from folders that you trust only.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(folder, "a1b2", seed=3)
    ...     checkpoint.save("after pass 3")
    ...     checkpoint.load()
    (3, 'after pass 3')
    """

    folder: str
    identity: str
    """What is the same for fits of the same rows with the same settings."""
    seed: int
    """The seed of the fit."""

    def save(self, state: Any) -> None:
        """Replace what the file holds, at once: a crash leaves the old or the new."""
        Path(self.folder).mkdir(parents=True, exist_ok=True)
        mine = f"{self.identity}.{os.getpid()}."
        handle, draft = tempfile.mkstemp(dir=self.folder, prefix=mine, suffix=".draft")
        try:
            with os.fdopen(handle, "wb") as file:
                pickle.dump((self.seed, state), file)
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileNotFoundError):  # taken for one that a crash has left: no harm
                os.replace(draft, self._file())
        finally:
            Path(draft).unlink(missing_ok=True)

    def load(self) -> tuple[int, Any] | None:
        """Return the seed and what was saved last; None if nothing was."""
        try:
            with self._file().open("rb") as file:
                seed, state = pickle.load(file)
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            raise ValueError(f"checkpoint must name a folder; {self.folder} is a file.") from None
        except Exception as error:
            raise ValueError(
                f"{self._file()} cannot be read ({error}); remove it to fit anew."
            ) from None
        return seed, state

    def remove(self) -> None:
        """Remove the file, and drafts that a crash has left: the fit is finished."""
        self._file().unlink(missing_ok=True)
        for draft in Path(self.folder).glob(f"{self.identity}.*.draft"):
            if not _is_alive(int(draft.name.split(".")[1])):
                draft.unlink(missing_ok=True)

    def _file(self) -> Path:
        return Path(self.folder) / f"{self.identity}{ENDING}"


def _is_alive(process: int) -> bool:
    """Tell whether a process of this machine is running, where there is a way to ask."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
