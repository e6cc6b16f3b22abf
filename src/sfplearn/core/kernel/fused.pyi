from typing import Any

from sfplearn.core.kernel.coefficients import Coefficients
from sfplearn.core.state import Rows

INSTRUCTIONS: str

def summarize(rows: Rows, coefficients: Coefficients) -> tuple[Any, Any, Any, float]: ...
def memberships(rows: Rows, coefficients: Coefficients) -> Any: ...
def costs(rows: Rows, coefficients: Coefficients) -> Any: ...
