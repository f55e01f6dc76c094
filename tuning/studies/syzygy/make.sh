#!/bin/sh
# Every position of every table of 3 and 4 men against Syzygy files, one material after the other:
#
#   sh tuning/studies/syzygy/make.sh FOLDER_OF_SYZYGY_FILES FOLDER_FOR_TABLES
#
# STOPDOWN names the program, if it is not target/release/stopdown-lab. The report begins as it was left:
# materials that stand in it are not done again, so a run that was broken off can go on.
set -e
report=$(dirname "$0")/report.txt
program=${STOPDOWN:-target/release/stopdown-lab}
for file in $(ls "$1" | grep -E '^K[QRBNP]{0,2}vK[QRBNP]{0,2}\.rtbz$' | awk '{ print length($0), $0 }' | sort | cut -d' ' -f2); do
    material=$(basename "$file" .rtbz | sed s/v//)
    if grep -q "^$material " "$report" 2>/dev/null; then continue; fi
    "$program" endgame verify "$material" --syzygy "$1" --dir "$2" --threads 1 >"$report.new"
    if [ -s "$report" ]; then sed -i 1d "$report.new"; fi
    cat "$report.new" >>"$report"
done
rm -f "$report.new"
