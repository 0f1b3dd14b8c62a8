//! Seeded mutations of inputs, for runs without libFuzzer: the same seed gives the same input on every machine.

/// A generator of random numbers: SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `count`; 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.word() % count.max(1) as u64) as usize
    }
}

/// Bytes that tend to be limits.
const ODD: &[u8] = &[0, 1, 0x7f, 0x80, 0xff, b'0', b'9', b'-', b'"', b'(', b'[', b'{', b'}', b'\n', 0x1b];

/// The longest input that is made.
const LONGEST: usize = 1 << 16;

/// An input that is one of `inputs` with some changes; `words` are what the format is made of.
pub fn mutated(inputs: &[Vec<u8>], words: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let any = |random: &mut Random| inputs.get(random.below(inputs.len())).cloned().unwrap_or_default();
    let mut bytes = any(&mut random);
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len() + 1);
        let length = random.below((bytes.len() - at).min(64) + 1);
        match random.below(9) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let again = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, again);
            }
            3 if !words.is_empty() => {
                bytes.splice(at..at, words[random.below(words.len())].iter().copied());
            }
            4 => {
                let other = any(&mut random);
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            5 => bytes.insert(at, ODD[random.below(ODD.len())]),
            choice => {
                let Some(byte) = bytes.get_mut(at) else { continue };
                *byte = match choice {
                    6 => *byte ^ 1 << random.below(8),
                    7 => ODD[random.below(ODD.len())],
                    _ => random.word() as u8,
                };
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// The words of a dictionary as libFuzzer has them: a text in quotation marks on each line, with `\xAB`, `\\` and `\"`.
pub fn words(dictionary: &str) -> Vec<Vec<u8>> {
    dictionary.lines().filter_map(word).collect()
}

fn word(line: &str) -> Option<Vec<u8>> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let text = line.split_once('"')?.1.strip_suffix('"')?;
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        (bytes, rest) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |c: u8| char::from(c).to_digit(16);
                bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
                (bytes, after)
            }
            (b'\\', [escaped, after @ ..]) => {
                bytes.push(*escaped);
                (bytes, after)
            }
            _ => {
                bytes.push(*first);
                (bytes, after)
            }
        };
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_read_as_libfuzzer_reads_it() {
        let text = "# a comment\n\nmagic=\"\\xf0\\x5f\\x01\"\n\"[blocks]\"\n\"a\\\\b\\\"\"\n";
        assert_eq!(words(text), [b"\xf0\x5f\x01".to_vec(), b"[blocks]".to_vec(), b"a\\b\"".to_vec()]);
    }

    #[test]
    fn the_same_seed_gives_the_same_input() {
        let inputs = [b"abc".to_vec(), b"0123456789".to_vec()];
        let some = |seed| mutated(&inputs, &[], seed);
        assert!((0..100).all(|seed| some(seed) == some(seed)));
        assert!((1..100).any(|seed| some(seed) != some(0)));
    }
}
