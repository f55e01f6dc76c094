//! Line charts as SVG.

use plotters::prelude::*;

/// Named curves over common axes.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    pub x: String,
    pub y: String,
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

const SIZE: (u32, u32) = (800, 500);

/// Colours that differ in brightness too (Okabe and Ito's, without the yellow).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

impl Chart {
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        self.draw(&mut svg).expect("writing to a string does not fail");
        svg
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(|error| error.to_string())?;
        let (x, y) = (self.range(|point| point.0), self.range(|point| point.1));
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .margin_right(32)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(x, y)
            .map_err(|error| error.to_string())?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .light_line_style(WHITE)
            .draw()
            .map_err(|error| error.to_string())?;
        for (index, (name, points)) in self.curves.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let style = colour.stroke_width(2);
            chart
                .draw_series(LineSeries::new(points.iter().copied(), style))
                .map_err(|error| error.to_string())?
                .label(name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], style));
        }
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()
            .map_err(|error| error.to_string())?;
        area.present().map_err(|error| error.to_string())?;
        Ok(())
    }

    /// The extent of one coordinate, with a little air.
    fn range(&self, of: impl Fn(&(f64, f64)) -> f64) -> std::ops::Range<f64> {
        let all = self.curves.iter().flat_map(|(_, points)| points).map(of);
        let finite = all.filter(|value| value.is_finite());
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
            ("one & only".to_owned(), vec![(0.0, 1.0), (1.0, 2.0)]),
            ("flat".to_owned(), vec![(0.0, 1.0), (1.0, 1.0)]),
            ("nothing".to_owned(), vec![]),
        ];
        let chart = Chart { title: "a title".into(), x: "c".into(), y: "depth".into(), curves };
        let svg = chart.svg();
        assert!(
            svg.starts_with("<svg") && svg.contains("a title") && svg.contains("one &amp; only")
        );
        assert!(Chart::default().svg().starts_with("<svg"));
    }
}
