#!/bin/sh
# Measures how often levels solve rated puzzles.
#
#   sh tuning/studies/puzzles/make.sh puzzles.tsv
#
# Evaluations are kept in target/puzzles.db. An interrupted run continues where it stopped. STOPDOWN names the program
# [default: target/release/stopdown-lab].
set -e
puzzles=$(realpath "$1")
shift
cd "$(dirname "$0")/../../.."
folder=tuning/studies/puzzles
"${STOPDOWN:-target/release/stopdown-lab}" puzzles "$puzzles" --store target/puzzles.db --svg $folder/solved.svg \
    --json "$@" >target/puzzles-result.json
mv target/puzzles-result.json $folder/result.json
