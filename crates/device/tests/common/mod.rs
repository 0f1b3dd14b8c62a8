//! The program that every driver runs, its kernels in all languages, and a child process that lacks something.

// Not every driver's tests use everything.
#![allow(dead_code)]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use superhet_device::{Backend, Launch, Place, Source, Span, Transfer};

/// How long an error may take, in the fastest of some tries. It comes within 0.1 s where nothing else runs; what can be asked
/// of a busy machine is that it does not hang.
pub const LIMIT: Duration = Duration::from_secs(2);
const TRIES: usize = 6;

/// Held by each test that measures or uses a device, so that none disturbs another.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `y[i] = gain · x[i] + offset`.
pub fn saxpy() -> Source {
    Source::new("saxpy")
        .cuda(
            r#"
            extern "C" __global__ void saxpy(unsigned threads, const float *x, float *y, float gain, float offset) {
                unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < threads) y[i] = gain * x[i] + offset;
            }"#,
        )
        .opencl(
            r#"
            __kernel void saxpy(uint threads, __global const float *x, uint x0, __global float *y, uint y0,
                                float gain, float offset) {
                uint i = get_global_id(0);
                if (i < threads) y[y0 + i] = gain * x[x0 + i] + offset;
            }"#,
        )
        .wgsl(
            r#"
            @group(0) @binding(0) var<storage, read> x: array<f32>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32>;
            @group(0) @binding(2) var<storage, read> call: array<u32>;
            @compute @workgroup_size(64)
            fn saxpy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
                let i = id.y * groups.x * 64u + id.x;
                if i < call[0] {
                    y[call[2] + i] = bitcast<f32>(call[3]) * x[call[1] + i] + bitcast<f32>(call[4]);
                }
            }"#,
        )
}

/// `y[i] = a[i] − b[i]`.
pub fn subtract() -> Source {
    Source::new("subtract")
        .cuda(
            r#"
            extern "C" __global__ void subtract(unsigned threads, const float *a, const float *b, float *y) {
                unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < threads) y[i] = a[i] - b[i];
            }"#,
        )
        .opencl(
            r#"
            __kernel void subtract(uint threads, __global const float *a, uint a0, __global const float *b, uint b0,
                                   __global float *y, uint y0) {
                uint i = get_global_id(0);
                if (i < threads) y[y0 + i] = a[a0 + i] - b[b0 + i];
            }"#,
        )
        .wgsl(
            r#"
            @group(0) @binding(0) var<storage, read> a: array<f32>;
            @group(0) @binding(1) var<storage, read> b: array<f32>;
            @group(0) @binding(2) var<storage, read_write> y: array<f32>;
            @group(0) @binding(3) var<storage, read> call: array<u32>;
            @compute @workgroup_size(64)
            fn subtract(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
                let i = id.y * groups.x * 64u + id.x;
                if i < call[0] {
                    y[call[3] + i] = a[call[1] + i] - b[call[2] + i];
                }
            }"#,
        )
}

/// `items` items of 4 bytes from byte `at` on.
fn span<B: Backend>(memory: &B::Memory, at: usize, items: usize) -> Span<'_, B> {
    Span { place: Place { memory, at }, items, item_bytes: 4 }
}

fn constants(gain: f32, offset: f32) -> Vec<u8> {
    [gain, offset].iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn upload_all<B: Backend>(
    device: &B,
    stream: &mut B::Stream,
    staging: &mut B::Staging,
    to: &B::Memory,
    at: usize,
    x: &[f32],
) {
    device.write(staging, 0, bytemuck::cast_slice(x)).expect("staging is large enough");
    device.upload(stream, staging, to, at, size_of_val(x)).expect("memory is large enough");
}

/// Uploads in one stream; saxpy, a copy, zeros and a kernel with two inputs in a second; a download in a third; ordered
/// by events, for many lengths and offsets.
pub fn program<B: Backend>(device: &B) {
    let (saxpy, subtract) = (device.compile(&saxpy()).unwrap(), device.compile(&subtract()).unwrap());
    let mut streams = [device.stream().unwrap(), device.stream().unwrap(), device.stream().unwrap()];
    let [up, compute, down] = &mut streams;
    for items in [1_usize, 2, 63, 64, 65, 1000, 70_001] {
        let at = device.alignment().max(4);
        let bytes = items * 4 + at;
        let [x, y, z, w] = [(); 4].map(|()| device.allocate(bytes).unwrap());
        let mut staging_up = device.stage(items * 4, Transfer::Upload).unwrap();
        let mut staging_down = device.stage(items * 4, Transfer::Download).unwrap();
        let [mut uploaded, mut computed, mut downloaded] = [(); 3].map(|()| device.event().unwrap());
        assert!(device.is_done(&uploaded).unwrap(), "an event counts as done until it is recorded");
        device.synchronize(&uploaded).unwrap();

        let input: Vec<f32> = (0..items).map(|i| i as f32 * 0.5 - 7.0).collect();
        upload_all(device, up, &mut staging_up, &x, at, &input);
        device.record(up, &mut uploaded).unwrap();

        device.wait(compute, &uploaded).unwrap();
        let gain_offset = constants(3.0, 0.25);
        let launch = Launch {
            inputs: &[span(&x, at, items)],
            outputs: &[span(&y, 0, items)],
            constants: &gain_offset,
            threads: items,
        };
        device.launch(compute, &saxpy, &launch).unwrap();
        device.copy(compute, Place { memory: &y, at: 0 }, Place { memory: &z, at }, items * 4).unwrap();
        device.zero(compute, Place { memory: &y, at: 0 }, items / 2 * 4).unwrap();
        let launch = Launch {
            inputs: &[span(&z, at, items), span(&y, 0, items)],
            outputs: &[span(&w, at, items)],
            constants: &[],
            threads: items,
        };
        device.launch(compute, &subtract, &launch).unwrap();
        device.record(compute, &mut computed).unwrap();

        device.wait(down, &computed).unwrap();
        device.download(down, &w, at, &staging_down, items * 4).unwrap();
        device.record(down, &mut downloaded).unwrap();

        device.synchronize(&downloaded).unwrap();
        assert!([&uploaded, &computed, &downloaded].into_iter().all(|event| device.is_done(event).unwrap()));
        let mut output = vec![0_f32; items];
        device.read(&mut staging_down, 0, bytemuck::cast_slice_mut(&mut output)).unwrap();
        let twin: Vec<f32> =
            input.iter().enumerate().map(|(i, x)| if i < items / 2 { 3.0 * x + 0.25 } else { 0.0 }).collect();
        assert_eq!(output, twin, "{items} items");
    }
    for stream in &mut streams {
        device.drain(stream).unwrap();
    }
}

/// Sixty kernels, each in the stream that the one before was not in, over batches whose memory is dropped at once.
pub fn chain<B: Backend>(device: &B) {
    const ITEMS: usize = 5000;
    let program = device.compile(&saxpy()).unwrap();
    let mut streams = [device.stream().unwrap(), device.stream().unwrap()];
    let mut last = device.event().unwrap();
    let mut results = Vec::new();
    for batch in 0..4 {
        let memories = [device.allocate(ITEMS * 4).unwrap(), device.allocate(ITEMS * 4).unwrap()];
        let mut staging = device.stage(ITEMS * 4, Transfer::Upload).unwrap();
        upload_all(device, &mut streams[0], &mut staging, &memories[0], 0, &[batch as f32; ITEMS]);
        device.record(&mut streams[0], &mut last).unwrap();
        for step in 1..=60 {
            let stream = &mut streams[step % 2];
            device.wait(stream, &last).unwrap();
            let (from, to) = (&memories[(step + 1) % 2], &memories[step % 2]);
            let one_more = constants(1.0, 1.0);
            let launch = Launch {
                inputs: &[span(from, 0, ITEMS)],
                outputs: &[span(to, 0, ITEMS)],
                constants: &one_more,
                threads: ITEMS,
            };
            device.launch(stream, &program, &launch).unwrap();
            device.record(stream, &mut last).unwrap();
        }
        let staging = device.stage(ITEMS * 4, Transfer::Download).unwrap();
        device.download(&mut streams[0], &memories[0], 0, &staging, ITEMS * 4).unwrap();
        results.push(staging);
    }
    device.drain(&mut streams[0]).unwrap();
    for (batch, mut staging) in results.into_iter().enumerate() {
        let mut output = vec![0_f32; ITEMS];
        device.read(&mut staging, 0, bytemuck::cast_slice_mut(&mut output)).unwrap();
        assert_eq!(output, [60.0 + batch as f32; ITEMS]);
    }
}

/// Three kernels and a copy, captured once and replayed five times, where the driver can capture.
pub fn captured<B: Backend>(device: &B) {
    const ITEMS: usize = 3000;
    let Some(capture) = device.capture() else { return println!("skipped: nothing can be captured") };
    let program = device.compile(&saxpy()).unwrap();
    let mut stream = device.stream().unwrap();
    let [x, y] = [(); 2].map(|()| device.allocate(ITEMS * 4).unwrap());
    let mut staging = device.stage(ITEMS * 4, Transfer::Upload).unwrap();
    upload_all(device, &mut stream, &mut staging, &x, 0, &[1.0; ITEMS]);
    let twice_and_one = constants(2.0, 1.0);
    capture.begin(&mut stream).unwrap();
    let refused = device.upload(&mut stream, &staging, &x, 0, 4).unwrap_err().to_string();
    assert!(refused.contains("captured"), "{refused}");
    for (from, to) in [(&x, &y), (&y, &x), (&x, &y)] {
        let (inputs, outputs) = ([span(from, 0, ITEMS)], [span(to, 0, ITEMS)]);
        let launch = Launch { inputs: &inputs, outputs: &outputs, constants: &twice_and_one, threads: ITEMS };
        device.launch(&mut stream, &program, &launch).unwrap();
    }
    device.copy(&mut stream, Place { memory: &y, at: 0 }, Place { memory: &x, at: 0 }, ITEMS * 4).unwrap();
    let mut graph = capture.end(&mut stream).unwrap();
    assert!(capture.end(&mut stream).is_err());
    drop((program, y));
    let mut expected = 1.0_f32;
    for _ in 0..5 {
        graph.replay(&mut stream).unwrap();
        expected = 8.0 * expected + 7.0;
    }
    let mut staging = device.stage(ITEMS * 4, Transfer::Download).unwrap();
    device.download(&mut stream, &x, 0, &staging, ITEMS * 4).unwrap();
    device.drain(&mut stream).unwrap();
    let mut output = vec![0_f32; ITEMS];
    device.read(&mut staging, 0, bytemuck::cast_slice_mut(&mut output)).unwrap();
    assert_eq!(output, [expected; ITEMS]);
}

/// Every argument that does not fit.
pub fn mistakes<B: Backend>(device: &B) {
    let mut stream = device.stream().unwrap();
    let (memory, other) = (device.allocate(64).unwrap(), device.allocate(64).unwrap());
    let mut staging = device.stage(64, Transfer::Upload).unwrap();
    let says = |result: Result<(), B::Error>, words: &[&str]| {
        let sentence = result.expect_err("it does not fit").to_string();
        for part in words.iter().copied().chain([device.name().as_str()]) {
            assert!(sentence.contains(part), "{part:?} is not in {sentence:?}");
        }
    };
    says(device.write(&mut staging, 61, &[0; 4]), &["4 bytes from 61 on", "64 bytes"]);
    says(device.read(&mut staging, usize::MAX, &mut [0; 4]), &["staging memory"]);
    says(device.upload(&mut stream, &staging, &memory, 0, 68), &["68 bytes", "staging memory"]);
    says(device.upload(&mut stream, &staging, &memory, 4, 64), &["64 bytes from 4 on", "device memory"]);
    says(device.download(&mut stream, &memory, 64, &staging, 4), &["4 bytes from 64 on"]);
    let place = |memory, at| Place { memory, at };
    says(device.copy(&mut stream, place(&memory, 0), place(&other, 32), 64), &["64 bytes from 32 on"]);
    says(device.zero(&mut stream, place(&memory, 0), 128), &["128 bytes"]);

    let program = device.compile(&saxpy()).unwrap();
    let two = constants(1.0, 1.0);
    let mut run = |inputs: &[Span<'_, B>], outputs: &[Span<'_, B>], constants: &[u8]| {
        device.launch(&mut stream, &program, &Launch { inputs, outputs, constants, threads: 16 })
    };
    let (input, output) = (span(&memory, 0, 16), span(&other, 0, 16));
    says(run(&[input], &[output], &two[..4]), &["saxpy", "1 constants"]);
    says(run(&[input], &[output], &two[..7]), &["saxpy", "7 bytes"]);
    says(run(&[input, input], &[output], &two), &["saxpy", "2 inputs"]);
    says(run(&[span(&memory, 4, 16)], &[output], &two), &["64 bytes from 4 on"]);
    says(run(&[span(&memory, 2, 8)], &[output], &two), &["2"]);
    run(&[input], &[output], &two).unwrap();
    device.drain(&mut stream).unwrap();

    let no_text = device.compile(&Source::new("nothing")).err().expect("it has no text").to_string();
    assert!(no_text.contains("the kernel nothing has no text in"), "{no_text}");
    let too_much = device.allocate(1 << 60).err().expect("an exabyte is too much").to_string();
    assert!(too_much.contains("1152921504606846976 bytes"), "{too_much}");
}

/// Texts that do not compile, one after the other, each refused within `limit`.
pub fn bad_kernels<B: Backend>(device: &B, limit: Duration, source: impl Fn(&str) -> Source) {
    for text in
        ["", "this is no kernel at all", "\0", "}{", "fn broken(", "__kernel void other(uint threads) {}"]
    {
        let error = fastest(limit, || device.compile(&source(text)).err().expect("it does not compile"));
        let error = error.to_string();
        assert!(error.contains("broken") && error.len() > 40, "{error}");
    }
}

/// This test again, in a process of its own.
pub struct Child {
    test: &'static str,
    command: Command,
    folder: Option<PathBuf>,
}

impl Child {
    /// The test with this path.
    pub fn new(test: &'static str) -> Self {
        let mut command = Command::new(env::current_exe().expect("a test knows its file"));
        command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env("SUPERHET_TEST_CHILD", test);
        Child { test, command, folder: None }
    }

    /// Whether this process is the child.
    pub fn is_it(&self) -> bool {
        env::var_os("SUPERHET_TEST_CHILD").is_some_and(|test| test == self.test)
    }

    /// Sets a variable of its environment.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Puts a file that is no library before the one with this name.
    pub fn without_library(mut self, name: &str) -> Self {
        let folder = env::temp_dir().join(format!("superhet-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        fs::write(folder.join(name), "no library").expect("the temporary folder can be written");
        self.command.env("LD_LIBRARY_PATH", &folder);
        self.folder = Some(folder);
        self
    }

    /// Puts the C library under another name before the library of that name.
    pub fn with_the_c_library_as(mut self, name: &str) -> Self {
        let maps = fs::read_to_string("/proc/self/maps").expect("Linux lists what is loaded");
        let path = maps.split_whitespace().find(|word| word.contains("/libc.so")).expect("it is loaded");
        self = self.without_library(name);
        let folder = self.folder.as_ref().expect("it was made");
        fs::copy(path, folder.join(name)).expect("the temporary folder can be written");
        self
    }

    /// The error that the child printed.
    pub fn run(mut self) -> String {
        let output = self.command.output().expect("a test can be started again");
        if let Some(folder) = self.folder {
            let _ = fs::remove_dir_all(folder);
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let error =
            text.lines().find_map(|line| line.split_once("error: ")).expect("the child prints an error");
        println!("{}", error.1);
        error.1.to_owned()
    }
}

/// In the child: prints the error, which must come in time.
pub fn answer<T, E: std::error::Error>(open: impl Fn() -> Result<T, E>) {
    println!("\nerror: {}", in_time(|| open().err().expect("something is missing")));
}

/// What a call gives that must be over within [`LIMIT`]; the fastest of some tries counts.
pub fn in_time<T>(call: impl Fn() -> T) -> T {
    fastest(LIMIT, call)
}

fn fastest<T>(limit: Duration, call: impl Fn() -> T) -> T {
    let mut fastest = Duration::MAX;
    for _ in 0..TRIES {
        let start = Instant::now();
        let result = call();
        fastest = fastest.min(start.elapsed());
        if fastest < limit {
            return result;
        }
    }
    panic!("the fastest of {TRIES} tries took {fastest:?}, more than {limit:?}");
}
