// y[i] = gain * x[i] + offset, of complex numbers
extern "C" __global__ void saxpy_c32(unsigned threads, const float2 *x, float2 *y, float gain_re, float gain_im,
                                     float offset_re, float offset_im) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    float2 a = x[i];
    y[i] = make_float2(gain_re * a.x - gain_im * a.y + offset_re, gain_re * a.y + gain_im * a.x + offset_im);
}
