#!/bin/sh
# Repeats Hair's study with our own engine at several settings and with other engines:
#
#   sh tuning/studies/similarity/make.sh
#
# All answers are kept in target/. An interrupted run continues where it stopped. STOPDOWN names the program
# [default: target/release/stopdown-lab].
set -e
cd "$(dirname "$0")/../../.."
"${STOPDOWN:-target/release/stopdown-lab}" similarity --players tuning/studies/similarity/players.txt \
    --answers target/similarity.json --resume --related Stopdown \
    --newick tuning/studies/similarity/tree.newick --html tuning/studies/similarity/index.html "$@" \
    >target/similarity-result.txt
mv target/similarity-result.txt tuning/studies/similarity/result.txt
