use superhet_runtime::Block;

#[derive(Block)]
struct NoPort {
    gain: f32,
}

#[derive(Block)]
enum Choice {
    A,
}

#[derive(Block)]
struct Tuple(f32);

fn main() {}
