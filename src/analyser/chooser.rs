//! How somebody is expected to choose.

use crate::player::Profile;
use crate::selector::{Distribution, Selector, Values};

/// Anybody with a probability for every move.
pub trait Chooser {
    fn distribution(&self, values: &Values) -> Distribution;
}

impl Chooser for Selector {
    fn distribution(&self, values: &Values) -> Distribution {
        Selector::distribution(self, values)
    }
}

/// Each part sees as deep as it does. Which of them plays is taken to be drawn for every move, since
/// nobody knows it of a game of somebody else's.
impl Chooser for Profile {
    fn distribution(&self, values: &Values) -> Distribution {
        let part = |(weight, skill): &(f64, crate::player::Skill)| {
            let depth = usize::from(skill.depth);
            let seen = (depth < values.depths()).then(|| values.up_to(depth));
            (*weight, skill.selector.distribution(seen.as_ref().unwrap_or(values)))
        };
        let parts: Vec<(f64, Distribution)> = self.parts().iter().map(part).collect();
        Distribution::mixture(&parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Draw, Skill};
    use crate::selector::{Competence, Curve};

    #[test]
    fn a_composite_profile_chooses_as_its_parts_by_their_shares() {
        let values = Values::by_depth(&[vec![0.0, 1.0], vec![1.0, 0.0]]).expect("finite");
        let skill = |c: f64, depth| {
            let selector = Selector::new(Curve::levelled(Competence::new(c).expect("a number")));
            Skill { selector, depth }
        };
        let parts = vec![(0.25, skill(f64::INFINITY, 1)), (0.75, skill(f64::INFINITY, 9))];
        let profile = Profile::composite("two", parts, Draw::Game).expect("two parts");
        let found = profile.distribution(&values);
        assert!((found.probability(0) - 0.75).abs() < 1e-12, "{found:?}");
    }
}
