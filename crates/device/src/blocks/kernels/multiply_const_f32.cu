// y[i] = constant * x[i]
extern "C" __global__ void multiply_const_f32(unsigned threads, const float *x, float *y, float constant) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < threads) y[i] = constant * x[i];
}
