"""A plain pipeline of scikit-learn: columns made ready, then SFP."""

from collections.abc import Sequence
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sfplearn import SFPClassifier, SFPRegressor
from sfplearn.cli.columns import CATEGORY, DATE, FEATURE, NUMBER, Column
from sfplearn.cli.target import Target
from sfplearn.estimators.dates import DaysSince1970
from sfplearn.estimators.gaps import FillCategories
from sfplearn.estimators.tails import TameTails

# Categories of a column with a feature of their own; rarer ones share the last.
MOST_CATEGORIES = 20

# Few enough clusters to read: for each class where the library does not join those that are alike,
# which it does after a refinement, and for numbers. Each should have a few rows.
CLUSTERS_A_CLASS, CLUSTERS_OF_NUMBERS, ROWS_A_CLUSTER = 2, 8, 3

# Iterations of a refinement, as many as the library makes by itself for small tables: fewer
# clusters then do the work of many, which is worth the time here for large ones, too.
REFINE = 50
REFINED_LOSSES = ("log_loss", "logistic")

# Numbers want broad clusters before a refinement: of 0.3 and 1 the better on three tables.
GAMMA_OF_NUMBERS = 1.0

NUMBERS_STEP, DATES_STEP, CATEGORIES_STEP = "numbers", "dates", "categories"
PREPARE, MODEL = "prepare", "model"


def make_preparation(columns: Sequence[Column]) -> ColumnTransformer:
    """Return what makes columns ready: gaps filled, numbers scaled, categories spread out."""
    features = [column for column in columns if column.role == FEATURE]
    numbers, dates, categories = (
        [column.name for column in features if column.kind == kind]
        for kind in (NUMBER, DATE, CATEGORY)
    )
    parts: list[tuple[str, Pipeline, list[str]]] = []
    if numbers:
        parts.append((NUMBERS_STEP, make_pipeline(make_fill(), *make_even()), numbers))
    if dates:
        # Dates of a user's own data frame may be text, or times: here they are days already.
        days = make_pipeline(DaysSince1970(), make_fill(), *make_even())
        parts.append((DATES_STEP, days, dates))
    for place, names in enumerate(apart(categories)):
        step = f"{CATEGORIES_STEP}_{place + 1}" if place else CATEGORIES_STEP
        parts.append((step, make_spread(), names))
    ready = ColumnTransformer(
        parts, verbose_feature_names_out=may_be_mistaken(numbers + dates + categories, categories)
    )
    return ready.set_output(transform="pandas")


def make_fill() -> SimpleImputer:
    """Return what fills gaps among numbers."""
    return SimpleImputer(strategy="median", keep_empty_features=True)


def make_even() -> tuple[TameTails, StandardScaler]:
    """Return what makes numbers comparable.

    A few far cells, such as a 9999 for what is not known, would rule a scale; and of rows beyond
    all that were seen, such as later dates, clusters know nothing.
    """
    return TameTails(), StandardScaler()


def make_spread() -> Pipeline:
    """Return what spreads categories out to features."""
    fill = FillCategories(strategy="most_frequent", keep_empty_features=True)
    spread = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MOST_CATEGORIES,
        sparse_output=False,
    )
    # Weights favour features of little variance, so those of categories are scaled as well.
    return make_pipeline(fill, spread, StandardScaler())


def may_be_mistaken(names: Sequence[str], categories: Sequence[str]) -> bool:
    """Tell whether a category may be named as a column is: `m` of `sex`, beside `sex_m`.

    >>> may_be_mistaken(["sex", "sex_m"], ["sex"]), may_be_mistaken(["sex", "age"], ["sex"])
    (True, False)
    """
    begins = tuple(f"{name}_" for name in categories)
    return any(name.startswith(begins) for name in names)


def apart(categories: Sequence[str]) -> list[list[str]]:
    """Return columns in groups, mostly one, in which categories cannot be named alike.

    >>> apart(["sex_m", "sex", "town"])
    [['sex', 'town'], ['sex_m']]
    """
    depth: dict[str, int] = {}
    for name in sorted(categories, key=len):
        begins = (name[:place] for place, sign in enumerate(name) if sign == "_")
        depth[name] = 1 + max((depth[begin] for begin in begins if begin in depth), default=-1)
    return [
        [name for name in categories if depth[name] == level]
        for level in sorted(set(depth.values()))
    ]


def make_model(
    target: Target, rows: int, *, loss: str | None, clusters: int | None, seed: int
) -> SFPClassifier | SFPRegressor:
    """Return the model for a target: few clusters, refined."""
    if clusters is not None and clusters > max(1, rows // 2):
        most = max(1, rows // 2)
        raise ValueError(f"{clusters} clusters are too many for {rows} rows; ask for {most}.")
    few = max(2, rows // ROWS_A_CLUSTER)
    settings: dict[str, Any] = {"random_state": seed} | ({"loss": loss} if loss else {})
    if target.has_classes and (loss or REFINED_LOSSES[0]) in REFINED_LOSSES:
        return SFPClassifier(clusters or "auto", refine=REFINE, **settings)
    if target.has_classes:
        k = clusters or min(CLUSTERS_A_CLASS * len(target.counts), few)
        return SFPClassifier(k, refine=0, **settings)
    k = clusters or min(CLUSTERS_OF_NUMBERS, few)
    settings |= {"gamma": GAMMA_OF_NUMBERS, "refine": REFINE, "refine_pull": "auto"}
    return SFPRegressor(k, **settings)


def make_pipeline_of(columns: Sequence[Column], model: Any) -> Pipeline:
    """Return a pipeline that takes the data frame of a table."""
    return Pipeline([(PREPARE, make_preparation(columns)), (MODEL, model)])


def categories_of(prepare: ColumnTransformer) -> dict[str, set[Any]]:
    """Return the categories that a fitted preparation knows, column by column."""
    return {
        column: set(known)
        for name, part, columns in getattr(prepare, "transformers_", ())
        if name.startswith(CATEGORIES_STEP)
        for column, known in zip(columns, encoder_of(part).categories_, strict=True)
    }


def owners_of(prepare: ColumnTransformer) -> list[str]:
    """Return the column that each feature of a fitted preparation was made of."""
    owners: list[str] = []
    for name, part, columns in prepare.transformers_:
        if isinstance(part, str):  # "drop"
            continue
        is_spread = name.startswith(CATEGORIES_STEP)
        widths = category_widths(part) if is_spread else [1] * len(columns)
        for column, width in zip(columns, widths, strict=True):
            owners += [column] * width
    return owners


def category_widths(part: Pipeline) -> list[int]:
    """Return how many features categories of each column are spread out to."""
    encoder = encoder_of(part)
    return [
        len(known) if few is None else len(known) - len(few) + 1
        for known, few in zip(encoder.categories_, encoder.infrequent_categories_, strict=True)
    ]


def encoder_of(part: Pipeline) -> OneHotEncoder:
    """Return the step that spreads categories out."""
    return part.named_steps["onehotencoder"]
