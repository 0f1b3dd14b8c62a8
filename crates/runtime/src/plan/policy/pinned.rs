//! Lanes given by the user or cut evenly by cost, each on a processor of its own.

use super::Scheduler;
use crate::data::ConnectError;
use crate::graph::CheckedGraph;
use crate::metrics::Report;
use crate::plan::cost::{Costs, or_mean};
use crate::plan::{Lane, Machine};

/// Lanes that do not change, each thread bound to a processor.
#[derive(Clone, Debug)]
pub struct Pinned(Cut);

#[derive(Clone, Debug)]
enum Cut {
    Given(Vec<Vec<String>>),
    Even { workers: usize, costs: Costs },
}

impl Pinned {
    /// The lanes given, by the names of their blocks. Blocks not named get lanes of their own.
    pub fn lanes(lanes: Vec<Vec<String>>) -> Self {
        Pinned(Cut::Given(lanes))
    }

    /// Cuts the blocks, in the order in which streams flow, into as many lanes as there are workers, so that the
    /// costliest lane is as cheap as possible.
    ///
    /// Pure blocks are timed on made-up data, which changes nothing in them. Another block counts as the mean of those,
    /// unless [`Pinned::with_costs`] tells.
    pub fn workers(workers: usize) -> Self {
        Pinned(Cut::Even { workers: workers.max(1), costs: Costs::default() })
    }

    /// Takes the costs of the blocks from an earlier run of the graph: busy time per block.
    #[must_use]
    pub fn with_costs(mut self, report: &Report) -> Self {
        if let Cut::Even { costs, .. } = &mut self.0 {
            costs.learn(report);
        }
        self
    }
}

impl Scheduler for Pinned {
    fn name(&self) -> &'static str {
        "pinned"
    }

    fn lanes(&self, graph: &CheckedGraph, machine: &Machine) -> Result<Vec<Lane>, ConnectError> {
        let lanes = match &self.0 {
            Cut::Given(lanes) => given(graph, lanes)?,
            Cut::Even { workers, costs } => {
                // Blocks with threads of their own take no part in the cut.
                let order: Vec<usize> =
                    graph.order.iter().copied().filter(|&b| !graph.nodes[b].spec.blocking).collect();
                let mut lanes = cut_evenly(&order, &or_mean(costs.of(graph, &order)), *workers);
                lanes.extend(graph.order.iter().filter(|&&b| graph.nodes[b].spec.blocking).map(|&b| vec![b]));
                lanes
            }
        };
        Ok(lanes
            .into_iter()
            .enumerate()
            .map(|(i, blocks)| {
                let waits = blocks.iter().all(|&b| graph.nodes[b].spec.blocking);
                let cpu = machine.cpus.get(i % machine.cpus.len().max(1)).copied().filter(|_| !waits);
                Lane { cpu, ..Lane::new(blocks) }
            })
            .collect())
    }
}

fn given(graph: &CheckedGraph, lanes: &[Vec<String>]) -> Result<Vec<Vec<usize>>, ConnectError> {
    let mut result = Vec::new();
    for lane in lanes {
        let mut blocks = Vec::new();
        for name in lane {
            let block = graph.nodes.iter().position(|node| node.name == *name);
            blocks.push(block.ok_or_else(|| ConnectError::Unknown {
                what: "block",
                name: name.clone(),
                hint: crate::data::suggestion(name, graph.nodes.iter().map(|node| node.name.as_str())),
            })?);
        }
        // A lane runs its blocks as the streams flow, in whatever order they were named.
        blocks.sort_by_key(|block| graph.order.iter().position(|b| b == block));
        result.push(blocks);
    }
    let named: Vec<usize> = result.concat();
    result.extend(graph.order.iter().filter(|b| !named.contains(b)).map(|&b| vec![b]));
    Ok(result)
}

/// Cuts `order` into at most `parts` runs such that the largest sum of costs is as small as possible.
fn cut_evenly(order: &[usize], costs: &[f64], parts: usize) -> Vec<Vec<usize>> {
    let n = order.len();
    let mut sums = vec![0.0];
    costs.iter().for_each(|cost| sums.push(sums[sums.len() - 1] + cost));
    // best[p][i]: the smallest possible maximum for the first i blocks in p + 1 runs, and where the last run starts.
    let mut best = vec![(0..=n).map(|i| (sums[i], 0)).collect::<Vec<_>>()];
    for p in 1..parts.min(n).max(1) {
        let row = (0..=n)
            .map(|i| {
                (0..=i)
                    .map(|j| (best[p - 1][j].0.max(sums[i] - sums[j]), j))
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .unwrap_or((0.0, 0))
            })
            .collect();
        best.push(row);
    }
    let mut runs = Vec::new();
    let mut end = n;
    for row in best.iter().rev() {
        let start = row[end].1;
        runs.push(order[start..end].to_vec());
        end = start;
    }
    runs.reverse();
    runs.retain(|run| !run.is_empty());
    runs
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_costliest_lane_is_as_cheap_as_possible() {
        let cut = |costs: &[f64], parts| cut_evenly(&(0..costs.len()).collect::<Vec<_>>(), costs, parts);
        assert_eq!(cut(&[1.0, 1.0, 1.0, 1.0], 2), [vec![0, 1], vec![2, 3]]);
        assert_eq!(cut(&[5.0, 1.0, 1.0, 1.0], 2), [vec![0], vec![1, 2, 3]]);
        assert_eq!(cut(&[1.0, 2.0], 5), [vec![0], vec![1]]);
        assert_eq!(cut(&[1.0], 1), [vec![0]]);
    }
}
