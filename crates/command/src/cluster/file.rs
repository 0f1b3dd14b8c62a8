//! The file that says which block of a graph runs on which host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use superhet_flow::Flow;
use toml::{Table, Value};

/// What a file says, paths as they are seen from the current folder.
#[derive(Debug)]
pub struct Cluster {
    pub graph: PathBuf,
    pub token_file: PathBuf,
    /// Who may have signed the certificates of nodes, where connections are encrypted.
    pub authority_file: Option<PathBuf>,
    pub links: Links,
    pub hosts: BTreeMap<String, Host>,
}

/// How parts are connected.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    /// `block` or `drop`.
    pub policy: String,
    pub hold_s: f64,
    pub memory_bytes: i64,
}

/// A host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Where its node is.
    pub address: String,
    /// The names of its blocks, of included files, or `*`.
    pub blocks: Vec<String>,
    /// The command that starts its node, if `deploy` is to do that.
    pub start: Vec<String>,
}

impl Cluster {
    /// Reads a file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        Cluster::read(&text, beside).with_context(|| path.display().to_string())
    }

    fn read(text: &str, beside: &Path) -> anyhow::Result<Self> {
        let mut table: Table = text.parse()?;
        let path = |table: &mut Table, key: &str| {
            let path = table.remove(key).with_context(|| format!("expected {key} = \"FILE\""))?;
            Ok::<PathBuf, anyhow::Error>(beside.join(text_of(key, path)?))
        };
        let (graph, token_file) = (path(&mut table, "graph")?, path(&mut table, "token_file")?);
        let authority_file = match table.contains_key("authority_file") {
            true => Some(path(&mut table, "authority_file")?),
            false => None,
        };
        let links = match table.remove("links") {
            None => Links::read(Table::new())?,
            Some(Value::Table(links)) => Links::read(links).context("[links]")?,
            Some(_) => bail!("links: expected a table"),
        };
        let Some(Value::Table(hosts)) = table.remove("hosts") else { bail!("expected tables [hosts.NAME]") };
        nothing_else(&table, &["graph", "token_file", "authority_file", "links", "hosts"])?;
        let read = |(name, host): (String, Value)| {
            let Value::Table(host) = host else { bail!("hosts.{name}: expected a table") };
            let host = Host::read(host).with_context(|| format!("[hosts.{name}]"))?;
            Ok((name, host))
        };
        let hosts = hosts.into_iter().map(read).collect::<anyhow::Result<_>>()?;
        Ok(Cluster { graph, token_file, authority_file, links, hosts })
    }

    /// The host of each block of the graph.
    pub fn place(&self, flow: &Flow) -> anyhow::Result<BTreeMap<String, String>> {
        let names: Vec<&str> = flow.block_names().collect();
        let mut of: BTreeMap<String, String> = BTreeMap::new();
        for (host, wanted) in
            self.hosts.iter().flat_map(|(name, host)| host.blocks.iter().map(move |block| (name, block)))
        {
            if wanted == "*" {
                continue;
            }
            // The name of an included file stands for all of its blocks.
            let inner = format!("{wanted}/");
            let meant = names.iter().filter(|name| **name == wanted || name.starts_with(&inner));
            let mut is_known = false;
            for name in meant {
                is_known = true;
                if let Some(other) = of.insert((*name).to_owned(), host.clone()).filter(|other| other != host)
                {
                    bail!("the block {name} is at {other} and at {host}");
                }
            }
            ensure!(is_known, "hosts.{host}: the graph has no block {wanted}");
        }
        let rest: Vec<&String> = self
            .hosts
            .iter()
            .filter(|(_, host)| host.blocks.iter().any(|block| block == "*"))
            .map(|(name, _)| name)
            .collect();
        ensure!(rest.len() <= 1, "several hosts have the rest of the blocks, \"*\"");
        if let [host] = rest[..] {
            for name in &names {
                of.entry((*name).to_owned()).or_insert_with(|| host.clone());
            }
        }
        Ok(of)
    }
}

impl Links {
    fn read(mut table: Table) -> anyhow::Result<Self> {
        let policy =
            table.remove("policy").map_or(Ok("block".to_owned()), |value| text_of("policy", value))?;
        ensure!(matches!(&*policy, "block" | "drop"), "policy is {policy:?}, expected \"block\" or \"drop\"");
        let number = |value: Value| value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
        let hold_s = match table.remove("hold_s") {
            None => 10.0,
            Some(value) => number(value)
                .filter(|s| (0.0..=86_400.0).contains(s))
                .context("hold_s: expected 0 to 86400 s")?,
        };
        let memory_bytes = match table.remove("memory_bytes") {
            None => 1 << 26,
            Some(value) => {
                value.as_integer().filter(|bytes| *bytes > 0).context("memory_bytes: expected bytes")?
            }
        };
        nothing_else(&table, &["policy", "hold_s", "memory_bytes"])?;
        Ok(Links { policy, hold_s, memory_bytes })
    }
}

impl Host {
    fn read(mut table: Table) -> anyhow::Result<Self> {
        let address =
            text_of("address", table.remove("address").context("expected address = \"HOST:PORT\"")?)?;
        let mut list = |key: &str| match table.remove(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(words)) => words.into_iter().map(|word| text_of(key, word)).collect(),
            Some(_) => bail!("{key}: expected a list of texts"),
        };
        let (blocks, start) = (list("blocks")?, list("start")?);
        nothing_else(&table, &["address", "blocks", "start"])?;
        Ok(Host { address, blocks, start })
    }
}

fn text_of(key: &str, value: Value) -> anyhow::Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => bail!("{key}: expected text, got {}", other.type_str()),
    }
}

fn nothing_else(table: &Table, known: &[&str]) -> anyhow::Result<()> {
    match table.keys().next() {
        None => Ok(()),
        Some(key) => bail!("there is no key {key}, expected {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        graph = "receiver.toml"
        token_file = "/etc/token"
        links = { policy = "drop", hold_s = 2 }
        [hosts.radio]
        address = "radio:7400"
        blocks = ["source"]
        start = ["ssh", "radio", "superhet", "node"]
        [hosts.rest]
        address = "127.0.0.1:7400"
        blocks = ["*"]
    "#;

    #[test]
    fn a_file_says_where_blocks_run() {
        let cluster = Cluster::read(TEXT, Path::new("a")).unwrap();
        assert_eq!(cluster.graph, Path::new("a/receiver.toml"));
        assert_eq!(cluster.token_file, Path::new("/etc/token"));
        assert_eq!(cluster.links, Links { policy: "drop".to_owned(), hold_s: 2.0, memory_bytes: 1 << 26 });
        assert_eq!(cluster.hosts["radio"].start.len(), 4);
        let flow = Flow::from_line("source:null_source -> sink:null_sink", &[]).unwrap();
        let placed = cluster.place(&flow).unwrap();
        assert_eq!((&*placed["source"], &*placed["sink"]), ("radio", "rest"));
    }

    #[test]
    fn mistakes_are_said() {
        let problem = |from: &str, to: &str| {
            format!("{:#}", Cluster::read(&TEXT.replacen(from, to, 1), Path::new("")).unwrap_err())
        };
        assert!(problem("graph =", "grap =").contains("expected graph = \"FILE\""));
        assert!(problem("\"drop\"", "\"wait\"").contains("[links]: policy is \"wait\""));
        assert!(problem("hold_s", "hold").contains("there is no key hold"));
        assert!(problem("address", "addres").contains("[hosts.radio]: expected address"));
        assert!(problem("[\"source\"]", "\"source\"").contains("blocks: expected a list"));
        let cluster = Cluster::read(&TEXT.replace("[\"source\"]", "[\"sorce\"]"), Path::new("")).unwrap();
        let flow = Flow::from_line("source:null_source -> null_sink", &[]).unwrap();
        assert_eq!(
            cluster.place(&flow).unwrap_err().to_string(),
            "hosts.radio: the graph has no block sorce"
        );
    }
}
