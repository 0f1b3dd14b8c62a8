// Fourier transforms of frames of polyphase sums, in local memory: `size` sums
//     s[n] = sum of taps[r * size + n] * x[frame * size + r * size + n] over r < rounds,
// put in the order of the reversed bits of n, and combined four by four in place. See transform.rs.
//
// CAPACITY items lie in local memory: one frame, or as many as have 256 items together, at most 64. The number of frames
// follows from the number of threads, 64 for so many frames; how many threads a work group has does not matter.
// CAPACITY is defined in the line before this text.

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

uint reversed(uint n) {
    n = (n >> 1 & 0x55555555) | (n & 0x55555555) << 1;
    n = (n >> 2 & 0x33333333) | (n & 0x33333333) << 2;
    n = (n >> 4 & 0x0f0f0f0f) | (n & 0x0f0f0f0f) << 4;
    n = (n >> 8 & 0x00ff00ff) | (n & 0x00ff00ff) << 8;
    return n >> 16 | n << 16;
}

__kernel void fft(uint threads, __global const float2 *x, uint x0, __global const float2 *roots, uint roots0,
                  __global const float *taps, uint taps0, __global float2 *y, uint y0,
                  uint log2_size, uint rounds, uint in_flip, uint out_flip, float turn) {
    __local float2 frame[CAPACITY];
    uint id = get_local_id(0), ids = get_local_size(0);
    uint size = 1u << log2_size;
    uint together = clamp(256u >> log2_size, 1u, 64u);
    uint frames = threads / (64 / together);
    roots += roots0;
    taps += taps0;
    for (uint first = get_group_id(0) * together; first < frames; first += get_num_groups(0) * together) {
        uint items = min(together, frames - first) << log2_size;
        size_t start = (size_t)first << log2_size;
        for (uint i = id; i < items; i += ids) {
            uint n = i & (size - 1);
            float2 sum = (float2)(0, 0);
            for (uint r = 0; r < rounds; r++) sum += taps[r * size + n] * x[x0 + start + r * size + i];
            uint place = (reversed(n ^ in_flip) >> 1) >> (31 - log2_size);
            frame[i - n + place] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint quarter = 1;
        if (log2_size & 1) {
            for (uint b = id; b < items / 2; b += ids) {
                __local float2 *v = frame + 2 * b;
                float2 a0 = v[0], a1 = v[1];
                v[0] = a0 + a1;
                v[1] = a0 - a1;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            quarter = 2;
        }
        for (; 4 * quarter <= size; quarter *= 4) {
            uint step = size / (4 * quarter);
            for (uint b = id; b < items / 4; b += ids) {
                uint j = b & (quarter - 1);
                __local float2 *v = frame + 4 * (b - j) + j;
                float2 a0 = v[0];
                float2 a1 = times(v[quarter], roots[2 * j * step]);
                float2 a2 = times(v[2 * quarter], roots[j * step]);
                float2 a3 = times(v[3 * quarter], roots[3 * j * step]);
                float2 b0 = a0 + a1, b1 = a0 - a1, b2 = a2 + a3, d = a2 - a3;
                float2 b3 = turn * (float2)(d.y, -d.x);
                v[0] = b0 + b2;
                v[quarter] = b1 + b3;
                v[2 * quarter] = b0 - b2;
                v[3 * quarter] = b1 - b3;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (uint i = id; i < items; i += ids) y[y0 + start + i] = frame[i ^ out_flip];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
