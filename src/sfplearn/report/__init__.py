"""Reports: one page that shows a fitted model to people.

Report ──> collect ──> subject          what was fitted: the model, what comes before it, names
│          ├──> evidence         predictions of rows that the model had not seen
│          │    └──> folds       rows, folds and rivals; the command line has the same
│          ├──> scores           how good they are, beside others
│          ├──> clusters         what the clusters are, in the units of the table
│          ├──> lookup           rows, and what decided about them
│          └──> training         how the fit went, settings, versions
└────────> render ──> charts           the page: assets/template.html, style.css, script.js
"""

from sfplearn.report.report import Report

__all__ = ["Report"]
