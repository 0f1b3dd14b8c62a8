use superhet_runtime::{Block, In, Out};

#[derive(Block)]
struct Unmarked {
    #[port]
    input: In<f32>,
    output: Out<f32>,
}

fn main() {}
