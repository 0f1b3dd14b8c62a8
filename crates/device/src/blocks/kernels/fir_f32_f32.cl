// y[k] = sum of taps[i] * x[k * decimation + i] over i < count
__kernel void fir_f32_f32(uint threads, __global const float *x, uint x0, __global const float *taps, uint taps0,
                     __global float *y, uint y0, uint count, uint decimation) {
    uint k = get_global_id(0);
    if (k >= threads) return;
    x += x0 + (size_t)k * decimation;
    taps += taps0;
    float sum = 0;
    for (uint i = 0; i < count; i++) sum += taps[i] * x[i];
    y[y0 + k] = sum;
}
