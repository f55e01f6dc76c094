#!/bin/sh
# Compares every position of our tables with 3 and 4 pieces with Syzygy files, one material after another:
#
#   sh tuning/studies/syzygy/make.sh FOLDER_OF_SYZYGY_FILES FOLDER_FOR_TABLES
#
# STOPDOWN names the program [default: target/release/stopdown-lab]. Materials that are already in the report
# are skipped, so an interrupted run continues where it stopped.
set -e
report=$(dirname "$0")/report.txt
program=${STOPDOWN:-target/release/stopdown-lab}
for file in $(ls "$1" | grep -E '^K[QRBNP]{0,2}vK[QRBNP]{0,2}\.rtbz$' | awk '{ print length($0), $0 }' | sort | cut -d' ' -f2); do
    material=$(basename "$file" .rtbz | sed s/v//)
    if grep -q "^$material " "$report" 2>/dev/null; then continue; fi
    # Exit code 1 means that there are differences, which belong in the report.
    "$program" endgame verify "$material" --syzygy "$1" --dir "$2" --threads 1 >"$report.new" || [ $? -eq 1 ]
    if [ -s "$report" ]; then sed -i 1d "$report.new"; fi
    cat "$report.new" >>"$report"
done
rm -f "$report.new"
