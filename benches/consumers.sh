#!/usr/bin/env bash
# Fetches and compiles the Java clients that docs/benchmarks.md compares calls with: benches/consumers.sh FOLDER, then PEERS=FOLDER.
# With Maven and a JDK of 11 or later; from Maven Central only.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "${1:?name a folder}/consumers" && cd "$1/consumers" && pwd)
mvn -q -B -f "$root/benches/src/java/pom.xml" dependency:copy-dependencies -DoutputDirectory="$folder/lib"
javac -nowarn -proc:none -d "$folder/classes" -cp "$folder/lib/*" "$root/benches/src/java/Consumer.java" \
  "$root"/subjects/java/lab/{EchoService,FullAddress,Person}.java "$root/subjects/rmi/src/RemoteEchoService.java"
# JMeter's settings.
unzip -q -o "$folder"/lib/ApacheJMeter_config-*.jar 'bin/*' -d "$folder"
echo "$folder"
