//! Positions with results, read into what a fit needs: how often every weight counted.
//!
//! An evaluation is linear in its weights but for the kings' dangers, which are summed, clamped
//! and squared (see [`crate::eval::handcrafted`]); so both kings' danger counts are kept apart.

use std::path::Path;

use super::TuningError;
use super::positions::{self, Reader};
use crate::board::{Colour, Position};
use crate::eval::handcrafted::{
    COUNT, ENDGAME_DIVISOR, FULL_PHASE, Handcrafted, LARGEST_DANGER, SQUARE_DIVISOR, Trace,
    is_danger,
};

/// One position.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Share of the middlegame part in the mixture.
    middlegame: f32,
    /// Share of the endgame part, scaling included.
    endgame: f32,
    /// White's result.
    pub result: f32,
    /// What the search saw for White, in centipawns.
    pub searched: f32,
    /// The end of this sample's counts; they begin where the sample before ends.
    end: u32,
}

/// What a count belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Plain = 0,
    /// The danger of Black's king.
    Black = 1,
    /// The danger of White's king.
    White = 2,
}

/// A weight that counted.
#[derive(Clone, Copy, Debug)]
struct Count {
    weight: u16,
    part: Part,
    count: i16,
}

/// Many positions, packed.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    samples: Vec<Sample>,
    counts: Vec<Count>,
    /// Where each game's samples begin.
    pub games: Vec<usize>,
    /// Lines that could not be read: cut off by an interruption, or not ours.
    pub unreadable: usize,
}

/// A parameter vector: the middlegame and endgame parts of every weight, by turns.
pub type Parameters = [f32];

/// How many parameters there are.
pub const PARAMETERS: usize = 2 * COUNT;

impl Samples {
    /// Reads a file that [`super::selfplay`] has made, or a text.
    pub fn load(path: &Path, evaluator: &Handcrafted) -> Result<Samples, TuningError> {
        let samples = if positions::is_file_of_positions(path)? {
            Samples::read(path, evaluator)?
        } else {
            let text = std::fs::read_to_string(path).map_err(TuningError::file("read", path))?;
            Samples::parse(&text, evaluator)
        };
        if samples.is_empty() {
            return Err(TuningError::NoPositions(path.to_owned()));
        }
        Ok(samples)
    }

    fn read(path: &Path, evaluator: &Handcrafted) -> Result<Samples, TuningError> {
        let mut samples = Samples::default();
        let mut reader = Reader::open(path)?;
        while let Some(game) = reader.next_game()? {
            samples.games.push(samples.len());
            for sample in &game.samples {
                // Weights are learnt from results above all.
                let Some(outcome) = sample.outcome else { continue };
                let Some(position) = sample.position.unpack() else {
                    samples.unreadable += 1;
                    continue;
                };
                if let Some(trace) = evaluator.trace(&position) {
                    let searched = f32::from(sample.centipawns);
                    samples.push(&trace, outcome.score(), searched);
                }
            }
        }
        samples.unreadable += reader.unreadable;
        Ok(samples)
    }

    /// Reads lines `FEN;result;centipawns`; a line that begins with # begins a game.
    pub fn parse(text: &str, evaluator: &Handcrafted) -> Samples {
        let mut samples = Samples::default();
        for line in text.lines() {
            if line.starts_with('#') {
                samples.games.push(samples.len());
                continue;
            }
            let Some((position, result, searched)) = parse_line(line) else {
                samples.unreadable += 1;
                continue;
            };
            if let Some(trace) = evaluator.trace(&position) {
                samples.push(&trace, result, searched);
            }
        }
        samples
    }

    pub fn len(&self) -> usize {
        self.samples.len()
    }

    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    pub fn sample(&self, index: usize) -> &Sample {
        &self.samples[index]
    }

    fn push(&mut self, trace: &Trace, result: f32, searched: f32) {
        for (weight, &[black, white]) in trace.counts.iter().enumerate() {
            let mut push = |part, count: i16| {
                if count != 0 {
                    self.counts.push(Count { weight: weight as u16, part, count });
                }
            };
            if !is_danger(weight) {
                push(Part::Plain, white - black);
                continue;
            }
            if trace.in_danger[Colour::Black as usize] {
                push(Part::Black, black);
            }
            if trace.in_danger[Colour::White as usize] {
                push(Part::White, white);
            }
        }
        let middlegame = trace.phase as f32 / FULL_PHASE as f32;
        self.samples.push(Sample {
            middlegame,
            endgame: (1.0 - middlegame) * trace.scale as f32 / 64.0,
            result,
            searched,
            end: self.counts.len() as u32,
        });
    }

    fn counts(&self, index: usize) -> &[Count] {
        let begin = if index == 0 { 0 } else { self.samples[index - 1].end };
        &self.counts[begin as usize..self.samples[index].end as usize]
    }

    /// The evaluation of a sample from White's view, in centipawns.
    pub fn value(&self, index: usize, parameters: &Parameters) -> f32 {
        self.sums(index, parameters).value(&self.samples[index])
    }

    /// The evaluation, and `slope(value)` times its derivatives added to a gradient.
    pub fn descend(
        &self,
        index: usize,
        parameters: &Parameters,
        gradient: &mut Parameters,
        slope: impl FnOnce(f32) -> f32,
    ) -> f32 {
        let sample = &self.samples[index];
        let sums = self.sums(index, parameters);
        let value = sums.value(sample);
        let slope = slope(value);
        let by_part = sums.derivatives().map(|[middlegame, endgame]| {
            [slope * sample.middlegame * middlegame, slope * sample.endgame * endgame]
        });
        for &Count { weight, part, count } in self.counts(index) {
            let [middlegame, endgame] = by_part[part as usize];
            let at = 2 * usize::from(weight);
            gradient[at] += middlegame * f32::from(count);
            gradient[at + 1] += endgame * f32::from(count);
        }
        value
    }

    fn sums(&self, index: usize, parameters: &Parameters) -> Sums {
        let mut sums = Sums::default();
        for &Count { weight, part, count } in self.counts(index) {
            let at = 2 * usize::from(weight);
            let sum = &mut sums.0[part as usize];
            sum[0] += parameters[at] * f32::from(count);
            sum[1] += parameters[at + 1] * f32::from(count);
        }
        sums
    }
}

/// The middlegame and endgame sum of each [`Part`].
#[derive(Default)]
struct Sums([[f32; 2]; 3]);

impl Sums {
    fn value(&self, sample: &Sample) -> f32 {
        let [[mut middlegame, mut endgame], black, white] = self.0;
        for (danger, sign) in [(black, 1.0), (white, -1.0)] {
            let [square, plain] = danger.map(|sum| sum.clamp(0.0, LARGEST_DANGER as f32));
            middlegame += sign * square * square / SQUARE_DIVISOR as f32;
            endgame += sign * plain / ENDGAME_DIVISOR as f32;
        }
        middlegame * sample.middlegame + endgame * sample.endgame
    }

    /// Of the value, by each sum, before mixing.
    fn derivatives(&self) -> [[f32; 2]; 3] {
        let of_danger = |[square, plain]: [f32; 2], sign: f32| {
            let moves =
                |sum: f32| if sum > 0.0 && sum < LARGEST_DANGER as f32 { sign } else { 0.0 };
            [
                moves(square) * 2.0 * square / SQUARE_DIVISOR as f32,
                moves(plain) / ENDGAME_DIVISOR as f32,
            ]
        };
        let [_, black, white] = self.0;
        [[1.0, 1.0], of_danger(black, 1.0), of_danger(white, -1.0)]
    }
}

fn parse_line(line: &str) -> Option<(Position, f32, f32)> {
    let mut fields = line.split(';');
    let position = Position::from_fen(fields.next()?, false).ok()?;
    let result = fields.next()?.parse().ok().filter(|result| (0.0..=1.0).contains(result))?;
    let searched = fields.next()?.parse().ok().filter(|value: &f32| value.is_finite())?;
    Some((position, result, searched))
}
