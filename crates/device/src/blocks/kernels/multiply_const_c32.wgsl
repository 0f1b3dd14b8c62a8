// y[i] = (re + j im) * x[i]
@group(0) @binding(0) var<storage, read> x: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> call: array<u32>; // threads, x0, y0, re, im

@compute @workgroup_size(64)
fn multiply_const_c32(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if (i >= call[0]) { return; }
    let re = bitcast<f32>(call[3]);
    let im = bitcast<f32>(call[4]);
    let a = x[call[1] + i];
    y[call[2] + i] = vec2<f32>(re * a.x - im * a.y, re * a.y + im * a.x);
}
