use superhet_runtime::Block;

#[derive(Block)]
struct NotAPort {
    #[port]
    gain: f32,
    #[port]
    taps: Vec<f32>,
}

fn main() {}
