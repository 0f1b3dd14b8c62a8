//! Blocks whose fields have names that the macro might have wanted for itself, and all that a declaration can say.

use std::time::Duration;

use superhet_runtime::catalog::{Choice, Parameters};
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::prelude::*;

/// Gives what each input brings to the output of the same number.
#[derive(Block)]
struct Through {
    #[port("in")]
    inputs: Vec<In<u8>>,
    #[port("out")]
    outputs: Vec<Out<u8>>,
    #[port]
    message_inputs: Vec<MsgIn>,
    #[port]
    message_outputs: Vec<MsgOut>,
}

impl Work for Through {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for (input, output) in self.inputs.iter_mut().zip(&mut self.outputs) {
            let n = input.available().min(output.room());
            output.reserve()[..n].copy_from_slice(&input.peek()[..n]);
            input.consume(n);
            output.produce(n);
        }
        Ok(Step::Ran)
    }
}

#[test]
fn fields_may_be_named_as_the_kinds_of_ports_are() {
    let mut graph = Graph::new();
    let through = graph.add(
        "through",
        Through {
            inputs: vec![In::new(), In::new()],
            outputs: vec![Out::new(), Out::new()],
            message_inputs: vec![MsgIn::new()],
            message_outputs: vec![MsgOut::new(), MsgOut::new()],
        },
    );
    assert_eq!((through.message_inputs.len(), through.message_outputs.len()), (1, 2));
    let mut kept = Vec::new();
    for k in 0..2u8 {
        let source = graph.add(format!("source{k}"), VecSource::new(vec![k; 100]));
        let sink = VecSink::<u8>::new();
        kept.push(sink.items());
        let sink = graph.add(format!("sink{k}"), sink);
        graph.connect(source.output, through.inputs[k as usize]);
        graph.connect(through.outputs[k as usize], sink.input);
    }
    graph.run().unwrap();
    assert_eq!(kept.iter().map(|items| items.take()).collect::<Vec<_>>(), [vec![0; 100], vec![1; 100]]);
}

#[derive(Clone, Copy, Debug, PartialEq, Choice)]
enum Slope {
    Rising,
    #[word("down")]
    Falling,
}

/// Where a line begins and how it goes on.
#[derive(Clone, Debug, Parameters)]
struct Line {
    /// The first item.
    #[param(unit = "V", range = -1.0..=1.0, default = 0.5)]
    start: f32,
    /// Up or down.
    #[param(default = "down")]
    slope: Slope,
}

/// A line with a level.
#[derive(Clone)]
struct Lines {
    line: Line,
    level: f32,
    end: Option<String>,
}

fn positive(level: f32) -> Result<(), BlockError> {
    if level > 0.0 { Ok(()) } else { Err("level: expected more than 0".into()) }
}

#[declare]
impl Lines {
    fn new(
        #[param(group)] line: Line,
        /// What it is multiplied by.
        #[param(live, also = "volume", formerly = "loudness", formerly = "gain", check = positive, default = 1.0)]
        level: f32,
        /// Its name at the end.
        #[param(live, any, default = "")]
        end: Option<String>,
    ) -> Result<Self, BlockError> {
        positive(level)?;
        Ok(Lines { line, level, end })
    }
}

#[declare]
impl SyncBlock for Lines {
    type In = ();
    type Out = f32;

    fn process(&mut self, _: (), y: &mut [f32]) {
        let step = if self.line.slope == Slope::Rising { 1.0 } else { -1.0 };
        for y in y {
            *y = self.level * self.line.start;
            self.line.start += step;
        }
    }
}

#[declare(
    category = "sources",
    summary = "A line.",
    through = std::convert::identity,
    ports(output("out", "f32", "the line"))
)]
fn lines(
    #[param(group)] line: Line,
    /// What it is multiplied by.
    #[param(range = 0.0.., default = 1.0)]
    level: f32,
    /// Its name at the end.
    #[param(default = "")]
    end: Option<String>,
    /// How long it takes.
    #[param(name = "time_s", unit = "s", range = 0.0..=10.0, default = 0.5)]
    time: Duration,
    /// Numbers.
    #[param(json = "[1, 2]")]
    numbers: &[usize],
) -> Result<Lines, BlockError> {
    assert_eq!((time, numbers), (Duration::from_millis(500), &[1, 2][..]));
    Lines::new(line, level, end)
}

/// Where an item is one of several types.
mod items {
    use super::*;

    #[declare(
        category = "math",
        summary = "Nothing.",
        items(any),
        default_item = "u8",
        item_doc = "Of what.",
        ports(input("in", "item", "x"))
    )]
    fn swallow<T: superhet_runtime::Item>(
        /// How much.
        #[param(default = 3)]
        count: u32,
    ) -> superhet_runtime::AnyBlock {
        assert_eq!(count, 3);
        superhet_runtime::AnyBlock::new(VecSink::<T>::new())
    }
}

#[test]
fn a_declared_function_has_the_parameters_of_its_arguments_and_their_groups() {
    let names: Vec<_> = ENTRY.params.iter().map(|param| (param.name, param.default)).collect();
    let wanted = [
        ("start", Some("0.5")),
        ("slope", Some("\"down\"")),
        ("level", Some("1.0")),
        ("end", Some("\"\"")),
        ("time_s", Some("0.5")),
        ("numbers", Some("[1, 2]")),
    ];
    assert_eq!((ENTRY.name, &names[..]), ("lines", &wanted[..]));
    assert_eq!(ENTRY.params[1].kind.to_string(), "one of rising, down");
    assert!(ENTRY.build(&Default::default()).is_ok());
    let problem = |name: &str, value: Value| {
        let errors = ENTRY.build(&[(name.to_owned(), value)].into()).unwrap_err();
        errors[0].to_string()
    };
    assert_eq!(problem("slope", "up".into()), "slope: expected one of rising, down, got up");
    assert_eq!(problem("level", 0.into()), "lines: level: expected more than 0");
    assert_eq!(problem("numbers", vec![Value::from(-1)].into()), {
        "lines: numbers[0] = -1: expected a whole number from 0 to 2147483647"
    });
}

#[test]
fn live_parameters_have_other_names_and_may_be_missing() {
    let mut lines = Lines::new(Line { start: 0.0, slope: Slope::Rising }, 1.0, Some("x".into())).unwrap();
    assert_eq!((Lines::LEVEL.name(), Lines::END.name()), ("level", "end"));
    assert_eq!(<Lines as SyncBlock>::FORMERLY, [("loudness", "level"), ("gain", "level")]);
    lines.set_parameter("volume", &2.into()).unwrap();
    assert_eq!((lines.parameter("level"), lines.parameter("volume")), (Some(2.0.into()), Some(2.0.into())));
    assert_eq!(
        lines.set_parameter("level", &0.into()).unwrap_err().to_string(),
        "level: expected more than 0"
    );
    lines.set_parameter("end", &"".into()).unwrap();
    assert_eq!((lines.level, &lines.end, lines.parameter("end")), (2.0, &None, Some("".into())));
}

#[test]
fn a_declared_function_can_be_of_any_item() {
    let item = &items::ENTRY.params[0];
    assert_eq!((item.default, item.doc), (Some("\"u8\""), "Of what."));
    for item in ["C32", "f32", "u8", "i8", "i16", "i32", "cu8", "cs8", "cs16"] {
        assert!(items::ENTRY.build(&[("item".to_owned(), item.into())].into()).is_ok(), "{item}");
    }
}
