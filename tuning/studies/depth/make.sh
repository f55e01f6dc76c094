#!/bin/sh
# Ferreira's study of our own engine at full strength (the results that are here: before it had its network), depths 1 to 9, 100 games for every two of them:
#
#   sh tuning/studies/depth/make.sh
#
# The games are kept in target/, so that it can be stopped and gone on with at any time. STOPDOWN names
# the program, if it is not target/release/stopdown-lab.
set -e
cd "$(dirname "$0")/../../.."
"${STOPDOWN:-target/release/stopdown-lab}" depth --player self \
    --from 1 --to 9 --games 100 --pgn target/depth.pgn --resume \
    --save-matrix tuning/studies/depth/scores.csv --html tuning/studies/depth/index.html "$@" \
    >tuning/studies/depth/result.txt
