//! The rows of some of GNU Radio's modules: every class makes blocks that there are, with parameters that they have.

use std::collections::BTreeMap;

use superhet::flow::gnuradio::{Call, Row, Setter, table};
use superhet::flow::python::{Expression, Library, Object, Scope};
use superhet::runtime::{parameter::Parameters, port::PortVisitor};
use superhet_io::Shape;
use superhet_io::wav::{WavEncoding, WavWriter};

/// A value for an argument that must be given, as Python writes it.
fn sample(row: &str, letters: &str, argument: &str) -> &'static str {
    match (row, argument) {
        ("stream_to_vector_decimator", "sample_rate") => "100",
        (_, "itemsize" | "sizeof_stream_item" | "item_size" | "sizeof_io_item") => "16",
        (_, "sizeof_share_item" | "item_size_bytes" | "datasize") => "4",
        ("pdu_filter" | "pdu_set" | "pdu_remove", "k" | "v") => "'x'",
        ("add_const" | "multiply_const" | "and_const", "k") if letters == "cc" => "1j",
        (
            "pack_k_bits" | "unpack_k_bits" | "repack_bits" | "add_const" | "multiply_const" | "and_const",
            "k",
        ) => "3",
        (_, "address") => "'tcp://127.0.0.1:*'",
        (_, "addr" | "host") => "'127.0.0.1'",
        ("socket_pdu", "type") => "'UDP_CLIENT'",
        ("socket_pdu", "port") => "'52001'",
        (_, "payloadsize") => "1472",
        (_, "notify_missed" | "source_zeros" | "ipv6" | "send_eof") => "True",
        (_, "k") => "[1, 2]",
        (_, "A") => "[[1, 2], [3, 4]]",
        (_, "interleaver_indices") => "[1, 0]",
        (_, "data" | "lengths" | "pattern") => "[1, 0, 1]",
        (_, "name") => "'sin'",
        ("wavfile_source", "filename") => concat!("'", env!("CARGO_TARGET_TMPDIR"), "/sound.wav'"),
        // Nothing is written before the first samples.
        ("wavfile_sink", "filename") => "'not-written.wav'",
        ("wavfile_sink", "format") => "blocks.FORMAT_WAV",
        (_, "filename") => "'/dev/null'",
        (_, "endianness") => "gr.GR_MSB_FIRST",
        (_, "lengthtagname" | "len_tag_key" | "msg" | "value" | "key" | "tag_name") => "'packet_len'",
        (_, "is_radians") => "False",
        (_, "input_index" | "output_index" | "offset" | "datatype") => "0",
        ("keep_m_in_n", "m") => "1",
        (
            "tagged_encoder" | "tagged_decoder" | "async_encoder" | "async_decoder",
            "my_encoder" | "my_decoder",
        ) => "{'kind': 'polar', 'block_bits': 8, 'info_bits': 4}",
        (_, "my_encoder" | "my_decoder") => "{'kind': 'convolutional'}",
        (_, "input_item_size" | "output_item_size") => "1",
        (_, "start_tag" | "end_tag" | "delta_key" | "time_key") => "'x'",
        ("tags_to_pdu", "prepend") => "[1]",
        ("vector_insert", "periodicity") => "5",
        _ => "2",
    }
}

fn evaluate(text: &str, scope: &Scope<'_>) -> Object {
    let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    expression.evaluate(scope).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The names of the parameters that can be set or read.
#[derive(Default)]
struct Names(Vec<&'static str>);

impl PortVisitor for Names {
    fn parameters(&mut self, parameters: &Parameters) {
        self.0.extend(parameters.names());
    }
}

fn check(row: &Row, letters: &str, library: &Library) {
    let registry = superhet::registry();
    let scope = Scope::new(library);
    let required = row.args.iter().filter(|arg| arg.default.is_none());
    let args =
        required.map(|arg| (arg.name.clone(), evaluate(sample(&row.name, letters, &arg.name), &scope)));
    let item = row.itemsize.as_ref().map(|_| "f32".to_owned());
    let call = Call { letters: letters.to_owned(), args: args.collect(), item, inputs: 2, outputs: 2 };
    let made = row.make(&call, &registry, library).unwrap_or_else(|error| panic!("{row}_{letters}: {error}"));
    for (stage, (block, params)) in made.stages.iter().enumerate() {
        let entry = registry.get(block).unwrap_or_else(|| panic!("{row}: there is no block {block}"));
        let params: BTreeMap<_, _> = params.clone();
        let mut block = entry.build(&params).unwrap_or_else(|errors| panic!("{row}_{letters}: {errors:?}"));
        let mut names = Names::default();
        block.visit(&mut names);
        let is_known = |setter: &&Setter| setter.stage != stage || names.0.contains(&setter.param.as_str());
        if let Some(unknown) = row.set.iter().chain(&row.get).find(|setter| !is_known(setter)) {
            panic!("{row}: {} of {}: only {:?}", unknown.param, unknown.method, names.0);
        }
    }
}

#[test]
fn every_class_makes_blocks_with_parameters_that_they_have() {
    let sound = concat!(env!("CARGO_TARGET_TMPDIR"), "/sound.wav");
    let mut sound = WavWriter::create(sound, 8000, Shape::Real, WavEncoding::S16).unwrap();
    sound.write_f32(&[0.0; 8]).unwrap();
    sound.finish().unwrap();
    let library = superhet::library();
    const MODULES: &[&str] = &["blocks", "fec", "network", "pdu", "vocoder", "zeromq"];
    let rows = table().rows().iter().filter(|row| MODULES.contains(&row.module.as_str()));
    let mut classes = 0;
    for row in rows {
        let letters: Vec<&str> = row.types.iter().map(|(letters, _)| letters.as_str()).collect();
        for letters in if letters.is_empty() { vec![""] } else { letters } {
            check(row, letters, &library);
            classes += 1;
        }
    }
    assert!(classes >= 214, "{classes}");
}
