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


cdef class Pass:
    """One block bound to parameters: owns the padded copies that `Block` points into."""

    cdef Block block
    cdef bint single
    cdef object kept
    cdef double[:, ::1] class_sums

    def __init__(self, X, const int32_t[::1] label, const double[::1] weight,
                 const double[::1] origin, linear, square, table, double gamma):
        self.single = X.dtype == np.float32
        slope = padded(X.dtype, np.concatenate((linear, square), axis=1), -1 / gamma, 0.0)
        offset = padded(X.dtype, table, -1 / gamma, NEVER)
        if self.single:
            point[float](&self.block, X, slope, offset)
        else:
            point[double](&self.block, X, slope, offset)
        self.block.origin = &origin[0]
        self.block.label = &label[0]
        self.block.weight = &weight[0]
        work = np.empty(work_bytes(self.block.p, self.block.k, X.itemsize), np.uint8)
        self.block.work = address(work)
        self.class_sums = np.zeros((self.block.labels, self.block.k))
        self.kept = (X, origin, label, weight, slope, offset, work)


cdef void* address(unsigned char[::1] memory):
    return &memory[0]


cdef void point(Block* block, const floating[:, :] X, const floating[:, ::1] slope,
                const floating[:, ::1] offset):
    block.data = &X[0, 0]
    block.row_stride = X.strides[0] // <Py_ssize_t>sizeof(floating)
    block.col_stride = X.strides[1] // <Py_ssize_t>sizeof(floating)
    block.n, block.p = X.shape[0], X.shape[1]
    block.k, block.labels = offset.shape[1], offset.shape[0]
    block.slope = &slope[0, 0]
    block.offset = &offset[0, 0]


def padded(dtype, values, double factor, double filler):
    """factor * values^T, its clusters padded to whole vectors with the filler."""
    k, rows = values.shape
    out = np.full((rows, padded_width(k, dtype.itemsize)), filler, dtype)
    np.multiply(values.T, factor, out=out[:, :k], casting="same_kind")
    return out


def summarize(X, label, weight, origin, linear, square, table, double gamma):
    cdef Pass this = Pass(X, label, weight, origin, linear, square, table, gamma)
    cdef Py_ssize_t k = linear.shape[0], p = this.block.p
    sums = np.zeros((2 * p, this.block.k))
    cdef double[:, ::1] sums_view = sums
    cdef double log_mass
    with nogil:
        log_mass = TILES.summarize[this.single](&this.block, &sums_view[0, 0], &this.class_sums[0, 0])
    return sums[:p, :k].T, sums[p:, :k].T, np.asarray(this.class_sums)[:, :k].T, -gamma * log_mass


def memberships(X, label, weight, origin, linear, square, table, double gamma):
    cdef Pass this = Pass(X, label, weight, origin, linear, square, table, gamma)
    cdef Py_ssize_t k = linear.shape[0]
    u = np.empty((X.shape[0], this.block.k), X.dtype)
    cdef unsigned char[:, ::1] u_bytes = u.view(np.uint8)
    with nogil:
        TILES.memberships[this.single](&this.block, &u_bytes[0, 0], &this.class_sums[0, 0])
    return u[:, :k]
