#!/usr/bin/env python3
"""Analyses games on Apache Spark, with the same totals as a single process, to the last bit.

    spark-submit spark.py --out hdfs:///results --parts 1000 hdfs:///games/*.pgn -- --depth 8 --sample 10

Words after `--` are passed to `stopdown analyse`. All paths are Hadoop paths. The program must be in the same place
(--program) on all machines. At the end, the folder --out contains all.stats (the totals), report.jsonl, report.parquet
and manifest.json, and with --moves also moves.parquet.

The functions `read_games`, `analyse_games`, `add_up`, `reports` and `moves` take and return DataFrames.
They also work on Spark Connect.
"""
import argparse, bisect, itertools, json, os, struct, subprocess, sys, tempfile, threading, zlib
from contextlib import contextmanager

import pyarrow
from pyspark import cloudpickle
from pyspark.sql import SparkSession, functions

START = "\n[Event "  # Spark divides files where a game starts.
END = 0xFFFFFFFF  # Follows the last player in a statistics file.
NO_LIMIT = str(2**32)
BATCH = 1000  # rows
GAMES = "shard int, file string, start long, line long, pgn string, error string"
SHARDS = "shard int, part int, statistics binary, games long, left_out array<string>, moves binary"
MOVES = (
    "fingerprint string, event string, site string, date string, month string, white string, black string, "
    "player string, ply int, fen string, move string, value float, best_value float, rank int, "
    "probability float, surprise float, competence float, left_out string, moves array<string>, "
    "values array<float>, probabilities array<float>"
)
STEPS = ["shards.parquet", "sums.parquet"]  # deleted at the end
FILTERS = "min-rating max-rating since until one-in".split()
REPEATABLE_FILTERS = "time-control title without-title".split()

# Executors cannot import this file, so its functions are sent to them.
if __name__ != "__main__":
    cloudpickle.register_pickle_by_value(sys.modules[__name__])


def read_games(spark, paths, parts, program="stopdown", filters=()):
    """Returns the games in PGN files, compressed or not, each with its shard. `filters` are options of `stopdown
    split`."""
    text = spark.read.text(list(paths), lineSep=START)
    place = [functions.col("_metadata." + name) for name in ("file_path", "file_block_start")]
    # Files are read as bytes, because only the program detects the encoding.
    text = text.select(functions.col("value").cast("binary"), *place)
    return text.mapInArrow(splitter(program, parts, filters), GAMES)


def analyse_games(games, parts, program="stopdown", options=(), with_moves=False):
    """Returns the statistics of each shard, divided by player into `parts` parts. `options` are those of `stopdown
    analyse`."""
    spark = games.sparkSession
    # A shard without games is also analysed, so that no shard is missing from the sum.
    every = spark.range(1, parts + 1).select(functions.col("id").cast("int").alias("shard"))
    games = games.unionByName(every, allowMissingColumns=True)
    games = games.repartition(parts, "shard").sortWithinPartitions("shard", "file", "start", "line")
    return games.mapInArrow(analyser(program, parts, options, with_moves), SHARDS)


def add_up(shards, parts, program="stopdown"):
    """Returns the totals of all shards for each part, as statistics files."""
    shards = shards.select("part", "statistics").repartition(parts, "part").sortWithinPartitions("part")
    return shards.mapInArrow(adder(program), "part int, statistics binary")


def reports(sums, program="stopdown"):
    """Returns a report on each player, as JSON."""
    return sums.mapInArrow(reporter(program), "name string, report string")


def moves(shards):
    """Returns all evaluated moves."""
    return shards.where("moves is not null").select("moves").mapInArrow(table_of_moves, MOVES)


def rows_of(batches):
    for batch in batches:
        yield from batch.to_pylist()


def batches_of(rows, schema):
    """Groups rows into batches, so that only a few are in memory."""
    rows = iter(rows)
    while group := list(itertools.islice(rows, BATCH)):
        yield pyarrow.RecordBatch.from_pylist(group, schema=schema)


def run(words, accepted=(0,)):
    done = subprocess.run(words, capture_output=True)
    if done.returncode not in accepted:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def lines_from(words, pieces):
    """The output of a program, line by line, while a thread writes its input."""
    failure = []

    def feed():
        try:
            for piece in pieces:
                program.stdin.write(piece)
        except BrokenPipeError:
            pass  # The exit status says why.
        except Exception as error:
            failure.append(error)
        finally:
            try:
                program.stdin.close()
            except BrokenPipeError:
                pass

    with tempfile.TemporaryFile() as messages:
        program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages)
        feeder = threading.Thread(target=feed)
        feeder.start()
        yield from program.stdout
        feeder.join()
        if failure:
            raise failure[0]
        if program.wait() not in (0, 1):  # 1: no game was selected
            messages.seek(0)
            raise RuntimeError(f"{' '.join(words)}: {messages.read().decode(errors='replace').strip()}")


def splitter(program, parts, filters):
    words = [program, "split", "-", "--json", "--parts", str(parts), *filters]
    schema = pyarrow.schema([
        ("shard", pyarrow.int32()), ("file", pyarrow.string()), ("start", pyarrow.int64()),
        ("line", pyarrow.int64()), ("pgn", pyarrow.string()), ("error", pyarrow.string()),
    ])

    def texts(rows, start):
        """The text as it is in the file."""
        for number, row in enumerate(rows):
            yield (START.encode() if number or start else b"") + row["value"]

    def games(batches):
        of_block = lambda row: (row["file_path"], row["file_block_start"])
        for (file, start), rows in itertools.groupby(rows_of(batches), of_block):
            for line in lines_from(words, texts(rows, start)):
                game = json.loads(line)
                shard = game.get("part", 1)  # An unreadable game can be in any shard.
                yield {**game, "shard": shard, "file": file, "start": start}

    return lambda batches: batches_of(
        ({field: game.get(field) for field in schema.names} for game in games(batches)), schema
    )


def place_of(row, line):
    """Describes where a line is, so that the user can find it."""
    if row["start"]:
        return f"{row['file']}: line {line} after byte {row['start']}"
    return f"{row['file']}:{line}"


def analyser(program, parts, options, with_moves):
    schema = pyarrow.schema([
        ("shard", pyarrow.int32()), ("part", pyarrow.int32()), ("statistics", pyarrow.binary()),
        ("games", pyarrow.int64()), ("left_out", pyarrow.list_(pyarrow.string())), ("moves", pyarrow.binary()),
    ])

    def shard_of(number, rows, folder):
        games, statistics, table = (os.path.join(folder, name) for name in ("pgn", "stats", "moves"))
        left_out, origins, line = [], [], 1
        with open(games, "wb") as file:
            for row in rows:
                if row["error"]:
                    left_out.append(f"{place_of(row, row['line'])}: {row['error']}")
                elif row["pgn"]:
                    text = row["pgn"].encode()
                    origins.append((line, {**row, "pgn": None}))
                    line += text.count(b"\n")
                    file.write(text)
        words = [program, "analyse", games, "--statistics", statistics, "--threads", "1", "--tolerate", NO_LIMIT]
        words += ["--shard", f"{number}/{parts}", *options, *(["--moves", table] if with_moves else [])]
        run(words)
        with open(statistics + ".manifest.json", encoding="utf-8") as file:
            manifest = json.load(file)
        for message in manifest["left_out"]:
            line, reason = message.removeprefix(games + ":").split(": ", 1)
            origin = origins[bisect.bisect(origins, int(line), key=lambda origin: origin[0]) - 1][1]
            left_out.append(f"{place_of(origin, origin['line'])}: {reason}")
        read = lambda path: open(path, "rb").read()
        # Data that belong to the whole shard go into its first part.
        first = {"games": manifest["games"], "left_out": left_out, "moves": read(table) if with_moves else None}
        for part, data in dealt_out(read(statistics), parts):
            yield {"shard": number, "part": part, "statistics": data, **({} if part else first)}

    def shards(batches):
        for number, rows in itertools.groupby(rows_of(batches), lambda row: row["shard"]):
            with tempfile.TemporaryDirectory() as folder:
                yield from shard_of(number, rows, folder)

    def analyse(batches):
        for row in shards(batches):  # A row can be large.
            yield pyarrow.RecordBatch.from_pylist([row], schema=schema)

    return analyse


def dealt_out(data, parts):
    """Divides a statistics file by player. The first part keeps the list of shards, so that the sum of all parts
    contains it only once."""
    mark, header, _ = data.split(b"\n", 2)
    players, at = [[] for _ in range(parts)], len(mark) + len(header) + 2
    while (length := struct.unpack_from("<I", data, at)[0]) != END:
        name = data[at + 4 : at + 4 + length]
        end = at + 8 + length + struct.unpack_from("<I", data, at + 4 + length)[0]
        players[zlib.crc32(name) % parts].append(data[at:end])
        at = end
    for part, records in enumerate(players):
        if records or part == 0:
            own = json.dumps({**json.loads(header), **({"parts": []} if part else {})}).encode()
            shard = b"\n".join([mark, own, b"".join(records) + struct.pack("<IQ", END, len(records))])
            yield part, shard + struct.pack("<I", zlib.crc32(shard))


def written(folder, files):
    names = []
    for data in files:
        names.append(os.path.join(folder, str(len(names))))
        with open(names[-1], "wb") as file:
            file.write(data)
    return names


def sum_of(program, files, path, folder):
    run([program, "report", *written(folder, files), "--sum", path])


def adder(program):
    schema = pyarrow.schema([("part", pyarrow.int32()), ("statistics", pyarrow.binary())])

    def merge(batches):
        for part, rows in itertools.groupby(rows_of(batches), lambda row: row["part"]):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "sum")
                sum_of(program, (row["statistics"] for row in rows), path, folder)
                with open(path, "rb") as file:
                    row = {"part": part, "statistics": file.read()}
                yield pyarrow.RecordBatch.from_pylist([row], schema=schema)

    return merge


def reporter(program):
    schema = pyarrow.schema([("name", pyarrow.string()), ("report", pyarrow.string())])

    def players(batches):
        for row in rows_of(batches):
            with tempfile.TemporaryDirectory() as folder:
                # Exit status 1 means that no moves by these players count.
                lines = run([program, "report", *written(folder, [row["statistics"]]), "--json"], (0, 1))
                for line in lines.decode().splitlines():
                    yield {"name": json.loads(line)["name"], "report": line}

    return lambda batches: batches_of(players(batches), schema)


def table_of_moves(batches):
    import pyarrow.parquet

    for row in rows_of(batches):
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(row["moves"]))
        for batch in file.iter_batches():
            months = [f"{date[:4]}-{date[5:7]}" if date else None for date in batch["date"].to_pylist()]
            columns = {**dict(zip(batch.schema.names, batch.columns)), "month": pyarrow.array(months, pyarrow.string())}
            for name in ("ply", "rank"):  # Spark has no unsigned numbers.
                columns[name] = columns[name].cast(pyarrow.int32())
            names = [field.split()[0] for field in MOVES.split(", ")]
            yield pyarrow.RecordBatch.from_arrays([columns[name] for name in names], names=names)


class Folder:
    """The results folder, on any file system that Hadoop supports."""

    def __init__(self, spark, path):
        self.java = spark.sparkContext._jvm.org.apache.hadoop.fs
        self.path = self.java.Path(path)
        self.files = self.path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())

    def at(self, name):
        return self.java.Path(self.path, name)

    def put(self, local, name):
        local = self.java.Path("file://" + os.path.abspath(local))
        self.files.copyFromLocalFile(False, True, local, self.at(name))

    def remove(self, *names):
        for name in names:
            self.files.delete(self.at(name), True)

    @contextmanager
    def claimed(self):
        """Claims the folder, so that no other run uses it at the same time."""
        self.files.mkdirs(self.path)
        claim = self.at("_RUNNING")
        try:
            self.files.create(claim, False).close()
        except Exception as error:
            if not self.files.exists(claim):
                raise
            sys.exit(f"spark.py: {claim} exists: another run is using this folder, or a run was killed; "
                     "if none is running, delete that file")
        try:
            yield
        finally:
            self.files.delete(claim, False)


class Once(argparse.Action):
    """An option that cannot be repeated."""

    def __call__(self, parser, given, value, option=None):
        if getattr(given, self.dest) is not None:
            parser.error(f"{option} cannot be used multiple times")
        setattr(given, self.dest, value)


def filters_of(given):
    """Returns the filters as options of `stopdown split`."""
    values = lambda name: getattr(given, name.replace("-", "_"))
    once = [(name, values(name)) for name in FILTERS if values(name) is not None]
    repeated = [(name, value) for name in REPEATABLE_FILTERS for value in values(name)]
    return [word for name, value in once + repeated for word in ("--" + name, value)]


def save(spark, given, options, out, local):
    """Analyses the games and writes all results. `local` is a folder on this machine."""
    parts, program = given.parts, given.program
    table = lambda name: out.at(name).toString()
    filters = filters_of(given)
    # A wrong path fails here, before the results of an earlier run are deleted.
    games = read_games(spark, given.games, parts, program, filters)
    out.remove("all.stats", "report.jsonl", "manifest.json", "report.parquet", "moves.parquet", *STEPS)
    shards = analyse_games(games, parts, program, options, given.moves)
    shards.write.mode("overwrite").parquet(table("shards.parquet"))
    shards = spark.read.schema(SHARDS).parquet(table("shards.parquet"))
    wanted = shards.where("part = 0").select("shard", "games", "left_out").orderBy("shard").collect()
    left_out = [message for row in wanted for message in row["left_out"]]
    if len(left_out) > given.tolerate:
        out.remove(*STEPS)
        sys.exit("\n".join([*left_out[:20], f"spark.py: skipped {len(left_out)} unreadable games; to accept "
                            f"that, use --tolerate {len(left_out)} before the --"]))
    totals, report, manifest = (os.path.join(local, name) for name in ("all", "jsonl", "manifest"))
    # The results are written first, so that only one part at a time is on this machine.
    add_up(shards, parts, program).write.mode("overwrite").parquet(table("sums.parquet"))
    sums = spark.read.parquet(table("sums.parquet")).select("statistics")
    sum_of(program, (row["statistics"] for row in sums.toLocalIterator()), totals, local)
    with open(report, "wb") as file:
        file.write(run([program, "report", totals, "--json"], (0, 1)))
    with open(totals, "rb") as file:
        file.readline()
        header = json.loads(file.readline())
    with open(manifest, "w", encoding="utf-8") as file:
        json.dump({"settings": header["settings"], "inputs": given.games, "filters": filters,
                   "games": sum(row["games"] for row in wanted), "left_out": left_out,
                   "shards": [{"shard": row["shard"], "games": row["games"]} for row in wanted]}, file, indent=2)
    if given.moves:
        moves(shards).write.mode("overwrite").partitionBy("month").parquet(table("moves.parquet"))
    out.put(totals, "all.stats")
    out.put(report, "report.jsonl")
    if os.path.getsize(report):
        lines = spark.read.json(table("report.jsonl"))
        lines.write.mode("overwrite").option("compression", "gzip").parquet(table("report.parquet"))
    out.remove(*STEPS)
    out.put(manifest, "manifest.json")


def main():
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("games", nargs="+", help="PGN files, folders or patterns, anywhere that Spark can read")
    arguments.add_argument("--program", default="stopdown",
                           help="path of the program on every machine [default: stopdown]")
    arguments.add_argument("--out", required=True, help="folder for the results")
    arguments.add_argument("--parts", type=int, default=100, help="number of shards [default: 100]")
    arguments.add_argument("--moves", action="store_true", help="also write a table of all evaluated moves")
    arguments.add_argument("--tolerate", type=int, default=0, help="number of unreadable games to accept [default: 0]")
    for name in FILTERS:
        arguments.add_argument("--" + name, action=Once, help="select games; see stopdown split --help")
    for name in REPEATABLE_FILTERS:
        arguments.add_argument("--" + name, action="append", default=[],
                               help="select games; may be repeated; see stopdown split --help")
    given, options = arguments.parse_args(words[:end]), words[end + 1 :]
    if "--tolerate" in options:
        arguments.error("put --tolerate before the --, because it counts the games of all shards")
    spark = SparkSession.builder.appName("stopdown").getOrCreate()
    out = Folder(spark, given.out)
    with out.claimed(), tempfile.TemporaryDirectory() as local:
        save(spark, given, options, out, local)
    spark.stop()


if __name__ == "__main__":
    main()
