//! The charts of an analysis.

use crate::analyser::StudyReport;
use crate::math::grid::Posterior;
use crate::report::chart::{Chart, ChartBar};

/// The number of ranks that are shown.
const RANKS: usize = 10;

pub fn charts(report: &StudyReport) -> Vec<Chart> {
    let mut charts = Vec::new();
    if let Some((depth, apparent)) = report.apparent.last() {
        let title = format!("Probability of each competence at depth {depth} (%)");
        charts.push(Chart::histogram(&title, "competence c", belief(&apparent.posterior)));
    }
    if let Some(projection) = &report.projection {
        let places = projection.frequencies.iter().take(RANKS).zip(1..);
        let bars = places.map(|(figure, place)| ChartBar {
            name: place.to_string(),
            height: 100.0 * figure.actual,
            mark: Some(100.0 * figure.projected),
        });
        let chart = Chart::histogram("Rank of the played move (%)", "rank", bars.collect());
        charts.push(chart.with_caption("The lines show the projection for the fitted player."));
    }
    let title = "Change in the evaluation with each move (% of the moves)";
    charts.push(Chart::histogram(title, "gain in centipawns", gains(report)));
    charts
}

/// The maximum number of bars in the competence chart.
const BARS: usize = 24;

/// The posterior as bars. Each bar is a sum over neighbouring points of the competence scale.
fn belief(posterior: &Posterior) -> Vec<ChartBar> {
    let weights = posterior.weights();
    let together = weights.len().div_ceil(BARS);
    let points = posterior.points().chunks(together).zip(weights.chunks(together));
    let bar = |(points, weights): (&[f64], &[f64])| ChartBar {
        name: format!("{:.*}", usize::from(points[0] < 9.95), points[0]),
        height: 100.0 * weights.iter().sum::<f64>(),
        mark: None,
    };
    points.map(bar).collect()
}

/// The edges of the bars in the chart of gains, in centipawns.
const EDGES: [i32; 10] = [-300, -100, -50, -25, -10, 0, 1, 11, 26, 51];

fn gains(report: &StudyReport) -> Vec<ChartBar> {
    let histogram = report.gains.histogram();
    let lows = std::iter::once(i32::MIN).chain(EDGES);
    let highs = EDGES.into_iter().chain([i32::MAX]);
    let bar = |(low, high): (i32, i32)| {
        let inside = histogram.iter().filter(|(gain, _)| (low..high).contains(gain));
        let name = match (low, high) {
            (i32::MIN, high) => format!("under {high}"),
            (low, i32::MAX) => format!("over {}", low - 1),
            (0, 1) => "0".to_owned(),
            (low, high) => format!("{low} to {}", high - 1),
        };
        ChartBar { name, height: 100.0 * inside.map(|(_, part)| part).sum::<f64>(), mark: None }
    };
    lows.zip(highs).map(bar).collect()
}
