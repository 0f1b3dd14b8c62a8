//! Blocks of a program that calls the crate `radio`.

use radio::prelude::*;
use radio::runtime::harness;

/// Gives every item twice.
#[derive(Block)]
struct Twice {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: Out<f32>,
}

impl Work for Twice {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room() / 2);
        for (pair, x) in self.output.reserve().chunks_exact_mut(2).zip(&self.input.peek()[..n]) {
            pair.fill(*x);
        }
        self.input.consume(n);
        self.output.produce(2 * n);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }
}

/// Adds.
#[derive(Clone)]
struct Shift {
    by: f32,
}

#[declare]
impl Shift {
    fn new(
        /// What is added.
        #[param(live, range = -1.0..=1.0)]
        by: f32,
    ) -> Self {
        Shift { by }
    }
}

#[declare]
impl Pure for Shift {
    type In = f32;
    type Out = f32;

    fn map(&self, x: &[f32], y: &mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x + self.by);
    }
}

fn main() {
    let twice = Twice { input: In::new(), output: Out::new() };
    assert_eq!(harness::run(twice, &[1.0, 2.0]), [1.0, 1.0, 2.0, 2.0]);
    let shift = Shift::new(0.5);
    assert!(shift.with_parameter("by", &Value::from(2)).is_err());
    let shift = shift.with_parameter("by", &Value::from(-1)).unwrap();
    assert_eq!((harness::run(shift, &[1.0]), Shift::BY.name()), (vec![0.0], "by"));
    println!("a program that calls superhet by another name works");
}
