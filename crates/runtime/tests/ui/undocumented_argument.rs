use superhet_runtime::declare;

struct Amp {
    gain: f32,
}

#[declare]
impl Amp {
    pub fn new(#[param(live)] gain: f32) -> Self {
        Amp { gain }
    }
}

fn main() {}
