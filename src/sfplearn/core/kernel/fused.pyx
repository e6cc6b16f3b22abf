# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The fused pass: see `reference` for what the functions compute, tiles.h for how.

Takes and returns what the functions of `reference` do, for dense rows. The interpreter
lock is released while rows are read, so threads may work on several blocks at once.

The environment variable SFPLEARN_INSTRUCTIONS asks for a build by its name, for tests of it:
baseline, which runs on any processor of this kind, AVX2 or AVX-512.
"""

import os

import numpy as np

from cython cimport floating
from libc.stdint cimport int32_t

from sfplearn.core.kernel.reference import sums_by_label

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
    ctypedef void (*Scores)(const Block*, void*) noexcept nogil
    ctypedef void (*Gather)(const Block*, const void*, double*) noexcept nogil
    ctypedef struct Tiles:
        const char* name
        Py_ssize_t vector_bytes
        Summarize summarize[2]
        Memberships memberships[2]
        Scores scores[2]
        Gather gather[2]
    Py_ssize_t padded_width(Py_ssize_t, Py_ssize_t, Py_ssize_t)
    Py_ssize_t work_bytes(Py_ssize_t, Py_ssize_t, Py_ssize_t)
    const Tiles* choose_tiles(const char*)
    enum: LINE_BYTES

cdef bytes asked = os.environ.get("SFPLEARN_INSTRUCTIONS", "").encode()
cdef const Tiles* TILES = choose_tiles(asked)

INSTRUCTIONS = TILES.name.decode()


cdef aligned(shape, dtype):
    """Return zeros that begin on a cache line: vectors that straddle two cost a quarter more."""
    cdef Py_ssize_t size = np.dtype(dtype).itemsize * shape[0] * shape[1]
    raw = np.zeros(size + LINE_BYTES, np.uint8)
    cdef const unsigned char[::1] view = raw
    cdef Py_ssize_t start = -<Py_ssize_t>&view[0] % LINE_BYTES
    start += LINE_BYTES if start < 0 else 0
    return raw[start:start + size].view(dtype).reshape(shape)


cdef class Packed:
    """Coefficients as the tiles take them: over -gamma, transposed, padded.

    Clusters that pad k score so low that no other cluster does worse.
    """

    cdef readonly object slope, offset

    def __init__(self, coefficients, dtype):
        slope = np.concatenate((coefficients.linear, coefficients.square), axis=1)
        never = -0.25 * np.finfo(dtype).max
        self.slope = padded(slope, -1 / coefficients.gamma, 0.0, dtype)
        self.offset = padded(coefficients.table, -1 / coefficients.gamma, never, dtype)


def padded(values, double factor, double filler, dtype):
    """Return factor * values^T, its clusters padded to whole vectors with the filler."""
    k, rows = values.shape
    out = aligned((rows, padded_width(k, dtype.itemsize, TILES.vector_bytes)), dtype)
    np.multiply(values.T, factor, out=out[:, :k], casting="same_kind")
    out[:, k:] = filler
    return out


def steady(rows):
    """Return rows whose arrays pointers can walk: copies only where they could not."""
    X = rows.X
    if X.ndim != 2:
        raise ValueError(f"rows must form a table of two dimensions; got {X.ndim}.")
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    if not X.flags.aligned or X.strides[0] % X.itemsize or X.strides[1] % X.itemsize:
        X = np.ascontiguousarray(X)
    return rows._replace(
        X=X,
        y=np.ascontiguousarray(rows.y, np.int32),
        weight=np.ascontiguousarray(rows.weight, np.float64),
        origin=np.ascontiguousarray(rows.origin, np.float64),
    )


cdef Block bind(const floating[:, :] X, const int32_t[::1] label, const double[::1] weight,
                const double[::1] origin, const floating[:, ::1] slope,
                const floating[:, ::1] offset, unsigned char[::1] work) except *:
    """Return pointers into arrays, which must outlive them."""
    cdef Block block
    if not X.shape[0] == label.shape[0] == weight.shape[0]:
        raise ValueError(f"{X.shape[0]} rows need as many labels and weights; "
                         f"got {label.shape[0]} and {weight.shape[0]}.")
    if not 2 * X.shape[1] == 2 * origin.shape[0] == slope.shape[0]:
        raise ValueError(f"rows have {X.shape[1]} features and their origin {origin.shape[0]}, "
                         f"but the parameters {slope.shape[0] // 2}.")
    block.data = &X[0, 0]
    block.row_stride = X.strides[0] // <Py_ssize_t>sizeof(floating)
    block.col_stride = X.strides[1] // <Py_ssize_t>sizeof(floating)
    block.n, block.p = X.shape[0], X.shape[1]
    block.k, block.labels = offset.shape[1], offset.shape[0]
    block.label, block.weight, block.origin = &label[0], &weight[0], &origin[0]
    block.slope, block.offset = &slope[0, 0], &offset[0, 0]
    block.work = &work[0]
    return block


cdef class Pass:
    """A block bound to coefficients, with all that its pointers point into."""

    cdef Block block
    cdef bint single
    cdef Py_ssize_t k
    cdef object rows, packed, work

    def __init__(self, rows, coefficients):
        self.rows = rows = steady(rows)
        self.packed = packed = coefficients.packed(rows.X.dtype, Packed)
        self.k = coefficients.linear.shape[0]
        self.single = rows.X.itemsize == 4
        width = packed.offset.shape[1]
        size = work_bytes(rows.X.shape[1], width, rows.X.itemsize)
        self.work = aligned((1, size), np.uint8)[0]
        X, label, weight, origin = rows[:4]
        if self.single:
            self.block = bind[float](
                X, label, weight, origin, packed.slope, packed.offset, self.work)
        else:
            self.block = bind[double](
                X, label, weight, origin, packed.slope, packed.offset, self.work)


def summarize(rows, coefficients):
    cdef Pass one = Pass(rows, coefficients)
    cdef Py_ssize_t p = one.block.p, k = one.k
    cdef double[:, ::1] sums = aligned((2 * p, one.block.k), np.float64)
    cdef double[:, ::1] class_sums = aligned((one.block.labels, one.block.k), np.float64)
    cdef double log_mass
    with nogil:
        log_mass = TILES.summarize[one.single](&one.block, &sums[0, 0], &class_sums[0, 0])
    both, labels = np.asarray(sums), np.asarray(class_sums)
    return both[:p, :k].T, both[p:, :k].T, labels[:, :k].T, -coefficients.gamma * log_mass


def gather(rows, coefficients, u):
    cdef Pass one = Pass(rows, coefficients)
    cdef Py_ssize_t p = one.block.p, k = one.k
    padded_u = aligned((one.block.n, one.block.k), one.rows.X.dtype)
    padded_u[:, :k] = u
    cdef const unsigned char[:, ::1] u_bytes = padded_u.view(np.uint8)
    cdef double[:, ::1] sums = aligned((2 * p, one.block.k), np.float64)
    with nogil:
        TILES.gather[one.single](&one.block, &u_bytes[0, 0], &sums[0, 0])
    both = np.asarray(sums)
    by_label = sums_by_label(one.rows, u, coefficients.table.shape[1])
    return both[:p, :k].T, both[p:, :k].T, by_label, 0.0


def memberships(rows, coefficients):
    cdef Pass one = Pass(rows._replace(weight=np.ones(len(rows.y))), coefficients)
    u = aligned((one.block.n, one.block.k), one.rows.X.dtype)
    cdef unsigned char[:, ::1] u_bytes = u.view(np.uint8)
    cdef double[:, ::1] ignored = aligned((one.block.labels, one.block.k), np.float64)
    with nogil:
        TILES.memberships[one.single](&one.block, &u_bytes[0, 0], &ignored[0, 0])
    return np.ascontiguousarray(u[:, :one.k])


def costs(rows, coefficients):
    cdef Pass one = Pass(rows, coefficients)
    score = aligned((one.block.n, one.block.k), one.rows.X.dtype)
    cdef unsigned char[:, ::1] score_bytes = score.view(np.uint8)
    with nogil:
        TILES.scores[one.single](&one.block, &score_bytes[0, 0])
    return 0.0 - score[:, :one.k] * coefficients.gamma
