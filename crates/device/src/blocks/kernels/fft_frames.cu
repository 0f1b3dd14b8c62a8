// y[i] = +-window[n] * x[i ^ in_flip], where n is the place in its frame of the item that is read. With `alternate`, every
// other item of y changes its sign: after the transform, frequency 0 is in the middle.
extern "C" __global__ void fft_frames(unsigned threads, const float2 *x, const float *window, float2 *y, unsigned mask,
                                      unsigned in_flip, unsigned alternate) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    unsigned from = i ^ in_flip;
    float factor = window[from & mask];
    if (i & alternate) factor = -factor;
    float2 a = x[from];
    y[i] = make_float2(factor * a.x, factor * a.y);
}
