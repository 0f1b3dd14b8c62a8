/* Times kernels of VOLK as `superhet bench kernels` times its own, and prints a JSON object for each on a line.
 *
 * kernels SECONDS SHIFT LENGTH [NAME...]
 *
 * SECONDS for each kernel: the best of all calls in that time, in groups long enough for the clock. SHIFT: how many
 * items the buffers start behind a cache line. NAMEs are superhet's; all without any. VOLK chooses its code by its own
 * profile (volk_profile writes it) where there is one, for aligned and for other buffers.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <volk/volk.h>
#include <volk/volk_prefs.h>

/* Buffers of the inputs a, b and c, and of the outputs y and z. The second half of the bytes of y and z is theirs alone. */
static void *a, *b, *c, *y, *z;
static unsigned n;

static lv_32fc_t step, phase;
static float number;
static uint32_t place;
static lv_32fc_t sum;

/* superhet's name, VOLK's name, bytes of an item of a, b, c, y and z, and the call. */
struct kernel {
    const char *name, *volk;
    size_t size_a, size_b, size_c, size_y, size_z;
    void (*run)(void);
    volk_func_desc_t (*describe)(void);
};

/* clang-format off */
#define KERNELS \
    K(absolute_f32, none, 0, 0, 0, 0, 0, ) \

