/* Times kernels of VOLK the way `superhet bench kernels` times its own; prints a JSON object for each on a line.
 *
 *     kernels SECONDS SHIFT LENGTH [NAME...]
 *     kernels errors KERNEL:LOW:HIGH:SPACING...
 *
 * SECONDS are spent on each: the median counts, over groups of calls long enough for the clock. SHIFT is how many items
 * the slices start behind a cache line. NAMEs are superhet's, all if there are none. VOLK picks its code by its own
 * profile where there is one (volk_profile makes it).
 *
 * With `errors` it measures functions against double precision instead, as crates/kernels/examples/accuracy.rs does, on the
 * same numbers: 65536 within LOW and HIGH, SPACING `linear` or `log`. A KERNEL is superhet's name without `_fast`.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <volk/constants.h>
#include <volk/volk.h>
#include <volk/volk_prefs.h>

/* The arguments of all kernels: inputs a and b, outputs y and z, and numbers. */
static void *a, *b, *y, *z;
static unsigned n;
static lv_32fc_t turn, phase, sum;
static float real, other;
static uint32_t place;

/* superhet's name, VOLK's, the bytes of an item of a, b, y and z, and VOLK's arguments but the length.
 *
 * VOLK's numbers of items and scales are chosen so that both do the same work; where the two differ, README.md says so.
 */
/* clang-format off */
#define KERNELS \
    K(add_f32, 32f_x2_add_32f, 4, 4, 4, 0, y, a, b) \
    K(add_c32, 32fc_x2_add_32fc, 8, 8, 8, 0, y, a, b) \
    K(add_const_f32, 32f_s32f_add_32f, 4, 0, 4, 0, y, a, 0.5f) \
    K(subtract_f32, 32f_x2_subtract_32f, 4, 4, 4, 0, y, a, b) \
    K(multiply_f32, 32f_x2_multiply_32f, 4, 4, 4, 0, y, a, b) \
    K(multiply_c32, 32fc_x2_multiply_32fc, 8, 8, 8, 0, y, a, b) \
    K(multiply_c32_f32, 32fc_32f_multiply_32fc, 8, 4, 8, 0, y, a, b) \
    K(multiply_conjugate_c32, 32fc_x2_multiply_conjugate_32fc, 8, 8, 8, 0, y, a, b) \
    K(multiply_conjugate_add_c32, 32fc_x2_s32fc_multiply_conjugate_add_32fc, 8, 8, 8, 0, y, a, b, turn) \
    K(multiply_const_f32, 32f_s32f_multiply_32f, 4, 0, 4, 0, y, a, 0.5f) \
    K(multiply_const_c32, 32fc_s32fc_multiply_32fc, 8, 0, 8, 0, y, a, turn) \
    K(divide_f32, 32f_x2_divide_32f, 4, 4, 4, 0, y, a, b) \
    K(divide_c32, 32fc_x2_divide_32fc, 8, 8, 8, 0, y, a, b) \
    K(maximum_f32, 32f_x2_max_32f, 4, 4, 4, 0, y, a, b) \
    K(minimum_f32, 32f_x2_min_32f, 4, 4, 4, 0, y, a, b) \
    K(conjugate, 32fc_conjugate_32fc, 8, 0, 8, 0, y, a) \
    K(magnitude, 32fc_magnitude_32f, 8, 0, 4, 0, y, a) \
    K(magnitude_squared, 32fc_magnitude_squared_32f, 8, 0, 4, 0, y, a) \
    K(magnitude_to_i16_scaled, 32fc_s32f_magnitude_16i, 8, 0, 2, 0, y, a, 1000.0f) \
    K(magnitude_i16, 16ic_magnitude_16i, 4, 0, 2, 0, y, a) \
    K(magnitude_i16_to_f32_scaled, 16ic_s32f_magnitude_32f, 4, 0, 4, 0, y, a, 32768.0f) \
    K(complex_to_arg, 32fc_s32f_atan2_32f, 8, 0, 4, 0, y, a, 1.0f) \
    K(complex_to_db, 32fc_s32f_power_spectrum_32f, 8, 0, 4, 0, y, a, 1.0f) \
    K(sqrt, 32f_sqrt_32f, 4, 0, 4, 0, y, a) \
    K(inverse_sqrt, 32f_invsqrt_32f, 4, 0, 4, 0, y, a) \
    K(inverse_sqrt_fast, 32f_invsqrt_32f, 4, 0, 4, 0, y, a) \
    K(sin, 32f_sin_32f, 4, 0, 4, 0, y, a) \
    K(cos, 32f_cos_32f, 4, 0, 4, 0, y, a) \
    K(tan, 32f_tan_32f, 4, 0, 4, 0, y, a) \
    K(asin, 32f_asin_32f, 4, 0, 4, 0, y, a) \
    K(acos, 32f_acos_32f, 4, 0, 4, 0, y, a) \
    K(atan, 32f_atan_32f, 4, 0, 4, 0, y, a) \
    K(exp, 32f_exp_32f, 4, 0, 4, 0, y, a) \
    K(tanh, 32f_tanh_32f, 4, 0, 4, 0, y, a) \
    K(tanh_fast, 32f_tanh_32f, 4, 0, 4, 0, y, a) \
    K(log2, 32f_log2_32f, 4, 0, 4, 0, y, a) \
    K(log2_fast, 32f_log2_32f, 4, 0, 4, 0, y, a) \
    K(power, 32f_x2_pow_32f, 4, 4, 4, 0, y, b, a) \
    K(power_fast, 32f_x2_pow_32f, 4, 4, 4, 0, y, b, a) \
    K(power_const, 32f_s32f_power_32f, 4, 0, 4, 0, y, a, 1.0f) \
    K(rotate_c32, 32fc_s32fc_x2_rotator_32fc, 8, 0, 8, 0, y, a, turn, &phase) \
    K(dot_f32, 32f_x2_dot_prod_32f, 4, 4, 0, 0, &real, a, b) \
    K(dot_c32_f32, 32fc_32f_dot_prod_32fc, 8, 4, 0, 0, &sum, a, b) \
    K(dot_c32, 32fc_x2_dot_prod_32fc, 8, 8, 0, 0, &sum, a, b) \
    K(dot_conjugate_c32, 32fc_x2_conjugate_dot_prod_32fc, 8, 8, 0, 0, &sum, a, b) \
    K(sum_f32, 32f_accumulator_s32f, 4, 0, 0, 0, &real, a) \
    K(sum_c32, 32fc_accumulator_s32fc, 8, 0, 0, 0, &sum, a) \
    K(moments_f32, 32f_stddev_and_mean_32f_x2, 4, 0, 0, 0, &real, &other, a) \
    K(index_of_max_f32, 32f_index_max_32u, 4, 0, 0, 0, &place, a) \
    K(index_of_min_f32, 32f_index_min_32u, 4, 0, 0, 0, &place, a) \
    K(index_of_max_c32, 32fc_index_max_32u, 8, 0, 0, 0, &place, a) \
    K(index_of_min_c32, 32fc_index_min_32u, 8, 0, 0, 0, &place, a) \
    K(binary_slicer_u8, 32f_binary_slicer_8i, 4, 0, 1, 0, y, a) \
    K(binary_slicer_i32, 32f_binary_slicer_32i, 4, 0, 4, 0, y, a) \
    K(reverse_bits_u32, 32u_reverse_32u, 4, 0, 4, 0, y, a) \
    K(popcount_u32, 32u_popcntpuppet_32u, 4, 0, 4, 0, y, a) \
    K(popcount_u64, 64u_popcntpuppet_64u, 8, 0, 8, 0, y, a) \
    K(and_u32, 32i_x2_and_32i, 4, 4, 4, 0, y, a, b) \
    K(or_u32, 32i_x2_or_32i, 4, 4, 4, 0, y, a, b) \
    K(swap_bytes_u16_in_place, 16u_byteswap, 0, 0, 2, 0, y) \
    K(swap_bytes_u32_in_place, 32u_byteswap, 0, 0, 4, 0, y) \
    K(swap_bytes_u64_in_place, 64u_byteswap, 0, 0, 8, 0, y) \
    K(i8_to_f32, 8i_s32f_convert_32f, 1, 0, 4, 0, y, a, 128.0f) \
    K(i16_to_f32, 16i_s32f_convert_32f, 2, 0, 4, 0, y, a, 32768.0f) \
    K(i32_to_f32, 32i_s32f_convert_32f, 4, 0, 4, 0, y, a, 2147483648.0f) \
    K(i8_to_f32_scaled, 8i_s32f_convert_32f, 1, 0, 4, 0, y, a, 128.0f) \
    K(i16_to_f32_scaled, 16i_s32f_convert_32f, 2, 0, 4, 0, y, a, 32768.0f) \
    K(i32_to_f32_scaled, 32i_s32f_convert_32f, 4, 0, 4, 0, y, a, 32768.0f) \
    K(f32_to_i8, 32f_s32f_convert_8i, 4, 0, 1, 0, y, a, 128.0f) \
    K(f32_to_i16, 32f_s32f_convert_16i, 4, 0, 2, 0, y, a, 32768.0f) \
    K(f32_to_i32, 32f_s32f_convert_32i, 4, 0, 4, 0, y, a, 2147483648.0f) \
    K(f32_to_i8_scaled, 32f_s32f_convert_8i, 4, 0, 1, 0, y, a, 127.0f) \
    K(f32_to_i16_scaled, 32f_s32f_convert_16i, 4, 0, 2, 0, y, a, 32767.0f) \
    K(f32_to_i32_scaled, 32f_s32f_convert_32i, 4, 0, 4, 0, y, a, 32767.0f) \
    K(i16_to_c32, 16ic_convert_32fc, 4, 0, 8, 0, y, a) \
    K(c32_to_i16, 32fc_convert_16ic, 8, 0, 4, 0, y, a) \
    K(f32_to_f64, 32f_convert_64f, 4, 0, 8, 0, y, a) \
    K(f64_to_f32, 64f_convert_32f, 8, 0, 4, 0, y, a) \
    K(i8_to_i16, 8i_convert_16i, 1, 0, 2, 0, y, a) \
    K(i16_to_i8, 16i_convert_8i, 2, 0, 1, 0, y, a) \
    K(interleave, 32f_x2_interleave_32fc, 4, 4, 8, 0, y, a, b) \
    K(interleave_i16_scaled, 32f_x2_s32f_interleave_16ic, 4, 4, 4, 0, y, a, b, 32767.0f) \
    K(deinterleave, 32fc_deinterleave_32f_x2, 8, 0, 4, 4, y, z, a) \
    K(deinterleave_f64, 32fc_deinterleave_64f_x2, 8, 0, 8, 8, y, z, a) \
    K(deinterleave_i16, 16ic_deinterleave_16i_x2, 4, 0, 2, 2, y, z, a) \
    K(deinterleave_i8_to_i16, 8ic_deinterleave_16i_x2, 2, 0, 2, 2, y, z, a) \
    K(deinterleave_i8_to_f32_scaled, 8ic_s32f_deinterleave_32f_x2, 2, 0, 4, 4, y, z, a, 128.0f) \
    K(deinterleave_i16_to_f32_scaled, 16ic_s32f_deinterleave_32f_x2, 4, 0, 4, 4, y, z, a, 32768.0f) \
    K(complex_to_real, 32fc_deinterleave_real_32f, 8, 0, 4, 0, y, a) \
    K(complex_to_imag, 32fc_deinterleave_imag_32f, 8, 0, 4, 0, y, a) \
    K(complex_to_real_f64, 32fc_deinterleave_real_64f, 8, 0, 8, 0, y, a) \
    K(complex_to_real_i16_scaled, 32fc_s32f_deinterleave_real_16i, 8, 0, 2, 0, y, a, 32767.0f) \
    K(real_i8, 8ic_deinterleave_real_8i, 2, 0, 1, 0, y, a) \
    K(real_i16, 16ic_deinterleave_real_16i, 4, 0, 2, 0, y, a) \
    K(real_i8_to_i16, 8ic_deinterleave_real_16i, 2, 0, 2, 0, y, a) \
    K(real_i16_to_i8, 16ic_deinterleave_real_8i, 4, 0, 1, 0, y, a) \
    K(real_i8_to_f32_scaled, 8ic_s32f_deinterleave_real_32f, 2, 0, 4, 0, y, a, 128.0f) \
    K(real_i16_to_f32_scaled, 16ic_s32f_deinterleave_real_32f, 4, 0, 4, 0, y, a, 32768.0f)
/* clang-format on */

#define K(name, volk, size_a, size_b, size_y, size_z, ...) \
    static void run_##name(void) { volk_##volk(__VA_ARGS__, n); }
KERNELS
#undef K

/* The slices of each kernel: a, b, y and z. */
enum { SLICES = 4 };

static const struct kernel {
    const char *name, *volk;
    /* Bytes of an item of each slice; 0 where there is none. */
    size_t sizes[SLICES];
    void (*run)(void);
} kernels[] = {
#define K(name, volk, size_a, size_b, size_y, size_z, ...) \
    {#name, "volk_" #volk, {size_a, size_b, size_y, size_z}, run_##name},
    KERNELS
#undef K
};

/* Bytes of a page, and where the slices start within theirs: as superhet's do, outputs far ahead of the inputs. */
enum { PAGE = 4096 };
static const size_t starts[SLICES] = {0, 512, 3072, 2816};

/* Fills a slice with noise: floats or doubles within -1 and 1, or integers. */
static void fill(char *slice, size_t bytes, int are_floats, int are_doubles)
{
    static uint32_t state = 1;
    for (size_t at = 0; at + (are_doubles ? 8 : are_floats ? 4 : 1) <= bytes;) {
        state = state * 1664525 + 1013904223;
        double value = (int32_t)state / 2147483648.0;
        float narrow = (float)value;
        char byte = (char)(state >> 24);
        const void *item = are_doubles ? (void *)&value : are_floats ? (void *)&narrow : (void *)&byte;
        size_t size = are_doubles ? 8 : are_floats ? 4 : 1;
        memcpy(slice + at, item, size);
        at += size;
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double timed(void (*run)(void), long calls)
{
    double start = now();
    for (long call = 0; call < calls; call++)
        run();
    return now() - start;
}

static int compare(const void *one, const void *other)
{
    double x = *(const double *)one, y = *(const double *)other;
    return (x > y) - (x < y);
}

/* Seconds of a call: the median over groups of calls, as superhet's. */
static double measure(void (*run)(void), double seconds)
{
    enum { MOST = 1 << 20 };
    static double groups[MOST];
    double start = now();
    double one = timed(run, 4) / 4;
    double calls = 20e-6 / (one > 1e-9 ? one : 1e-9);
    long group = calls < 1 ? 1 : calls > 65536 ? 65536 : (long)calls;
    int count = 0;
    do
        groups[count++] = timed(run, group) / (double)group;
    while (count < MOST && now() - start < seconds);
    qsort(groups, (size_t)count, sizeof *groups, compare);
    return count % 2 ? groups[count / 2] : (groups[count / 2 - 1] + groups[count / 2]) / 2;
}

static int is_wanted(const char *name, int words, char **word)
{
    for (int k = 0; k < words; k++)
        if (strcmp(name, word[k]) == 0)
            return 1;
    return words == 0;
}

/* Measures a kernel and prints what came out. */
static int report(const struct kernel *kernel, double seconds, size_t shift, size_t length, size_t profiled)
{
    void *memory[SLICES], **slices[SLICES] = {&a, &b, &y, &z};
    int are_floats = strncmp(kernel->volk, "volk_32f", 8) == 0;
    int are_doubles = strncmp(kernel->volk, "volk_64f", 8) == 0;
    for (int slice = 0; slice < SLICES; slice++) {
        size_t size = kernel->sizes[slice], bytes = size * (length + shift) + 2 * PAGE;
        if (posix_memalign(&memory[slice], PAGE, bytes) != 0)
            return 1;
        memset(memory[slice], 0, bytes);
        *slices[slice] = (char *)memory[slice] + starts[slice] + shift * size;
        fill(*slices[slice], size * length, are_floats, are_doubles);
    }
    n = (unsigned)length;
    turn = lv_cmake(0.6f, -0.8f);
    phase = lv_cmake(1.0f, 0.0f);
    kernel->run();
    double rate = (double)length / measure(kernel->run, seconds);
    printf("{\"name\": \"%s\", \"volk\": \"%s\", \"length\": %zu, \"shift\": %zu, \"gitems_per_s\": %.6g, "
           "\"version\": \"%s\", \"machine\": \"%s\", \"profiled\": %zu}\n",
           kernel->name, kernel->volk, length, shift, rate * 1e-9, volk_version(), volk_get_machine(), profiled);
    return 0;
}

/* The functions of one input: superhet's name, VOLK's, and what they approximate. */
#define FUNCTIONS \
    F(inverse_sqrt, 32f_invsqrt_32f, 1 / sqrt(x)) \
    F(tanh, 32f_tanh_32f, tanh(x)) \
    F(log2, 32f_log2_32f, log2(x)) \
    F(exp, 32f_exp_32f, exp(x)) \
    F(sqrt, 32f_sqrt_32f, sqrt(x)) \
    F(sin, 32f_sin_32f, sin(x)) \
    F(cos, 32f_cos_32f, cos(x)) \
    F(tan, 32f_tan_32f, tan(x)) \
    F(asin, 32f_asin_32f, asin(x)) \
    F(acos, 32f_acos_32f, acos(x)) \
    F(atan, 32f_atan_32f, atan(x))

#define F(name, volk, value) \
    static double value_##name(double x) { return value; } \
    static void run_##name##_of(float *to, const float *from, unsigned count) { volk_##volk(to, from, count); }
FUNCTIONS
#undef F

static const struct function {
    const char *name;
    double (*value)(double);
    void (*run)(float *, const float *, unsigned);
} functions[] = {
#define F(name, volk, value) {#name, value_##name, run_##name##_of},
    FUNCTIONS
#undef F
};

static double larger(double one, double other)
{
    return one > other || one != one ? one : other;
}

/* Prints the largest errors of a kernel; 1 if there is no such kernel. */
static int report_errors(const char *word)
{
    enum { COUNT = 1 << 16 };
    static float from[COUNT], to[COUNT], exponents[COUNT];
    char name[64], spacing[8];
    double low, high, absolute = 0, relative = 0;
    if (sscanf(word, "%63[^:]:%lf:%lf:%7s", name, &low, &high, spacing) != 4)
        return 1;
    for (int k = 0; k < COUNT; k++) {
        double place = (k + 0.5) / COUNT, whole;
        from[k] = (float)(strcmp(spacing, "log") == 0 ? low * pow(high / low, place) : low + (high - low) * place);
        exponents[k] = (float)(10.0 * modf(k * 0.6180339887498949, &whole) - 5.0);
    }
    const struct function *function = functions;
    const struct function *end = functions + sizeof functions / sizeof *functions;
    while (function != end && strcmp(function->name, name) != 0)
        function++;
    if (function != end)
        function->run(to, from, COUNT);
    else if (strcmp(name, "power") == 0)
        volk_32f_x2_pow_32f(to, exponents, from, COUNT);
    else
        return 1;
    for (int k = 0; k < COUNT; k++) {
        double value = function != end ? function->value(from[k]) : pow(from[k], exponents[k]);
        double error = fabs(to[k] - value);
        absolute = larger(absolute, error);
        relative = larger(relative, error / fabs(value));
    }
    printf("{\"name\": \"%s\", \"absolute_error\": %g, \"relative_error\": %g}\n", name, absolute, relative);
    return 0;
}

int main(int words, char **word)
{
    if (words > 1 && strcmp(word[1], "errors") == 0) {
        for (int k = 2; k < words; k++)
            if (report_errors(word[k]) != 0) {
                fprintf(stderr, "%s: expected KERNEL:LOW:HIGH:linear or log, with a kernel that is a function\n", word[k]);
                return 2;
            }
        return 0;
    }
    if (words < 4) {
        fprintf(stderr, "usage: kernels SECONDS SHIFT LENGTH [NAME...]\n");
        return 2;
    }
    double seconds = atof(word[1]);
    size_t shift = strtoul(word[2], NULL, 10), length = strtoul(word[3], NULL, 10);
    volk_arch_pref_t *preferences = NULL;
    size_t profiled = volk_load_preferences(&preferences);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!is_wanted(kernels[k].name, words - 4, word + 4))
            continue;
        /* Each in a process of its own: a kernel that crashes is a result too. */
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            int status = report(&kernels[k], seconds, shift, length, profiled);
            fflush(stdout);
            _exit(status);
        }
        int status = 1;
        if (child > 0)
            waitpid(child, &status, 0);
        if (status != 0)
            printf("{\"name\": \"%s\", \"volk\": \"%s\", \"length\": %zu, \"shift\": %zu, \"error\": \"%s %d\"}\n",
                   kernels[k].name, kernels[k].volk, length, shift, WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return 0;
}
