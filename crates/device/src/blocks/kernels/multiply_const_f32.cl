// y[i] = factor * x[i]
__kernel void multiply_const_f32(uint threads, __global const float *x, uint x0, __global float *y, uint y0,
                                 float factor) {
    uint i = get_global_id(0);
    if (i < threads) y[y0 + i] = factor * x[x0 + i];
}
