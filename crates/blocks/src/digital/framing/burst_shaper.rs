//! Ramps and padding around bursts.

use superhet_runtime::packet::{Framing, PacketBlock};
use superhet_runtime::{AnyBlock, BlockError, C32, C64, Item, Packet, Tag, declare};

use crate::error::{Error, check};
use crate::item::{FromNumber, from_numbers};

/// Samples that a window can be laid over.
pub trait Shaped: Item + FromNumber + std::ops::Mul<Output = Self> + std::ops::Neg<Output = Self> {
    /// 1.
    const ONE: Self;
    /// 0.
    const ZERO: Self;
}

impl Shaped for f32 {
    const ONE: f32 = 1.0;
    const ZERO: f32 = 0.0;
}

impl Shaped for C32 {
    const ONE: C32 = C32::ONE;
    const ZERO: C32 = C32::ZERO;
}

/// Lets bursts rise and fall by a window, with zeros around them.
///
/// The first half of the window is laid over the beginning of each burst and the second half over its end, both with the middle
/// of an odd window; of a shorter burst only as much of each as half of it. With `insert_phasing` each half is laid over as many
/// extra samples instead, +1 and −1 in turn, before and behind the burst.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | packets |
/// | out `out` | the same | packets, with ramps and zeros |
///
/// The metadata lies on the first zero; tags stay on their items.
///
/// ```
/// use superhet_blocks::digital::BurstShaper;
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut shaper = BurstShaper::new(vec![0.5f32, 0.25], 1, 2, false)?;
/// let burst = shaper.packet(Packet::from_items(&[1.0; 3]))?.unwrap();
/// assert_eq!(burst.items(), [0.0, 0.5, 1.0, 0.25, 0.0, 0.0]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BurstShaper<T> {
    up: Vec<T>,
    down: Vec<T>,
    before: usize,
    behind: usize,
    phasing: bool,
}

/// The most zeros before or behind a burst.
const MOST_PADDING: usize = 1 << 20;

impl<T: Shaped> BurstShaper<T> {
    /// A window, and how many zeros come before and behind each burst.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there are more than 2²⁰ zeros.
    pub fn new(window: Vec<T>, before: usize, behind: usize, insert_phasing: bool) -> Result<Self, Error> {
        check(before <= MOST_PADDING, "pre_padding", "at most 1048576", before as f64)?;
        check(behind <= MOST_PADDING, "post_padding", "at most 1048576", behind as f64)?;
        let (up, down) = (window[..window.len().div_ceil(2)].to_vec(), window[window.len() / 2..].to_vec());
        Ok(BurstShaper { up, down, before, behind, phasing: insert_phasing })
    }
}

impl<T: Shaped> PacketBlock for BurstShaper<T> {
    type In = T;
    type Out = T;

    fn packet(&mut self, x: Packet<T>) -> Result<Option<Packet<T>>, BlockError> {
        let (up, down) = (&self.up, &self.down);
        let (rise, fall) = if self.phasing { (up.len(), down.len()) } else { (0, 0) };
        let first = self.before + rise;
        let last = first + x.len();
        let mut y = x.with_meta(last + fall + self.behind);
        let items = y.items_mut();
        items.fill(T::ZERO);
        items[first..last].copy_from_slice(x.items());
        if self.phasing {
            let phase = |place: usize| if place.is_multiple_of(2) { T::ONE } else { -T::ONE };
            for (place, (y, tap)) in items[self.before..first].iter_mut().zip(up).enumerate() {
                *y = phase(place) * *tap;
            }
            for (place, (y, tap)) in items[last..].iter_mut().zip(down).enumerate() {
                *y = phase(place) * *tap;
            }
        } else {
            let (burst, half) = (&mut items[first..last], x.len() / 2);
            let (up, down) = (&up[..up.len().min(half)], &down[..down.len().min(half)]);
            burst.iter_mut().zip(up).for_each(|(y, tap)| *y = *y * *tap);
            let end = burst.len() - down.len();
            burst[end..].iter_mut().zip(down).for_each(|(y, tap)| *y = *y * *tap);
        }
        for tag in x.tags() {
            y.put_tag(Tag { index: tag.index + first as u64, ..tag.clone() });
        }
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Lets bursts rise and fall by a window, with zeros around them.",
    items(C32, f32),
    ports(input("in", "item", "packets in a stream"), output("out", "item", "packets in a stream"))
)]
fn burst_shaper<T: Shaped>(
    /// The first half is for the rise, the second for the fall.
    #[param(json = "[]")]
    window: Vec<C64>,
    /// Zeros before each burst.
    #[param(unit = "items", range = 0..=MOST_PADDING, default = 0)]
    pre_padding: usize,
    /// Zeros behind each burst.
    #[param(unit = "items", range = 0..=MOST_PADDING, default = 0)]
    post_padding: usize,
    /// Whether extra samples rise and fall, not the burst.
    #[param(default = false)]
    insert_phasing: bool,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// Whether what is in no whole packet is dropped with a warning, instead of an error.
    #[param(default = false)]
    resync: bool,
) -> Result<AnyBlock, BlockError> {
    let framing = Framing::new(length_tag);
    let framing = if resync { framing.resync() } else { framing };
    Ok(AnyBlock::new({
        BurstShaper::<T>::new(from_numbers("window", &window)?, pre_padding, post_padding, insert_phasing)?
            .tagged(framing)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TagSink, Tagged, cuts, run_any};
    use superhet_runtime::{Graph, Value};

    #[test]
    fn bursts_are_those_of_gnu_radio() {
        let window = || vec![0.1f32, 0.2, 0.3, 0.4];
        for (window, phasing, n, wanted) in [
            (window(), false, 5, vec![0.0, 0.0, 0.1, 0.2, 1.0, 0.3, 0.4, 0.0, 0.0, 0.0]),
            (window(), false, 3, vec![0.0, 0.0, 0.1, 1.0, 0.3, 0.0, 0.0, 0.0]),
            (window(), false, 1, vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            (window(), true, 3, vec![0.0, 0.0, 0.1, -0.2, 1.0, 1.0, 1.0, 0.3, -0.4, 0.0, 0.0, 0.0]),
            (vec![0.1, 0.2, 0.3], true, 1, vec![0.0, 0.0, 0.1, -0.2, 1.0, 0.2, -0.3, 0.0, 0.0, 0.0]),
            (vec![], true, 2, vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
        ] {
            let mut packet = Packet::from_items(&vec![1.0f32; n]);
            packet.set("k", 1);
            packet.put_tag(Tag { index: 0, key: "t".into(), value: Value::Null, source: "s".into() });
            let shaped = BurstShaper::new(window, 2, 3, phasing).unwrap().packet(packet).unwrap().unwrap();
            assert_eq!(shaped.items(), wanted);
            assert_eq!(
                (shaped.tags()[0].index, shaped.get("k")),
                (if phasing && wanted.len() > 7 { 4 } else { 2 }, Some(&1.into()))
            );
        }
    }

    #[test]
    fn items_between_packets_are_dropped_where_that_is_wanted() {
        let x = [vec![9f32; 2], vec![1.0; 3], vec![8.0; 2], vec![1.0; 3], vec![7.0; 5]].concat();
        let tags = || vec![(2, "packet_len", Value::from(3)), (7, "packet_len", 3.into())];
        let given = |resync: bool| {
            let given = [
                ("item", "f32".into()),
                ("window", vec![0.5f32, 0.25].into()),
                ("pre_padding", 1.into()),
                ("resync", resync.into()),
            ];
            given.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into()
        };
        for options in cuts() {
            let (y, _) = run_any::<f32, f32>(ENTRY.build(&given(true)).unwrap(), x.clone(), tags(), &options);
            assert_eq!(y, [0.0, 0.5, 1.0, 0.25].repeat(2));
        }
        let mut graph = Graph::new();
        graph.add("source", Tagged::new(x, tags()));
        graph.add_any("block", ENTRY.build(&given(false)).unwrap());
        graph.add("sink", TagSink::<f32>::new());
        graph.connect_names("source", "block");
        graph.connect_names("block", "sink");
        let error = graph.run().unwrap_err().to_string();
        assert!(error.contains("expected a packet at item 0"), "{error}");
    }
}
