//! Charts of curves, bars and intervals.

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
    pub(crate) bars: Vec<ChartBar>,
    /// Intervals, listed from top to bottom.
    pub(crate) intervals: Vec<ChartInterval>,
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
pub(crate) struct ChartBar {
    /// The label under the bar.
    pub name: String,
    /// The height of the bar, from zero.
    pub height: f64,
    /// A line across the bar, for example at the expected height.
    pub mark: Option<f64>,
}

/// A named value with its interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChartInterval {
    /// The label to the left of the interval.
    pub name: String,
    /// `None` if the value is unknown. In that case, nothing is drawn.
    pub value: Option<f64>,
    /// Half the width of the interval.
    pub error: f64,
    /// Whether the value is only a bound. A bound is drawn as an open circle.
    pub is_bound: bool,
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
    /// Creates a chart of curves. `x` and `y` are the labels of the axes.
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
    pub(crate) fn histogram(title: &str, x: &str, bars: Vec<ChartBar>) -> Chart {
        Chart { bars, ..Chart::new(title, x, "", Vec::new()) }
    }

    /// Creates a chart of intervals, listed from top to bottom. The label is for the horizontal axis.
    pub(crate) fn intervals(title: &str, x: &str, intervals: Vec<ChartInterval>) -> Chart {
        Chart { intervals, ..Chart::new(title, x, "", Vec::new()) }
    }

    /// Replaces the caption under the picture.
    pub fn with_caption(self, caption: &str) -> Chart {
        Chart { caption: caption.to_owned(), ..self }
    }
}
