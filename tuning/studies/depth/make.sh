#!/bin/sh
# Repeats Ferreira's study with our own engine at full strength: depths 1 to 9, 100 games for every pair. The
# results in this folder are older than the engine's network.
#
#   sh tuning/studies/depth/make.sh
#
# The games are kept in target/. An interrupted run continues where it stopped. STOPDOWN names the program
# [default: target/release/stopdown-lab].
set -e
cd "$(dirname "$0")/../../.."
"${STOPDOWN:-target/release/stopdown-lab}" depth --player self \
    --from 1 --to 9 --games 100 --pgn target/depth.pgn --resume \
    --save-matrix tuning/studies/depth/scores.csv --html tuning/studies/depth/index.html "$@" \
    >target/depth-result.txt
mv target/depth-result.txt tuning/studies/depth/result.txt
