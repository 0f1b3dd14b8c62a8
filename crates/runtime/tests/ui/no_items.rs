use superhet_runtime::{Block, In};

#[derive(Block)]
struct NoItems {
    #[port]
    input: In,
}

#[derive(Block)]
#[block(blocking)]
struct UnknownSetting {
    #[port]
    input: In<f32>,
}

fn main() {}
