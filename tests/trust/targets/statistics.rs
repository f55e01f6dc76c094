//! The reader of statistics from shards, which are exchanged between machines.

use std::io::Cursor;

use flate2::Crc;
use stopdown::analyser::{Measured, ShardReader, StudyAccumulator, StudyReport, merge};
use stopdown::report::{Overview, PlayerJson, all_figures, text};

use super::{Target, USUAL_MEMORY};

pub const STATISTICS: Target = Target {
    name: "statistics",
    read: |bytes, _| {
        let Ok(reader) = ShardReader::new(Cursor::new(bytes)) else { return };
        let plan = reader.settings.plan.clone();
        // The file contains the points of its scale. Building the scale would take longer than
        // reading the file.
        let accumulator = StudyAccumulator::new(&plan, Measured::Everything, 1);
        let _ = merge(
            vec![(String::new(), reader)],
            |_, error| error.to_string(),
            |name, summary| {
                if !accumulator.accepts(&summary) {
                    return Ok(());
                }
                let report = StudyReport::new(&accumulator, name, &summary);
                let mut overview = Overview::new(&plan);
                overview.add(&report);
                for part in [overview.document(None), all_figures(&report, &plan, 1000.0)] {
                    let _ = text::render(&part, text::MAX_WIDTH);
                }
                let json = serde_json::to_string(&PlayerJson::new(&report, &plan, 1000.0));
                assert!(json.is_ok(), "{json:?}");
                Ok(())
            },
        );
    },
    seeds: || vec![include_bytes!("../corpus/statistics/opera").to_vec()],
    words: &[
        b"stopdown statistics 6\n",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"parts\":",
        b"\"shard\":\"1/2\",",
        b"\"depths\":",
        b"\"noise\":",
        b"\"window\":",
        b"\"scale\":",
        b"0",
        b"-1",
        b"1e308",
        b"null",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x01",
        b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
        b"\n",
    ],
    repair: Some(|bytes| {
        if let Some((data, checksum)) = bytes.split_last_chunk_mut::<4>() {
            let mut crc = Crc::new();
            crc.update(data);
            *checksum = crc.sum().to_le_bytes();
        }
    }),
    memory: USUAL_MEMORY,
    rounds: 60,
};
