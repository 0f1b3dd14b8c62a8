// y[i] = a[i] * conj(b[i])
__kernel void multiply_conjugate(uint threads, __global const float2 *a, uint a0, __global const float2 *b, uint b0,
                                 __global float2 *y, uint y0) {
    uint i = get_global_id(0);
    if (i >= threads) return;
    float2 u = a[a0 + i], v = b[b0 + i];
    y[y0 + i] = (float2)(u.x * v.x + u.y * v.y, u.y * v.x - u.x * v.y);
}
