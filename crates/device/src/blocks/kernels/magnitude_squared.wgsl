// y[i] = |x[i]|^2
@group(0) @binding(0) var<storage, read> x: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> call: array<u32>; // threads, x0, y0

@compute @workgroup_size(64)
fn magnitude_squared(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if (i >= call[0]) { return; }
    let a = x[call[1] + i];
    y[call[2] + i] = a.x * a.x + a.y * a.y;
}
