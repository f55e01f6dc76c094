//! Summary statistics of many measurements.

/// The resolution of processor time, in seconds.
pub const RESOLUTION: f64 = 0.01;

/// One contestant's time for each position, in seconds.
pub struct Costs {
    pub name: String,
    seconds: Vec<f64>,
}

impl Costs {
    pub fn new(name: &str) -> Costs {
        Costs { name: name.to_owned(), seconds: Vec::new() }
    }

    pub fn add(&mut self, seconds: f64) {
        self.seconds.push(seconds);
    }

    pub fn sum(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// The geometric mean. Times below the resolution count as the resolution.
    pub fn geometric_mean(&self) -> f64 {
        let seconds: Vec<_> = self.seconds.iter().map(|seconds| seconds.max(RESOLUTION)).collect();
        geometric_mean(&seconds)
    }
}

pub fn geometric_mean(values: &[f64]) -> f64 {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (logarithms / values.len() as f64).exp()
}

/// Prints a table of costs, with the ratio of the first contestant's cost to that of each other
/// contestant.
pub fn print(costs: &[Costs]) {
    let (own, peers) = costs.split_first().expect("our engine comes first");
    println!("{:<16}{:>16}{:>12}", "", "geometric mean", "sum");
    for each in costs {
        println!("{:<16}{:>14.3} s{:>10.2} s", each.name, each.geometric_mean(), each.sum());
    }
    for peer in peers {
        let mean = own.geometric_mean() / peer.geometric_mean();
        let title = format!("/ {}", peer.name);
        println!("{title:<16}{mean:>16.2}{:>12.2}", own.sum() / peer.sum());
    }
}
