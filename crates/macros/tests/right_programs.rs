//! Blocks whose fields have names that the macro might have wanted for itself.

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
