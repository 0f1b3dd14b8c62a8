//! The characters of RDS: the basic set of IEC 62106, annex E, figure E.1.

/// The characters from 0x80 on; below, they are those of ASCII, with some exceptions.
const HIGH: [char; 128] = [
    'á', 'à', 'é', 'è', 'í', 'ì', 'ó', 'ò', 'ú', 'ù', 'Ñ', 'Ç', 'Ş', 'ß', '¡', 'Ĳ', //
    'â', 'ä', 'ê', 'ë', 'î', 'ï', 'ô', 'ö', 'û', 'ü', 'ñ', 'ç', 'ş', 'ǧ', 'ı', 'ĳ', //
    'ª', 'α', '©', '‰', 'Ǧ', 'ě', 'ň', 'ő', 'π', '€', '£', '$', '←', '↑', '→', '↓', //
    'º', '¹', '²', '³', '±', 'İ', 'ń', 'ű', 'µ', '¿', '÷', '°', '¼', '½', '¾', '§', //
    'Á', 'À', 'É', 'È', 'Í', 'Ì', 'Ó', 'Ò', 'Ú', 'Ù', 'Ř', 'Č', 'Š', 'Ž', 'Đ', 'Ŀ', //
    'Â', 'Ä', 'Ê', 'Ë', 'Î', 'Ï', 'Ô', 'Ö', 'Û', 'Ü', 'ř', 'č', 'š', 'ž', 'đ', 'ŀ', //
    'Ã', 'Å', 'Æ', 'Œ', 'ŷ', 'Ý', 'Õ', 'Ø', 'Þ', 'Ŋ', 'Ŕ', 'Ć', 'Ś', 'Ź', 'Ŧ', 'ð', //
    'ã', 'å', 'æ', 'œ', 'ŵ', 'ý', 'õ', 'ø', 'þ', 'ŋ', 'ŕ', 'ć', 'ś', 'ź', 'ŧ', ' ',
];

/// The characters below 0x80 that are not those of ASCII.
const OTHER: [(u8, char); 4] = [(0x24, '¤'), (0x5e, '―'), (0x60, '‖'), (0x7e, '¯')];

/// What is sent where a character is not in the set.
const UNKNOWN: u8 = b'?';

/// The character of a byte; a space for control characters.
pub(super) fn character(byte: u8) -> char {
    match byte {
        0..0x20 | 0x7f => ' ',
        0x80.. => HIGH[usize::from(byte - 0x80)],
        _ => OTHER.iter().find(|(other, _)| *other == byte).map_or(char::from(byte), |(_, other)| *other),
    }
}

/// The byte of a character; a question mark where the set does not have it.
pub(super) fn byte(character: char) -> u8 {
    let high = || HIGH.iter().position(|other| *other == character).map(|place| 0x80 + place as u8);
    match OTHER.iter().find(|(byte, other)| *other == character || char::from(*byte) == character) {
        Some((byte, other)) if *other == character => *byte,
        None if (' '..='~').contains(&character) => character as u8,
        _ => high().unwrap_or(UNKNOWN),
    }
}

/// The text of bytes, without spaces at its end.
pub(super) fn text(bytes: impl IntoIterator<Item = u8>) -> String {
    let text: String = bytes.into_iter().map(character).collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_comes_back() {
        for code in (0x20..0x7f).chain(0x80..0xff) {
            assert_eq!(byte(character(code)), code, "{code:#x}");
        }
        assert_eq!(text(*b"A\x97\x1a\xfe  "), "Aö ŧ");
        assert_eq!([byte('$'), byte('^'), byte('ж')], [0xab, b'?', b'?']);
    }
}
