//! What the 77 bits of a message say, and back.

use std::collections::VecDeque;

/// A message, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// As operators write it; a call that is known by its hash only is `<...>`.
    pub text: String,
    /// `standard`, `free_text`, `telemetry`, `dxpedition`, `field_day`, `rtty`, `nonstandard_call` or `vhf_contest`.
    pub kind: &'static str,
    /// Who is called: a call sign, `CQ`, `CQ DX` or the like, `QRZ`, `DE`.
    pub to: Option<String>,
    /// Who calls.
    pub from: Option<String>,
    /// A locator of four or six characters.
    pub grid: Option<String>,
    /// dB, as the sender gives it.
    pub report: Option<i32>,
}

impl Message {
    fn new(kind: &'static str, text: String) -> Message {
        Message { text, kind, to: None, from: None, grid: None, report: None }
    }
}

/// Codes of special words in a field of 28 bits: DE, QRZ, CQ, CQ with a number or letters.
const WORDS: u32 = 2_063_592;
/// Hashes of 22 bits come behind them.
const HASHES: u32 = 1 << 22;
/// Codes of locators in a field of 15 bits; words and reports come behind them.
const GRIDS: u32 = 32_400;
const DIGITS_LETTERS: &str = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CALL_LETTERS: &str = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ/";
const TEXT_LETTERS: &str = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ+-./?";
/// Sections of the ARRL's Field Day, and states and provinces of the RTTY Roundup, in the order of their codes.
const SECTIONS: &str = "AB AK AL AR AZ BC CO CT DE EB EMA ENY EPA EWA GA GTA IA ID IL IN KS KY LA LAX MAR MB MDC ME MI MN MO MS \
     MT NC ND NE NFL NH NL NLI NM NNJ NNY NT NTX NV OH OK ONE ONN ONS OR ORG PAC PR QC RI SB SC SCV SD SDG SF SFL SJV SK SNJ STX SV \
     TN UT VA VI VT WCF WI WMA WNY WPA WTX WV WWA WY DX PE NB";
const STATES: &str = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK \
     OR PA RI SC SD TN TX UT VT VA WA WV WI WY NB NS QC ON MB SK AB BC NWT NF LB NU YT PEI DC";

/// The calls heard lately, by which hashes are read.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// Each with its hash of 22 bits, the newest last.
    heard: VecDeque<(u32, String)>,
}

/// So many are kept.
const MOST_CALLS: usize = 4096;

impl Calls {
    /// Notes a call.
    pub fn hear(&mut self, call: &str) {
        if let Some(hash) = hash22(call) {
            self.heard.retain(|(other, _)| *other != hash);
            self.heard.push_back((hash, call.to_owned()));
            if self.heard.len() > MOST_CALLS {
                self.heard.pop_front();
            }
        }
    }

    /// The newest call with this hash of so many bits, in brackets.
    fn with_hash(&self, hash: u32, bits: u32) -> String {
        let call = self.heard.iter().rev().find(|(whole, _)| whole >> (22 - bits) == hash);
        format!("<{}>", call.map_or("...", |(_, call)| call))
    }
}

/// The hash of a call sign in 22 bits; those of 12 and 10 bits are its highest.
fn hash22(call: &str) -> Option<u32> {
    Some((47_055_833_459u64.wrapping_mul(code_of_call(call)?) >> (64 - 22)) as u32)
}

/// A call sign of up to 11 letters, digits and strokes as a number.
fn code_of_call(call: &str) -> Option<u64> {
    if call.is_empty() || call.len() > 11 {
        return None;
    }
    let digits = format!("{call:<11}");
    digits.chars().try_fold(0u64, |code, letter| Some(code * 38 + CALL_LETTERS.find(letter)? as u64))
}

/// Takes fields off a message from its first bit on.
struct Fields {
    message: u128,
    left: u32,
}

impl Fields {
    fn take(&mut self, bits: u32) -> u32 {
        self.take_long(bits) as u32
    }

    fn take_long(&mut self, bits: u32) -> u128 {
        self.left -= bits;
        self.message >> self.left & ((1 << bits) - 1)
    }
}

/// Reads a message, the lowest 77 bits of a number. `None` where it says nothing that anybody could have meant.
///
/// Calls in it are not noted: see [`Calls::hear`].
pub fn read(message: u128, calls: &Calls) -> Option<Message> {
    let mut fields = Fields { message, left: 77 };
    let part = (message >> 3 & 7) as u32;
    match (message & 7) as u32 {
        0 => match part {
            0 => free_text(fields.take_long(71)),
            1 => dxpedition(&mut fields, calls),
            3 | 4 => field_day(&mut fields, part == 4, calls),
            5 => Some(Message::new("telemetry", format!("{:018X}", fields.take_long(71)))),
            _ => None,
        },
        kind @ (1 | 2) => standard(&mut fields, if kind == 1 { "/R" } else { "/P" }, calls),
        3 => rtty(&mut fields, calls),
        4 => nonstandard(&mut fields, calls),
        5 => vhf_contest(&mut fields, calls),
        _ => None,
    }
}

fn free_text(mut code: u128) -> Option<Message> {
    let mut letters = [0u8; 13];
    for letter in letters.iter_mut().rev() {
        *letter = TEXT_LETTERS.as_bytes()[(code % 42) as usize];
        code /= 42;
    }
    let text = String::from_utf8_lossy(&letters).trim().to_owned();
    (code == 0 && !text.is_empty()).then(|| Message::new("free_text", text))
}

/// The call or word of a field of 28 bits.
fn call28(code: u32, calls: &Calls) -> Option<String> {
    match code {
        0 => Some("DE".into()),
        1 => Some("QRZ".into()),
        2 => Some("CQ".into()),
        3..=1002 => Some(format!("CQ {:03}", code - 3)),
        1003..=532_443 => {
            let mut rest = code - 1003;
            let mut letters = [b' '; 4];
            for letter in letters.iter_mut().rev() {
                *letter = if rest.is_multiple_of(27) { b' ' } else { b'A' + (rest % 27 - 1) as u8 };
                rest /= 27;
            }
            let word = String::from_utf8_lossy(&letters).trim_start().to_owned();
            (!word.is_empty() && !word.contains(' ')).then(|| format!("CQ {word}"))
        }
        532_444..WORDS => None,
        _ if code < WORDS + HASHES => Some(calls.with_hash(code - WORDS, 22)),
        _ => standard_call(code - WORDS - HASHES),
    }
}

/// A call of one or two characters, a digit, and up to three letters.
fn standard_call(mut code: u32) -> Option<String> {
    let mut letters = [b' '; 6];
    for letter in letters[3..].iter_mut().rev() {
        *letter = if code.is_multiple_of(27) { b' ' } else { b'A' + (code % 27 - 1) as u8 };
        code /= 27;
    }
    letters[2] = b'0' + (code % 10) as u8;
    code /= 10;
    letters[1] = DIGITS_LETTERS.as_bytes()[1 + (code % 36) as usize];
    code /= 36;
    letters[0] = *DIGITS_LETTERS.as_bytes().get(code as usize)?;
    let call = std::str::from_utf8(&letters).ok()?.trim();
    let call = match call.as_bytes() {
        // Eswatini and Guinea, which would not fit otherwise.
        [b'3', b'D', b'0', ..] => format!("3DA0{}", &call[3..]),
        [b'Q', letter, ..] if letter.is_ascii_uppercase() => format!("3X{}", &call[1..]),
        _ => call.to_owned(),
    };
    let has_prefix = call.as_bytes().iter().take_while(|letter| !letter.is_ascii_digit()).count() > 0
        || call.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase);
    (call.len() >= 3
        && !call.contains(' ')
        && has_prefix
        && call.ends_with(|letter: char| letter.is_ascii_uppercase()))
    .then_some(call)
}

fn with_suffix(call: Option<String>, has: bool, suffix: &str) -> Option<String> {
    let call = call?;
    if !has {
        return Some(call);
    }
    // Words have no suffix.
    (call.len() >= 3 && !call.starts_with("CQ") && call != "QRZ").then(|| format!("{call}{suffix}"))
}

/// A locator of four characters.
fn grid4(code: u32) -> String {
    let letter = |n: u32| char::from(b'A' + n as u8);
    let digit = |n: u32| char::from(b'0' + n as u8);
    [letter(code / 1800), letter(code / 100 % 18), digit(code / 10 % 10), digit(code % 10)]
        .into_iter()
        .collect()
}

fn standard(fields: &mut Fields, suffix: &str, calls: &Calls) -> Option<Message> {
    let to = call28(fields.take(28), calls);
    let to = with_suffix(to, fields.take(1) == 1, suffix)?;
    let from = call28(fields.take(28), calls);
    let from = with_suffix(from, fields.take(1) == 1, suffix)?;
    if from == "DE" || from == "QRZ" || from.starts_with("CQ") {
        return None;
    }
    let is_roger = fields.take(1) == 1;
    let code = fields.take(15);
    let mut message = Message::new("standard", String::new());
    let roger = if is_roger { "R" } else { "" };
    let last = match code {
        0..GRIDS => {
            message.grid = Some(grid4(code));
            if is_roger { format!("R {}", grid4(code)) } else { grid4(code) }
        }
        _ => match code - GRIDS {
            1 if !is_roger => String::new(),
            2 if !is_roger => "RRR".into(),
            3 if !is_roger => "RR73".into(),
            4 if !is_roger => "73".into(),
            report @ 5..=85 => {
                let report = report as i32 - 35;
                message.report = Some(report);
                format!("{roger}{report:+03}")
            }
            _ => return None,
        },
    };
    // A call to all says where one is, or nothing.
    if to.starts_with("CQ") && (is_roger || message.grid.is_none() && !last.is_empty()) {
        return None;
    }
    message.text =
        [&to, &from, last.as_str()].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    message.to = Some(to);
    message.from = Some(from);
    Some(message)
}

fn dxpedition(fields: &mut Fields, calls: &Calls) -> Option<Message> {
    let (first, second) = (call28(fields.take(28), calls)?, call28(fields.take(28), calls)?);
    let from = calls.with_hash(fields.take(10), 10);
    let report = 2 * fields.take(5) as i32 - 30;
    if [&first, &second].iter().any(|call| call.starts_with("CQ") || call.len() < 3 || *call == "QRZ") {
        return None;
    }
    let mut message = Message::new("dxpedition", format!("{first} RR73; {second} {from} {report:+03}"));
    message.to = Some(second);
    message.from = Some(from);
    message.report = Some(report);
    Some(message)
}

fn field_day(fields: &mut Fields, more: bool, calls: &Calls) -> Option<Message> {
    let (to, from) = (call28(fields.take(28), calls)?, call28(fields.take(28), calls)?);
    let roger = if fields.take(1) == 1 { "R " } else { "" };
    let transmitters = fields.take(4) + 1 + if more { 16 } else { 0 };
    let class = char::from(b'A' + fields.take(3) as u8);
    let section = SECTIONS.split_whitespace().nth((fields.take(7) as usize).checked_sub(1)?)?;
    let mut message =
        Message::new("field_day", format!("{to} {from} {roger}{transmitters}{class} {section}"));
    message.to = Some(to);
    message.from = Some(from);
    Some(message)
}

fn rtty(fields: &mut Fields, calls: &Calls) -> Option<Message> {
    let thanks = if fields.take(1) == 1 { "TU; " } else { "" };
    let (to, from) = (call28(fields.take(28), calls)?, call28(fields.take(28), calls)?);
    let roger = if fields.take(1) == 1 { "R " } else { "" };
    let strength = fields.take(3) + 2;
    let place = match fields.take(13) {
        serial @ 0..=7999 => format!("{serial:04}"),
        state => STATES.split_whitespace().nth((state as usize).checked_sub(8001)?)?.to_owned(),
    };
    let mut message = Message::new("rtty", format!("{thanks}{to} {from} {roger}5{strength}9 {place}"));
    message.to = Some(to);
    message.from = Some(from);
    Some(message)
}

fn nonstandard(fields: &mut Fields, calls: &Calls) -> Option<Message> {
    let hashed = calls.with_hash(fields.take(12), 12);
    let mut code = fields.take_long(58) as u64;
    let mut letters = [b' '; 11];
    for letter in letters.iter_mut().rev() {
        *letter = CALL_LETTERS.as_bytes()[(code % 38) as usize];
        code /= 38;
    }
    let call = std::str::from_utf8(&letters).ok()?.trim().to_owned();
    if code > 0
        || call.len() < 3
        || call.contains(' ')
        || !call.bytes().any(|letter| letter.is_ascii_alphabetic())
    {
        return None;
    }
    let is_swapped = fields.take(1) == 1;
    let last = ["", "RRR", "RR73", "73"][fields.take(2) as usize];
    let is_cq = fields.take(1) == 1;
    let (to, from) = match (is_cq, is_swapped) {
        (true, _) => ("CQ".to_owned(), call),
        (false, false) => (hashed, call),
        (false, true) => (call, hashed),
    };
    let end = if last.is_empty() || is_cq { String::new() } else { format!(" {last}") };
    let mut message = Message::new("nonstandard_call", format!("{to} {from}{end}"));
    message.to = Some(to);
    message.from = Some(from);
    Some(message)
}

fn vhf_contest(fields: &mut Fields, calls: &Calls) -> Option<Message> {
    let to = calls.with_hash(fields.take(12), 12);
    let from = calls.with_hash(fields.take(22), 22);
    let roger = if fields.take(1) == 1 { "R " } else { "" };
    let (strength, serial) = (fields.take(3) + 52, fields.take(11));
    let code = fields.take(25);
    if code >= 18 * 18 * 100 * 24 * 24 {
        return None;
    }
    let letter = |n: u32| char::from(b'A' + n as u8);
    let grid = format!("{}{}{}", grid4(code / 576), letter(code / 24 % 24), letter(code % 24));
    let mut message = Message::new("vhf_contest", format!("{to} {from} {roger}{strength}{serial:04} {grid}"));
    message.to = Some(to);
    message.from = Some(from);
    message.grid = Some(grid);
    Some(message)
}

/// The message that a text says: a standard message, one with a call of another form, telemetry of 18 hexadecimal digits, or else a
/// free text of up to 13 characters. `None` where it is none of these.
pub fn write(text: &str) -> Option<u128> {
    let text = text.trim().to_ascii_uppercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let telemetry = || {
        let code = u128::from_str_radix(&text, 16).ok()?;
        (text.len() == 18 && code < 1 << 71).then_some(code << 6 | 5 << 3)
    };
    write_standard(&words)
        .or_else(|| write_nonstandard(&words))
        .or_else(telemetry)
        .or_else(|| write_free_text(&text))
}

fn write_free_text(text: &str) -> Option<u128> {
    if text.is_empty() || text.len() > 13 {
        return None;
    }
    let code = format!("{text:>13}")
        .chars()
        .try_fold(0u128, |code, letter| Some(code * 42 + TEXT_LETTERS.find(letter)? as u128))?;
    Some(code << 6)
}

/// The code of a call that has one of its own, or of its hash if it is in brackets.
fn write_call28(call: &str) -> Option<u32> {
    if let Some(hashed) = call.strip_prefix('<').and_then(|call| call.strip_suffix('>')) {
        return Some(WORDS + hash22(hashed)?);
    }
    let call = match call {
        _ if call.starts_with("3DA0") => format!("3D0{}", &call[4..]),
        _ if call.starts_with("3X") => format!("Q{}", &call[2..]),
        _ => call.to_owned(),
    };
    // The digit before the suffix is the third of six characters.
    let digit = call.rfind(|letter: char| letter.is_ascii_digit())?;
    let call = if digit == 1 { format!(" {call}") } else { call };
    let call = format!("{call:<6}");
    let letters: Vec<char> = call.chars().collect();
    let [a, b, c, d, e, f] = letters[..] else { return None };
    let suffix = |letter: char| match letter {
        ' ' => Some(0),
        'A'..='Z' => Some(letter as u32 - 'A' as u32 + 1),
        _ => None,
    };
    let mut code = DIGITS_LETTERS.find(a)? as u32;
    code = code * 36 + (DIGITS_LETTERS.find(b)? as u32).checked_sub(1)?;
    code = code * 10 + c.to_digit(10)?;
    for letter in [d, e, f] {
        code = code * 27 + suffix(letter)?;
    }
    standard_call(code)?;
    Some(WORDS + HASHES + code)
}

fn write_standard(words: &[&str]) -> Option<u128> {
    let (to, rest) = match *words {
        ["CQ", word, ref rest @ ..]
            if !rest.is_empty() && !is_grid(rest[0]) && write_call28(bare(rest[0]).0).is_some() =>
        {
            let code = match word.parse::<u32>() {
                Ok(number) if word.len() == 3 => 3 + number,
                _ if (1..=4).contains(&word.len())
                    && word.bytes().all(|letter| letter.is_ascii_uppercase()) =>
                {
                    1003 + word.bytes().fold(0, |code, letter| code * 27 + u32::from(letter - b'A') + 1)
                }
                _ => return None,
            };
            ((code, ""), rest)
        }
        ["CQ", ref rest @ ..] => ((2, ""), rest),
        ["QRZ", ref rest @ ..] => ((1, ""), rest),
        ["DE", ref rest @ ..] => ((0, ""), rest),
        [call, ref rest @ ..] => {
            let (call, suffix) = bare(call);
            ((write_call28(call)?, suffix), rest)
        }
        [] => return None,
    };
    let [from, ref rest @ ..] = *rest else { return None };
    let (from, from_suffix) = bare(from);
    let from = (write_call28(from)?, from_suffix);
    let (is_roger, last) = match *rest {
        [] => (false, GRIDS + 1),
        ["R", grid] if is_grid(grid) => (true, code_of_grid(grid)),
        ["RRR"] => (false, GRIDS + 2),
        ["RR73"] => (false, GRIDS + 3),
        ["73"] => (false, GRIDS + 4),
        [grid] if is_grid(grid) => (false, code_of_grid(grid)),
        [report] => {
            let (is_roger, report) =
                report.strip_prefix('R').map_or((false, report), |report| (true, report));
            let value = report
                .parse::<i32>()
                .ok()
                .filter(|value| report.starts_with(['+', '-']) && (-30..=50).contains(value))?;
            (is_roger, (GRIDS as i32 + 35 + value) as u32)
        }
        _ => return None,
    };
    let kind: u128 = match (to.1, from.1) {
        ("", "") | ("" | "/R", "" | "/R") => 1,
        ("" | "/P", "" | "/P") => 2,
        _ => return None,
    };
    let mut message = u128::from(to.0) << 1 | u128::from(!to.1.is_empty());
    message = message << 28 | u128::from(from.0);
    message = message << 1 | u128::from(!from.1.is_empty());
    message = message << 1 | u128::from(is_roger);
    message = message << 15 | u128::from(last);
    Some(message << 3 | kind)
}

/// A call without `/R` or `/P`, and that.
fn bare(call: &str) -> (&str, &str) {
    match call.len().checked_sub(2).map(|len| call.split_at_checked(len)) {
        Some(Some((call, suffix @ ("/R" | "/P")))) => (call, suffix),
        _ => (call, ""),
    }
}

fn is_grid(word: &str) -> bool {
    matches!(word.as_bytes(), [b'A'..=b'R', b'A'..=b'R', b'0'..=b'9', b'0'..=b'9']) && word != "RR73"
}

fn code_of_grid(grid: &str) -> u32 {
    grid.bytes().zip([18, 18, 10, 10]).fold(0, |code, (letter, base)| {
        code * base + u32::from(letter - if letter.is_ascii_digit() { b'0' } else { b'A' })
    })
}

fn write_nonstandard(words: &[&str]) -> Option<u128> {
    let is_hashed = |call: &str| call.starts_with('<') && call.ends_with('>');
    let in_brackets = |call: &str| call.trim_start_matches('<').trim_end_matches('>').to_owned();
    let (hash, call, is_swapped, is_cq, last) = match *words {
        ["CQ", call] => (0, call.to_owned(), false, true, ""),
        [to, from, ref rest @ ..] if rest.len() <= 1 && (is_hashed(to) != is_hashed(from)) => {
            let (hashed, call) = if is_hashed(to) { (to, from) } else { (from, to) };
            (
                hash22(&in_brackets(hashed))? >> 10,
                call.to_owned(),
                is_hashed(from),
                false,
                rest.first().copied().unwrap_or(""),
            )
        }
        _ => return None,
    };
    let last = ["", "RRR", "RR73", "73"].iter().position(|word| *word == last)?;
    let code = format!("{call:>11}")
        .chars()
        .try_fold(0u64, |code, letter| Some(code * 38 + CALL_LETTERS.find(letter)? as u64))?;
    if call.len() < 3 || call.len() > 11 {
        return None;
    }
    let message = u128::from(hash) << 58 | u128::from(code);
    Some((message << 1 | u128::from(is_swapped)) << 6 | (last as u128) << 4 | u128::from(is_cq) << 3 | 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut calls = Calls::default();
        calls.hear("PJ4/K1ABC");
        for (text, kind) in [
            ("CQ K1ABC FN42", "standard"),
            ("CQ DX K1ABC FN42", "standard"),
            ("CQ 123 K1ABC", "standard"),
            ("CQ JA OH1LWZ KP11", "standard"),
            ("QRZ W9XYZ", "standard"),
            ("K1ABC W9XYZ EN37", "standard"),
            ("K1ABC W9XYZ -11", "standard"),
            ("W9XYZ K1ABC R-09", "standard"),
            ("K1ABC W9XYZ RRR", "standard"),
            ("K1ABC W9XYZ RR73", "standard"),
            ("K1ABC W9XYZ 73", "standard"),
            ("W9XYZ K1ABC R FN42", "standard"),
            ("ET3RFG/R IN3ADG -23", "standard"),
            ("G4ABC/P PA9XYZ JO22", "standard"),
            ("3DA0XYZ 3XA1BC +05", "standard"),
            ("<PJ4/K1ABC> W9XYZ -02", "standard"),
            ("CQ PJ4/K1ABC", "nonstandard_call"),
            ("<PJ4/K1ABC> YW18FIFA RR73", "nonstandard_call"),
            ("YW18FIFA <PJ4/K1ABC> 73", "nonstandard_call"),
            ("TNX BOB 73 GL", "free_text"),
            ("123456789ABCDEF012", "telemetry"),
        ] {
            let message = write(text).unwrap_or_else(|| panic!("{text}"));
            let read = read(message, &calls).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.text.as_str(), read.kind), (text, kind));
        }
        for text in ["", "THIS TEXT IS TOO LONG", "ß"] {
            assert_eq!(write(text), None, "{text}");
        }
    }

    /// Of the description of the protocols: K1ABC RR73; W9XYZ <KH1/KH7Z> -08; WA9XYZ KA1ABC R 16A EMA; and so on.
    #[test]
    fn other_kinds_are_read() {
        let mut calls = Calls::default();
        calls.hear("KH1/KH7Z");
        calls.hear("PA3XYZ");
        calls.hear("G4ABC/P");
        let call = |call: &str| u128::from(write_call28(call).unwrap());
        let hash = |call: &str, bits: u32| u128::from(hash22(call).unwrap() >> (22 - bits));
        let dxpedition = ((call("K1ABC") << 28 | call("W9XYZ")) << 10 | hash("KH1/KH7Z", 10)) << 5 | 11;
        let field_day = ((((call("WA9XYZ") << 28 | call("KA1ABC")) << 1 | 1) << 4 | 15) << 3) << 7 | 11;
        let rtty = ((((1 << 28 | call("W9XYZ")) << 28 | call("K1ABC")) << 1 | 1) << 3 | 5) << 13 | 8021;
        let vhf = ((((hash("G4ABC/P", 12) << 22 | hash("PA3XYZ", 22)) << 1 | 1) << 3 | 5) << 11 | 3) << 25;
        for (message, text) in [
            (dxpedition << 6 | 1 << 3, "K1ABC RR73; W9XYZ <KH1/KH7Z> -08"),
            (field_day << 6 | 3 << 3, "WA9XYZ KA1ABC R 16A EMA"),
            (rtty << 3 | 3, "TU; W9XYZ K1ABC R 579 MA"),
            (vhf << 3 | 5, "<G4ABC/P> <PA3XYZ> R 570003 AA00AA"),
        ] {
            assert_eq!(read(message, &calls).map(|message| message.text), Some(text.into()));
        }
    }

    #[test]
    fn nothing_makes_it_panic() {
        let mut message = 0x1234_5678_9abc_def0_1357_u128;
        for _ in 0..200_000 {
            message = message.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            if let Some(read) = read(message >> 51, &Calls::default()) {
                assert!(!read.text.is_empty());
            }
        }
    }
}
