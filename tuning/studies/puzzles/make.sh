#!/bin/sh
# Measures how often levels solve rated puzzles.
#
#   sh tuning/studies/puzzles/make.sh puzzles.tsv
#
# Evaluations are kept in target/puzzles.db. An interrupted run continues where it stopped. STOPDOWN names the program
# [default: target/release/stopdown-lab].
set -e
puzzles=$1
shift
program=${STOPDOWN:-target/release/stopdown-lab}
folder=tuning/studies/puzzles
"$program" puzzles "$puzzles" --store target/puzzles.db --svg $folder/solved.svg --json "$@" \
    >$folder/result.json
