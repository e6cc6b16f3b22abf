"""Models on disk, in files that cannot bring code of their own.

    files    save_model, load_model, describe_model: a model as a file
    packing  a model as bytes: a skops archive with one more entry, `sfplearn.json`
    archive  what is read of such bytes before anything is made of them
    trust    the types that a model may hold
    writing  files that are written whole or not at all

A layer above the estimators: `tuning`, its sibling, is known by name only.
"""

from sfplearn.persist.files import describe_model, load_model, save_model
from sfplearn.persist.packing import SavedModel
from sfplearn.persist.trust import UnsafeModelError

__all__ = ["SavedModel", "UnsafeModelError", "describe_model", "load_model", "save_model"]
