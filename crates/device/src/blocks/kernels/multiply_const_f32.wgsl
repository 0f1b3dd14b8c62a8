// y[i] = constant * x[i]
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> call: array<u32>; // threads, x0, y0, constant

@compute @workgroup_size(64)
fn multiply_const_f32(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if (i < call[0]) { y[call[2] + i] = bitcast<f32>(call[3]) * x[call[1] + i]; }
}
