//! The values of expressions, as in Python 3, and the limits that they must keep.

use proptest::prelude::*;
use superhet_runtime::catalog::{COUNT, Function, Kind, optional, required};
use superhet_runtime::{C64, Value};

use super::*;

const FUNCTIONS: &[Function] = &[
    Function {
        name: "window.build",
        summary: "A window.",
        params: &[
            required("window", Kind::Choice(&["hamming", "harris", "blackman_harris"]), "", "Which."),
            required("length", COUNT, "", "How long."),
            optional("param", superhet_runtime::catalog::ANY_FLOAT, "", "6.76", "The shape."),
        ],
        call: |params| {
            Ok(format!("{} {} {}", params.text("window"), params.count("length"), params.float("param"))
                .into())
        },
    },
    Function {
        name: "digital.constellation_qpsk",
        summary: "Four points.",
        params: &[],
        call: |_| {
            Ok(Value::map([
                ("points", Value::from(vec![Value::Complex(C64::new(1.0, 1.0))])),
                ("arity", 4.into()),
            ]))
        },
    },
];

fn evaluate(text: &str) -> Result<Object, PythonError> {
    let library = Library::new([FUNCTIONS]);
    let scope = Scope::new(&library)
        .with("rate", Object::Int(48_000))
        .with("taps", Object::list([Object::Int(1), Object::Int(2), Object::Int(3)]))
        .with("name", Object::Text("Ada".into()));
    Expression::parse(text)?.evaluate(&scope)
}

fn shown(text: &str) -> String {
    evaluate(text).map_or_else(|error| error.to_string(), |object| object.to_string())
}

fn problem(text: &str) -> String {
    evaluate(text).map_or_else(|error| error.problem, |object| panic!("{text} gives {object}"))
}

#[test]
fn expressions_come_to_what_python_says() {
    for (text, expected) in [
        ("1 + 2 * 3", "7"),
        ("7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2", "(3, -4, -2, 2, 3.0)"),
        ("7 / 2, 6 / 2", "(3.5, 3.0)"),
        ("2 ** 10, 2 ** -1, -2 ** 2, (-8) ** 2, (-1) ** 3, 0 ** 0", "(1024, 0.5, -4, 64, -1, 1)"),
        ("2 ** 3 ** 2", "512"),
        ("1e6, 1.5e-7, 1e16, 1e22, 0.1 + 0.2", "(1000000.0, 1.5e-07, 1e+16, 1e+22, 0.30000000000000004)"),
        ("0xff, 0b101, 0o17, 1_000_000", "(255, 5, 15, 1000000)"),
        ("1j * 1j, 1 + 2j, 2j, -1-1j, (3+4j).real", "((-1+0j), (1+2j), 2j, (-1-1j), 3.0)"),
        ("abs(3+4j), abs(-3), abs(-2.5)", "(5.0, 3, 2.5)"),
        ("1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, 'a' < 'b', [1, 2] < [1, 3]", "(True, False, True, True, True)"),
        ("not 0, 0 or 5, 3 and 4, 0 and x", "(True, 5, 4, 0)"),
        ("1 if rate > 5 else 2", "1"),
        ("taps[0], taps[-1], taps[1:], taps[::-1], 'hello'[1:3]", "(1, 3, [2, 3], [3, 2, 1], 'el')"),
        ("{'a': 1, 2: 3}['a'], {1: 2}.get(5, 7)", "(1, 7)"),
        ("[x * x for x in range(5) if x % 2 == 0]", "[0, 4, 16]"),
        ("[(i, j) for i in range(2) for j in (5, 6)]", "[(0, 5), (0, 6), (1, 5), (1, 6)]"),
        ("[a + b for a, b in zip((1, 2), [3, 4])]", "[4, 6]"),
        ("sum(x for x in range(10)), max(3, 5, 4), min([2, 1])", "(45, 5, 1)"),
        ("[0] * 3 + [1], (1,) * 2, 'ab' * 2", "([0, 0, 0, 1], (1, 1), 'abab')"),
        ("[*taps, 4]", "[1, 2, 3, 4]"),
        (
            "int(3.9), int(-3.9), int('0x1f', 16), float('1e3'), round(2.5), round(2.675, 2)",
            "(3, -3, 31, 1000.0, 2, 2.67)",
        ),
        ("math.pi, math.floor(2.7), math.sqrt(16), math.log(8, 2)", "(3.141592653589793, 2, 4.0, 3.0)"),
        ("len(taps), len('abc'), str(1.0), str('x'), list(range(3))", "(3, 3, '1.0', 'x', [0, 1, 2])"),
        ("np.arange(3) * 2", "array([0, 2, 4])"),
        ("np.linspace(0, 1, 3).tolist(), numpy.zeros(2)", "([0.0, 0.5, 1.0], array([0.0, 0.0]))"),
        ("np.array([1, 2.5, -3], dtype=int)", "array([1, 2, -3])"),
        ("np.exp(1j * np.pi).real, np.sum(np.ones(4))", "(-1.0, 4.0)"),
        (
            "np.concatenate(([1], np.array([2, 3]))), np.tile([1, 2], 2)",
            "(array([1, 2, 3]), array([1, 2, 1, 2]))",
        ),
        ("'a' 'b' \"c\\n\\x41\\u00e9\"", "'abc\\nAé'"),
        ("r'a\\b'", "'a\\\\b'"),
        ("'a,b'.split(','), ','.join(['x', 'y']), name.upper()", "(['a', 'b'], 'x,y', 'ADA')"),
        ("2 in taps, 5 not in taps, 'd' in name, None is None", "(True, True, True, True)"),
        ("5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -8 >> 1", "(1, 7, 6, -6, 16, -4)"),
        ("analog.GR_COS_WAVE, gr.sizeof_gr_complex, filter.firdes.WIN_HAMMING", "(102, 8, 0)"),
        ("digital.ted_type.TED_GARDNER == digital.TED_GARDNER", "True"),
        ("(1,), (), []", "((1,), (), [])"),
        ("sorted([3, 1, 2], reverse=True), list(reversed((1, 2)))", "([3, 2, 1], [2, 1])"),
        ("1 # a remark", "1"),
        ("(1 +\n 2)", "3"),
        ("round(((-8) ** (1.0 / 3)).imag, 9)", "1.732050808"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn functions_of_the_library_take_arguments_in_order_and_by_name() {
    assert_eq!(shown("window.build(window.WIN_BLACKMAN_hARRIS, 5)"), "'blackman_harris 5 6.76'");
    assert_eq!(shown("fft.window.build('hamming', param=1, length=rate)"), "'hamming 48000 1'");
    assert_eq!(shown("digital.constellation_qpsk().points()[0]"), "(1+1j)");
    assert_eq!(shown("digital.constellation_qpsk().base().arity()"), "4");
    assert_eq!(
        problem("window.build('hamming')"),
        "window.build: length: is missing: expected a whole number ≥ 1"
    );
    assert_eq!(problem("window.build(1, 2, 3, 4)"), "window.build expects at most 3 arguments, got 4");
}

#[test]
fn mistakes_say_where_and_what_was_expected() {
    for (text, expected) in [
        ("1 +", "\"1 +\", character 4: expected a value, got the end"),
        ("rat * 2", "\"rat * 2\", character 1: there is no variable rat; did you mean rate?"),
        ("[1, 2", "\"[1, 2\", character 6: expected `]`, got the end"),
        ("taps[7]", "\"taps[7]\", character 5: the index 7 is beyond 3 elements"),
        ("1 / 0", "\"1 / 0\", character 3: division by zero"),
        ("'a' + 1", "\"'a' + 1\", character 5: `+` expects a number, got text"),
        ("'abc", "\"'abc\", character 1: expected ' at the end of the text"),
        ("1 2", "\"1 2\", character 3: expected an operator or the end, got the number 2"),
        ("007", "\"007\", character 1: expected a number, got `007`"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn what_takes_python_says_so_and_nothing_is_executed() {
    for text in [
        "__import__('os').system('touch /tmp/x')",
        "().__class__.__bases__[0].__subclasses__()",
        "lambda: 1",
        "open('/etc/passwd')",
        "os.system('ls')",
        "eval('1')",
        "np.random.rand(5)",
        "math.nothing",
        "f'{rate}'",
        "{x for x in taps}",
        "'%d' % 3",
        "taps.__len__()",
    ] {
        let error = evaluate(text).unwrap_err();
        assert!(error.needs_python && error.problem.contains("needs Python"), "{text}: {error}");
    }
}

#[test]
fn time_and_memory_are_bounded() {
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let long = vec!["1"; 100_000].join("+");
    let minus = format!("{}1", "-".repeat(5000));
    for text in [
        "9 ** 9 ** 9",
        "[0] * 10 ** 12",
        "'a' * 10 ** 12",
        "[[0] * 1000] * 10 ** 9",
        "1 << 10 ** 9",
        "range(10 ** 18)",
        "list(range(10 ** 9))",
        "[x for x in range(3000) for y in range(3000)]",
        "np.zeros(10 ** 12)",
        "np.arange(0, 1e300, 1e-300)",
        "np.linspace(0, 1, 10 ** 12)",
        "'a'.replace('', 'b' * 1000000) * 5",
        "math.factorial(10 ** 9)",
        "1e308 ** 2",
        "np.convolve(np.ones(10000), np.ones(10000))",
        &deep,
        &long,
        &minus,
        "170141183460469231731687303715884105727 + 1",
    ] {
        let error = evaluate(text).unwrap_err();
        assert!(!error.needs_python, "{error}");
    }
}

/// A list that shares itself: each variable is twice the one before, up to the last that is accepted, and the error of the
/// next. What a walk over one of them takes doubles too.
fn doubled(scope: &mut Scope<'_>, name: &str, twice: &str) -> (usize, PythonError) {
    scope.set(format!("{name}0"), Object::Int(1));
    for n in 1..64 {
        let text = twice.replace('@', &format!("{name}{}", n - 1));
        match Expression::parse(&text).unwrap().evaluate(scope) {
            Ok(object) => scope.set(format!("{name}{n}"), object),
            Err(error) => return (n - 1, error),
        }
    }
    panic!("{twice} was accepted 63 times");
}

#[test]
fn what_lists_share_counts_in_each_of_them() {
    let library = Library::new([FUNCTIONS]);
    for twice in [
        "[@, @]",
        "(@, @)",
        "{1: @, 2: @}",
        "[@] + [@]",
        "[@] * 2",
        "[x for x in (@, @)]",
        "{1: @}.get(1), @",
        "dict(a=@, b=@)",
        "list(zip([@], [@]))",
        "list(enumerate([@, @]))",
        "sorted([@])[0], @",
        "pmt.make_tuple(pmt.to_pmt(@), pmt.to_pmt(@))",
        "pmt.list2(pmt.to_pmt(@), pmt.to_pmt(@))",
        "pmt.cons(pmt.to_pmt(@), pmt.to_pmt(@))",
        "np.full(2, 1) if @ == 0 else [@, @]",
        "[@.copy, @.copy] if 0 else [@, [@]]",
    ] {
        let mut scope = Scope::new(&library);
        let (last, error) = doubled(&mut scope, "v", twice);
        assert!(last < 22, "{twice}: {last}");
        assert_eq!(error.problem, "expected at most 2000000 operations and elements in all", "{twice}");
        assert!(scope.get(&format!("v{last}")).unwrap().size() <= 2_000_000);
    }
}

#[test]
fn walks_over_lists_that_share_are_paid_for() {
    let library = Library::new([FUNCTIONS]);
    let mut scope = Scope::new(&library);
    for name in ["v", "w"] {
        scope.set(format!("{name}0"), Object::Int(1));
        for n in 1..=17 {
            let text = format!("[{name}{0}, {name}{0}]", n - 1);
            let object = Expression::parse(&text).unwrap().evaluate(&scope).unwrap();
            scope.set(format!("{name}{n}"), object);
        }
    }
    // Eight in a row take more than an expression has; each of them alone is allowed.
    for walk in ["str(v17)", "v17 == w17", "v17 in [w17]", "v17 < w17", "[w17].count(v17)", "max(v17, w17)"] {
        let one = Expression::parse(walk).unwrap();
        assert!(one.evaluate(&scope.clone_with_new_budget()).is_ok(), "{walk}");
        let all = Expression::parse(&format!("[{}]", vec![walk; 20].join(", "))).unwrap();
        let error = all.evaluate(&scope.clone_with_new_budget()).unwrap_err();
        assert_eq!(error.problem, "expected at most 2000000 operations and elements in all", "{walk}");
    }
    for mistake in ["'%s' % v17", "[1][v17]", "-v17", "v17 + 1", "{}[v17]", "[].index(v17)", "numpy.sum(v17)"]
    {
        let error = Expression::parse(mistake).unwrap().evaluate(&scope).unwrap_err();
        assert!(error.to_string().len() < 1000, "{mistake}: {error}");
    }
}

#[test]
fn lists_within_each_other_have_a_greatest_depth() {
    let library = Library::new([FUNCTIONS]);
    for deeper in ["[@]", "(@,)", "{0: @}", "pmt.list1(pmt.to_pmt(@))", "pmt.make_tuple(@)", "@.copy"] {
        let mut scope = Scope::new(&library).with("v", Object::list([]));
        let errors = (0..200).find_map(|_| {
            match Expression::parse(&deeper.replace('@', "v")).unwrap().evaluate(&scope) {
                Ok(object) => scope.set("v", object),
                Err(error) => return Some(error),
            }
            None
        });
        let error = errors.map_or_else(String::new, |error| error.problem);
        assert!(
            error.contains("at most 100 lists within each other") || error.contains("needs Python"),
            "{deeper}: {error}"
        );
    }
}

#[test]
fn counts_from_a_file_are_added_without_overflow() {
    let huge = i128::MAX;
    assert_eq!(
        problem(&format!("list(enumerate([1], {huge}))")),
        "enumerate expects a start of at most 64 bits"
    );
    assert_eq!(problem("1 >> -1"), "`>>` expects a count from 0 on, got -1");
    assert_eq!(problem("1 << -1"), "`<<` expects a count from 0 on, got -1");
    assert_eq!(shown(&format!("1 >> {huge}, -1 >> 2 ** 40, taps[-{huge}:{huge}:{huge}]")), "(0, -1, [1])");
}

#[test]
fn messages_are_built() {
    let value = |text: &str| evaluate(text).unwrap().to_value().unwrap();
    assert_eq!(value("pmt.intern('TEST')"), "TEST".into());
    assert_eq!(value("pmt.cons(pmt.intern('freq'), pmt.from_double(1e6))"), Value::pairs(["freq"], 1e6));
    assert_eq!(value("pmt.dict_add(pmt.make_dict(), pmt.mp('a'), pmt.to_pmt(3))"), Value::map([("a", 3)]));
    assert!(matches!(value("pmt.cons(pmt.PMT_NIL, pmt.init_u8vector(3, (1, 2, 3)))"), Value::Packet(_)));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        let _ = evaluate(&text);
    }

    #[test]
    fn no_expression_makes_it_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "1", "0", "-", "+", "*", "**", "//", "%", "(", ")", "[", "]", "{", "}", ",", ":", ".", "'a'", "1.5", "2j",
                "rate", "taps", "np", "arange", "int", "range", "for", "x", "in", "if", "else", "not", "<", "<<", ">>",
                "max", "real", "round", "pmt", "cons", "1e308", "99999999999", "int", "math", "sqrt", "=", "is", "~",
            ]),
            0..24,
        ),
    ) {
        let _ = evaluate(&parts.concat());
        let _ = evaluate(&parts.join(" "));
    }
}
