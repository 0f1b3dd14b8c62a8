// y[i] = (re + j im) * x[i]
extern "C" __global__ void multiply_const_c32(unsigned threads, const float2 *x, float2 *y, float re, float im) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    float2 a = x[i];
    y[i] = make_float2(re * a.x - im * a.y, re * a.y + im * a.x);
}
