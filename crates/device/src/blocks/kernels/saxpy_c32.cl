// y[i] = gain * x[i] + offset, of complex numbers
__kernel void saxpy_c32(uint threads, __global const float2 *x, uint x0, __global float2 *y, uint y0,
                        float gain_re, float gain_im, float offset_re, float offset_im) {
    uint i = get_global_id(0);
    if (i >= threads) return;
    float2 a = x[x0 + i];
    y[y0 + i] =
        (float2)(gain_re * a.x - gain_im * a.y + offset_re, gain_re * a.y + gain_im * a.x + offset_im);
}
