// Fourier transforms of frames of polyphase sums, in workgroup memory: `size` sums
//     s[n] = sum of taps[r * size + n] * x[frame * size + r * size + n] over r < rounds,
// put in the order of the reversed bits of n, and combined four by four in place. See transform.rs.
//
// CAPACITY items lie in workgroup memory: one frame, or as many as have 256 items together, at most 64. The number of
// frames follows from the number of threads, 64 for so many frames.
// `const CAPACITY` stands in the line before this text.

@group(0) @binding(0) var<storage, read> x: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> roots: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> taps: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<vec2<f32>>;
// threads, x0, roots0, taps0, y0, log2_size, rounds, in_flip, out_flip, turn
@group(0) @binding(4) var<storage, read> call: array<u32>;

var<workgroup> frame: array<vec2<f32>, CAPACITY>;

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(64)
fn fft(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>,
       @builtin(num_workgroups) groups: vec3<u32>) {
    let log2_size = call[5];
    let rounds = call[6];
    let turn = bitcast<f32>(call[9]);
    let size = 1u << log2_size;
    let together = clamp(256u >> log2_size, 1u, 64u);
    let frames = call[0] / (64u / together);
    let stride = groups.x * groups.y * together;
    for (var first = (group.x + group.y * groups.x) * together; first < frames; first += stride) {
        let items = min(together, frames - first) << log2_size;
        let start = first << log2_size;
        for (var i = id; i < items; i += 64u) {
            let n = i & (size - 1u);
            var sum = vec2<f32>();
            for (var r = 0u; r < rounds; r++) {
                sum += taps[r * size + n] * x[call[1] + start + r * size + i];
            }
            let place = (reverseBits(n ^ call[7]) >> 1u) >> (31u - log2_size);
            frame[i - n + place] = sum;
        }
        workgroupBarrier();
        var quarter = 1u;
        if ((log2_size & 1u) == 1u) {
            for (var b = id; b < items / 2u; b += 64u) {
                let a0 = frame[2u * b];
                let a1 = frame[2u * b + 1u];
                frame[2u * b] = a0 + a1;
                frame[2u * b + 1u] = a0 - a1;
            }
            workgroupBarrier();
            quarter = 2u;
        }
        for (; 4u * quarter <= size; quarter *= 4u) {
            let step = size / (4u * quarter);
            for (var b = id; b < items / 4u; b += 64u) {
                let j = b & (quarter - 1u);
                let v = 4u * (b - j) + j;
                let a0 = frame[v];
                let a1 = times(frame[v + quarter], roots[2u * j * step]);
                let a2 = times(frame[v + 2u * quarter], roots[j * step]);
                let a3 = times(frame[v + 3u * quarter], roots[3u * j * step]);
                let b0 = a0 + a1;
                let b1 = a0 - a1;
                let b2 = a2 + a3;
                let d = a2 - a3;
                let b3 = turn * vec2<f32>(d.y, -d.x);
                frame[v] = b0 + b2;
                frame[v + quarter] = b1 + b3;
                frame[v + 2u * quarter] = b0 - b2;
                frame[v + 3u * quarter] = b1 - b3;
            }
            workgroupBarrier();
        }
        for (var i = id; i < items; i += 64u) { y[call[4] + start + i] = frame[i ^ call[8]]; }
        workgroupBarrier();
    }
}
