#!/usr/bin/env python3
"""Analyses games on Apache Spark: every partition goes through `stopdown analyse --statistics`, and
`stopdown report --sum` adds up the summaries of each player. The result does not depend on the order.

    spark-submit spark.py --out results --parts 1000 games-1.pgn games-2.pgn -- --depth 12 --tolerate 100

The words after `--` go to `stopdown analyse`. The program must be at the same place (--program) on all
machines. At the end, --out contains all.stats (the sums of everybody), report.jsonl, and the same report
as Parquet in report.parquet; with --moves, also a table of moves for each partition.
"""
import argparse, json, os, re, struct, subprocess, sys, tempfile, zlib

from pyspark.sql import SparkSession
END = 0xFFFFFFFF  # takes the place of the length of a name
TAG = re.compile(r'^\s*\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"\s*\]', re.MULTILINE)


def game_key(game):
    """Copies of a game have the same tags, so they get the same key and come to the same partition. There
    the program compares their fingerprints and counts the game once."""
    return zlib.crc32(repr(TAG.findall(game)).encode())


def run(words, text=None):
    done = subprocess.run(words, input=text, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def measured(program, options, moves, parts):
    def measure(number, games):
        text = b"".join(game.encode() + b"\n\n" for game in games)
        table = ["--moves", os.path.join(moves, f"part-{number:05}.parquet")] if moves else []
        data = run([program, "analyse", "-", "--statistics", "-", "--threads", "1", *options, *table], text)
        return dealt_out(data, parts)
    return measure


def dealt_out(data, parts):
    """Splits a file of statistics by players. The first part keeps the number of games, so that the sum of
    all parts has it once."""
    mark, header, _ = data.split(b"\n", 2)
    players, at = [[] for _ in range(parts)], len(mark) + len(header) + 2
    while (length := struct.unpack_from("<I", data, at)[0]) != END:
        name = data[at + 4 : at + 4 + length]
        end = at + 8 + length + struct.unpack_from("<I", data, at + 4 + length)[0]
        players[zlib.crc32(name) % parts].append(data[at:end])
        at = end
    for part, records in enumerate(players):
        if records or part == 0:
            games = json.dumps({**json.loads(header), **({"games": 0} if part else {})}).encode()
            shard = b"\n".join([mark, games, b"".join(records) + struct.pack("<IQ", END, len(records))])
            yield part, shard + struct.pack("<I", zlib.crc32(shard))


def written(folder, files):
    names = []
    for data in files:
        names.append(os.path.join(folder, str(len(names))))
        with open(names[-1], "wb") as file:
            file.write(data)
    return names


def summed(program):
    def merge(files):
        with tempfile.TemporaryDirectory() as folder:
            run([program, "report", *written(folder, files), "--sum", os.path.join(folder, "sum")])
            with open(os.path.join(folder, "sum"), "rb") as file:
                return file.read()
    return merge


def main():
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("games", nargs="+", help="PGN files, wherever Spark reads from")
    arguments.add_argument("--program", default="stopdown")
    arguments.add_argument("--out", required=True, help="a folder for the results")
    arguments.add_argument("--parts", type=int, default=100, help="of games, and of players")
    arguments.add_argument("--moves", help="a folder that all machines share, for tables of moves")
    given, options = arguments.parse_args(words[:end]), words[end + 1 :]
    os.makedirs(given.out, exist_ok=True)
    spark = SparkSession.builder.appName("stopdown").getOrCreate()
    # Spark cuts the text at the first tag of each game, which then has to be put back.
    hadoop = "org.apache.hadoop."
    formats = [hadoop + "mapreduce.lib.input.TextInputFormat", hadoop + "io.LongWritable", hadoop + "io.Text"]
    cut = {"textinputformat.record.delimiter": "\n\n[Event "}
    games = spark.sparkContext.newAPIHadoopFile(",".join(given.games), *formats, conf=cut).values()
    games = games.filter(str.strip).map(lambda game: game if game.startswith("[Event ") else "[Event " + game)
    measure = measured(given.program, options, given.moves, given.parts)
    together = games.keyBy(game_key).partitionBy(given.parts).values()
    shards = together.mapPartitionsWithIndex(measure)
    sums = shards.groupByKey(given.parts).mapValues(summed(given.program))
    everybody, report = (os.path.join(given.out, name) for name in ("all.stats", "report.jsonl"))
    with tempfile.TemporaryDirectory(dir=given.out) as folder:
        names = written(folder, (data for _, data in sums.toLocalIterator()))
        run([given.program, "report", *names, "--sum", everybody])
    with open(report, "wb") as file:
        subprocess.run([given.program, "report", everybody, "--json"], stdout=file, check=True)
    spark.read.json(report).write.mode("overwrite").option("compression", "gzip").parquet(os.path.join(given.out, "report.parquet"))
    spark.stop()


main()
