//! The policy network gives the same shares on every machine, depends on its inputs, and refuses
//! damaged files.

use stopdown::board::{Colour, Game};
use stopdown::policy::{
    GameKind, PolicyConditions, PolicyError, PolicyNetwork, RelativeBoard, RelativeMove,
};
use stopdown::weights_file::WeightsFileError;

const CLUB: PolicyConditions = PolicyConditions { rating: 1800.0, pool: GameKind::Board };

fn network() -> &'static PolicyNetwork {
    PolicyNetwork::built_in().expect("the policy network is built in")
}

fn game(fen: Option<&str>, moves: &[&str]) -> Game {
    Game::from_uci(fen, moves.iter().copied(), false).expect("legal")
}

/// Positions that together use every input feature.
fn games() -> Vec<Game> {
    [
        (None, &[][..]),
        (None, &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]),
        (Some("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"), &["a2a4"]),
        (Some("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"), &["e2e4"]),
        (Some("r3k3/1P6/8/8/8/8/6p1/4K2R w K - 0 1"), &[]),
        (Some("8/8/4k3/8/8/4K3/4P3/8 w - - 99 90"), &[]),
    ]
    .into_iter()
    .map(|(fen, moves)| game(fen, moves))
    .collect()
}

#[test]
fn shares_of_the_legal_moves_add_up_to_one() {
    for game in games() {
        for pool in GameKind::ALL {
            for rating in [-500.0, 600.0, 1500.0, 2800.0, 9000.0] {
                let shares = network().ln_shares(&game, PolicyConditions { rating, pool });
                assert_eq!(shares.len(), game.position().legal_moves().len());
                let sum: f64 = shares.iter().map(|ln| ln.exp()).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let networks = network().with_all_instructions();
    for game in games() {
        let seen: Vec<Vec<f64>> =
            networks.iter().map(|network| network.ln_shares(&game, CLUB)).collect();
        assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn ratings_evaluated_together_get_the_same_bits_as_alone() {
    // More than two batches, the last of which is smaller.
    let setting = |at: usize| PolicyConditions {
        rating: 600.0 + 200.0 * at as f64,
        pool: GameKind::ALL[at % GameKind::ALL.len()],
    };
    let settings: Vec<_> = (0..12).map(setting).collect();
    for game in games() {
        let (view, steps) = (RelativeBoard::of(&game), RelativeMove::all(game.position()));
        let together = network().ln_shares_of_view(&view, &steps, &settings);
        let alone: Vec<_> = settings.iter().map(|&one| network().ln_shares(&game, one)).collect();
        assert_eq!(together, alone);
    }
    let (view, steps) = (RelativeBoard::of(&games()[0]), RelativeMove::all(games()[0].position()));
    assert!(network().ln_shares_of_view(&view, &steps, &[]).is_empty());
}

#[test]
fn both_colours_get_the_same_shares() {
    let white =
        game(Some("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 1"), &[]);
    let black =
        game(Some("rnbq1rk1/pppp1ppp/5n2/2b1p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQ - 0 1"), &[]);
    let seen = |game: &Game| {
        let steps = RelativeMove::all(game.position()).into_iter();
        let key = |step: &RelativeMove| (step.from, step.to, step.promotion);
        let mut pairs: Vec<_> = steps.zip(network().ln_shares(game, CLUB)).collect();
        pairs.sort_by_key(|(step, _)| key(step));
        pairs
    };
    for (one, other) in seen(&white).iter().zip(seen(&black)) {
        // The sum is taken in move order, which differs between the colours.
        assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-12, "{one:?} {other:?}");
    }
    assert_eq!(RelativeBoard::of(&white), RelativeBoard::of(&black));
}

#[test]
fn the_policy_predicts_human_moves() {
    let share = |game: &Game, uci: &str| {
        let mv = game.position().parse_uci(uci).expect("legal");
        let place = game.position().legal_moves().iter().position(|&m| m == mv).expect("legal");
        network().ln_shares(game, CLUB)[place].exp()
    };
    let start = game(None, &[]);
    assert!(share(&start, "e2e4") + share(&start, "d2d4") > 0.5);
    assert!(share(&start, "a2a3") < 0.02);
    // A recapture is likely.
    let exchange = game(None, &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6"]);
    assert!(share(&exchange, "d7c6") + share(&exchange, "b7c6") > 0.9);
    // The last move is an input, so the same position gives different probabilities after a
    // different move.
    let fen = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 3";
    assert_ne!(
        network().ln_shares(&game(Some(fen), &[]), CLUB),
        network().ln_shares(&game(None, &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]), CLUB)
    );
}

#[test]
fn the_policy_depends_on_the_rating() {
    let start = game(None, &["e2e4"]);
    let of =
        |rating| network().ln_shares(&start, PolicyConditions { rating, pool: GameKind::Board });
    assert_ne!(of(1400.0), of(2600.0));
    assert_eq!(start.position().turn(), Colour::Black);
}

#[test]
fn damaged_files_are_refused() {
    let bytes = include_bytes!("../../tuning/policy.bin");
    let refused = |bytes: &[u8]| PolicyNetwork::from_bytes(bytes).expect_err("it is corrupt");
    assert_eq!(refused(b""), WeightsFileError::Title("stopdown policy 5").into());
    assert_eq!(refused(&[0; 5000]), WeightsFileError::Title("stopdown policy 5").into());
    assert!(matches!(
        refused(&bytes[..bytes.len() - 2]),
        PolicyError::File(WeightsFileError::Length { .. })
    ));
    let mut other = bytes.to_vec();
    *other.last_mut().expect("it is not empty") ^= 1;
    assert_eq!(refused(&other), WeightsFileError::Hash.into());
    let shape = bytes.windows(7).position(|text| text == b"shapes:").expect("a header");
    let mut other = bytes.to_vec();
    other[shape + 8] = b'x';
    assert_eq!(refused(&other), WeightsFileError::Header("shapes").into());
    assert!(bytes.len() <= 12_000_000, "{} bytes", bytes.len());
}
