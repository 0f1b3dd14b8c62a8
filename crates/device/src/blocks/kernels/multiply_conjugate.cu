// y[i] = a[i] * conj(b[i])
extern "C" __global__ void multiply_conjugate(unsigned threads, const float2 *a, const float2 *b, float2 *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    float2 u = a[i], v = b[i];
    y[i] = make_float2(u.x * v.x + u.y * v.y, u.y * v.x - u.x * v.y);
}
