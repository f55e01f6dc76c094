//! Where the provisional scale of ratings comes from: matches between players of rising c.
//!
//! ```sh
//! cargo test --release --test provisional -- --ignored --nocapture
//! ```
//!
//! plays what is outstanding, one game at a time, and writes `tuning/studies/provisional/table.md`.
//! The games are kept in `target/`, so that it can be stopped and gone on with at any time; where our
//! players have come to choose otherwise, at the end of games for instance, they must be deleted.
//! `PROVISIONAL_GAMES` (100) is the number of games between neighbours; with `PROVISIONAL_ANCHORS`
//! (20) games against each of its levels Stockfish ties the scale to its own.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;

use stopdown::arena::{
    Archive, Book, GameRecord, Order, Pairing, PlayerSpec, Rules, Settings, Tournament, introduce,
};
use stopdown::board::Colour;
use stopdown::board::Game;
use stopdown::games::pgn::read_pgn;
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::{Engine, Roster, provisional};
use stopdown::search::{Controls, EvaluationRequest, Silent};
use stopdown::selector::{Competence, Curve, Family, Selector, Values};

/// The levels are evenly spaced in c / (c + 10), in which ratings rise nearly evenly.
const STEPS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

fn competence(step: f64) -> f64 {
    (1000.0 * 10.0 * step / (1.0 - step)).round() / 1000.0
}

/// Levels of Stockfish 15.1 that are known by its own dial, and our level that each meets.
const ANCHORS: [(f64, usize); 4] = [(1350.0, 5), (1500.0, 6), (1700.0, 7), (1900.0, 8)];
const STOCKFISH: &str = "/usr/games/stockfish";

/// Against players who seldom mate, games would go on for ever.
const RULES: Rules = Rules { draw: None, resign: None, max_moves: Some(150) };

fn setting<T: FromStr>(name: &str, default: T) -> T {
    let Ok(text) = std::env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number"))
}

fn games() -> usize {
    setting("PROVISIONAL_GAMES", 100)
}

fn anchor_games() -> usize {
    setting("PROVISIONAL_ANCHORS", 20)
}

fn players() -> Vec<String> {
    let depth = provisional::DEPTH;
    let own = STEPS.map(competence);
    let own = own.map(|c| format!("self competence={c} depth={depth} option.Hash=1"));
    // How strong it is at these levels hangs on the depth at which it chooses, not on its time.
    let stockfish = ANCHORS.map(|(elo, _)| {
        format!(
            "cmd={STOCKFISH} option.UCI_LimitStrength=true option.UCI_Elo={elo} st=0.02 margin=5000"
        )
    });
    let with_stockfish = Path::new(STOCKFISH).exists();
    own.into_iter().chain(stockfish.into_iter().filter(|_| with_stockfish)).collect()
}

/// Who meets whom, and in how many pairs of games: neighbours, those next to them, and Stockfish.
fn meetings(players: usize) -> Vec<(usize, usize, usize)> {
    let pairs = games() / 2;
    let neighbours = (1..STEPS.len()).map(|level| (level, level - 1, pairs));
    let others = (2..STEPS.len()).map(|level| (level, level - 2, pairs));
    let anchors = ANCHORS.iter().enumerate().take(players - STEPS.len());
    let pairs = anchor_games() / 2;
    let anchors = anchors.flat_map(|(place, &(_, level))| {
        [(STEPS.len() + place, level, pairs), (STEPS.len() + place, level - 1, pairs)]
    });
    neighbours.chain(others).chain(anchors).collect()
}

/// Round by round, so that whenever it is stopped all have played alike. A game keeps its number
/// however many are asked for.
fn pairings(meetings: &[(usize, usize, usize)]) -> Vec<Pairing> {
    let rounds = meetings.iter().map(|&(.., pairs)| pairs).max().unwrap_or(0);
    let all = (0..rounds).flat_map(|round| {
        meetings.iter().enumerate().map(move |(place, meeting)| (round, place, meeting))
    });
    let wanted = all.filter(|&(round, _, &(.., pairs))| round < pairs);
    let pairings = wanted.flat_map(|(round, place, &(one, other, _))| {
        let pair = round * meetings.len() + place + 1;
        [(one, other), (other, one)].into_iter().enumerate().map(move |(half, (white, black))| {
            Pairing { game: 2 * pair - 1 + half, pair, white, black }
        })
    });
    pairings.collect()
}

/// Points and games of each pair of players.
type Scores = BTreeMap<(usize, usize), (f64, f64)>;

fn scores<'a>(records: impl Iterator<Item = &'a GameRecord>) -> Scores {
    let mut scores = Scores::new();
    for record in records {
        let points = record.result.half_points(Colour::White) as f64 / 2.0;
        let (pair, points) = match record.white > record.black {
            true => ((record.white, record.black), points),
            false => ((record.black, record.white), 1.0 - points),
        };
        let entry = scores.entry(pair).or_default();
        *entry = (entry.0 + points, entry.1 + 1.0);
    }
    scores
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-difference / 400.0))
}

/// How much the slope of the ratings may change from one step to the next, in Elo for a tenth of
/// the scale: c has no kinks that a match could show.
const BEND: f64 = 100.0;

/// The ratings under which the scores are likeliest, a draw being half a win; the first is 0. A
/// tenth of a game drawn against every opponent keeps them finite, and those of our levels bend
/// little.
fn fit(scores: &Scores, players: usize) -> Vec<f64> {
    const UNIT: f64 = 400.0 / std::f64::consts::LN_10;
    let mut ratings = vec![0.0; players];
    for _ in 0..2_000 {
        for player in 0..players {
            let (mut slope, mut curvature) = bend(&ratings, player);
            for (&(one, other), &(points, games)) in scores {
                if player == one || player == other {
                    let p = expected(ratings[one] - ratings[other]);
                    let surplus = (points + 0.05 - (games + 0.1) * p) / UNIT;
                    slope += if player == one { surplus } else { -surplus };
                    curvature += (games + 0.1) * p * (1.0 - p) / (UNIT * UNIT);
                }
            }
            ratings[player] += slope / curvature.max(1e-12);
        }
        let base = ratings[0];
        ratings.iter_mut().for_each(|rating| *rating -= base);
    }
    ratings
}

/// How the penalty for bends pulls at a rating, and how much it resists.
fn bend(ratings: &[f64], player: usize) -> (f64, f64) {
    let (mut slope, mut curvature) = (0.0, 0.0);
    for middle in 1..STEPS.len().min(ratings.len()) - 1 {
        let width = |level: usize| 10.0 * (STEPS[level] - STEPS[level - 1]);
        let (before, after) = (1.0 / width(middle), 1.0 / width(middle + 1));
        let parts = [(middle - 1, before), (middle, -before - after), (middle + 1, after)];
        let bend: f64 = parts.iter().map(|&(level, part)| part * ratings[level]).sum();
        if let Some((_, part)) = parts.iter().find(|(level, _)| *level == player) {
            slope -= bend * part / (BEND * BEND);
            curvature += part * part / (BEND * BEND);
        }
    }
    (slope, curvature)
}

/// How much the ratings differ between samples of the same size drawn from the games.
fn errors(records: &[GameRecord], players: usize) -> Vec<f64> {
    let mut stream = Stream::new(Occasion::default(), Purpose::Simulation);
    let samples: Vec<Vec<f64>> = (0..100)
        .map(|_| {
            let mut draw = || &records[stream.next_u64() as usize % records.len()];
            fit(&scores((0..records.len()).map(|_| draw())), players)
        })
        .collect();
    let of = |player: usize| {
        let ratings: Vec<f64> = samples.iter().map(|sample| sample[player]).collect();
        1.96 * stopdown::math::statistics::standard_deviation(&ratings)
    };
    (0..players).map(of).collect()
}

/// Plays what is outstanding of a study that keeps its games under this name.
fn play(name: &str, players: &[String], pairings: &[Pairing]) -> Vec<GameRecord> {
    let specs: Vec<PlayerSpec> = players
        .iter()
        .map(|words| PlayerSpec::parse(words, &Roster::default()).expect(words))
        .collect();
    let tournament = Tournament {
        event: "Provisional ratings".to_owned(),
        names: players.to_vec(),
        players: specs,
        openings: Book::built_in().select(Order::Random(1), None, 999).expect("legal"),
        rules: RULES,
        tables: None,
        concurrency: 1,
        guard: None,
    };
    let identity = |player| introduce(player, None).expect("it plays").identity;
    let identities: Vec<String> = tournament.players.iter().map(identity).collect();
    let settings = [("players", players.join("\n")), ("engines", identities.join("\n"))];
    let settings = settings.map(|(key, value)| (key.to_owned(), value));
    let path = format!("{}/target/{name}.pgn", env!("CARGO_MANIFEST_DIR"));
    let opened = Archive::open(Path::new(&path), &Settings(BTreeMap::from(settings)), true);
    let (mut archive, mut records) = opened.expect("the games so far fit");
    let done: std::collections::HashSet<usize> = records.iter().map(|record| record.game).collect();
    let outstanding: Vec<Pairing> =
        pairings.iter().copied().filter(|pairing| !done.contains(&pairing.game)).collect();
    let run = tournament.run(&outstanding, |record| {
        archive.append(&record).expect("the game is saved");
        records.push(record);
        ControlFlow::Continue(())
    });
    run.expect("threads");
    let wanted: std::collections::HashSet<usize> = pairings.iter().map(|p| p.game).collect();
    records.retain(|record| wanted.contains(&record.game));
    records
}

#[test]
#[ignore = "plays for an hour; writes tuning/studies/provisional/table.md"]
fn scale() {
    let players = players();
    let meetings = meetings(players.len());
    let records = play("provisional", &players, &pairings(&meetings));
    let scores = scores(records.iter());
    let ratings = fit(&scores, players.len());
    let errors = errors(&records, players.len());
    let anchors = ANCHORS.iter().zip(&ratings[STEPS.len()..]);
    let offsets: Vec<f64> = anchors.map(|((elo, _), rating)| elo - rating).collect();
    let offset = stopdown::math::statistics::mean(&offsets);
    let mut text = format!(
        "Made by `PROVISIONAL_GAMES={} PROVISIONAL_ANCHORS={} cargo test --release --test provisional \
         scale -- --ignored`, {} games: levelled curve, p = {}, built-in openings in the order of seed \
         1, each player's seed his place in the list, drawn after 150 moves.\nStockfish 15.1 at 20 ms a \
         move, by its own UCI_Elo, puts the zero at {offset:.0}. Elo of the last column, rounded and \
         made to rise, are those of the scale; where they no longer do it ends.\n\n\
         | player | c | above random | 95 % | Elo |\n|---|---|---|---|---|\n",
        games(),
        anchor_games(),
        records.len(),
        provisional::DEPTH
    );
    for (player, (rating, error)) in ratings.iter().zip(&errors).enumerate() {
        let (who, c) = match player.checked_sub(STEPS.len()) {
            None => ("Ep(c)".to_owned(), competence(STEPS[player]).to_string()),
            Some(place) => (format!("Stockfish {}", ANCHORS[place].0), String::new()),
        };
        let elo = rating + offset;
        text += &format!("| {who} | {c} | {rating:.1} | {error:.0} | {elo:.0} |\n");
    }
    text += "\n| players | games | score | fitted |\n|---|---|---|---|\n";
    for (&(one, other), &(points, games)) in &scores {
        let (score, fitted) = (points / games, expected(ratings[one] - ratings[other]));
        text += &format!(
            "| {one} v {other} | {games} | {:.1} % | {:.1} % |\n",
            100.0 * score,
            100.0 * fitted
        );
    }
    text += "\n| c | haworth | regan |\n|---|---|---|\n";
    for (level, step) in STEPS.iter().enumerate() {
        let (c, tables) = (competence(*step), positions(&records, level));
        let own = levelled(c);
        let haworth = closest(&own, &tables, (0.0, 60.0 + 4.0 * c), |c| {
            Curve::haworth(Competence::new(c).expect("a number"))
        });
        let regan = closest(&own, &tables, (-4600.0, 6000.0), |rating| {
            provisional::regan(Family::REGAN, rating)
        });
        text += &format!("| {c} | {haworth:.2} | {regan:.0} |\n");
    }
    write("table.md", &text);
}

fn write(name: &str, text: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/provisional");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(format!("{folder}/{name}"), text).expect("the table can be written");
}

/// Do 200 Elo on the dial give the 76 % that they should, and are the families alike?
#[test]
#[ignore = "plays for half an hour; writes tuning/studies/provisional/dial.md"]
fn dial() {
    let own = |elo: i64, family: &str| format!("self elo={elo} curve={family} option.Hash=1");
    let ratings: Vec<i64> = (provisional::LOWEST..=provisional::HIGHEST).step_by(200).collect();
    let mut players: Vec<String> = ratings.iter().map(|&elo| own(elo, "levelled")).collect();
    let pairs = games() / 2;
    let mut meetings: Vec<(usize, usize, usize)> =
        (1..players.len()).map(|place| (place, place - 1, pairs)).collect();
    for (place, &elo) in ratings.iter().enumerate().skip(1).step_by(2) {
        for family in ["haworth", "regan"] {
            meetings.push((players.len(), place, pairs));
            players.push(own(elo, family));
        }
    }
    let records = play("dial", &players, &pairings(&meetings));
    let mut text = format!(
        "What 200 Elo on the dial of UCI_Elo give in percent.\n\n\
         Made by `PROVISIONAL_GAMES={} cargo test --release --test provisional dial -- --ignored`, \
         {} games, p = {}, built-in openings in the order of seed 1, each player's seed his place in \
         the list, drawn after 150 moves.\n\n\
         | | | score | 95 % | should be |\n|---|---|---|---|---|\n",
        games(),
        records.len(),
        provisional::DEPTH
    );
    let name = |player: usize| players[player].replace("self ", "").replace(" option.Hash=1", "");
    let scores = scores(records.iter());
    let mut row = |one: &str, other: &str, (points, games): (f64, f64), should: &str| {
        let score = points / games;
        let error = 196.0 * (score * (1.0 - score) / games).sqrt();
        let score = 100.0 * score;
        text += &format!("| {one} | {other} | {score:.1} % | {error:.0} | {should} % |\n");
    };
    let mut all = (0.0, 0.0);
    for (&(one, other), &(points, games)) in &scores {
        let is_ladder = one < ratings.len();
        if is_ladder {
            all = (all.0 + points, all.1 + games);
        }
        row(&name(one), &name(other), (points, games), if is_ladder { "76.0" } else { "50.0" });
    }
    row("all that are 200 apart", "", all, "76.0");
    write("dial.md", &text);
}

fn levelled(c: f64) -> Selector {
    Selector::new(Curve::levelled(Competence::new(c).expect("a number")))
}

/// Values of some positions in which players of this level were to move.
fn positions(records: &[GameRecord], level: usize) -> Vec<Values> {
    const POSITIONS: usize = 150;
    let mut searcher = Engine::handcrafted(1);
    let request = EvaluationRequest::depth(provisional::DEPTH);
    let mut tables = Vec::new();
    let own = |record: &&GameRecord| record.white == level || record.black == level;
    for record in records.iter().filter(own).take(POSITIONS) {
        let replayed = read_pgn(&record.pgn)[0].replay(None).expect("legal");
        // One position of each game, from anywhere behind the opening.
        let later = replayed.ply() - 12;
        let ply = 10 + record.game * 37 % later;
        let ply = ply - (ply + usize::from(record.black == level)) % 2;
        let mut game = Game::new(replayed.start().clone());
        replayed.moves()[..ply].iter().for_each(|&m| game.play(m));
        let evaluation = searcher.evaluate(&game, &request, &Controls::new(), &mut Silent);
        tables.push(Values::of(&evaluation, provisional::DEPTH));
    }
    tables
}

/// The number whose curve chooses most like a player: least relative entropy, by trisection.
fn closest(
    player: &Selector,
    tables: &[Values],
    (mut low, mut high): (f64, f64),
    curve: impl Fn(f64) -> Curve,
) -> f64 {
    let entropy = |number: f64| -> f64 {
        let other = Selector::new(curve(number));
        let of = |values: &Values| -> f64 {
            let (p, q) = (player.distribution(values), other.distribution(values));
            (0..p.len()).map(|j| -p.probability(j) * q.ln_probability(j)).sum()
        };
        tables.iter().map(of).sum()
    };
    for _ in 0..60 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if entropy(left) < entropy(right) { high = right } else { low = left }
    }
    (low + high) / 2.0
}

#[test]
fn a_player_is_closest_to_himself() {
    let tables = [vec![0.3, 0.1, -0.4, -2.0], vec![-1.0, -1.2, -3.5], vec![2.0, 1.1, 0.9, 0.0]];
    let tables = tables.map(|table| Values::at_one_depth(&table).expect("finite"));
    let own = levelled(7.5);
    let found = closest(&own, &tables, (0.0, 60.0), |c| levelled(c).curve);
    assert!((found - 7.5).abs() < 1e-3, "{found}");
}

#[test]
fn a_chain_of_matches_gives_back_the_ratings_it_was_made_from() {
    let truth = [0.0, 120.0, 310.0, 400.0];
    let mut scores = Scores::new();
    for (one, other) in [(1, 0), (2, 1), (3, 2), (2, 0), (3, 1)] {
        let games = 1e6;
        scores.insert((one, other), (games * expected(truth[one] - truth[other]), games));
    }
    for (found, truth) in fit(&scores, 4).iter().zip(truth) {
        assert!((found - truth).abs() < 0.1, "{found} instead of {truth}");
    }
}

#[test]
fn longer_studies_keep_the_games_of_shorter_ones() {
    let meetings = |pairs| [(1, 0, pairs), (2, 1, pairs), (2, 0, pairs / 2)];
    let short = pairings(&meetings(2));
    let long = pairings(&meetings(6));
    assert_eq!(short.len(), 10);
    assert!(short.iter().all(|pairing| long.contains(pairing)));
}
