// y[i] = (re + j im) * x[i]
__kernel void multiply_const_c32(uint threads, __global const float2 *x, uint x0, __global float2 *y, uint y0,
                                 float re, float im) {
    uint i = get_global_id(0);
    if (i >= threads) return;
    float2 a = x[x0 + i];
    y[y0 + i] = (float2)(re * a.x - im * a.y, re * a.y + im * a.x);
}
