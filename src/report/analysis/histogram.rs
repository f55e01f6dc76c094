//! Histograms as SVG in the page's own colours: bars of what was, marks of what was projected.

use std::fmt::Write;

use crate::report::page::escape;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub label: String,
    /// In percent.
    pub actual: f64,
    pub projected: Option<f64>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 170.0;
/// Room for labels below, and above the highest bar.
const BELOW: f64 = 34.0;
const ABOVE: f64 = 18.0;

/// The bars side by side; `x` says what the labels are.
pub fn histogram(title: &str, x: &str, bars: &[Bar]) -> String {
    let values = bars.iter().flat_map(|bar| [Some(bar.actual), bar.projected]).flatten();
    let top = values.fold(1e-9, f64::max);
    let (step, floor) = (WIDTH / bars.len().max(1) as f64, ABOVE + HEIGHT);
    let y = |percent: f64| floor - HEIGHT * percent / top;
    let mut svg = format!(
        "<svg class=\"bars\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\
         <path class=\"axis\" d=\"M0 {floor}H{WIDTH}\"/>",
        floor + BELOW,
        escape(title)
    );
    for (index, bar) in bars.iter().enumerate() {
        let (left, middle) = (step * index as f64, step * (index as f64 + 0.5));
        let (width, height) = (0.76 * step, floor - y(bar.actual));
        let _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
            left + 0.12 * step,
            y(bar.actual),
            floor + 14.0,
            escape(&bar.label)
        );
        if let Some(projected) = bar.projected {
            let at = y(projected);
            let _ = write!(svg, "<path class=\"projected\" d=\"M{left:.1} {at:.1}h{step:.1}\"/>");
        }
        if bar.actual >= 0.05 {
            let _ = write!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{:.1}\">{:.*}</text>",
                y(bar.actual) - 4.0,
                usize::from(bar.actual < 9.95),
                bar.actual
            );
        }
    }
    let x = escape(x);
    svg + &format!("<text x=\"{}\" y=\"{}\">{x}</text></svg>", WIDTH / 2.0, floor + BELOW - 4.0)
}
