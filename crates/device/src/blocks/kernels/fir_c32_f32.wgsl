// y[k] = sum of taps[i] * x[k * decimation + i] over i < count
@group(0) @binding(0) var<storage, read> x: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> taps: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> call: array<u32>; // threads, x0, taps0, y0, count, decimation

@compute @workgroup_size(64)
fn fir_c32_f32(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let k = id.x + id.y * groups.x * 64u;
    if (k >= call[0]) { return; }
    let first = call[1] + k * call[5];
    var sum = vec2<f32>();
    for (var i = 0u; i < call[4]; i++) {
        sum += taps[i] * x[first + i];
    }
    y[call[3] + k] = sum;
}
