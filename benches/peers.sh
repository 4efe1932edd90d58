#!/usr/bin/env bash
# Brings the load testers that docs/benchmarks.md compares into a folder: benches/peers.sh FOLDER, then PEERS=FOLDER.
# On Debian as root, with Rust, Go, Maven and a JDK; from package registries only. vegeta's Go module is not in all mirrors.
set -uo pipefail
folder=$(mkdir -p "${1:?name a folder}" && cd "$1" && pwd)
mkdir -p "$folder/bin" "$folder/jmeter"
missing=()

for program in wrk ab h2load hey nginx; do
  command -v "$program" > /dev/null || missing+=("$program")
done
if [ ${#missing[@]} -gt 0 ]; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends wrk apache2-utils nghttp2-client hey nginx-light
fi

export GOPATH="$folder/go" GOFLAGS=-modcacherw
for module in go.k6.io/k6@v1.8.1 github.com/tsenart/vegeta/v12@v12.12.0; do
  go install "$module" || echo "not to be had: $module" >&2
done
cp "$folder"/go/bin/* "$folder/bin/"

cargo install --locked --root "$folder" --target-dir "$folder/oha-target" oha@1.16.0 || echo "not to be had: oha" >&2

# JMeter as its own launcher starts it: its settings beside it, its parts on the class path.
cat > "$folder/jmeter/pom.xml" <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>peers</groupId>
  <artifactId>jmeter</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.jmeter</groupId><artifactId>ApacheJMeter</artifactId><version>5.6.3</version></dependency>
    <dependency><groupId>org.apache.jmeter</groupId><artifactId>ApacheJMeter_http</artifactId><version>5.6.3</version></dependency>
    <dependency><groupId>org.apache.jmeter</groupId><artifactId>ApacheJMeter_components</artifactId><version>5.6.3</version></dependency>
    <dependency><groupId>org.apache.jmeter</groupId><artifactId>ApacheJMeter_config</artifactId><version>5.6.3</version></dependency>
  </dependencies>
</project>
XML
mkdir -p "$folder/jmeter/home/bin" "$folder/jmeter/home/lib/ext"
(cd "$folder/jmeter" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=home/lib) || echo "not to be had: JMeter" >&2
(cd "$folder/jmeter/home" && mv lib/ApacheJMeter_*.jar lib/ext/ && mv lib/ApacheJMeter-*.jar bin/ApacheJMeter.jar \
  && unzip -q -o -j lib/ext/ApacheJMeter_config-*.jar 'bin/*' -d bin)
cat > "$folder/bin/jmeter" <<SH
#!/usr/bin/env bash
exec java -Xms1g -Xmx1g -XX:+UseSerialGC -jar "$folder/jmeter/home/bin/ApacheJMeter.jar" "\$@"
SH
chmod +x "$folder/bin/jmeter"
ls "$folder/bin"
