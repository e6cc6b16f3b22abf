# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The fused pass: see `reference` for what the functions compute, tiles.h for how.

Takes and returns what the functions of `reference` do, for dense rows. The interpreter
lock is released while rows are read, so threads may work on several blocks at once.
"""

from cython cimport floating
from libc.stdint cimport int32_t

import numpy as np

cdef extern from "tiles.h" nogil:
    ctypedef struct Block:
        const void* data
        Py_ssize_t row_stride, col_stride, n, p, k, labels
        const double* origin
        const int32_t* label
        const double* weight
        const void* slope
        const void* offset
        void* work
    ctypedef double (*Summarize)(const Block*, double*, double*) noexcept nogil
    ctypedef void (*Memberships)(const Block*, void*, double*) noexcept nogil
    ctypedef struct Tiles:
        const char* name
        Summarize summarize[2]
        Memberships memberships[2]
    Py_ssize_t padded_width(Py_ssize_t, Py_ssize_t)
    Py_ssize_t work_bytes(Py_ssize_t, Py_ssize_t, Py_ssize_t)
    const Tiles* best_tiles()

cdef const Tiles* TILES = best_tiles()

# Score of the clusters that pad k: exp of it is 0 in either precision, and it adds safely.
cdef double NEVER = -1e30

INSTRUCTIONS = TILES.name.decode()


cdef class Packed:
    """Coefficients as the tiles take them: over -gamma, transposed, padded."""

    cdef readonly object slope, offset

    def __init__(self, coefficients, dtype):
        slope = np.concatenate((coefficients.linear, coefficients.square), axis=1)
        self.slope = padded(slope, -1 / coefficients.gamma, 0.0, dtype)
        self.offset = padded(coefficients.table, -1 / coefficients.gamma, NEVER, dtype)


def padded(values, double factor, double filler, dtype):
    """Return factor * values^T, its clusters padded to whole vectors with the filler."""
    k, rows = values.shape
    out = np.full((rows, padded_width(k, dtype.itemsize)), filler, dtype)
    np.multiply(values.T, factor, out=out[:, :k], casting="same_kind")
    return out


cdef Block bind(const floating[:, :] X, const int32_t[::1] label, const double[::1] weight,
                const double[::1] origin, const floating[:, ::1] slope,
                const floating[:, ::1] offset, unsigned char[::1] work):
    """Return pointers into arrays, which must outlive them."""
    cdef Block block
    block.data = &X[0, 0]
    block.row_stride = X.strides[0] // <Py_ssize_t>sizeof(floating)
    block.col_stride = X.strides[1] // <Py_ssize_t>sizeof(floating)
    block.n, block.p = X.shape[0], X.shape[1]
    block.k, block.labels = offset.shape[1], offset.shape[0]
    block.label, block.weight, block.origin = &label[0], &weight[0], &origin[0]
    block.slope, block.offset = &slope[0, 0], &offset[0, 0]
    block.work = &work[0]
    return block


cdef Block bind_any(rows, packed, work):
    X, label, weight, origin = rows
    if X.dtype == np.float32:
        return bind[float](X, label, weight, origin, packed.slope, packed.offset, work)
    return bind[double](X, label, weight, origin, packed.slope, packed.offset, work)


def summarize(rows, coefficients):
    packed = coefficients.packed(rows.X.dtype, Packed)
    cdef Py_ssize_t p = rows.X.shape[1], k = coefficients.linear.shape[0], width = packed.offset.shape[1]
    cdef bint single = rows.X.itemsize == 4
    work = np.empty(work_bytes(p, width, rows.X.itemsize), np.uint8)
    cdef Block block = bind_any(rows, packed, work)
    cdef double[:, ::1] sums = np.zeros((2 * p, width))
    cdef double[:, ::1] class_sums = np.zeros((block.labels, width))
    cdef double log_mass
    with nogil:
        log_mass = TILES.summarize[single](&block, &sums[0, 0], &class_sums[0, 0])
    both, labels = np.asarray(sums), np.asarray(class_sums)
    return both[:p, :k].T, both[p:, :k].T, labels[:, :k].T, -coefficients.gamma * log_mass


def memberships(rows, coefficients):
    packed = coefficients.packed(rows.X.dtype, Packed)
    cdef Py_ssize_t k = coefficients.linear.shape[0], width = packed.offset.shape[1]
    cdef bint single = rows.X.itemsize == 4
    work = np.empty(work_bytes(rows.X.shape[1], width, rows.X.itemsize), np.uint8)
    rows = rows._replace(weight=np.ones(len(rows.y)))
    cdef Block block = bind_any(rows, packed, work)
    u = np.empty((rows.X.shape[0], width), rows.X.dtype)
    cdef unsigned char[:, ::1] u_bytes = u.view(np.uint8)
    cdef double[:, ::1] ignored = np.zeros((block.labels, width))
    with nogil:
        TILES.memberships[single](&block, &u_bytes[0, 0], &ignored[0, 0])
    return u[:, :k]
