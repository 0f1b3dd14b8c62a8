// y[i] = gain * x[i] + offset
extern "C" __global__ void saxpy_f32(unsigned threads, const float *x, float *y, float gain, float offset) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < threads) y[i] = gain * x[i] + offset;
}
