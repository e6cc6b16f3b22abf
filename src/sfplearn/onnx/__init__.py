"""Fitted models as ONNX graphs, which run without Python.

    convert     to_onnx: a model, or a Pipeline that ends in one, as a whole graph
    inputs      the tensors that rows come in
    converters  what skl2onnx asks of us: outputs and nodes of an estimator
    imputing    SimpleImputer, also in double precision and for text
    encoding    OneHotEncoder, also with rare categories
    rules       from mixed prototypes to answers, for every loss
    graph       nodes and constants, written one after the other
    checks      what cannot be converted, and why

skl2onnx converts all other steps of a Pipeline.
"""

from sfplearn.onnx.convert import to_onnx
from sfplearn.onnx.converters import register_converters

__all__ = ["register_converters", "to_onnx"]
