//! Line charts as SVG.

use plotters::prelude::*;

/// Named curves over common axes.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    pub x: String,
    pub y: String,
    pub curves: Vec<ChartCurve>,
}

/// A named line, and in its colour what stands beside it.
#[derive(Clone, Debug, Default)]
pub struct ChartCurve {
    pub name: String,
    pub line: Vec<(f64, f64)>,
    pub points: Vec<(f64, f64)>,
    /// Bars at x, from and to: intervals of such points.
    pub bars: Vec<(f64, [f64; 2])>,
}

const SIZE: (u32, u32) = (800, 500);
/// Points fall on whole numbers: drawn larger by this and shown smaller, curves are smooth.
const FINE: u32 = 4;
/// The length of a curve's key beside its name.
const KEY: i32 = 24 * FINE as i32;

/// Colours that differ in brightness too (Okabe and Ito's, without the yellow).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Where there are more curves than colours they stand in an order, and get shades in that order.
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

/// A number at an axis, without idle zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl ChartCurve {
    /// A line alone.
    pub fn line(name: &str, line: Vec<(f64, f64)>) -> ChartCurve {
        ChartCurve { name: name.to_owned(), line, ..ChartCurve::default() }
    }

    /// A line through points, each `(x, y, error)`, with their intervals.
    pub fn measured(name: &str, measured: impl Iterator<Item = (f64, f64, f64)>) -> ChartCurve {
        let measured: Vec<(f64, f64, f64)> = measured.collect();
        let points: Vec<(f64, f64)> = measured.iter().map(|&(x, y, _)| (x, y)).collect();
        let bars = measured.iter().map(|&(x, y, error)| (x, [y - error, y + error])).collect();
        ChartCurve { name: name.to_owned(), line: points.clone(), points, bars }
    }
}

impl Chart {
    pub fn new(title: &str, x: &str, y: &str, curves: Vec<ChartCurve>) -> Chart {
        Chart { title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), curves }
    }

    pub fn svg(&self) -> String {
        let mut svg = String::new();
        self.draw(&mut svg).expect("writing to a string does not fail");
        let head = |n: u32| format!("<svg width=\"{}\" height=\"{}\"", n * SIZE.0, n * SIZE.1);
        svg.replacen(&head(FINE), &head(1), 1)
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let text = |points: u32| ("sans-serif", FINE * points);
        let size = (FINE * SIZE.0, FINE * SIZE.1);
        let area = SVGBackend::with_string(svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let (x, y) = (self.range(|point| point.0), self.range(|point| point.1));
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, text(20))
            .margin(FINE * 16)
            .margin_right(FINE * 32)
            .x_label_area_size(FINE * 44)
            .y_label_area_size(FINE * 60)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .label_style(text(14))
            .axis_desc_style(text(15))
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .axis_style(BLACK.stroke_width(FINE))
            .bold_line_style(BLACK.mix(0.15).stroke_width(FINE))
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(FINE * 4)
            .draw()?;
        for (index, curve) in self.curves.iter().enumerate() {
            let colour = colour(index, self.curves.len());
            let style = colour.stroke_width(2 * FINE);
            chart
                .draw_series(LineSeries::new(curve.line.iter().copied(), style))?
                .label(&curve.name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + KEY, y)], style));
            let circles =
                curve.points.iter().map(|&point| Circle::new(point, 3 * FINE, colour.filled()));
            chart.draw_series(circles)?;
            let bar = |&(x, [low, high]): &(f64, [f64; 2])| {
                PathElement::new(vec![(x, low), (x, high)], style)
            };
            chart.draw_series(curve.bars.iter().map(bar))?;
        }
        if self.curves.len() == 1 {
            return Ok(area.present()?);
        }
        chart
            .configure_series_labels()
            .position(self.free_place())
            .label_font(text(13))
            .legend_area_size(KEY + 4 * FINE as i32)
            .margin(4 * FINE)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3).stroke_width(FINE))
            .draw()?;
        Ok(area.present()?)
    }

    /// The place at an edge where the fewest points would be covered.
    fn free_place(&self) -> SeriesLabelPosition {
        let (x, y) = (self.range(|point| point.0), self.range(|point| point.1));
        let place = |value: f64, range: &std::ops::Range<f64>| {
            (value - range.start) / (range.end - range.start)
        };
        let covered = |right: bool, height: std::ops::Range<f64>| {
            let is_near = |share: f64| if right { share > 0.7 } else { share < 0.3 };
            let all = self.curves.iter().flat_map(|curve| curve.line.iter().chain(&curve.points));
            all.filter(|point| is_near(place(point.0, &x)))
                .filter(|point| height.contains(&place(point.1, &y)))
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

    /// The extent of one coordinate, with a little air.
    fn range(&self, of: impl Fn(&(f64, f64)) -> f64) -> std::ops::Range<f64> {
        let all = self.curves.iter().flat_map(|curve| {
            let ends = curve.bars.iter().flat_map(|(x, ends)| ends.map(|end| (*x, end)));
            curve.line.iter().chain(&curve.points).copied().chain(ends)
        });
        let finite = all.map(|point| of(&point)).filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            return 0.0..1.0;
        }
        let air = ((high - low) * 0.02).max(1e-6);
        low - air..high + air
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_and_names_are_in_the_picture_whatever_they_are() {
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
}
