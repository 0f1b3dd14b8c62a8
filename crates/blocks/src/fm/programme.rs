//! What codes of programmes stand for.

/// Where a station is: the codes have other meanings in America.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// By IEC 62106 (RDS): Europe and most of the world.
    Europe,
    /// By NRSC-4-B (RBDS): the United States, Canada and Mexico.
    America,
}

/// IEC 62106, annex F, table F.1.
const EUROPE: [&str; 32] = [
    "none",
    "news",
    "current affairs",
    "information",
    "sport",
    "education",
    "drama",
    "culture",
    "science",
    "varied",
    "pop music",
    "rock music",
    "easy listening",
    "light classical",
    "serious classical",
    "other music",
    "weather",
    "finance",
    "children's programmes",
    "social affairs",
    "religion",
    "phone-in",
    "travel",
    "leisure",
    "jazz music",
    "country music",
    "national music",
    "oldies music",
    "folk music",
    "documentary",
    "alarm test",
    "alarm",
];

/// NRSC-4-B, annex F.
const AMERICA: [&str; 32] = [
    "none",
    "news",
    "information",
    "sports",
    "talk",
    "rock",
    "classic rock",
    "adult hits",
    "soft rock",
    "top 40",
    "country",
    "oldies",
    "soft",
    "nostalgia",
    "jazz",
    "classical",
    "rhythm and blues",
    "soft rhythm and blues",
    "language",
    "religious music",
    "religious talk",
    "personality",
    "public",
    "college",
    "Spanish talk",
    "Spanish music",
    "hip hop",
    "unassigned",
    "unassigned",
    "weather",
    "emergency test",
    "emergency",
];

impl Region {
    /// The name of a programme type; the code's lowest five bits count.
    pub(super) fn programme_type(self, pty: u16) -> &'static str {
        let names = if self == Region::America { &AMERICA } else { &EUROPE };
        names[usize::from(pty & 31)]
    }

    /// The call sign that a PI code says, where it says one: four letters, in America only. NRSC-4-B, annex D.7.
    pub(super) fn call_sign(self, pi: u16) -> Option<String> {
        let (first, number) = match pi {
            0x1000..=0x54a7 => ('K', pi - 0x1000),
            0x54a8..=0x994f => ('W', pi - 0x54a8),
            _ => return None,
        };
        let letter = |number: u16| char::from(b'A' + (number % 26) as u8);
        let letters = [first, letter(number / 676), letter(number / 26), letter(number)];
        (self == Region::America).then(|| letters.iter().collect())
    }
}

/// The name of an open data application, of the more frequent ones.
pub(super) fn application(aid: u16) -> Option<&'static str> {
    match aid {
        0x0093 => Some("DAB cross-reference"),
        0x4bd7 => Some("RadioText Plus"),
        0x6552 => Some("enhanced RadioText"),
        0xcd46 | 0xcd47 => Some("TMC"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_names_of_their_region() {
        assert_eq!(Region::Europe.programme_type(10), "pop music");
        assert_eq!(Region::America.programme_type(10), "country");
        assert_eq!(Region::America.call_sign(0x54a8).as_deref(), Some("WAAA"));
        assert_eq!(Region::America.call_sign(0x1000 + 25 * 676 + 26 + 2).as_deref(), Some("KZBC"));
        assert_eq!((Region::America.call_sign(0xd3c1), Region::Europe.call_sign(0x1000)), (None, None));
    }
}
