"""The paper's algorithm 1 as it stands: plain loops, an n x k membership matrix, no tricks.

Frozen: this is the oracle that the package is held to. Losses and prototypes are written out
from table 1; where the paper leaves a gap (hinge and classification error have no prototype
there, all but two labels have no logistic or hinge loss) the docstring says what is meant.
"""

import math

EPSILON = 0.01  # pseudo-count of every label, against ln 0


def log_loss(y, z):
    return -math.log(z[y])


def log_loss_prototype(weights, labels, n_labels):
    counts = [EPSILON] * n_labels
    for u, y in zip(weights, labels, strict=True):
        counts[y] += u
    return [count / sum(counts) for count in counts]


def logistic(y, z):
    """ln sum_m exp(z_m - z_y): for two labels, ln(1 + exp(-y (z_2 - z_1))) with y in {-1, 1}."""
    return math.log(sum(math.exp(z_m - z[y]) for z_m in z))


def logistic_prototype(weights, labels, n_labels):
    logs = [math.log(z) for z in log_loss_prototype(weights, labels, n_labels)]
    return [value - sum(logs) / n_labels for value in logs]


def hinge(y, z):
    """sum_{m != y} max(0, z_m + 1 / (M - 1)): for two labels and z_1 = -z_2, max(0, 1 - y z_2)."""
    return sum(max(0.0, z_m + 1 / (len(z) - 1)) for m, z_m in enumerate(z) if m != y)


def hinge_prototype(weights, labels, n_labels):
    votes = zero_one_prototype(weights, labels, n_labels)
    return [(n_labels * vote - 1) / (n_labels - 1) for vote in votes]


def zero_one(y, z):
    return 1.0 - z[y]


def zero_one_prototype(weights, labels, n_labels):
    counts = [0.0] * n_labels
    for u, y in zip(weights, labels, strict=True):
        counts[y] += u
    ties = [1.0 if count == max(counts) else 0.0 for count in counts]
    return [tie / sum(ties) for tie in ties]


LOSSES = {
    "log_loss": (log_loss, log_loss_prototype),
    "logistic": (logistic, logistic_prototype),
    "hinge": (hinge, hinge_prototype),
    "zero_one": (zero_one, zero_one_prototype),
}


def softmax_of_costs(costs, temperature):
    least = min(costs)
    terms = [math.exp(-(cost - least) / temperature) for cost in costs]
    return [term / sum(terms) for term in terms]


def algorithm1(X, y, start, alpha, gamma, lam, loss, passes, weight=None):
    """Train from the rows numbered in start; return V, W, Z, U and the objective of each pass.

    A row of weight s enters every sum s times.
    """
    n, p, k, n_labels = len(X), len(X[0]), len(start), max(y) + 1
    cost_of, prototype_of = LOSSES[loss]
    s = [1.0] * n if weight is None else list(weight)
    V = [list(X[i]) for i in start]
    W = [[1.0 / p] * p for _ in range(k)]
    Z = [prototype_of([1.0], [y[i]], n_labels) for i in start]
    objective = []
    for _ in range(passes):
        D = [
            [
                sum(W[j][q] * (X[i][q] - V[j][q]) ** 2 for q in range(p))
                + alpha * cost_of(y[i], Z[j])
                for j in range(k)
            ]
            for i in range(n)
        ]
        U = [softmax_of_costs(D[i], gamma) for i in range(n)]
        objective.append(objective_of(D, U, W, Z, s, alpha, gamma, lam, loss))
        for j in range(k):
            u = [s[i] * U[i][j] for i in range(n)]
            V[j] = [sum(u[i] * X[i][q] for i in range(n)) / sum(u) for q in range(p)]
            Z[j] = prototype_of(u, y, n_labels)
            scatter = [sum(u[i] * (X[i][q] - V[j][q]) ** 2 for i in range(n)) for q in range(p)]
            W[j] = softmax_of_costs(scatter, lam)
    return V, W, Z, U, objective


def objective_of(D, U, W, Z, s, alpha, gamma, lam, loss):
    """The four sums of the SFP problem, plus the prior behind the pseudo-counts."""
    total = 0.0
    for i, (costs, memberships) in enumerate(zip(D, U, strict=True)):
        for d, u in zip(costs, memberships, strict=True):
            total += s[i] * (u * d + (gamma * u * math.log(u) if u > 0 else 0.0))
    for weights in W:
        total += lam * sum(w * math.log(w) for w in weights if w > 0)
    if loss in ("log_loss", "logistic"):
        cost_of = LOSSES[loss][0]
        total += alpha * EPSILON * sum(cost_of(m, z) for z in Z for m in range(len(z)))
    return total


def predict(x, V, W, Z, gamma, loss):
    """The test phase: memberships without labels, mixed prototypes, the label of least loss."""
    p, cost_of = len(x), LOSSES[loss][0]
    d = [sum(w[q] * (x[q] - v[q]) ** 2 for q in range(p)) for v, w in zip(V, W, strict=True)]
    u = softmax_of_costs(d, gamma)
    n_labels = len(Z[0])
    mixed = [sum(u_j * z[m] for u_j, z in zip(u, Z, strict=True)) for m in range(n_labels)]
    losses = [cost_of(m, mixed) for m in range(n_labels)]
    return losses.index(min(losses))
