// y[i] = a[i] * conj(b[i])
@group(0) @binding(0) var<storage, read> a: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> call: array<u32>; // threads, a0, b0, y0

@compute @workgroup_size(64)
fn multiply_conjugate(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if (i >= call[0]) { return; }
    let u = a[call[1] + i];
    let v = b[call[2] + i];
    y[call[3] + i] = vec2<f32>(u.x * v.x + u.y * v.y, u.y * v.x - u.x * v.y);
}
