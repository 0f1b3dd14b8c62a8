// y[i] = gain * x[i] + offset
__kernel void saxpy_f32(uint threads, __global const float *x, uint x0, __global float *y, uint y0,
                        float gain, float offset) {
    uint i = get_global_id(0);
    if (i < threads) y[y0 + i] = gain * x[x0 + i] + offset;
}
