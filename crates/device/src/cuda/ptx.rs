//! What a kernel in PTX takes, read from its text.
//!
//! The driver copies as many arguments as the kernel declares from the address it gets, so that one too few would be read
//! beyond the end. It says how many only since CUDA 12.4; the text says it always.
//!
//! Source: PTX ISA 9.0, sections 5.1.6 (`.param`) and 11.1.1 (`.entry`).

/// Whether the text is PTX: its first directive is `.version`.
pub(super) fn is_ptx(text: &str) -> bool {
    without_comments(text).trim_start().starts_with(".version")
}

/// The kernels of a text and the sizes of their arguments in bytes.
pub(super) fn kernels(text: &str) -> Vec<(String, Vec<usize>)> {
    let text = without_comments(text);
    let mut kernels = Vec::new();
    for part in text.split(".entry").skip(1) {
        let part = part.trim_start();
        let end = part.find(|c: char| c.is_whitespace() || "({.;".contains(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let parameters = match rest.trim_start().strip_prefix('(') {
            Some(list) => list.split(')').next().unwrap_or(""),
            None => "",
        };
        let sizes = parameters.split(',').map(str::trim).filter(|one| !one.is_empty()).map(bytes).collect();
        kernels.push((name.to_owned(), sizes));
    }
    kernels
}

/// The size of `.param .u32 name` or `.param .align 8 .b8 name[24]`; 0 if it is neither.
fn bytes(parameter: &str) -> usize {
    let item = parameter.split_whitespace().find_map(|word| {
        let bits = word.strip_prefix(['.'])?.trim_start_matches(['u', 's', 'b', 'f']);
        matches!(bits, "8" | "16" | "32" | "64").then(|| bits.parse::<usize>().unwrap_or(0) / 8)
    });
    let items = match parameter.split_once('[') {
        Some((_, length)) => length.trim_end_matches(']').trim().parse().unwrap_or(0),
        None => 1,
    };
    item.unwrap_or(0) * items
}

/// The text with a space for each comment.
fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        clean.push_str(&rest[..start]);
        clean.push(' ');
        let (mark, end) = if rest[start..].starts_with("//") { ("\n", 0) } else { ("*/", 2) };
        let body = &rest[start + 2..];
        rest = body.find(mark).map_or("", |at| &body[at + end..]);
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//\n// Generated .entry no(\n//\n/* */\n.version 9.0\n.target sm_75\n\
        .visible .entry saxpy(\n\t.param .u32 saxpy_param_0, /* a pointer, */\n\
        \t.param .u64 .ptr .align 1 saxpy_param_1,\n\t.param .f32 saxpy_param_2\n)\n.maxntid 256\n{ ret; }\n\
        .visible .entry none()\n{ ret; }\n.entry big(.param .align 8 .b8 big_param_0[24], .param .b16 x){ret;}";

    #[test]
    fn the_sizes_of_all_arguments_are_read() {
        let expected = [("saxpy", vec![4, 8, 4]), ("none", vec![]), ("big", vec![24, 2])];
        let expected: Vec<_> = expected.into_iter().map(|(name, sizes)| (name.to_owned(), sizes)).collect();
        assert_eq!(kernels(TEXT), expected);
    }

    #[test]
    fn a_comment_does_not_make_cuda_c_into_ptx() {
        assert!(is_ptx(TEXT));
        assert!(!is_ptx("// .version 9.0\nextern \"C\" __global__ void f() {}"));
        assert!(!is_ptx(""));
    }

    #[test]
    fn texts_that_are_cut_short_are_read_as_far_as_they_go() {
        for end in 0..TEXT.len() {
            assert!(kernels(&TEXT[..end]).len() <= 3);
        }
    }
}
