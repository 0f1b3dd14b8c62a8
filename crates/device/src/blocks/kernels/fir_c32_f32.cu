// y[k] = sum of taps[i] * x[k * decimation + i] over i < count
extern "C" __global__ void fir_c32_f32(unsigned threads, const float2 *x, const float *taps, float2 *y,
                                  unsigned count, unsigned decimation) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= threads) return;
    x += (size_t)k * decimation;
    float2 sum = make_float2(0, 0);
    for (unsigned i = 0; i < count; i++) {
        sum.x += taps[i] * x[i].x;
        sum.y += taps[i] * x[i].y;
    }
    y[k] = sum;
}
