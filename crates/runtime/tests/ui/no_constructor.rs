use superhet_runtime::declare;

struct Amp {
    gain: f32,
}

#[declare]
impl Amp {
    pub fn of(gain: f32) -> Self {
        Amp { gain }
    }
}

#[declare(category = "math", summary = "Adds.")]
struct Shift {
    by: f32,
}

fn main() {}
