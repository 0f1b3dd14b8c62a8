//! Spectra as PNG and SVG, with axes.

use base64::Engine;
use plotters::coord::Shift;
use plotters::prelude::*;
use superhet_terminal::letters;

use super::colours::colour;
use super::{Format, Spectra, decibels};

const SIZE: (u32, u32) = (1200, 680);
/// The most decibels that a drawing shows: far below the noise there is nothing to see.
const MOST_DB: f64 = 140.0;

/// The loudest of the bins that share each column.
pub fn columns(levels: &[f64], width: usize) -> Vec<f64> {
    (0..width)
        .map(|column| {
            let from = column * levels.len() / width;
            let to = ((column + 1) * levels.len() / width).max(from + 1);
            levels[from..to.min(levels.len())].iter().copied().fold(f64::NEG_INFINITY, f64::max)
        })
        .collect()
}

/// Tens of decibels around all levels but the lowest hundredth.
pub fn span(levels: &[f64]) -> (f64, f64) {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[sorted.len() / 100], sorted[sorted.len() - 1]);
    // Not the zero with a minus.
    let high = 10.0 * (high / 10.0).ceil() + 0.0;
    (10.0 * (low.max(high - MOST_DB) / 10.0 - 0.01).floor().min(high / 10.0 - 1.0), high)
}

/// The picture of the mean spectrum.
pub fn spectrum(spectra: &Spectra, format: Format) -> anyhow::Result<Vec<u8>> {
    let levels: Vec<f64> = spectra.rows.mean().into_iter().take(spectra.axis.bins).map(decibels).collect();
    let (low, high) = span(&levels);
    View { spectra, levels: (low, high), y: (low, high), y_text: "level, dBFS", rows: None }
        .finish(format, &levels)
}

/// The picture of spectra over time, which goes down.
pub fn waterfall(spectra: &Spectra, format: Format) -> anyhow::Result<Vec<u8>> {
    let rows: Vec<Vec<f64>> = spectra
        .rows
        .means()
        .iter()
        .map(|row| row.iter().take(spectra.axis.bins).map(|power| decibels(f64::from(*power))).collect())
        .collect();
    let levels = span(&rows.concat());
    // Downwards is where numbers fall.
    let frames = spectra.rows.frames() as f64 / spectra.rows.frames_in_row() as f64;
    let y = (-(spectra.start + spectra.row_length * frames), -spectra.start);
    let y_text = if spectra.is_timed { "time, s" } else { "time, samples" };
    View { spectra, levels, y, y_text, rows: Some(&rows) }.finish(format, &[])
}

/// What is drawn.
struct View<'a> {
    spectra: &'a Spectra,
    /// The range of levels.
    levels: (f64, f64),
    /// The range of the vertical axis.
    y: (f64, f64),
    y_text: &'a str,
    /// Levels over frequency and time, for a waterfall.
    rows: Option<&'a [Vec<f64>]>,
}

/// Where the middle of the picture lies, in dots.
type Inside = (std::ops::Range<i32>, std::ops::Range<i32>);

impl View<'_> {
    fn finish(&self, format: Format, line: &[f64]) -> anyhow::Result<Vec<u8>> {
        match format {
            Format::Svg => {
                let mut svg = String::new();
                let inside = {
                    let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
                    let inside = self.axes(&root, line)?;
                    root.present()?;
                    inside
                };
                if self.rows.is_some() {
                    let image = self.image(&inside)?;
                    let end = svg.rfind("</svg>").unwrap_or(svg.len());
                    svg.insert_str(end, &image);
                }
                Ok(svg.into_bytes())
            }
            Format::Png => {
                let mut dots = vec![0; 3 * (SIZE.0 * SIZE.1) as usize];
                let inside = {
                    let root = BitMapBackend::with_buffer(&mut dots, SIZE).into_drawing_area();
                    let inside = self.axes(&root, line)?;
                    root.present()?;
                    inside
                };
                if self.rows.is_some() {
                    let (width, height) = (inside.0.len(), inside.1.len());
                    let field = self.field(width, height);
                    for (y, row) in field.chunks_exact(3 * width).enumerate() {
                        let at =
                            3 * ((inside.1.start as usize + y) * SIZE.0 as usize + inside.0.start as usize);
                        dots[at..at + row.len()].copy_from_slice(row);
                    }
                }
                png(SIZE.0, SIZE.1, &dots)
            }
        }
    }

    /// Draws the axes, and a line over the bins where there is one; says where the middle lies.
    fn axes<B: DrawingBackend>(&self, root: &DrawingArea<B, Shift>, line: &[f64]) -> anyhow::Result<Inside>
    where
        B::ErrorType: 'static,
    {
        let failed = |error: &dyn std::fmt::Display| anyhow::anyhow!("cannot draw: {error}");
        let (font, axis) = (letters::font(), &self.spectra.axis);
        let ((left, right), (scale, unit)) = (axis.ends(), axis.unit());
        root.fill(&WHITE).map_err(|e| failed(&e))?;
        let caption = match self.rows {
            None => format!("{}: mean of {} frames", self.spectra.title, self.spectra.rows.frames()),
            Some(_) => format!("{}: {:.0} to {:.0} dBFS", self.spectra.title, self.levels.0, self.levels.1),
        };
        let mut chart = ChartBuilder::on(root)
            .caption(caption, (font, 20))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(left / scale..right / scale, self.y.0..self.y.1)
            .map_err(|e| failed(&e))?;
        let is_time = self.rows.is_some();
        chart
            .configure_mesh()
            .x_desc(format!("frequency, {unit}"))
            .x_label_formatter(&|x| axis.text(x * scale))
            .y_desc(self.y_text)
            .y_label_formatter(&|y| {
                if is_time { format!("{}", (y.abs() * 1e9).round() / 1e9) } else { format!("{y}") }
            })
            .label_style((font, 14))
            .axis_desc_style((font, 16))
            .light_line_style(WHITE)
            .draw()
            .map_err(|e| failed(&e))?;
        let inside = chart.plotting_area().get_pixel_range();
        if !line.is_empty() {
            // No more points than there are columns of dots to see them in.
            let width = inside.0.len().min(line.len());
            let step = (right - left) / width as f64;
            let point = |(column, level): (usize, f64)| {
                ((left + step * (column as f64 + 0.5)) / scale, level.max(self.levels.0))
            };
            let points = columns(line, width).into_iter().enumerate().map(point);
            let style = RGBColor(31, 90, 160).stroke_width(1);
            chart.draw_series(LineSeries::new(points, style)).map_err(|e| failed(&e))?;
        }
        Ok(inside)
    }

    /// The dots of a waterfall, three bytes each.
    fn field(&self, width: usize, height: usize) -> Vec<u8> {
        let rows = self.rows.unwrap_or_default();
        let (low, high) = self.levels;
        let mut dots = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            let row = columns(&rows[y * rows.len() / height.max(1)], width);
            dots.extend(row.into_iter().flat_map(|level| colour((level - low) / (high - low))));
        }
        dots
    }

    /// The waterfall as an element of an SVG.
    fn image(&self, inside: &Inside) -> anyhow::Result<String> {
        let (width, height) = (inside.0.len(), inside.1.len());
        let bytes = png(width as u32, height as u32, &self.field(width, height))?;
        let (x, y, data) =
            (inside.0.start, inside.1.start, base64::engine::general_purpose::STANDARD.encode(bytes));
        Ok(format!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
             href=\"data:image/png;base64,{data}\"/>\n"
        ))
    }
}

fn png(width: u32, height: u32, dots: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(dots)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_shows_the_loudest_of_its_bins() {
        assert_eq!(columns(&[1.0, 5.0, 2.0, 3.0], 2), [5.0, 3.0]);
        assert_eq!(columns(&[1.0, 5.0], 4), [1.0, 1.0, 5.0, 5.0]);
    }

    #[test]
    fn the_span_is_tens_of_decibels_and_never_empty() {
        assert_eq!(span(&[-33.0, -71.0, -4.0]), (-80.0, 0.0));
        assert_eq!(span(&[-200.0, 0.0]), (-150.0, 0.0));
        assert_eq!(span(&[-20.0]), (-30.0, -20.0));
    }
}
