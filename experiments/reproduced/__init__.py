"""The paper's tables and figures, a file for each.

Each file has a `TITLE`, `compute(run)` that returns what was found as plain numbers and lists,
`describe(found)` that puts it beside the paper's figures, and, if there is something to see,
`draw(found)`.
"""
