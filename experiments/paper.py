"""Figures that the paper reports, to stand beside ours."""

# Mean accuracy on the UCI sets, in percent (table 3): KNN, SVM-linear, SVM-RBF, RF, ERT, SFP.
ACCURACY_COLUMNS = ("KNN", "SVM-linear", "SVM-RBF", "random forest", "extra trees", "SFP")
ACCURACY = {
    "abalone": (26.6, 26.3, 27.6, 24.9, 23.9, 26.4),
    "australian": (85.7, 85.4, 86.0, 86.9, 85.9, 85.6),
    "breast-cancer": (96.4, 96.7, 96.5, 96.8, 96.7, 96.5),
    "cardiotocography-leaking": (98.8, 98.8, 99.0, 98.8, 99.0, 98.9),
    "cleveland": (56.9, 56.7, 57.2, 57.5, 56.3, 57.0),
    "diabetes": (74.6, 77.1, 76.7, 76.2, 75.7, 76.1),
    "ecoli": (84.9, 86.5, 85.8, 86.5, 85.8, 86.3),
    "hepatitis": (84.5, 83.8, 82.5, 85.2, 81.9, 83.4),
    "ionosphere": (85.9, 87.0, 90.1, 93.3, 94.2, 92.0),
    "iris": (94.5, 96.0, 95.3, 94.4, 95.3, 94.8),
    "lymphography": (81.0, 85.2, 82.3, 83.1, 83.5, 82.4),
    "parkinsons": (93.4, 87.0, 94.3, 90.2, 91.8, 93.8),
    "sonar": (85.3, 76.5, 86.9, 82.6, 86.2, 85.2),
    "soybean": (91.5, 92.7, 91.7, 93.7, 93.3, 93.0),
    "spect": (79.4, 80.8, 82.6, 81.7, 80.9, 82.1),
    "tic-tac-toe": (100.0, 98.3, 100.0, 99.0, 99.2, 99.9),
    "transfusion": (78.6, 76.1, 78.0, 75.4, 72.9, 77.6),
    "vowel": (98.5, 90.4, 98.6, 97.1, 98.4, 98.5),
    "wine": (95.4, 97.4, 96.4, 97.9, 98.5, 97.5),
    "zoo": (94.3, 94.4, 93.3, 94.8, 96.1, 95.5),
}

# Accuracy in percent on the gene sets (table 5), same columns.
GENE_ACCURACY = {
    "colon": (70.2, 79.8, 77.5, 76.6, 80.6, 81.1),
    "leukemia": (84.6, 97.0, 92.4, 95.0, 94.7, 97.4),
    "lung": (93.4, 99.1, 97.9, 99.1, 98.8, 97.3),
    "lymphoma": (68.0, 92.7, 84.3, 94.2, 90.1, 87.7),
}


def paper_accuracy(data: str, method: str) -> float | None:
    """Return what the paper reports for a method on a data set, if it does."""
    column = "SFP" if method == "SFP as in the paper" else method
    if column not in ACCURACY_COLUMNS:
        return None
    row = {**ACCURACY, **GENE_ACCURACY}.get(data)
    return None if row is None else row[ACCURACY_COLUMNS.index(column)]
