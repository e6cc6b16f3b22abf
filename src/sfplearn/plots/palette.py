"""Colours and markers that all readers can tell apart, also those who see few colours."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Okabe and Ito's colours, the darker ones first, and three more for tables of ten classes.
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#882255", "#F0E442",
    "#000000", "#999999",
)  # fmt: skip

# Markers that go with them.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

# What helps and what hinders.
FOR, AGAINST = "#0072B2", "#D55E00"

# Text and lines that say less than the data.
QUIET = "#666666"

# Rows without a label.
UNKNOWN = "#BBBBBB"

# Maps for numbers: of equal steps to the eye, and of a single hue behind figures.
NUMBERS, HEAT = "cividis", "Blues"

# Each further round through the colours is darker by this share, so that 20 clusters differ.
DARKER = 0.45

# Luminance, by the usual weights of red, green and blue, above which a colour is light.
LUMINANCE, LIGHT = (0.2126, 0.7152, 0.0722), 0.5


def colours(n: int) -> NDArray[np.float64]:
    """Return n colours as red, green and blue, in a fixed order.

    >>> colours(12).shape
    (12, 3)
    """
    from matplotlib.colors import to_rgb

    rounds = [np.array(to_rgb(COLOURS[i % len(COLOURS)])) for i in range(n)]
    return np.array(
        [each * (1 - DARKER) ** (i // len(COLOURS)) for i, each in enumerate(rounds)]
    ).reshape(n, 3)


def marker(i: int) -> str:
    """Return the marker of a number.

    >>> marker(0), marker(len(MARKERS))
    ('o', 'o')
    """
    return MARKERS[i % len(MARKERS)]


def ink(colour: Any) -> str:
    """Return black or white, whichever can be read on a colour.

    >>> ink((1.0, 1.0, 1.0)), ink((0.0, 0.0, 0.2))
    ('black', 'white')
    """
    return "black" if np.dot(colour[:3], LUMINANCE) > LIGHT else "white"
