// y[k] = sum of taps[i] * x[k * decimation + i] over i < count
extern "C" __global__ void fir_c32_c32(unsigned threads, const float2 *x, const float2 *taps, float2 *y,
                                  unsigned count, unsigned decimation) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= threads) return;
    x += (size_t)k * decimation;
    float2 sum = make_float2(0, 0);
    for (unsigned i = 0; i < count; i++) {
        float2 a = x[i], tap = taps[i];
        sum.x += tap.x * a.x - tap.y * a.y;
        sum.y += tap.x * a.y + tap.y * a.x;
    }
    y[k] = sum;
}
