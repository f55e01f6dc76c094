//! Tables of moves as Parquet. A program built without Parquet support explains how to get it.

use crate::common::{Finished, Folder, run_with_input};

const GAME: &str = "[Site \"Rome\"]\n[Date \"2024.03.01\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *\n\n";

fn analyse(folder: &Folder) -> Finished {
    folder.write("games.pgn", &(GAME.to_owned() + &GAME.replace("Bob", "Eve")));
    let words = ["analyse", "games.pgn", "--depth", "2", "--skip", "1", "--moves", "moves.parquet"];
    run_with_input(folder, &words, b"")
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_how_to_get_it() {
    let folder = Folder::new();
    let finished = analyse(&folder);
    assert_eq!(finished.code, 2);
    assert!(finished.error.contains("--features parquet"), "{}", finished.error);
    assert!(!folder.path().join("moves.parquet").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn every_evaluated_move_is_a_row_with_all_alternatives() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    let folder = Folder::new();
    let finished = analyse(&folder);
    assert_eq!(finished.code, 0, "{}", finished.error);
    let file = std::fs::File::open(folder.path().join("moves.parquet")).expect("it was written");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("it is Parquet");
    let batches: Vec<_> =
        reader.build().expect("it is Parquet").map(|b| b.expect("rows")).collect();
    // In each of the two games, five moves remain after each side's first move is skipped.
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 10);
    let batch = &batches[0];
    let column = |name| batch.column_by_name(name).expect(name);
    assert_eq!(column("move").as_string::<i32>().value(0), "g1f3");
    // A game has a number in this run, and a fingerprint and tags to find it elsewhere.
    let text = |name, row| column(name).as_string::<i32>().value(row).to_owned();
    assert_eq!((&*text("site", 0), &*text("date", 9)), ("Rome", "2024.03.01"));
    assert!(column("event").is_null(0));
    assert_eq!(text("fingerprint", 0), text("fingerprint", 4));
    assert_ne!(text("fingerprint", 4), text("fingerprint", 5));
    assert_eq!(text("fingerprint", 0).len(), 16);
    assert_eq!(column("player").as_string::<i32>().value(1), "Bob");
    assert!(column("fen").as_string::<i32>().value(0).ends_with(" w KQkq - 0 2"));
    for row in 0..5 {
        let list = |name| column(name).as_list::<i32>().value(row);
        let (moves, values, probabilities) = (list("moves"), list("values"), list("probabilities"));
        assert_eq!((moves.len(), values.len()), (probabilities.len(), probabilities.len()));
        let sum: f32 = probabilities.as_primitive::<Float32Type>().values().iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        let own = column("move").as_string::<i32>().value(row);
        let place = moves.as_string::<i32>().iter().position(|mv| mv == Some(own)).expect(own);
        let number = |name| column(name).as_primitive::<Float32Type>().value(row);
        assert_eq!(values.as_primitive::<Float32Type>().value(place), number("value"));
        let probability = probabilities.as_primitive::<Float32Type>().value(place);
        assert!((number("surprise") + probability.log2()).abs() < 1e-3);
    }
}
