//! Readers of files that the program itself writes, but that others may have altered.

use stopdown::arena::{Campaign, ContestantSpec, JournalSettings, Rules, Tournament};
use stopdown::board::{Game, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::games::{
    CacheError, CachedEvaluation, EvaluationCache, EvaluationKey, EvaluatorIdentity,
};
use stopdown::player::{Hypotheses, Memory, OpponentKnowledge, Roster};
use stopdown::report::{CachedLine, cached_epd, store_summary, text};
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::selector::Values;

use super::text::FENS;
use super::{Target, USUAL_MEMORY, write_input};

pub const STORE: Target = Target {
    name: "store",
    read: |bytes, folder| {
        let path = write_input(folder, "values.db", bytes);
        let Ok(store) = EvaluationCache::open_existing(&path) else { return };
        if let Ok(contents) = store.contents() {
            let _ = text::render(&store_summary(&contents), text::MAX_WIDTH);
        }
        let _ = store.each(None, |deposit: CachedEvaluation| {
            use_evaluation(&deposit.evaluation);
            let json = serde_json::to_string(&CachedLine::new(&deposit));
            let _ = (json, cached_epd(&deposit));
            Ok::<(), CacheError>(())
        });
        let game = Game::default();
        let key = EvaluationKey::new(&game, &evaluator(), 2).expect("32 pieces");
        for found in [store.find(&key, &game), store.find_values(&key, &game)] {
            if let Ok(Some(evaluation)) = found {
                use_evaluation(&evaluation);
            }
        }
        drop(store);
        if let Ok(mut other) = EvaluationCache::open(&folder.join("other.db")) {
            let _ = other.import(&path);
        }
    },
    seeds: || {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("values.db");
        let mut store = EvaluationCache::open(&path).expect("a new store");
        for fen in FENS {
            let game = Game::new(Position::from_fen(fen, false).expect(fen));
            let request = EvaluationRequest::depth(2);
            let mut engine = stopdown::player::Engine::built_in(1);
            let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
            let key = EvaluationKey::new(&game, &evaluator(), 2).expect("32 pieces at most");
            store.put(key, &evaluator(), &evaluation).expect("it can be written");
        }
        store.commit().expect("it can be written");
        drop(store);
        vec![std::fs::read(&path).expect("it exists")]
    },
    words: &[
        b"SQLite format 3\0",
        b"StDn",
        b"CREATE TABLE ",
        b"\xff\xff\xff\xff",
        b"\x0d\x00\x00\x00",
        b"\x80\x80\x80\x80",
    ],
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 150,
};

fn evaluator() -> EvaluatorIdentity {
    EvaluatorIdentity::new("somebody".to_owned())
}

/// Uses an evaluation in the same ways as the commands do.
fn use_evaluation(evaluation: &RootEvaluation) {
    let _ = Values::of(evaluation, evaluation.depth);
    for m in &evaluation.moves {
        let pawns = m.value().pawns();
        assert!(pawns.abs() <= 20.0, "{pawns}");
        let _ = (m.value().meaning(), m.value().to_string(), m.line.first() == Some(&m.mv));
    }
    let mut sorted = evaluation.clone();
    sorted.sort();
}

pub const JOURNAL: Target = Target {
    name: "journal",
    read: |bytes, folder| {
        let pgn = folder.join("games.pgn");
        write_input(folder, "games.pgn.jsonl", bytes);
        if let Ok(campaign) = Campaign::open(&of_two(), &pgn, &match_settings(), true) {
            let mut records = campaign.records.iter();
            assert!(records.all(|record| record.white < 2 && record.black < 2));
        }
    },
    seeds: || {
        let settings = serde_json::to_string(&match_settings()).expect("settings");
        let game = r#"{"game":1,"pair":1,"white":0,"black":1,"result":"1-0","reason":"White mates","termination":"normal","effort":[{"moves":1,"seconds":0.5,"depth":3,"nodes":9},{"moves":1,"seconds":0.5,"depth":3,"nodes":9}],"pgn":"[Event \"x\"]\n\n1. e4 *\n\n"}"#;
        let whole = format!("{settings}\n{game}\n");
        vec![whole.clone().into_bytes(), format!("{whole}{game}\n{{\"ga").into_bytes()]
    },
    words: &[
        b"{",
        b"}",
        b"[",
        b"[[[[[[[[",
        b"\"game\":",
        b"\"white\":",
        b"18446744073709551616",
        b"-1",
        b"1e999",
        b"null",
        b"\n",
        b"\\ud800",
        b"\"1-0\"",
    ],
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 1_500,
};

fn of_two() -> Tournament {
    let player = ContestantSpec::parse("self", &Roster::default()).expect("a word");
    Tournament {
        event: String::new(),
        names: ["one", "other"].map(str::to_owned).to_vec(),
        players: vec![player.clone(), player],
        openings: Vec::new(),
        rules: Rules { draw: None, resign: None, max_moves: None },
        is_detailed: true,
        tables: None,
        concurrency: 1,
        guard: None,
    }
}

fn match_settings() -> JournalSettings {
    JournalSettings::of([("games", "2".to_owned())])
}

pub const MEMORY: Target = Target {
    name: "opponents",
    read: |bytes, folder| {
        let path = write_input(folder, "opponents.json", bytes);
        let ratings = ratings();
        let (mut memory, complaint) = Memory::open(Some(&path), &ratings);
        let _ = complaint.map(|complaint| complaint.to_string());
        if let Some(prior) = memory.recall("Eve") {
            let (low, high) = prior.interval(0.9);
            assert!(low <= high, "{low} {high}");
        }
        let _ = memory.keep("Adam", opponent_prior());
        assert!(memory.recall("Adam").is_some());
    },
    seeds: || {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("opponents.json");
        let (mut memory, _) = Memory::open(Some(&path), &ratings());
        memory.keep("Eve", opponent_prior()).expect("it can be written");
        vec![std::fs::read(&path).expect("it exists")]
    },
    words: &[
        b"{",
        b"}",
        b"[",
        b",",
        b"-9223372036854775808",
        b"9223372036854775807",
        b"0",
        b"null",
        b"\"belief\":",
        b"Stopdown's opponents",
    ],
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 600,
};

fn ratings() -> Vec<f64> {
    (0..12).map(|step| 600.0 + 200.0 * f64::from(step)).collect()
}

fn opponent_prior() -> OpponentKnowledge {
    use stopdown::selector::{Competence, Curve, DepthWeights};
    let curve = Curve::levelled(Competence::RANDOM);
    let hypotheses = Hypotheses::of_competence(curve, &DepthWeights::deepest(), &ratings());
    OpponentKnowledge::new(&hypotheses, None)
}
