// y[i] = |x[i]|^2
extern "C" __global__ void magnitude_squared(unsigned threads, const float2 *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    float2 a = x[i];
    y[i] = a.x * a.x + a.y * a.y;
}
