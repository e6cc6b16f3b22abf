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

# Standard deviations of these (table 3), same columns.
ACCURACY_SPREAD = {
    "abalone": (1.8, 2.1, 1.5, 0.7, 1.1, 1.2),
    "australian": (2.8, 3.1, 3.0, 2.9, 2.2, 2.5),
    "breast-cancer": (1.5, 1.4, 1.5, 1.3, 1.4, 1.6),
    "cardiotocography-leaking": (0.4, 0.5, 0.5, 0.5, 0.4, 0.4),
    "cleveland": (6.2, 7.3, 6.5, 6.7, 5.7, 6.8),
    "diabetes": (3.2, 2.7, 2.9, 3.0, 3.2, 3.4),
    "ecoli": (4.1, 4.1, 4.2, 4.5, 3.7, 3.9),
    "hepatitis": (6.1, 5.9, 6.1, 6.1, 6.2, 6.0),
    "ionosphere": (4.1, 3.5, 3.7, 2.8, 2.4, 3.4),
    "iris": (3.9, 3.5, 3.4, 3.9, 3.3, 4.0),
    "lymphography": (6.1, 6.1, 6.2, 7.0, 6.6, 6.6),
    "parkinsons": (4.6, 5.0, 4.3, 4.8, 4.2, 3.9),
    "sonar": (5.7, 5.9, 6.1, 6.0, 4.7, 5.7),
    "soybean": (2.3, 1.9, 2.4, 1.7, 2.1, 2.2),
    "spect": (5.3, 4.9, 4.9, 4.6, 4.4, 5.5),
    "tic-tac-toe": (0.0, 0.7, 0.0, 0.6, 0.6, 0.2),
    "transfusion": (3.6, 3.3, 3.6, 3.4, 3.0, 3.6),
    "vowel": (1.0, 2.3, 1.0, 1.4, 0.9, 1.0),
    "wine": (3.8, 2.6, 2.9, 2.1, 1.9, 2.5),
    "zoo": (5.0, 4.6, 5.1, 4.4, 4.1, 4.4),
}

# P-values of paired t-tests between mean accuracies (table 4): the better method comes first.
P_VALUES = {
    ("KNN", "SVM-linear"): 0.414,
    ("extra trees", "SVM-linear"): 0.174,
    ("extra trees", "KNN"): 0.441,
    ("random forest", "SVM-linear"): 0.058,
    ("random forest", "KNN"): 0.357,
    ("random forest", "extra trees"): 0.930,
    ("SVM-RBF", "SVM-linear"): 0.089,
    ("SVM-RBF", "KNN"): 0.026,
    ("SVM-RBF", "random forest"): 0.618,
    ("SVM-RBF", "extra trees"): 0.579,
    ("SFP", "SVM-linear"): 0.049,
    ("SFP", "KNN"): 0.029,
    ("SFP", "extra trees"): 0.309,
    ("SFP", "random forest"): 0.307,
    ("SFP", "SVM-RBF"): 0.684,
}

# Kind of features, rows, features, classes (table 2; the gene sets are described in the text).
CHARACTERISTICS = {
    "abalone": ("mixed", 4177, 8, 28),
    "australian": ("mixed", 690, 14, 2),
    "breast-cancer": ("continuous", 699, 9, 2),
    "cardiotocography": ("continuous", 2126, 35, 10),
    "cleveland": ("mixed", 303, 13, 5),
    "diabetes": ("continuous", 768, 8, 2),
    "ecoli": ("continuous", 336, 7, 8),
    "hepatitis": ("mixed", 155, 19, 2),
    "ionosphere": ("continuous", 351, 33, 2),
    "iris": ("continuous", 150, 4, 3),
    "lymphography": ("mixed", 148, 18, 4),
    "parkinsons": ("continuous", 195, 22, 2),
    "sonar": ("continuous", 208, 60, 2),
    "soybean": ("categorical", 683, 35, 18),
    "spect": ("binary", 267, 22, 2),
    "tic-tac-toe": ("categorical", 958, 9, 2),
    "transfusion": ("continuous", 748, 4, 2),
    "vowel": ("mixed", 990, 12, 11),
    "wine": ("continuous", 178, 13, 3),
    "zoo": ("mixed", 101, 16, 7),
    "colon": ("continuous", 62, 2000, 2),
    "leukemia": ("continuous", 72, 7129, 2),
    "lung": ("continuous", 181, 12533, 2),
    "lymphoma": ("continuous", 45, 4026, 2),
}

# Accuracy in percent on the gene sets (table 5), same columns.
GENE_ACCURACY = {
    "colon": (70.2, 79.8, 77.5, 76.6, 80.6, 81.1),
    "leukemia": (84.6, 97.0, 92.4, 95.0, 94.7, 97.4),
    "lung": (93.4, 99.1, 97.9, 99.1, 98.8, 97.3),
    "lymphoma": (68.0, 92.7, 84.3, 94.2, 90.1, 87.7),
}

# AUC on the gene sets (table 5), same columns.
GENE_AUC = {
    "colon": (0.645, 0.768, 0.726, 0.719, 0.774, 0.785),
    "leukemia": (0.811, 0.961, 0.897, 0.929, 0.924, 0.977),
    "lung": (0.809, 0.974, 0.953, 0.974, 0.967, 0.935),
    "lymphoma": (0.683, 0.926, 0.844, 0.942, 0.901, 0.876),
}


def paper_accuracy(data: str, method: str) -> float | None:
    """Return what the paper reports for a method on a data set, if it does."""
    column = "SFP" if method == "SFP as in the paper" else method
    if column not in ACCURACY_COLUMNS:
        return None
    row = {**ACCURACY, **GENE_ACCURACY}.get(data)
    return None if row is None else row[ACCURACY_COLUMNS.index(column)]
