//! The ladder and its check as text, and the table of levels as the file that is built in.

use std::fmt::Write;

use crate::calibration::{Check, Ladder, off_on_average, zero};
use crate::player::{Level, Levels};

/// The file of a table of levels.
pub fn levels_text(levels: &Levels) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let made = &levels.made;
    let mut text = format!(
        "# Which rating each player has. The players of a family stand in a row, by place: for the\n\
         # curves of people it is the rating of the people whose moves they play, for the others see\n\
         # src/player/path.rs. Ratings (\"elo\") are fitted to games between players who all look\n\
         # \"depth\" plies ahead. Their zero is where players of the curve \"{}\" from {} to {}\n\
         # have on average the rating of these people (FIDE's); \"error\" is half of the 95 % interval\n\
         # against it, \"within\" against the mean of the row. Ratings on Lichess are by \"lichess\" higher.\n\
         # Written by the command below; for other weights it has to be made again.\n\n\
         depth = {}\nlichess = {:.1}\n\n[made]\nengine = {}\nhuman = {}\ncommand = {}\n\
         games = {}\n\n[families]\n",
        zero::FAMILY,
        zero::RATINGS.start,
        zero::RATINGS.end,
        levels.depth,
        levels.lichess,
        quoted(&made.engine),
        quoted(&made.human),
        quoted(&made.command),
        made.games
    );
    for (family, levels) in &levels.families {
        let _ = writeln!(text, "{family} = [");
        for level in levels {
            let Level { place, elo, error, within } = level;
            let _ = writeln!(
                text,
                "  {{ place = {place:?}, elo = {elo:.1}, error = {error:.1}, within = {within:.1} }},"
            );
        }
        text += "]\n";
    }
    text
}

/// The ladder as tables, each line ended.
pub fn ladder_text(ladder: &Ladder) -> String {
    let mut text = format!(
        "Ratings of players who look {} plies ahead, from {} games, with 95 % intervals; on Lichess\n\
         ratings are {:.0} higher. For chance alone a level of the dial is off by {:.0} on average among all.\n",
        ladder.depth,
        ladder.made.games,
        ladder.lichess,
        off_on_average(&ladder.levels())
    );
    for path in &ladder.paths {
        let _ =
            writeln!(text, "\n{}\n   place     Elo  error  measured  games  score %", path.family);
        let is_of_people = path.levels.iter().any(|level| level.disagreement.is_some());
        if is_of_people {
            text.pop();
            text += "  play - moves\n";
        }
        for level in &path.levels {
            let _ = write!(
                text,
                "{:>8} {:>7.0} {:>6.0} {:>9.0} {:>6} {:>8}",
                level.place,
                level.elo,
                level.error,
                level.measured,
                level.games,
                score(level.points, level.games as f64)
            );
            let _ = match level.disagreement {
                Some(difference) => writeln!(text, " {difference:>13.0}"),
                None => writeln!(text),
            };
        }
    }
    if !ladder.anchors.is_empty() {
        text += "\nengines of others, which did not bear on the zero\n";
        text += "                   says     Elo  error  games  score %\n";
    }
    for anchor in &ladder.anchors {
        let nominal = anchor.nominal.map_or("-".to_owned(), |elo| format!("{elo:.0}"));
        let _ = writeln!(
            text,
            "{:<16} {nominal:>6} {:>7.0} {:>6.0} {:>6} {:>8}",
            anchor.name,
            anchor.elo,
            anchor.error,
            anchor.games,
            score(anchor.points, anchor.games as f64)
        );
    }
    text
}

/// The check as a table, each line ended.
pub fn check_text(check: &Check) -> String {
    let mut text = String::from("   set  measured  error  games\n");
    for setting in &check.settings {
        let (set, measured, error) = (setting.set, setting.measured, setting.error);
        let _ = writeln!(text, "{set:>6} {measured:>9.0} {error:>6.0} {:>6}", setting.games);
    }
    let apart = &check.apart;
    let _ = writeln!(
        text,
        "Off by {:.0} on average (chance alone: {:.0}; without the chance of these games: {:.0}) and by {:.0} at most;\n\
         measured ratings {}. 200 apart score {:.1} % by \
         their ratings and {} % of {} games (76.0 % are right).",
        check.mean_error,
        check.by_chance,
        check.of_the_table,
        check.largest,
        if check.rises { "rise" } else { "do not always rise" },
        100.0 * apart.expected,
        score(apart.points, apart.games),
        apart.games
    );
    text
}

/// Points in per cent.
pub(super) fn score(points: f64, games: f64) -> String {
    if games == 0.0 { "-".to_owned() } else { format!("{:.1}", 100.0 * points / games) }
}
