/* One build of the fused pass. meson.build sets TILES, the name of this build's table, and
 * VECTOR_BYTES: 64 for AVX-512, else 32, which are two SSE or NEON registers, or one of AVX. */
#include "tiles.h"

#include <math.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "sfplearn: build without -ffast-math, it breaks the rounding in exp_f64 and exp_f32"
#endif

/* exp(x) for x <= 0: x = n ln 2 + r, |r| <= ln(2)/2, exp(x) = 2^n * P(r).
 * Adding 1.5 * 2^52 rounds x / ln 2 to the integer n and leaves n in the low bits,
 * from where a shift moves it into the exponent. P interpolates exp at Chebyshev
 * nodes; its relative error is below 2e-17. Where exp(x) would be subnormal, 0. */
static inline double exp_f64(double x)
{
    const double lowest = -708.0, shifter = 0x1.8p52;
    double bounded = x < lowest ? lowest : x;
    double shifted = bounded * 1.4426950408889634 + shifter;
    double n = shifted - shifter;
    double r = bounded - n * 0x1.62e42fefa38p-1 - n * 0x1.ef35793c7673p-45;
    double r2 = r * r, r4 = r2 * r2;
    double low = (1.0 + r) + (0.5000000000000019 + 0.1666666666666668 * r) * r2;
    double middle = (0.04166666666648795 + 0.008333333333319589 * r)
        + (0.0013888888952352863 + 0.00019841269890076403 * r) * r2;
    double high = (2.4801485441561313e-05 + 2.755724088722987e-06 * r)
        + (2.763265472252779e-07 + 2.5110049204818658e-08 * r) * r2;
    double p = low + (middle + high * r4) * r4;
    int64_t exponent, bits;
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &p, sizeof bits);
    bits += (int64_t)((uint64_t)exponent << 52);
    memcpy(&p, &bits, sizeof p);
    return x < lowest ? 0.0 : p;
}

/* The same in single precision; relative error of P below 3e-9. */
static inline float exp_f32(float x)
{
    const float lowest = -87.0f, shifter = 0x1.8p23f;
    float bounded = x < lowest ? lowest : x;
    float shifted = bounded * 1.44269504f + shifter;
    float n = shifted - shifter;
    float r = bounded - n * 0x1.62e4p-1f - n * 0x1.7f7d1cp-20f;
    float r2 = r * r;
    float low = (1.0f + 1.0000000377388714f * r)
        + (0.5000000047146057f + 0.16666415414041177f * r) * r2;
    float high = 0.04166635277111221f + 0.008375134774624326f * r + 0.0013941118895837f * r2;
    float p = low + high * (r2 * r2);
    int32_t exponent, bits;
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &p, sizeof bits);
    bits += (int32_t)((uint32_t)exponent << 23);
    memcpy(&p, &bits, sizeof p);
    return x < lowest ? 0.0f : p;
}

/* ln(x) for normal x > 0: x = 2^n f with f in [sqrt(1/2), sqrt(2)), ln f = 2 atanh(s) with
 * s = (f - 1) / (f + 1), |s| < 0.172, whose series is cut below 1e-17 of its sum. The 52 bits
 * of n are turned into a double by writing them under the exponent of 2^52. */
static inline double log_f64(double x)
{
    const double two_52 = 0x1p52;
    const int64_t root_half = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff;
    int64_t bits, shifted, below, exponent;
    double n, f, s, z, series;
    memcpy(&bits, &x, sizeof bits);
    shifted = bits - root_half;
    exponent = (int64_t)((uint64_t)(shifted + (1024LL << 52)) >> 52);
    below = (shifted & mantissa) + root_half;
    memcpy(&f, &below, sizeof f);
    exponent |= 0x4330000000000000;
    memcpy(&n, &exponent, sizeof n);
    n = n - two_52 - 1024.0;
    s = (f - 1.0) / (f + 1.0);
    z = s * s;
    series = 1.0 / 21 + z / 23;
    series = 1.0 / 19 + z * series;
    series = 1.0 / 17 + z * series;
    series = 1.0 / 15 + z * series;
    series = 1.0 / 13 + z * series;
    series = 1.0 / 11 + z * series;
    series = 1.0 / 9 + z * series;
    series = 1.0 / 7 + z * series;
    series = 1.0 / 5 + z * series;
    series = 1.0 / 3 + z * series;
    return n * 0x1.62e42fefa39efp-1 + (2.0 * s + 2.0 * s * z * series);
}

#define EACH(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)

#define REAL double
#define NAME(stem) stem##_f64
#include "tiles_steps.h"
#undef REAL
#undef NAME

#define REAL float
#define NAME(stem) stem##_f32
#include "tiles_steps.h"
#undef REAL
#undef NAME

const Tiles TILES = {
    TILES_NAME, VECTOR_BYTES,
    {summarize_f64, summarize_f32}, {memberships_f64, memberships_f32},
    {scores_f64, scores_f32}, {gather_rows_f64, gather_rows_f32},
};
