//! The ladder and its check as text, and the table of levels as the file that is built in.

use std::fmt::Write;

use crate::calibration::{Check, Ladder, UNKNOWN, off_on_average, zero};
use crate::player::{Level, Levels};
use crate::selector::human;

/// The file of a table of levels.
pub fn levels_text(levels: &Levels) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let made = &levels.made;
    let mut text = format!(
        "# Which rating each player has. The players of a family stand in a row, by place: for the\n\
         # curves of people it is the rating of the people whose moves they play, for the others see\n\
         # src/player/path.rs. All look \"depth\" plies ahead.\n\
         # From {:.0} to {:.0} the rating (\"elo\", FIDE's) of a player of the curve \"{}\" is that of these\n\
         # people, by construction. Who plays by another curve has the rating of those people whom he would\n\
         # score even with, by games; beyond them a point of playing strength is a point of rating.\n\
         # \"error\" is half of the 95 % interval, with {:.0} for what no game between such players tells: how\n\
         # they would fare against people; \"within\" is that of the games, among the others of the row.\n\
         # Ratings on Lichess are by \"lichess\" higher.\n\
         # Written by the command below; for another network it has to be made again.\n\n\
         depth = {}\nlichess = {:.1}\n\n[made]\nengine = {}\nhuman = {}\ncommand = {}\n\
         games = {}\n\n[families]\n",
        human::LOWEST,
        human::HIGHEST,
        zero::FAMILY,
        UNKNOWN,
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
        "Playing strengths of players who look {} plies ahead, from {} games, with 95 % intervals; zero is where\n\
         those who choose as people from {} to {} do have on average their rating. \"level\" is the rating of the\n\
         people who play as well. For chance alone a level of the dial is off by {:.0} on average among all.\n",
        ladder.depth,
        ladder.made.games,
        zero::RATINGS.start,
        zero::RATINGS.end,
        off_on_average(&ladder.levels())
    );
    let levels = ladder.levels();
    for path in &ladder.paths {
        let _ = writeln!(
            text,
            "\n{}\n   place   level     Elo  error  measured  games  score %",
            path.family
        );
        let is_of_people = path.rungs.iter().any(|rung| rung.disagreement.is_some());
        if is_of_people {
            text.pop();
            text += "  play - rating\n";
        }
        let levels = levels.families.get(&path.family).into_iter().flatten();
        for (rung, level) in path.rungs.iter().zip(levels) {
            let _ = write!(
                text,
                "{:>8} {:>7.0} {:>7.0} {:>6.0} {:>9.0} {:>6} {:>8}",
                rung.place,
                level.elo,
                rung.elo,
                rung.error,
                rung.measured,
                rung.games,
                score(rung.points, rung.games as f64)
            );
            let _ = match rung.disagreement {
                Some(difference) => writeln!(text, " {difference:>14.0}"),
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
