/* The fused pass in C: what it offers to fused.pyx.
 *
 * tiles.c is compiled once for the baseline instruction set and, on x86-64, once more for
 * AVX2 with FMA and for AVX-512; choose_tiles() in dispatch.c picks at import. Plain C with
 * vector types: no intrinsics, no threads, no allocation, no BLAS (at these tile sizes the
 * small product in tiles_steps.h is as fast, and it has no threads of its own).
 */
#ifndef SFPLEARN_TILES_H
#define SFPLEARN_TILES_H

#include <stddef.h>
#include <stdint.h>

/* One block of rows and the parameters it meets, in double or single precision ("real").
 * k is padded to whole vectors (see padded_width): slope is 0 in the padding, offset
 * hugely negative, so that memberships there are 0. All arrays but data are row-major. */
typedef struct {
    const void *data;       /* (n, p) real, any strides */
    ptrdiff_t row_stride;   /* in elements */
    ptrdiff_t col_stride;   /* in elements */
    ptrdiff_t n, p, k, labels;
    const double *origin;   /* (p,) subtracted from every row */
    const int32_t *label;   /* (n,) row of offset; any other number: its last row */
    const double *weight;   /* (n,) */
    const void *slope;      /* (2 p, k) real: of x, then of x^2 */
    const void *offset;     /* (labels, k) real */
    void *work;             /* work_bytes(...) of scratch memory */
} Block;

/* Adds to sums (2 p, k) and class_sums (labels, k);
 * returns sum_i weight_i logsumexp_j score_ij. */
typedef double (*Summarize)(const Block *, double *sums, double *class_sums);

/* Writes u (n, k) real; class_sums as above, to be ignored. */
typedef void (*Memberships)(const Block *, void *u, double *class_sums);

/* Writes scores (n, k) real: [x, x^2] slope + offset. */
typedef void (*Scores)(const Block *, void *score);

/* Adds to sums (2 p, k) under given u (n, k) real. */
typedef void (*Gather)(const Block *, const void *u, double *sums);

typedef struct {
    const char *name;
    ptrdiff_t vector_bytes;
    Summarize summarize[2];      /* double, single */
    Memberships memberships[2];  /* double, single */
    Scores scores[2];            /* double, single */
    Gather gather[2];            /* double, single */
} Tiles;

enum {
    TILE_BYTES = 512,    /* of one column of a tile: 64 doubles or 128 floats */
    PANEL_BYTES = 1024,  /* of one row of features: 128 doubles or 256 floats */
    SET_BYTES = 512,     /* row lengths divisible by this collide in the L1 cache */
    LINE_BYTES = 64,     /* of a cache line */
    ROWS_AHEAD = 2       /* how far before its use a row is fetched */
};

/* k rounded up to whole vectors, and off the lengths whose rows evict each other. */
static inline ptrdiff_t padded_width(ptrdiff_t k, ptrdiff_t item_bytes, ptrdiff_t vector_bytes)
{
    ptrdiff_t lanes = vector_bytes / item_bytes;
    ptrdiff_t width = (k + lanes - 1) / lanes * lanes;
    return width * item_bytes % SET_BYTES ? width : width + lanes;
}

static inline ptrdiff_t tile_rows(ptrdiff_t item_bytes) { return TILE_BYTES / item_bytes; }

/* p cut into the fewest panels, all of nearly the same width. */
static inline ptrdiff_t panel_cols(ptrdiff_t p, ptrdiff_t item_bytes)
{
    ptrdiff_t widest = PANEL_BYTES / item_bytes;
    ptrdiff_t panels = (p + widest - 1) / widest;
    return (p + panels - 1) / panels;
}

/* Scratch of a block: see the Scratch of tiles_steps.h. */
static inline ptrdiff_t work_bytes(ptrdiff_t p, ptrdiff_t k, ptrdiff_t item_bytes)
{
    ptrdiff_t rows = tile_rows(item_bytes), cols = panel_cols(p, item_bytes);
    return 8 * rows + item_bytes * (rows * 2 * cols + rows * k + 2 * cols * k + p);
}

/* The build of this name, or else the one that the processor runs best. */
const Tiles *choose_tiles(const char *name);

#endif
