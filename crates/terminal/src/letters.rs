//! The letters of drawings.

use std::sync::Once;

use plotters::style::FontStyle;

const FONT: &str = "sans-serif";
/// Latin letters and digits of DejaVu Sans, for pictures of dots; `assets/LICENSE-DejaVu.txt` is its licence.
static LETTERS: &[u8] = include_bytes!("../assets/DejaVuSans-latin.ttf");

/// The font, of which letters are drawn and their widths are measured.
pub fn font() -> &'static str {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // What is no font would show in the first picture that a test draws.
        let _ = plotters::style::register_font(FONT, FontStyle::Normal, LETTERS);
    });
    FONT
}
