//! Chart axes: the positions of ticks and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

/// The visible part of an axis, with its ticks.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub range: Range<f64>,
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis with ticks at round numbers. There are at most `max_ticks` ticks, and their labels fit
    /// side by side into `room` characters.
    pub fn of_numbers(range: Range<f64>, max_ticks: usize, room: usize) -> Axis {
        let span = range.end - range.start;
        let finest = (span / max_ticks.max(1) as f64).log10().floor() as i32 - 1;
        let steps = (finest..).flat_map(|power| [1, 2, 5].map(|digit| (digit, power)));
        let ticks = steps.take(30).map(|step| round_numbers(&range, step)).find(|ticks| {
            let letters: usize = ticks.iter().map(|(_, label)| label.len() + 2).sum();
            ticks.len() <= max_ticks && letters <= room
        });
        Axis { range, ticks: ticks.unwrap_or_default() }
    }

    /// An axis without ticks.
    pub fn hidden(range: Range<f64>) -> Axis {
        Axis { range, ticks: Vec::new() }
    }

    /// An axis with a name in the middle of each unit interval. If the names do not fit into `room`
    /// characters, only every second or third name (and so on) is shown.
    pub fn of_names<'a>(names: impl ExactSizeIterator<Item = &'a str>, room: usize) -> Axis {
        let range = 0.0..names.len() as f64;
        let names: Vec<&str> = names.collect();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let every = (longest * names.len()).div_ceil(room.max(1)).max(1);
        let ticks = names.iter().enumerate().step_by(every);
        let ticks = ticks.map(|(place, name)| (place as f64 + 0.5, (*name).to_owned()));
        Axis { range, ticks: ticks.collect() }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range.clone()).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let is_grid = !hint.weight().allow_light_points();
        let places = self.ticks.iter().map(|(place, _)| *place);
        places.filter(|_| is_grid).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(place, _)| place == value);
        tick.map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// The range of some numbers, with a small margin.
pub fn extent(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    let finite = numbers.filter(|number| number.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    if low > high {
        return 0.0..1.0;
    }
    let air = match high > low {
        true => 0.02 * (high - low),
        false => (0.01 * high.abs()).max(0.5),
    };
    low - air..high + air
}

/// The multiples of `digit` times a power of ten within the range, with their labels.
fn round_numbers(range: &Range<f64>, (digit, power): (i64, i32)) -> Vec<(f64, String)> {
    let digits = usize::try_from(-power).unwrap_or(0);
    let unit = 10_f64.powi(power.abs());
    let number = |count: i64| {
        let units = (count * digit) as f64;
        if power < 0 { units / unit } else { units * unit }
    };
    // Tolerate rounding errors, so that a tick at either end is kept.
    let (first, last) = (range.start / number(1) - 1e-9, range.end / number(1) + 1e-9);
    let counts = first.ceil() as i64..=last.floor() as i64;
    counts.map(|count| (number(count), format!("{:.digits$}", number(count)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_distinct_round_numbers() {
        assert_eq!(
            labels(&Axis::of_numbers(-0.02..1.02, 6, 99)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            labels(&Axis::of_numbers(590.0..2810.0, 8, 99)),
            ["1000", "1500", "2000", "2500"]
        );
        assert_eq!(
            labels(&Axis::of_numbers(1e-5..1.4e-5, 3, 99)),
            ["0.000010", "0.000012", "0.000014"]
        );
        assert_eq!(
            labels(&Axis::of_numbers(-1.0..1.0, 5, 99)),
            ["-1.0", "-0.5", "0.0", "0.5", "1.0"]
        );
    }

    #[test]
    fn labels_do_not_overlap() {
        for room in [20, 40, 80] {
            let axis = Axis::of_numbers(0.0..123_456.0, 20, room);
            let letters: usize = labels(&axis).iter().map(|label| label.len() + 2).sum();
            assert!(letters <= room && axis.ticks.len() > 1, "{axis:?}");
        }
        let names = ["one", "two", "three", "four"];
        assert_eq!(labels(&Axis::of_names(names.into_iter(), 20)), names);
        assert_eq!(labels(&Axis::of_names(names.into_iter(), 10)), ["one", "three"]);
    }
}
