use superhet_runtime::declare;

struct Amp {
    gain: f32,
}

#[declare(category = "math", sumary = "Multiplies.")]
impl Amp {
    pub fn new(
        /// The factor.
        gain: f32,
    ) -> Self {
        Amp { gain }
    }
}

struct Shift {
    by: f32,
}

#[declare]
impl Shift {
    pub fn new(
        /// What is added.
        #[param(lives)]
        by: f32,
    ) -> Self {
        Shift { by }
    }
}

fn main() {}
