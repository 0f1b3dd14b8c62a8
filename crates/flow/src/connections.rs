//! Connections as they are written: `a -> b.in -> c`, `a -> b, c`.

/// A link from an output to an input, by names.
pub(crate) type Link = (String, String);

/// The links of a chain, or what is wrong with it.
pub(crate) fn links(text: &str) -> Result<Vec<Link>, String> {
    let stages: Vec<&str> = text.split("->").collect();
    if stages.len() < 2 {
        return Err(r#"expected "a -> b" or a longer chain"#.to_owned());
    }
    let mut links = Vec::new();
    let mut from = String::new();
    for (index, stage) in stages.iter().enumerate() {
        let ends = stage.split(',').map(end).collect::<Result<Vec<String>, String>>()?;
        let last = index == stages.len() - 1;
        if ends.len() > 1 && !last {
            return Err("only the last link of a chain leads to several".to_owned());
        }
        if index > 0 && !last && ends[0].contains('.') {
            let problem = format!(
                "the port of {} could be an input or an output here: within a chain stands a block without port, \
                 or it is cut in two there",
                ends[0]
            );
            return Err(problem);
        }
        if index > 0 {
            links.extend(ends.iter().map(|to| (from.clone(), to.clone())));
        }
        from = ends.into_iter().next().unwrap_or_default();
    }
    Ok(links)
}

/// The names in a chain that cannot be read, as far as they can be recognised. The blocks they name get no further mistakes.
pub(crate) fn names(text: &str) -> Vec<String> {
    text.split("->").flat_map(|stage| stage.split(',')).filter_map(|name| end(name).ok()).collect()
}

/// `block` or `block.port`; an inner block is `outer/inner`.
fn end(text: &str) -> Result<String, String> {
    let name = text.trim();
    let (block, port) = name.split_once('.').map_or((name, None), |(block, port)| (block, Some(port)));
    if block.split('/').all(is_name) && port.is_none_or(is_name) {
        return Ok(name.to_owned());
    }
    Err(match name {
        "" => "expected a block on both sides of each -> and comma".to_owned(),
        _ => format!("expected block or block.port, got {}", crate::error::shown(name)),
    })
}

/// Whether a block or a port can have this name.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= crate::error::LONGEST_NAME
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        links(text).unwrap()
    }

    fn pair(from: &str, to: &str) -> Link {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn a_chain_is_taken_apart_into_links() {
        assert_eq!(pairs("a -> b -> c"), [pair("a", "b"), pair("b", "c")]);
        assert_eq!(pairs("a.out->b.in"), [pair("a.out", "b.in")]);
        assert_eq!(pairs("a -> b -> c, d.in"), [pair("a", "b"), pair("b", "c"), pair("b", "d.in")]);
        assert_eq!(pairs("rx/a.x -> b-1"), [pair("rx/a.x", "b-1")]);
    }

    #[test]
    fn a_chain_that_cannot_be_read_says_why() {
        for (text, problem) in [
            ("a", r#"expected "a -> b" or a longer chain"#),
            ("a ->", "expected a block on both sides of each -> and comma"),
            ("a -> b, c -> d", "only the last link of a chain leads to several"),
            ("a b -> c", "expected block or block.port, got a b"),
            ("a.b.c -> d", "expected block or block.port, got a.b.c"),
            (
                "a -> b.in -> c",
                "the port of b.in could be an input or an output here: within a chain stands a block without port, \
                 or it is cut in two there",
            ),
        ] {
            assert_eq!(links(text).unwrap_err(), problem, "{text}");
        }
    }
}
