//! Charts as SVG.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, extent};

/// A chart of either curves, named bars or named intervals.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The title above the picture.
    pub title: String,
    /// The label of the horizontal axis, with its unit.
    pub x: String,
    /// The label of the vertical axis, with its unit. Empty for bars and intervals.
    pub y: String,
    /// The curves, which share both axes.
    pub curves: Vec<ChartCurve>,
    /// Vertical bars.
    pub bars: Vec<ChartBar>,
    /// Intervals, listed from top to bottom.
    pub intervals: Vec<ChartInterval>,
    /// The caption under the picture.
    pub caption: String,
}

/// A named line, with points and intervals in the same colour.
#[derive(Clone, Debug, Default)]
pub struct ChartCurve {
    /// The name in the legend.
    pub name: String,
    /// The x and y of the points that the line connects.
    pub line: Vec<(f64, f64)>,
    /// The x and y of the dots.
    pub points: Vec<(f64, f64)>,
    /// Intervals at points: x and the two ends.
    pub bars: Vec<(f64, [f64; 2])>,
}

/// A bar of a histogram, labelled with its height.
#[derive(Clone, Debug, Default)]
pub struct ChartBar {
    /// The label under the bar.
    pub name: String,
    /// The height of the bar, from zero.
    pub height: f64,
    /// A line across the bar, for example at the expected height.
    pub mark: Option<f64>,
}

/// A named value with its interval.
#[derive(Clone, Debug, Default)]
pub struct ChartInterval {
    /// The label to the left of the interval.
    pub name: String,
    /// `None` if the value is unknown. In that case, nothing is drawn.
    pub value: Option<f64>,
    /// Half the width of the interval.
    pub error: f64,
    /// Whether the value is only a bound. A bound is drawn as an open circle.
    pub is_bound: bool,
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plane<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;
type DrawResult = Result<(), Box<dyn std::error::Error>>;

/// The scale of the drawing. Coordinates are whole numbers, so curves in a larger drawing are
/// smoother.
const SCALE: u32 = 4;
const WIDTH: u32 = 800;
const HEIGHT: u32 = 500;
const BARS_HEIGHT: u32 = 300;
/// The height of the row for one interval, and the total space above and below all rows.
const INTERVAL_HEIGHT: u32 = 24;
const INTERVALS_MARGIN: u32 = 110;
/// The length of the line sample in the legend.
const LEGEND_LINE_LENGTH: i32 = 24 * SCALE as i32;
/// The maximum number of ticks, the number of characters that fit along the horizontal axis, and
/// the maximum length of the name of an interval.
const MAX_TICKS: usize = 11;
const AXIS_CHARACTERS: usize = 110;
const MAX_NAME_LENGTH: usize = 30;

/// Colours that also differ in brightness (from Okabe and Ito, without the yellow).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// The shades used if there are more curves than colours, in order.
const SHADES: [(f64, f64, f64); 4] =
    [(68.0, 30.0, 100.0), (38.0, 110.0, 150.0), (40.0, 160.0, 110.0), (225.0, 150.0, 20.0)];

fn colour(index: usize, curves: usize) -> RGBColor {
    if curves <= COLOURS.len() {
        return COLOURS[index];
    }
    let place = index as f64 / (curves - 1) as f64 * (SHADES.len() - 1) as f64;
    let (low, high) = (SHADES[place.floor() as usize], SHADES[place.ceil() as usize]);
    let between = |a: f64, b: f64| (a + (b - a) * place.fract()).round() as u8;
    RGBColor(between(low.0, high.0), between(low.1, high.1), between(low.2, high.2))
}

fn font(size: u32) -> (&'static str, u32) {
    ("sans-serif", SCALE * size)
}

impl ChartCurve {
    /// A line without points.
    pub fn line(name: &str, line: Vec<(f64, f64)>) -> ChartCurve {
        ChartCurve { name: name.to_owned(), line, ..ChartCurve::default() }
    }

    /// A line through points with their intervals. Each point is given as `(x, y, error)`.
    pub fn measured(name: &str, measured: impl Iterator<Item = (f64, f64, f64)>) -> ChartCurve {
        let measured: Vec<(f64, f64, f64)> = measured.collect();
        let points: Vec<(f64, f64)> = measured.iter().map(|&(x, y, _)| (x, y)).collect();
        let bars = measured.iter().map(|&(x, y, error)| (x, [y - error, y + error])).collect();
        ChartCurve { name: name.to_owned(), line: points.clone(), points, bars }
    }
}

impl Chart {
    /// Creates a chart of curves with the labels of its axes.
    pub fn new(title: &str, x: &str, y: &str, curves: Vec<ChartCurve>) -> Chart {
        Chart {
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            curves,
            ..Chart::default()
        }
    }

    /// Creates a chart of vertical bars. The label is for the horizontal axis.
    pub fn histogram(title: &str, x: &str, bars: Vec<ChartBar>) -> Chart {
        Chart { bars, ..Chart::new(title, x, "", Vec::new()) }
    }

    /// Creates a chart of intervals, listed from top to bottom. The label is for the horizontal axis.
    pub fn intervals(title: &str, x: &str, intervals: Vec<ChartInterval>) -> Chart {
        Chart { intervals, ..Chart::new(title, x, "", Vec::new()) }
    }

    /// Replaces the caption under the picture.
    pub fn with_caption(self, caption: &str) -> Chart {
        Chart { caption: caption.to_owned(), ..self }
    }

    /// The picture as an SVG element, without the caption.
    pub fn svg(&self) -> String {
        let height = match (self.bars.len(), self.intervals.len()) {
            (0, 0) => HEIGHT,
            (0, count) => INTERVALS_MARGIN + INTERVAL_HEIGHT * count as u32,
            _ => BARS_HEIGHT,
        };
        let mut svg = String::new();
        self.draw(height, &mut svg).expect("writing to a string does not fail");
        let head = |n: u32| format!("<svg width=\"{}\" height=\"{}\"", n * WIDTH, n * height);
        svg.replacen(&head(SCALE), &head(1), 1)
    }

    fn draw(&self, height: u32, svg: &mut String) -> DrawResult {
        let canvas =
            SVGBackend::with_string(svg, (SCALE * WIDTH, SCALE * height)).into_drawing_area();
        canvas.fill(&WHITE)?;
        if !self.bars.is_empty() {
            self.draw_bars(&canvas)?;
        } else if !self.intervals.is_empty() {
            self.draw_intervals(&canvas)?;
        } else {
            self.draw_curves(&canvas)?;
        }
        Ok(canvas.present()?)
    }

    /// Draws the frame with title, axes and grid. `beside` is the width to the left of the vertical
    /// axis.
    fn plane<'a>(
        &self,
        canvas: &Canvas<'a>,
        (x, y): (Axis, Axis),
        beside: u32,
    ) -> Result<Plane<'a>, Box<dyn std::error::Error>> {
        let mut plane = ChartBuilder::on(canvas)
            .caption(&self.title, font(20))
            .margin(SCALE * 16)
            .margin_right(SCALE * 32)
            .x_label_area_size(SCALE * 44)
            .y_label_area_size(SCALE * beside)
            .build_cartesian_2d(x, y)?;
        plane
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .label_style(font(14))
            .axis_desc_style(font(15))
            .axis_style(BLACK.stroke_width(SCALE))
            .bold_line_style(BLACK.mix(0.15).stroke_width(SCALE))
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(SCALE * 4)
            .draw()?;
        Ok(plane)
    }

    fn draw_bars(&self, canvas: &Canvas) -> DrawResult {
        let names = self.bars.iter().map(|bar| bar.name.as_str());
        let heights = self.bars.iter().flat_map(|bar| [Some(bar.height), bar.mark]).flatten();
        let top = 1.1 * heights.fold(1e-9, f64::max);
        let axes = (Axis::of_names(names, AXIS_CHARACTERS + 30), Axis::hidden(0.0..top));
        let mut plane = self.plane(canvas, axes, 0)?;
        let bars = || (0..).map(f64::from).zip(&self.bars);
        plane.draw_series(bars().map(|(left, bar)| {
            Rectangle::new([(left + 0.12, 0.0), (left + 0.88, bar.height)], COLOURS[0].filled())
        }))?;
        let style = COLOURS[1].stroke_width(3 * SCALE);
        plane.draw_series(bars().filter_map(|(left, bar)| {
            Some(PathElement::new(vec![(left, bar.mark?), (left + 1.0, bar.mark?)], style))
        }))?;
        let above = font(13).into_text_style(canvas).pos(Pos::new(HPos::Center, VPos::Bottom));
        plane.draw_series(bars().filter(|(_, bar)| bar.height >= 0.05).map(|(left, bar)| {
            let digits = usize::from(bar.height < 9.95);
            let number = format!("{:.digits$}", bar.height);
            Text::new(number, (left + 0.5, bar.height), above.clone())
        }))?;
        Ok(())
    }

    fn draw_intervals(&self, canvas: &Canvas) -> DrawResult {
        let known: Vec<(f64, f64, &ChartInterval)> = (0..)
            .zip(self.intervals.iter().rev())
            .filter_map(|(place, of)| Some((f64::from(place) + 0.5, of.value?, of)))
            .collect();
        let ends = known.iter().flat_map(|(_, value, of)| [value - of.error, value + of.error]);
        let cut = |name: &String| match name.chars().count() {
            0..=MAX_NAME_LENGTH => name.clone(),
            _ => name.chars().take(MAX_NAME_LENGTH - 1).chain(['…']).collect(),
        };
        let names: Vec<String> = self.intervals.iter().rev().map(|of| cut(&of.name)).collect();
        let x = Axis::of_numbers(extent(ends), MAX_TICKS, AXIS_CHARACTERS - MAX_NAME_LENGTH);
        let y = Axis::of_names(names.iter().map(String::as_str), usize::MAX);
        let mut plane = self.plane(canvas, (x, y), 210)?;
        let style = COLOURS[0].stroke_width(2 * SCALE);
        plane.draw_series(known.iter().map(|&(y, value, of)| {
            PathElement::new(vec![(value - of.error, y), (value + of.error, y)], style)
        }))?;
        for inside in [true, false] {
            plane.draw_series(known.iter().map(|&(y, value, of)| {
                let fill = if of.is_bound { WHITE } else { COLOURS[0] };
                Circle::new((value, y), 4 * SCALE, if inside { fill.filled() } else { style })
            }))?;
        }
        Ok(())
    }

    fn draw_curves(&self, canvas: &Canvas) -> DrawResult {
        let x = Axis::of_numbers(self.range(|point| point.0), MAX_TICKS, AXIS_CHARACTERS);
        let y = Axis::of_numbers(self.range(|point| point.1), MAX_TICKS, usize::MAX);
        let least_crowded_place = self.least_crowded_place(&x.range, &y.range);
        let mut plane = self.plane(canvas, (x, y), 60)?;
        for (index, curve) in self.curves.iter().enumerate() {
            let colour = colour(index, self.curves.len());
            let style = colour.stroke_width(2 * SCALE);
            plane
                .draw_series(LineSeries::new(curve.line.iter().copied(), style))?
                .label(&curve.name)
                .legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + LEGEND_LINE_LENGTH, y)], style)
                });
            let circles =
                curve.points.iter().map(|&point| Circle::new(point, 3 * SCALE, colour.filled()));
            plane.draw_series(circles)?;
            let bar = |&(x, [low, high]): &(f64, [f64; 2])| {
                PathElement::new(vec![(x, low), (x, high)], style)
            };
            plane.draw_series(curve.bars.iter().map(bar))?;
        }
        if self.curves.len() == 1 {
            return Ok(());
        }
        plane
            .configure_series_labels()
            .position(least_crowded_place)
            .label_font(font(13))
            .legend_area_size(LEGEND_LINE_LENGTH + 4 * SCALE as i32)
            .margin(4 * SCALE)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3).stroke_width(SCALE))
            .draw()?;
        Ok(())
    }

    /// The legend position along the edges that covers the fewest points.
    fn least_crowded_place(&self, x: &Range<f64>, y: &Range<f64>) -> SeriesLabelPosition {
        let place =
            |value: f64, range: &Range<f64>| (value - range.start) / (range.end - range.start);
        let covered = |right: bool, height: Range<f64>| {
            let is_near = |share: f64| if right { share > 0.7 } else { share < 0.3 };
            let all = self.curves.iter().flat_map(|curve| curve.line.iter().chain(&curve.points));
            all.filter(|point| is_near(place(point.0, x)))
                .filter(|point| height.contains(&place(point.1, y)))
                .count()
        };
        let (lower, middle, upper) = (-1.0..0.3, 0.3..0.7, 0.7..2.0);
        let places = [
            (SeriesLabelPosition::UpperRight, covered(true, upper.clone())),
            (SeriesLabelPosition::LowerRight, covered(true, lower.clone())),
            (SeriesLabelPosition::UpperLeft, covered(false, upper)),
            (SeriesLabelPosition::LowerLeft, covered(false, lower)),
            (SeriesLabelPosition::MiddleRight, covered(true, middle)),
        ];
        let free = places.into_iter().min_by_key(|(_, points)| *points);
        free.map_or(SeriesLabelPosition::MiddleRight, |(place, _)| place)
    }

    /// The range of one coordinate.
    fn range(&self, of: impl Fn(&(f64, f64)) -> f64) -> Range<f64> {
        let all = self.curves.iter().flat_map(|curve| {
            let ends = curve.bars.iter().flat_map(|(x, ends)| ends.map(|end| (*x, end)));
            curve.line.iter().chain(&curve.points).copied().chain(ends)
        });
        extent(all.map(|point| of(&point)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_and_names_are_drawn_for_any_input() {
        let curves = vec![
            ChartCurve::measured("one & only", [(0.0, 1.0, 0.5), (1.0, 2.0, 0.5)].into_iter()),
            ChartCurve::line("flat", vec![(0.0, 1.0), (1.0, 1.0)]),
            ChartCurve::line("nothing", vec![]),
        ];
        let svg = Chart::new("a title", "c", "depth", curves).svg();
        assert!(
            svg.starts_with("<svg") && svg.contains("a title") && svg.contains("one &amp; only")
        );
        assert!(Chart::default().svg().starts_with("<svg"));
    }

    #[test]
    fn bars_and_intervals_are_drawn_with_their_names() {
        let bar = |name: &str, height| ChartBar { name: name.to_owned(), height, mark: Some(3.0) };
        let svg =
            Chart::histogram("parts", "place", vec![bar("first", 60.0), bar("second", 0.0)]).svg();
        assert!(svg.contains("first") && svg.contains("second") && svg.contains("\n60\n"), "{svg}");
        let interval = |name: &str, value| ChartInterval {
            name: name.to_owned(),
            value,
            ..ChartInterval::default()
        };
        let rows = vec![interval("known", Some(2000.0)), interval("unknown", None)];
        let svg = Chart::intervals("ratings", "Elo", rows).svg();
        assert_eq!(svg.matches("<circle").count(), 2, "a filled circle and its edge");
        assert!(svg.contains("unknown") && svg.contains("2000"), "{svg}");
    }
}
