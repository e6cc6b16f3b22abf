/* The steps of a tile in one precision: included by tiles.c with REAL and NAME(stem).
 *
 * tile  (rows, 2 cols)  features relative to the origin, then their squares
 * score (rows, k)       minus cost over temperature; soften turns it into memberships
 * All row-major, k padded. */

typedef REAL NAME(vector) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

/* What a block needs besides itself, all in its scratch memory. */
typedef struct {
    REAL *tile;    /* (rows, 2 cols) */
    REAL *score;   /* (rows, k) */
    REAL *part;    /* (2 cols, k): sums of one tile, in single precision */
    REAL *origin;  /* (p,) */
    double *mass;  /* (rows,): sums of exponentials */
} NAME(Scratch);

static NAME(Scratch) NAME(scratch)(const Block *block)
{
    ptrdiff_t rows = tile_rows(sizeof(REAL)), cols = panel_cols(block->p, sizeof(REAL));
    NAME(Scratch) scratch;
    scratch.mass = block->work;
    scratch.tile = (REAL *)(scratch.mass + rows);
    scratch.score = scratch.tile + rows * 2 * cols;
    scratch.part = scratch.score + rows * block->k;
    scratch.origin = scratch.part + 2 * cols * block->k;
    for (ptrdiff_t l = 0; l < block->p; l++)
        scratch.origin[l] = (REAL)block->origin[l];
    return scratch;
}

/* Fill the tile from a strided block of data. */
static void NAME(load)(
    const Block *block,            /* IN */
    const REAL *all_origin,        /* IN  (p,) */
    ptrdiff_t row, ptrdiff_t rows, ptrdiff_t col, ptrdiff_t cols,
    REAL *tile)                    /* OUT (rows, 2 cols) */
{
    const REAL *data = (const REAL *)block->data + row * block->row_stride + col * block->col_stride;
    const REAL *restrict origin = all_origin + col;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const REAL *restrict x = data + i * block->row_stride;
        REAL *restrict centred = tile + i * 2 * cols;
        REAL *restrict squared = centred + cols;
        if (block->col_stride == 1) {
            /* Rows of a panel are far apart: the processor does not foresee the next ones. */
            for (ptrdiff_t l = 0; l < cols; l += LINE_BYTES / sizeof(REAL))
                __builtin_prefetch(x + ROWS_AHEAD * block->row_stride + l);
            for (ptrdiff_t l = 0; l < cols; l++) {
                centred[l] = x[l] - origin[l];
                squared[l] = centred[l] * centred[l];
            }
        } else {
            for (ptrdiff_t l = 0; l < cols; l++) {
                centred[l] = x[l * block->col_stride] - origin[l];
                squared[l] = centred[l] * centred[l];
            }
        }
    }
}

/* A strip of c = a b (+ c): ROWS rows and VECTORS vectors of c stay in registers, for which
 * the loops over them must be unrolled. */
#define STRIP(ROWS, VECTORS)                                                               \
    static inline void NAME(strip_##ROWS##_##VECTORS)(                                     \
        const REAL *a, ptrdiff_t a_row, ptrdiff_t a_col, ptrdiff_t inner,                  \
        const REAL *b, REAL *c, ptrdiff_t k, int add)                                      \
    {                                                                                      \
        enum { LANES = VECTOR_BYTES / sizeof(REAL) };                                      \
        NAME(vector) sum[ROWS][VECTORS];                                                   \
        EACH(r, ROWS) EACH(v, VECTORS)                                                     \
            sum[r][v] = add ? *(NAME(vector) *)(c + r * k + v * LANES)                     \
                            : (NAME(vector)){0};                                           \
        for (ptrdiff_t l = 0; l < inner; l++)                                              \
            EACH(r, ROWS) EACH(v, VECTORS)                                                 \
                sum[r][v] += a[r * a_row + l * a_col]                                      \
                    * *(const NAME(vector) *)(b + l * k + v * LANES);                      \
        EACH(r, ROWS) EACH(v, VECTORS)                                                     \
            *(NAME(vector) *)(c + r * k + v * LANES) = sum[r][v];                          \
    }

/* The shapes keep 8 to 12 sums in flight, enough to hide the latency of a multiply-add,
 * and fit the 16 vector registers of x86-64. Pairs and single rows finish what they leave. */
STRIP(4, 3)
STRIP(6, 2)
STRIP(8, 1)
STRIP(2, 3)
STRIP(2, 2)
STRIP(2, 1)
STRIP(1, 3)
STRIP(1, 2)
STRIP(1, 1)

#define STRIPS(ROWS, VECTORS)                                                              \
    for (; j + VECTORS * LANES <= k; j += VECTORS * LANES) {                               \
        ptrdiff_t i = 0;                                                                   \
        for (; i + ROWS <= m; i += ROWS)                                                   \
            NAME(strip_##ROWS##_##VECTORS)(                                                \
                a + i * a_row, a_row, a_col, inner, b + j, c + i * k + j, k, add);         \
        for (; i + 2 <= m; i += 2)                                                         \
            NAME(strip_2_##VECTORS)(                                                       \
                a + i * a_row, a_row, a_col, inner, b + j, c + i * k + j, k, add);         \
        for (; i < m; i++)                                                                 \
            NAME(strip_1_##VECTORS)(                                                       \
                a + i * a_row, a_row, a_col, inner, b + j, c + i * k + j, k, add);         \
    }

/* c (m, k) = a (m, inner) b (inner, k), added to c if asked. a has any strides, so that
 * the same product serves forth (tile x slope) and back (tile^T x memberships). */
static void NAME(multiply)(
    const REAL *a, ptrdiff_t a_row, ptrdiff_t a_col,  /* IN  (m, inner) */
    ptrdiff_t m, ptrdiff_t inner,
    const REAL *b,                                    /* IN  (inner, k) */
    REAL *c, ptrdiff_t k,                             /* OUT (m, k) */
    int add)
{
    enum { LANES = VECTOR_BYTES / sizeof(REAL) };
    ptrdiff_t j = 0;
    STRIPS(4, 3)
    STRIPS(6, 2)
    STRIPS(8, 1)
}

/* Row of the offset table that a row of data meets: the last for labels out of range. */
static inline ptrdiff_t NAME(label_row)(const Block *block, ptrdiff_t row)
{
    ptrdiff_t label = block->label[row], last = block->labels - 1;
    return label < 0 || label > last ? last : label;
}

/* Theorem 1 on every row: memberships = weight * softmax(score + offset[label]).
 * Adds memberships to the class sums of the row's label; returns
 * sum of weight * logsumexp(score + offset[label]).
 * The exponential runs over the whole tile at once: short rows would starve it. */
static inline __attribute__((always_inline)) double NAME(soften_width)(
    const Block *block,            /* IN */
    ptrdiff_t row, ptrdiff_t rows,
    REAL *restrict score,          /* IN/OUT (rows, k) */
    double *restrict masses,       /* WORK (rows,) */
    double *restrict class_sums,   /* IN/OUT (labels, k) */
    const ptrdiff_t k)
{
    const double *weight = block->weight + row;
    double energy = 0.0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        REAL *restrict s = score + i * k;
        const REAL *restrict c = (const REAL *)block->offset + NAME(label_row)(block, row + i) * k;
        REAL top = s[0] + c[0];
#pragma omp simd reduction(max : top)
        for (ptrdiff_t j = 0; j < k; j++) {
            s[j] += c[j];
            top = s[j] > top ? s[j] : top;
        }
        for (ptrdiff_t j = 0; j < k; j++)
            s[j] -= top;
        energy += weight[i] * top;
    }
    for (ptrdiff_t j = 0; j < rows * k; j++)
        score[j] = NAME(exp)(score[j]);
    for (ptrdiff_t i = 0; i < rows; i++) {
        REAL *restrict u = score + i * k;
        double *restrict sums = class_sums + NAME(label_row)(block, row + i) * k;
        REAL mass = 0, share;
#pragma omp simd reduction(+ : mass)
        for (ptrdiff_t j = 0; j < k; j++)
            mass += u[j];
        share = (REAL)weight[i] / mass;
        masses[i] = mass;
#pragma omp simd
        for (ptrdiff_t j = 0; j < k; j++) {
            u[j] *= share;
            sums[j] += u[j];
        }
    }
#pragma omp simd reduction(+ : energy)
    for (ptrdiff_t i = 0; i < rows; i++)
        energy += weight[i] * log_f64(masses[i]);
    return energy;
}

/* Short rows spend their time on loop ends, unless the compiler knows where those are. */
static double NAME(soften)(
    const Block *block, ptrdiff_t row, ptrdiff_t rows, REAL *score, double *masses,
    double *class_sums)
{
    enum { LANES = VECTOR_BYTES / sizeof(REAL) };
#define SOFTEN(k) NAME(soften_width)(block, row, rows, score, masses, class_sums, k)
    switch (block->k / LANES) {
    case 1: return SOFTEN(LANES);
    case 2: return SOFTEN(2 * LANES);
    case 3: return SOFTEN(3 * LANES);
    case 4: return SOFTEN(4 * LANES);
    default: return SOFTEN(block->k / LANES * LANES);
    }
#undef SOFTEN
}

/* score (rows, k) = [x, x^2] slope, panel by panel; leaves the last panel in the tile. */
static void NAME(forth)(
    const Block *block, const NAME(Scratch) *scratch, ptrdiff_t row, ptrdiff_t rows, REAL *score)
{
    ptrdiff_t p = block->p, k = block->k, width = panel_cols(p, sizeof(REAL));
    REAL *tile = scratch->tile;
    for (ptrdiff_t col = 0; col < p; col += width) {
        ptrdiff_t cols = col + width < p ? width : p - col;
        const REAL *linear = (const REAL *)block->slope + col * k, *square = linear + p * k;
        NAME(load)(block, scratch->origin, row, rows, col, cols, tile);
        if (cols == p) {
            NAME(multiply)(tile, 2 * p, 1, rows, 2 * p, linear, score, k, 0);
        } else {
            NAME(multiply)(tile, 2 * cols, 1, rows, cols, linear, score, k, col > 0);
            NAME(multiply)(tile + cols, 2 * cols, 1, rows, cols, square, score, k, 1);
        }
    }
}

/* sums (m, k) += columns of the tile^T u; totals are double whatever the data, so single
 * precision sums one tile at a time into part (m, k) and widens it. */
static void NAME(gather)(
    const REAL *tile, ptrdiff_t tile_cols, ptrdiff_t m, ptrdiff_t rows,
    const REAL *u, ptrdiff_t k, REAL *part, double *sums)
{
    if (sizeof(REAL) == sizeof(double)) {
        NAME(multiply)(tile, 1, tile_cols, m, rows, u, (REAL *)(void *)sums, k, 1);
        return;
    }
    NAME(multiply)(tile, 1, tile_cols, m, rows, u, part, k, 0);
    for (ptrdiff_t i = 0; i < m * k; i++)
        sums[i] += part[i];
}

/* sums (2 p, k) += [x, x^2]^T u, panels in reverse: the last one is still in the tile. */
static void NAME(back)(
    const Block *block, const NAME(Scratch) *scratch, ptrdiff_t row, ptrdiff_t rows,
    const REAL *u, double *sums)
{
    ptrdiff_t p = block->p, k = block->k, width = panel_cols(p, sizeof(REAL));
    ptrdiff_t last = (p - 1) / width * width;
    REAL *tile = scratch->tile, *part = scratch->part;
    for (ptrdiff_t col = last; col >= 0; col -= width) {
        ptrdiff_t cols = col + width < p ? width : p - col;
        if (col < last)
            NAME(load)(block, scratch->origin, row, rows, col, cols, tile);
        if (cols == p) {
            NAME(gather)(tile, 2 * p, 2 * p, rows, u, k, part, sums);
        } else {
            NAME(gather)(tile, 2 * cols, cols, rows, u, k, part, sums + col * k);
            NAME(gather)(tile + cols, 2 * cols, cols, rows, u, k, part, sums + (p + col) * k);
        }
    }
}

static double NAME(summarize)(const Block *block, double *sums, double *class_sums)
{
    ptrdiff_t height = tile_rows(sizeof(REAL));
    NAME(Scratch) scratch = NAME(scratch)(block);
    double energy = 0.0;
    for (ptrdiff_t row = 0; row < block->n; row += height) {
        ptrdiff_t rows = row + height < block->n ? height : block->n - row;
        NAME(forth)(block, &scratch, row, rows, scratch.score);
        energy += NAME(soften)(block, row, rows, scratch.score, scratch.mass, class_sums);
        NAME(back)(block, &scratch, row, rows, scratch.score, sums);
    }
    return energy;
}

static void NAME(memberships)(const Block *block, void *out, double *class_sums)
{
    ptrdiff_t height = tile_rows(sizeof(REAL));
    NAME(Scratch) scratch = NAME(scratch)(block);
    for (ptrdiff_t row = 0; row < block->n; row += height) {
        ptrdiff_t rows = row + height < block->n ? height : block->n - row;
        REAL *u = (REAL *)out + row * block->k;
        NAME(forth)(block, &scratch, row, rows, u);
        NAME(soften)(block, row, rows, u, scratch.mass, class_sums);
    }
}

static void NAME(scores)(const Block *block, void *out)
{
    ptrdiff_t height = tile_rows(sizeof(REAL)), k = block->k;
    NAME(Scratch) scratch = NAME(scratch)(block);
    for (ptrdiff_t row = 0; row < block->n; row += height) {
        ptrdiff_t rows = row + height < block->n ? height : block->n - row;
        REAL *score = (REAL *)out + row * k;
        NAME(forth)(block, &scratch, row, rows, score);
        for (ptrdiff_t i = 0; i < rows; i++) {
            const REAL *c = (const REAL *)block->offset + NAME(label_row)(block, row + i) * k;
            for (ptrdiff_t j = 0; j < k; j++)
                score[i * k + j] += c[j];
        }
    }
}

static void NAME(gather_rows)(const Block *block, const void *u, double *sums)
{
    ptrdiff_t height = tile_rows(sizeof(REAL)), p = block->p, k = block->k;
    ptrdiff_t width = panel_cols(p, sizeof(REAL)), last = (p - 1) / width * width;
    NAME(Scratch) scratch = NAME(scratch)(block);
    for (ptrdiff_t row = 0; row < block->n; row += height) {
        ptrdiff_t rows = row + height < block->n ? height : block->n - row;
        /* back() expects the last panel in the tile, where forth() leaves it. */
        NAME(load)(block, scratch.origin, row, rows, last, p - last, scratch.tile);
        NAME(back)(block, &scratch, row, rows, (const REAL *)u + row * k, sums);
    }
}
