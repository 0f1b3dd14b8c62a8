// Fourier transforms of frames of polyphase sums, in shared memory: `size` sums
//     s[n] = sum of taps[r * size + n] * x[frame * size + r * size + n] over r < rounds,
// put in the order of the reversed bits of n, and combined four by four in place. See transform.rs.
//
// In shared memory lies one frame, or as many as have 256 items together, at most 64. The number of frames follows from
// the number of threads, 64 for so many frames; how many threads a block has does not matter.
#define CAPACITY 4096

static __device__ float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
static __device__ float2 minus(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
static __device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

extern "C" __global__ void fft(unsigned threads, const float2 *x, const float2 *roots, const float *taps, float2 *y,
                               unsigned log2_size, unsigned rounds, unsigned in_flip, unsigned out_flip, float turn) {
    __shared__ float2 frame[CAPACITY];
    unsigned size = 1u << log2_size;
    unsigned together = min(max(256u >> log2_size, 1u), 64u);
    unsigned frames = threads / (64 / together);
    for (unsigned first = blockIdx.x * together; first < frames; first += gridDim.x * together) {
        unsigned items = min(together, frames - first) << log2_size;
        size_t start = (size_t)first << log2_size;
        for (unsigned i = threadIdx.x; i < items; i += blockDim.x) {
            unsigned n = i & (size - 1);
            float2 sum = make_float2(0, 0);
            for (unsigned r = 0; r < rounds; r++) {
                float2 a = x[start + r * size + i];
                float tap = taps[r * size + n];
                sum = plus(sum, make_float2(tap * a.x, tap * a.y));
            }
            unsigned place = (__brev(n ^ in_flip) >> 1) >> (31 - log2_size);
            frame[i - n + place] = sum;
        }
        __syncthreads();
        unsigned quarter = 1;
        if (log2_size & 1) {
            for (unsigned b = threadIdx.x; b < items / 2; b += blockDim.x) {
                float2 *v = frame + 2 * b;
                float2 a0 = v[0], a1 = v[1];
                v[0] = plus(a0, a1);
                v[1] = minus(a0, a1);
            }
            __syncthreads();
            quarter = 2;
        }
        for (; 4 * quarter <= size; quarter *= 4) {
            unsigned step = size / (4 * quarter);
            for (unsigned b = threadIdx.x; b < items / 4; b += blockDim.x) {
                unsigned j = b & (quarter - 1);
                float2 *v = frame + 4 * (b - j) + j;
                float2 a0 = v[0];
                float2 a1 = times(v[quarter], roots[2 * j * step]);
                float2 a2 = times(v[2 * quarter], roots[j * step]);
                float2 a3 = times(v[3 * quarter], roots[3 * j * step]);
                float2 b0 = plus(a0, a1), b1 = minus(a0, a1), b2 = plus(a2, a3), d = minus(a2, a3);
                float2 b3 = make_float2(turn * d.y, -turn * d.x);
                v[0] = plus(b0, b2);
                v[quarter] = plus(b1, b3);
                v[2 * quarter] = minus(b0, b2);
                v[3 * quarter] = minus(b1, b3);
            }
            __syncthreads();
        }
        for (unsigned i = threadIdx.x; i < items; i += blockDim.x) y[start + i] = frame[i ^ out_flip];
        __syncthreads();
    }
}
