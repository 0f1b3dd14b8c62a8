// y[k] = sum of taps[i] * x[k * decimation + i] over i < count
extern "C" __global__ void fir_f32_f32(unsigned threads, const float *x, const float *taps, float *y,
                                  unsigned count, unsigned decimation) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= threads) return;
    x += (size_t)k * decimation;
    float sum = 0;
    for (unsigned i = 0; i < count; i++) sum += taps[i] * x[i];
    y[k] = sum;
}
