"""Run import-linter on src/, also where the package is installed editable.

The editable install of meson-python finds modules through a hook that has no folders, and
import-linter reads folders.
"""

import sys

from importlinter.cli import lint_imports_command

if __name__ == "__main__":
    sys.meta_path = [hook for hook in sys.meta_path if "editable" not in type(hook).__module__]
    sys.path.insert(0, "src")
    lint_imports_command()
