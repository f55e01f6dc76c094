//! Decides which of the strength settings is used, and which player it describes.
//!
//! The option `Strength` names the setting to use. If it is `Auto`, the choice depends on the other
//! options. Options that only this engine has take priority over `UCI_LimitStrength`, because some
//! GUIs set that option in every game. Otherwise these GUIs would override a profile that the user
//! has chosen.

use super::settings::{BEST_COMPETENCE, Settings, StrengthSetting};
use crate::player::{Aim, Elo, HumanAnalysis, PlayerSpec, TargetRating, USUAL_DEPTH, Who};
use crate::selector::{Competence, Family};
use crate::value::Depth;

impl Settings {
    /// The setting that determines the strength. It is never `Auto`.
    pub(crate) fn effective_strength(&self) -> StrengthSetting {
        match self.strength {
            StrengthSetting::Auto if self.imitator => StrengthSetting::Imitator,
            StrengthSetting::Auto if self.profile.is_some() => StrengthSetting::Profile,
            StrengthSetting::Auto if self.sets_competence() => StrengthSetting::Competence,
            StrengthSetting::Auto if self.limit_strength => StrengthSetting::Elo,
            StrengthSetting::Auto if self.depth != i64::from(USUAL_DEPTH) => {
                StrengthSetting::Competence
            }
            StrengthSetting::Auto => StrengthSetting::Full,
            set => set,
        }
    }

    /// Returns whether a rating was set but is not used, because `UCI_LimitStrength` is off.
    pub(crate) fn ignores_elo(&self) -> bool {
        let is_set = self.elo != Settings::built_in().elo;
        is_set && !self.limit_strength && self.strength == StrengthSetting::Auto
    }

    /// Returns the name of the option that takes priority over a rating even though
    /// `UCI_LimitStrength` is on.
    pub(crate) fn overrides_elo(&self) -> Option<&'static str> {
        if !self.limit_strength || self.strength != StrengthSetting::Auto {
            return None;
        }
        match self.effective_strength() {
            StrengthSetting::Imitator => Some("Imitator"),
            StrengthSetting::Profile => Some("Profile"),
            StrengthSetting::Competence => Some("Competence"),
            StrengthSetting::Auto | StrengthSetting::Full | StrengthSetting::Elo => None,
        }
    }

    /// The player that these settings describe. The style is left out if the player does not have a
    /// human curve.
    pub(crate) fn player(&self) -> PlayerSpec {
        let clock_effect = (!self.clock_effect).then_some(false);
        let plain = PlayerSpec { clock_effect, ..self.player_without_style() };
        let styled = PlayerSpec { style: self.style, ..plain.clone() };
        if styled.player().is_ok() { styled } else { plain }
    }

    fn player_without_style(&self) -> PlayerSpec {
        let shared = PlayerSpec {
            scale: self.elo_scale,
            curve: self.curve,
            // With the default depth, the player searches to its usual depth.
            depth: Depth::try_from(self.depth).ok().filter(|&depth| depth != USUAL_DEPTH),
            ..PlayerSpec::default()
        };
        match self.effective_strength() {
            StrengthSetting::Auto | StrengthSetting::Full => PlayerSpec::default(),
            StrengthSetting::Imitator => PlayerSpec { imitator: Some(self.aim()), ..shared },
            StrengthSetting::Profile => {
                PlayerSpec { profile: self.profile.clone(), ..PlayerSpec::default() }
            }
            StrengthSetting::Elo => {
                let target = TargetRating::new(Elo(self.elo as f64), self.curve, self.elo_scale);
                PlayerSpec { elo: Some(target.nearest()), ..shared }
            }
            StrengthSetting::Competence => self.with_competence(shared),
        }
    }

    /// Returns whether these settings weaken the engine.
    pub(crate) fn plays_below_full_strength(&self) -> bool {
        self.player().player().is_ok_and(|who| who != Who::FullStrength)
    }

    /// Returns the analysis of likely human moves that the settings ask for, if any.
    pub(crate) fn human_analysis(&self) -> Option<HumanAnalysis> {
        let curve = self.curve.filter(|family| family.pool().is_some());
        let target = |elo: i64| TargetRating::new(Elo(elo as f64), curve, self.elo_scale);
        let (rating, compared) = (target(self.analyse_as?), self.compare_with.map(target));
        Some(HumanAnalysis { rating, compared })
    }

    /// Returns whether a competence other than the best or a parameter of Regan's curve is set.
    fn sets_competence(&self) -> bool {
        self.competence != BEST_COMPETENCE || self.sensitivity.or(self.consistency).is_some()
    }

    fn with_competence(&self, shared: PlayerSpec) -> PlayerSpec {
        let is_regan = |family: Family| family.pool().is_none() && !family.is_power_law();
        let has_regan_parameters = self.sensitivity.or(self.consistency).is_some();
        let default = match self.competence == BEST_COMPETENCE && has_regan_parameters {
            true => Family::REGAN,
            false => Family::LEVELLED,
        };
        let family = shared.curve.unwrap_or(default);
        let curve = Some(family);
        if is_regan(family) {
            let thousandths = |n: i64| n as f64 / 1000.0;
            let consistency =
                self.consistency.map(thousandths).and_then(|c| Competence::new(c).ok());
            let sensitivity = self.sensitivity.map(thousandths);
            return PlayerSpec { curve, sensitivity, consistency, ..shared };
        }
        let competence = match self.competence {
            BEST_COMPETENCE.. => Some(Competence::BEST),
            c => Competence::new(c as f64 / 100.0).ok(),
        };
        PlayerSpec { curve, competence, ..shared }
    }

    /// The level that an imitator aims for, relative to the opponent's level.
    fn aim(&self) -> Aim {
        match (self.imitator_score, self.imitator_offset) {
            (Some(score), _) => Aim::Score(score as f64 / 100.0),
            (None, 0) => Aim::Equal,
            (None, offset) => Aim::Offset(offset as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::find;
    use crate::player::EloScale;

    /// Returns the setting that determines the strength once these options have been set.
    fn effective_strength(set: &[(&str, &str)]) -> StrengthSetting {
        after(set).effective_strength()
    }

    fn after(set: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::built_in();
        for (name, value) in set {
            let option = find(name).expect("there is such an option");
            option.apply(&mut settings, value).expect("it can be set");
        }
        settings
    }

    #[test]
    fn options_of_this_engine_override_common_uci_options() {
        let slider = ("UCI_LimitStrength", "true");
        for (set, expected) in [
            (&[][..], StrengthSetting::Full),
            (&[("UCI_Elo", "1800")], StrengthSetting::Full),
            (&[slider], StrengthSetting::Elo),
            (&[("Profile", "club"), slider], StrengthSetting::Profile),
            (&[("Competence", "700"), slider], StrengthSetting::Competence),
            (&[("Sensitivity", "100")], StrengthSetting::Competence),
            (&[("Depth", "3")], StrengthSetting::Competence),
            (&[("Depth", "3"), slider], StrengthSetting::Elo),
            (&[("Imitator", "true"), ("Profile", "club")], StrengthSetting::Imitator),
            (&[("Strength", "Elo"), ("Profile", "club")], StrengthSetting::Elo),
            (&[("Strength", "Full"), ("Profile", "club"), slider], StrengthSetting::Full),
            (&[("Strength", "Imitator")], StrengthSetting::Imitator),
        ] {
            assert_eq!(effective_strength(set), expected, "{set:?}");
        }
    }

    #[test]
    fn every_strength_setting_gives_a_player() {
        for strength in ["Full", "Elo", "Competence", "Profile", "Imitator"] {
            for curve in ["Auto", "Haworth", "Regan", "Human", "Human-Blitz"] {
                for scale in EloScale::names() {
                    for elo in ["400", "3000"] {
                        let set = [
                            ("Strength", strength),
                            ("Curve", curve),
                            ("Elo Scale", scale),
                            ("UCI_Elo", elo),
                        ];
                        let who = after(&set).player().player();
                        assert!(who.is_ok(), "{set:?}: {who:?}");
                    }
                }
            }
        }
        let deep = after(&[("Depth", "3")]).player().player().expect("a player");
        let Who::Profile(deep) = deep else { panic!("below full strength") };
        let curve = deep.parts()[0].1.selector.curve;
        assert_eq!((curve.competence(), deep.depth()), (Competence::BEST, 3));
    }
}
