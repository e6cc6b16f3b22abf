/* Picks the build of tiles.c that this processor runs best. */
#include "tiles.h"

extern const Tiles tiles_baseline;
#ifdef HAVE_AVX2_BUILD
extern const Tiles tiles_avx2;
#endif

const Tiles *choose_tiles(int baseline)
{
#ifdef HAVE_AVX2_BUILD
    __builtin_cpu_init();
    if (!baseline && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &tiles_avx2;
#else
    (void)baseline;
#endif
    return &tiles_baseline;
}
