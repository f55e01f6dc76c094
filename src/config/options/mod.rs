//! The UCI options. [`rows`] contains the table of all options, and [`option`] the type of a single
//! option.

mod option;
mod rows;

use crate::board::shorten;
use crate::suggest;

pub(crate) use option::{Applied, EngineOption, Kind, OptionError, whole_number};
pub(crate) use rows::OPTIONS;

/// Finds an option by name. Case and extra spaces are ignored, because GUIs change them.
pub fn find(name: &str) -> Result<&'static EngineOption, OptionError> {
    let plain = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let old = rows::OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(&plain));
    let wanted = old.map_or(&*plain, |(_, now)| *now);
    OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(wanted)).ok_or_else(|| {
        let shown = OPTIONS.iter().filter(|option| option.is_shown).map(|option| option.name);
        OptionError::Unknown { name: shorten(name), hint: suggest::hint(name, shown, "options") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Settings, built_in_settings};
    use crate::player::{Elo, EloScale, RATINGS, ScaleChoice, TargetRating};

    #[test]
    fn every_default_is_allowed_and_printed_as_set() {
        let defaults = built_in_settings();
        for option in OPTIONS.iter().filter(|option| option.is_settable()) {
            let value = option.value(&defaults).expect("settable options have values");
            let mut copy = Settings { profiles: defaults.profiles.clone(), ..Settings::default() };
            if !value.is_empty() {
                assert_eq!(option.apply(&mut copy, &value), Ok(Applied::Set), "{}", option.name);
            }
            assert_eq!(option.value(&copy), Some(value), "{}", option.name);
        }
    }

    #[test]
    fn at_most_34_options_are_shown_and_strength_comes_first() {
        let defaults = built_in_settings();
        let shown: Vec<_> = OPTIONS.iter().filter(|option| option.is_shown).collect();
        assert!(shown.len() <= 34, "{}", shown.len());
        assert_eq!(shown[0].name, "Strength");
        for option in shown {
            // GUIs show optional numbers as text. The only optional numbers are ratings that are
            // off by default.
            let is_optional = matches!(option.kind, Kind::Optional { .. });
            let is_rating = ["Analyse As", "Compare With", "Exploit Elo"].contains(&option.name);
            assert!(!is_optional || is_rating, "{}", option.name);
            if let Kind::Choice { .. } = option.kind {
                let value = option.value(&defaults).expect("it has one");
                assert!(option.words(&defaults).contains(&value), "{}", option.name);
            }
        }
    }

    #[test]
    fn every_allowed_rating_is_available_on_every_scale() {
        let Kind::Spin { min, max, .. } = find("UCI_Elo").expect("is there").kind else {
            panic!("a number")
        };
        assert_eq!(min..=max, RATINGS);
        for scale in EloScale::ALL {
            for elo in [min, max] {
                assert!(
                    TargetRating::new(Elo(elo as f64), None, scale).is_available(),
                    "{elo} {scale}"
                );
            }
        }
    }

    #[test]
    fn choices_have_no_spaces_and_old_spellings_are_accepted() {
        let mut settings = built_in_settings();
        for option in OPTIONS.iter() {
            for word in option.words(&settings) {
                assert!(!word.contains(' '), "{}: {word}", option.name);
            }
        }
        let scale = find("Elo Scale").expect("is there");
        let names: Vec<_> = ScaleChoice::all().map(ScaleChoice::name).collect();
        assert_eq!(scale.words(&settings), names);
        for (text, expected) in [
            ("lichess-rapid", "Lichess-Rapid"),
            ("Lichess Blitz", "Lichess-Blitz"),
            ("lichess", "Lichess"),
            ("chesscom", "Chesscom"),
            ("LICHESS-BULLET", "Lichess-Bullet"),
        ] {
            assert_eq!(scale.apply(&mut settings, text), Ok(Applied::Set));
            assert_eq!(scale.value(&settings).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn optional_values_can_be_unset() {
        let mut settings = built_in_settings();
        let profile = find("Profile").expect("is there");
        for none in ["<none>", "<empty>", ""] {
            assert_eq!(profile.apply(&mut settings, "CLUB"), Ok(Applied::Set));
            assert_eq!(profile.value(&settings).as_deref(), Some("club"));
            assert_eq!(profile.apply(&mut settings, none), Ok(Applied::Set));
            assert_eq!(profile.value(&settings).as_deref(), Some("<none>"));
        }
        let message = profile.apply(&mut settings, "clubb").expect_err("no such profile");
        assert_eq!(message.to_string(), "Profile cannot be \"clubb\"; did you mean \"club\"?");
        let score = find("Imitator Score").expect("is taken");
        for (text, value) in [("150", Some(99)), ("0", None), ("40", Some(40)), ("", None)] {
            score.apply(&mut settings, text).expect(text);
            assert_eq!(settings.imitator_score, value, "{text}");
        }
    }

    #[test]
    fn hidden_curves_and_old_names_are_accepted() {
        let mut settings = built_in_settings();
        for (name, value) in [("Curve", "Secha-Share"), ("Endgame Exploit", "Equal")] {
            let option = find(name).expect("is taken");
            assert_eq!(option.apply(&mut settings, value), Ok(Applied::Set), "{name}");
            assert!(option.value(&settings).is_some_and(|set| set.eq_ignore_ascii_case(value)));
        }
        assert!(!OPTIONS.iter().any(|option| option.name == "Endgame Exploit"));
    }

    #[test]
    fn names_ignore_case_and_extra_spaces() {
        assert_eq!(find("move  OVERHEAD").map(|option| option.name), Ok("Move Overhead"));
        let message = find("Hsah").expect_err("no such option").to_string();
        assert_eq!(message, "unknown option \"Hsah\"; did you mean \"Hash\"?");
    }

    #[test]
    fn numbers_out_of_range_are_clamped() {
        let mut settings = built_in_settings();
        let threads = find("Threads").expect("is there");
        for (text, number) in [("0", 1), ("-7", 1), ("9999", 512), ("99999999999999999999", 512)] {
            assert_eq!(threads.apply(&mut settings, text), Ok(Applied::Clamped(number)), "{text}");
            assert_eq!(settings.threads, number);
        }
    }

    #[test]
    fn invalid_values_change_nothing() {
        let before = built_in_settings();
        let mut settings = before.clone();
        for (name, value) in [("Hash", "x"), ("Hash", ""), ("Ponder", "maybe"), ("Threads", "1.5")]
        {
            find(name).expect("is there").apply(&mut settings, value).expect_err(value);
        }
        assert_eq!(settings, before);
    }

    #[test]
    fn choices_ignore_case() {
        let mut settings = built_in_settings();
        let option = find("Pace").expect("is there");
        assert_eq!(option.apply(&mut settings, "human"), Ok(Applied::Set));
        assert_eq!(option.value(&settings).as_deref(), Some("Human"));
        let message = option.apply(&mut settings, "slow").expect_err("no word").to_string();
        assert_eq!(message, "Pace cannot be \"slow\"; use Auto, Instant or Human");
    }
}
