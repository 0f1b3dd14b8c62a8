//! What lies between the bits that are sent and those that say something.

/// A way in which bits are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// Each bit as its opposite.
    Invert,
    /// Each bit twice, first its opposite.
    Twice,
    /// 10 for a one, 01 for a zero.
    Manchester,
    /// A change at the beginning of each bit, and for a one in its middle, too.
    BiphaseMark,
    /// The same, and a change in the middle for a zero.
    BiphaseSpace,
    /// The lowest bit of each byte first.
    ReflectBytes,
    /// The lowest bit of each four first.
    ReflectNibbles,
    /// Each byte added to the one that was sent before it, bit by bit.
    XorPrevious,
}

impl Layer {
    pub const NAMES: [(&str, Layer); 8] = [
        ("invert", Layer::Invert),
        ("twice", Layer::Twice),
        ("manchester", Layer::Manchester),
        ("biphase_mark", Layer::BiphaseMark),
        ("biphase_space", Layer::BiphaseSpace),
        ("reflect_bytes", Layer::ReflectBytes),
        ("reflect_nibbles", Layer::ReflectNibbles),
        ("xor_previous", Layer::XorPrevious),
    ];

    /// How many bits are sent for one.
    pub fn sent_for_one(self) -> usize {
        match self {
            Layer::Twice | Layer::Manchester | Layer::BiphaseMark | Layer::BiphaseSpace => 2,
            _ => 1,
        }
    }

    /// The bits that were sent so, the last of which before them was `before`; none where they were not.
    pub fn undone(self, sent: &[u8], before: u8) -> Option<Vec<u8>> {
        let pairs = |bit: fn(u8, u8) -> Option<u8>| -> Option<Vec<u8>> {
            sent.chunks_exact(2).map(|pair| bit(pair[0], pair[1])).collect()
        };
        match self {
            Layer::Twice => pairs(|first, second| (first != second).then_some(second)),
            Layer::Manchester => pairs(|first, second| (first != second).then_some(first)),
            Layer::BiphaseMark | Layer::BiphaseSpace => {
                let mut level = before;
                let mut bits = Vec::with_capacity(sent.len() / 2);
                for pair in sent.chunks_exact(2) {
                    if pair[0] == level {
                        return None;
                    }
                    level = pair[1];
                    bits.push(u8::from((pair[0] != pair[1]) == (self == Layer::BiphaseMark)));
                }
                Some(bits)
            }
            Layer::Invert | Layer::ReflectBytes | Layer::ReflectNibbles => Some(self.done(sent, before)),
            Layer::XorPrevious => {
                let before = [&[0; 8], sent].concat();
                Some(sent.iter().zip(before).map(|(bit, before)| bit ^ before).collect())
            }
        }
    }

    /// The bits that are sent for bits.
    pub fn done(self, bits: &[u8], before: u8) -> Vec<u8> {
        let reflected = |unit: usize| bits.chunks(unit).flat_map(|unit| unit.iter().rev().copied()).collect();
        match self {
            Layer::Invert => bits.iter().map(|bit| bit ^ 1).collect(),
            Layer::Twice => bits.iter().flat_map(|bit| [bit ^ 1, *bit]).collect(),
            Layer::Manchester => bits.iter().flat_map(|bit| [*bit, bit ^ 1]).collect(),
            Layer::BiphaseMark | Layer::BiphaseSpace => {
                let mut level = before;
                let pair = |bit: &u8| {
                    let first = level ^ 1;
                    let changes = (*bit == 1) == (self == Layer::BiphaseMark);
                    level = if changes { first ^ 1 } else { first };
                    [first, level]
                };
                bits.iter().flat_map(pair).collect()
            }
            Layer::ReflectBytes => reflected(8),
            Layer::ReflectNibbles => reflected(4),
            Layer::XorPrevious => {
                let mut sent: Vec<u8> = Vec::with_capacity(bits.len());
                for (n, bit) in bits.iter().enumerate() {
                    sent.push(bit ^ n.checked_sub(8).map_or(0, |before| sent[before]));
                }
                sent
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_can_be_undone() {
        let bits: Vec<u8> = (0..48u32).map(|n| (n * n / 3 % 2) as u8).collect();
        for (name, layer) in Layer::NAMES {
            for before in [0, 1] {
                let sent = layer.done(&bits, before);
                assert_eq!(sent.len(), bits.len() * layer.sent_for_one(), "{name}");
                assert_eq!(layer.undone(&sent, before).as_deref(), Some(&bits[..]), "{name}");
            }
        }
        assert_eq!(Layer::Manchester.undone(&[1, 0, 0, 0], 0), None);
        assert_eq!(Layer::BiphaseMark.undone(&[0, 1], 0), None);
    }
}
