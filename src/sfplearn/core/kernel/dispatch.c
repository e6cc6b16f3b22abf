/* Picks the build of tiles.c that this processor runs best. */
#include "tiles.h"

#include <string.h>

extern const Tiles tiles_baseline;
#ifdef HAVE_AVX2_BUILD
extern const Tiles tiles_avx2;
#endif
#ifdef HAVE_AVX512_BUILD
extern const Tiles tiles_avx512;
#endif

const Tiles *choose_tiles(const char *name)
{
    const Tiles *builds[3]; /* what runs here, best first */
    int count = 0;
#ifdef HAVE_AVX2_BUILD
    __builtin_cpu_init();
#endif
#ifdef HAVE_AVX512_BUILD
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        builds[count++] = &tiles_avx512;
#endif
#ifdef HAVE_AVX2_BUILD
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        builds[count++] = &tiles_avx2;
#endif
    builds[count++] = &tiles_baseline;
    for (int i = 0; i < count; i++)
        if (strcmp(builds[i]->name, name) == 0)
            return builds[i];
    return builds[0];
}
