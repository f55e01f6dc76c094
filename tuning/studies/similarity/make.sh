#!/bin/sh
# Hair's study of our own engine at several settings beside other engines:
#
#   sh tuning/studies/similarity/make.sh
#
# Every answer is kept in target/, so that it can be stopped and gone on with at any time. STOPDOWN names
# the program, if it is not target/release/stopdown-lab.
set -e
cd "$(dirname "$0")/../../.."
"${STOPDOWN:-target/release/stopdown-lab}" similarity --players tuning/studies/similarity/players.txt \
    --answers target/similarity.json --resume --related Stopdown \
    --newick tuning/studies/similarity/tree.newick --html tuning/studies/similarity/index.html "$@" \
    >tuning/studies/similarity/result.txt
