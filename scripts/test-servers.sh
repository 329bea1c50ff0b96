#!/bin/sh
# Downloads the servers that tests start from Maven Central: Trino, and an S3-compatible store.
#
# Input: java/test-servers (versions, and excluded dependencies). Output: .cache/test-servers, which the crate
# testkit reads:
#   trino/*.jar         Trino's server
#   plugin/hive/*.jar   its connector for Parquet files, and services/, which names the connector
#   s3/*.jar            S3Proxy
#   launcher/           TestServer, which starts both servers
#   trino.jsa           Trino's classes as JDK 25 stores them in memory; missing without that JDK
#   fetched             digest of everything that the folder was made from; written last
#
# The download is about 240 MB and takes one or two minutes. If nothing changed, the script does nothing. One
# digest checks all jars. If the file system allows it, the jars are links to Maven's copies.

set -eu
cd "$(dirname "$0")/.."

SOURCES=java/test-servers
OUT=.cache/test-servers
# Digest of the names and SHA-256 digests of all jars. After a change of versions, the script prints the
# new digest.
JARS_SHA256=cd23f94e085833b77b37ef10a518e1c6ebb348ab3d2017a53d9611401ee48f0f
# Seconds between two lines of progress.
PROGRESS_SECONDS=5

main() {
    wanted=$(cat "$0" $SOURCES/pom.xml $SOURCES/*/pom.xml $SOURCES/TestServer.java | sha256sum)
    [ "$(cat $OUT/fetched 2>/dev/null)" != "$wanted" ] || return 0
    log=$(mktemp)
    new=$OUT.$$
    trap 'rm -rf "$log" "$new"' EXIT
    fetch
    lay_out "$new"
    check "$new"
    rm -rf "$OUT"
    mv "$new" "$OUT"
    archive_classes
    printf '%s\n' "$wanted" >"$OUT/fetched"
}

say() { echo "setup: $*" >&2; }

fail() {
    say "$@"
    exit 1
}

# Downloads the jars with Maven, which also writes each module's class path.
fetch() {
    mvn -B -C -f $SOURCES/pom.xml dependency:build-classpath >"$log" 2>&1 &
    maven=$!
    seconds=0
    while kill -0 $maven 2>/dev/null; do
        sleep 1
        seconds=$((seconds + 1))
        jars=$(grep -c 'Downloaded from .*\.jar ' "$log") || continue
        [ $((seconds % PROGRESS_SECONDS)) -ne 0 ] || say "fetching servers for tests, about 240 MB: $jars jars so far"
    done
    wait $maven || {
        grep '^\[ERROR\]' "$log" >&2 || cat "$log" >&2
        fail "Maven could not fetch the servers that tests start; try: mvn -f $SOURCES/pom.xml dependency:build-classpath"
    }
}

# Makes the folder $1 as described above, without the file `fetched`.
lay_out() {
    rm -rf "$1"
    link_jars trino "$1/trino"
    link_jars hive "$1/plugin/hive"
    link_jars s3 "$1/s3"
    mkdir -p "$1/plugin/hive/services/META-INF/services"
    echo io.trino.plugin.hive.HivePlugin >"$1/plugin/hive/services/META-INF/services/io.trino.spi.Plugin"
    javac --release 17 -d "$1/classes" $SOURCES/TestServer.java
    mkdir "$1/launcher"
    jar --create --file "$1/launcher/launcher.jar" -C "$1/classes" .
    rm -r "$1/classes"
}

# Links or copies the jars of module $1 into folder $2.
link_jars() {
    mkdir -p "$2"
    tr ':' '\n' <"$SOURCES/$1/target/class-path.txt" | while IFS= read -r jar || [ -n "$jar" ]; do
        ln -f "$jar" "$2/" 2>/dev/null || cp "$jar" "$2/"
    done
}

check() {
    found=$(cd "$1" && find ./trino ./plugin ./s3 -name '*.jar' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
    [ "$found" = $JARS_SHA256 ] ||
        fail "the jars in $1 are not the ones that were tested; their digest is $found, JARS_SHA256 in $0 is $JARS_SHA256"
}

# Starts Trino once and saves its loaded classes, so that each later start takes 8 s of CPU instead of 16. If this
# fails, later starts are slower, but nothing else changes.
archive_classes() {
    java=$(java_25) || return 0
    say "starting Trino once, so that tests start it faster"
    node=$(mktemp -d)
    mkdir "$node/catalog"
    cat >"$node/config.properties" <<END
coordinator=true
http-server.http.port=0
discovery.uri=http://127.0.0.1:1
node.environment=test
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
plugin.dir=$PWD/$OUT/plugin
catalog.config-dir=$node/catalog
END
    cat >"$node/catalog/files.properties" <<END
connector.name=hive
hive.metastore=file
hive.metastore.catalog.dir=local://$node/tables
fs.local.enabled=true
local.location=/
fs.s3.enabled=true
s3.region=us-east-1
END
    out=$PWD/$OUT
    # Trino writes a log of requests into the folder in which it is started.
    (cd "$node" && timeout 300 "$java" -XX:ArchiveClassesAtExit="$out/trino.jsa" -Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
        --add-modules=jdk.incubator.vector --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
        -Djdk.attach.allowAttachSelf=true -Dconfig="$node/config.properties" \
        -cp "$out/launcher/launcher.jar:$out/trino/*" TestServer trino-once test) >"$log" 2>&1 ||
        say "without trino.jsa: $(tail -n 3 "$log")"
    rm -rf "$node"
}

# Prints the path of java in a JDK 25. testkit searches in the same places.
java_25() {
    for home in /usr/lib/jvm/* /opt/java/* /usr/java/* "${JAVA_HOME:-/none}"; do
        grep -qs '^JAVA_VERSION="25[."]' "$home/release" && [ -x "$home/bin/java" ] && echo "$home/bin/java" && return
    done
    return 1
}

main "$@"
