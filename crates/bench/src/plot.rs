//! Draws measurements as SVG: lines over a number, bars over names.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::output::Case;
use superhet_terminal::letters::font;

/// What a drawing says about itself.
pub struct Axes<'a> {
    pub title: &'a str,
    /// What lies to the right.
    pub x: &'a str,
    /// What lies up, with its unit.
    pub y: &'a str,
}

/// Points joined by a line.
pub struct Line<'a> {
    pub name: &'a str,
    pub points: Vec<(f64, f64)>,
    /// Whether this is the ideal, not a measurement.
    pub ideal: bool,
}

const SIZE: (u32, u32) = (860, 520);
const COLOURS: [RGBColor; 5] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 96, 39),
    RGBColor(60, 140, 70),
    RGBColor(130, 90, 170),
    RGBColor(120, 120, 120),
];

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

/// Sorts points by their place on the x axis.
pub fn in_order(points: &mut [(f64, f64)]) {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
}

/// Draws lines over a common x axis; y begins at 0.
pub fn lines(axes: &Axes<'_>, lines: &[Line<'_>]) -> anyhow::Result<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let left = points().map(|p| p.0).fold(f64::MAX, f64::min);
    let right = points().map(|p| p.0).fold(left + 1.0, f64::max);
    let top = points().map(|p| p.1).fold(f64::MIN_POSITIVE, f64::max) * 1.1;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(axes.title, (font(), 20))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(left..right, 0.0..top)?;
        chart
            .configure_mesh()
            .x_desc(axes.x)
            .x_label_formatter(&|x| format!("{}", (x * 100.0).round() / 100.0))
            .y_desc(axes.y)
            .light_line_style(WHITE)
            .draw()?;
        for (index, line) in lines.iter().enumerate() {
            let colour = colour(index);
            let points = line.points.iter().copied();
            let drawn = if line.ideal {
                chart.draw_series(DashedLineSeries::new(points, 6, 4, colour.stroke_width(1)))?
            } else {
                let dots = line.points.iter().map(|&point| Circle::new(point, 3, colour.filled()));
                chart.draw_series(dots)?;
                chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            };
            let width = if line.ideal { 1 } else { 2 };
            drawn.label(line.name).legend(move |(x, y)| {
                PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(width))
            });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

/// Draws the named figures of all cases as groups of bars on a logarithmic axis, each with its least and greatest.
pub fn bars(axes: &Axes<'_>, cases: &[Case], figures: &[&str]) -> anyhow::Result<String> {
    let groups: Vec<Vec<[f64; 3]>> = cases
        .iter()
        .map(|case| figures.iter().filter_map(|name| case.figure(name)).map(|f| f.shown()).collect())
        .collect();
    let positive = || groups.iter().flatten().flatten().copied().filter(|x| *x > 0.0);
    // From a whole decade, so that bars of nearly the same height look so; with room for the legend above.
    let bottom = 10f64.powf(positive().fold(f64::MAX, f64::min).clamp(1e-12, 1e12).log10().floor());
    let top = positive().fold(bottom, f64::max) * 5.0;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(axes.title, (font(), 20))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..cases.len() as f64, (bottom..top).log_scale())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .x_desc(axes.x)
            .y_desc(axes.y)
            .y_label_formatter(&|y| format!("{y}"))
            .light_line_style(WHITE)
            .draw()?;
        let width = 0.8 / figures.len().max(1) as f64;
        for (index, name) in figures.iter().enumerate() {
            let colour = colour(index);
            let bar = |group: usize| group as f64 + 0.1 + width * index as f64;
            let of_figure =
                || groups.iter().enumerate().filter_map(|(group, bars)| Some((group, bars.get(index)?)));
            let up = |x: f64| x.max(bottom);
            chart
                .draw_series(of_figure().map(|(group, &[median, ..])| {
                    let corners = [(bar(group), bottom), (bar(group) + width * 0.9, up(median))];
                    Rectangle::new(corners, colour.mix(0.8).filled())
                }))?
                .label(*name)
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.mix(0.8).filled())
                });
            chart.draw_series(of_figure().map(|(group, &[_, least, greatest])| {
                let middle = bar(group) + width * 0.45;
                PathElement::new(vec![(middle, up(least)), (middle, up(greatest))], BLACK.stroke_width(1))
            }))?;
        }
        let size = if cases.len() > 6 { 11 } else { 14 };
        let centred = (font(), size).into_text_style(&root).pos(Pos::new(HPos::Center, VPos::Top));
        for (group, case) in cases.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(group as f64 + 0.5, bottom));
            root.draw(&Text::new(case.label.clone(), (x, y + 6), centred.clone()))?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

/// One of the drawings side by side of [`rows`].
pub struct Panel {
    /// The figure whose medians are drawn.
    pub figure: &'static str,
    /// What lies to the right, with its unit.
    pub axis: &'static str,
    pub is_log: bool,
}

/// Draws figures of many cases as bars to the right, a line for each case and a panel for each figure.
pub fn rows(title: &str, cases: &[Case], panels: &[Panel]) -> anyhow::Result<String> {
    const LABELS: i32 = 300;
    const PANEL: i32 = 380;
    const LINE: i32 = 15;
    const TOP: i32 = 64;
    let size = (LABELS + PANEL * panels.len() as i32 + 16, TOP + LINE * cases.len() as i32 + 32);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (size.0 as u32, size.1 as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw(&Text::new(title.to_owned(), (16, 12), (font(), 20).into_text_style(&root)))?;
        let small = (font(), 11).into_text_style(&root);
        let at = |line: usize| TOP + LINE * line as i32;
        for (line, case) in cases.iter().enumerate() {
            let right = small.pos(Pos::new(HPos::Right, VPos::Center));
            root.draw(&Text::new(case.label.clone(), (LABELS - 8, at(line) + LINE / 2), right))?;
        }
        for (index, panel) in panels.iter().enumerate() {
            let left = LABELS + PANEL * index as i32;
            let values: Vec<Option<f64>> = cases
                .iter()
                .map(|case| {
                    case.figure(panel.figure).map(|figure| figure.shown()[0]).filter(|x| x.is_finite())
                })
                .collect();
            let scale = Scale::of(values.iter().flatten().copied(), panel.is_log);
            let x = |value: f64| left + (scale.place(value) * f64::from(PANEL - 70)) as i32;
            let axis = (font(), 14).into_text_style(&root);
            root.draw(&Text::new(panel.axis, (left, TOP - 24), axis))?;
            root.draw(&PathElement::new(
                vec![(x(scale.origin), TOP), (x(scale.origin), at(cases.len()))],
                BLACK.mix(0.4).stroke_width(1),
            ))?;
            for (line, value) in values.iter().enumerate() {
                let Some(value) = *value else { continue };
                let (from, to) = (x(scale.origin).min(x(value)), x(scale.origin).max(x(value)));
                let bar = [(from, at(line) + 2), (to, at(line) + LINE - 2)];
                root.draw(&Rectangle::new(bar, colour(index).mix(0.8).filled()))?;
                let beside = small.pos(Pos::new(HPos::Left, VPos::Center));
                let number = super::output::digits(value);
                root.draw(&Text::new(number, (to + 4, at(line) + LINE / 2), beside))?;
            }
        }
        root.present()?;
    }
    Ok(svg)
}

/// Takes values to 0..=1.
struct Scale {
    is_log: bool,
    left: f64,
    right: f64,
    /// The value where bars begin.
    origin: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64> + Clone, is_log: bool) -> Self {
        let least = values.clone().fold(f64::MAX, f64::min);
        let greatest = values.fold(f64::MIN, f64::max);
        if is_log {
            let left = 10f64.powf(least.clamp(1e-9, 1e12).log10().floor());
            Scale { is_log, left, right: greatest.max(2.0 * left), origin: left }
        } else {
            let left = least.min(0.0);
            Scale { is_log, left, right: greatest.max(left + 1.0), origin: 0.0 }
        }
    }

    fn place(&self, value: f64) -> f64 {
        let place = if self.is_log {
            (value / self.left).max(1.0).ln() / (self.right / self.left).ln()
        } else {
            (value - self.left) / (self.right - self.left)
        };
        place.clamp(0.0, 1.0)
    }
}
