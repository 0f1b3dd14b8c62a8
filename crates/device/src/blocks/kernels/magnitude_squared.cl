// y[i] = |x[i]|^2
__kernel void magnitude_squared(uint threads, __global const float2 *x, uint x0, __global float *y, uint y0) {
    uint i = get_global_id(0);
    if (i >= threads) return;
    float2 a = x[x0 + i];
    y[y0 + i] = a.x * a.x + a.y * a.y;
}
