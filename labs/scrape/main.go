// Reads Proofload's figures with what others wrote: the parsers of Prometheus itself, the linter behind
// `promtool check metrics`, and the collector's own types of OTLP. `cargo xtask scrape` runs it.
// Also the dashboard and the workflow of docs/, with Grafana's schema and with actionlint.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
)

// One sample, whatever format it came in.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

// What Prometheus makes of OpenMetrics.
func openMetrics(text []byte) (found []sample, err error) {
	parser := textparse.NewOpenMetricsParser(text, labels.NewSymbolTable())
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var all labels.Labels
		_, _, value := parser.Series()
		parser.Labels(&all)
		one := sample{labels: map[string]string{}, value: value}
		all.Range(func(l labels.Label) {
			if l.Name == labels.MetricName {
				one.name = l.Value
			} else {
				one.labels[l.Name] = l.Value
			}
		})
		found = append(found, one)
	}
}

// What `promtool check metrics` says of the older format, and its samples of counters and gauges.
func olderText(text []byte) (found []sample, err error) {
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		return nil, err
	}
	for _, problem := range problems {
		return nil, fmt.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	for name, family := range families {
		for _, metric := range family.Metric {
			one := sample{name: name, labels: map[string]string{}}
			one.value = metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			for _, label := range metric.Label {
				one.labels[label.GetName()] = label.GetValue()
			}
			found = append(found, one)
		}
	}
	return found, err
}

// What the collector makes of a push, sums and gauges, under the names that Prometheus has for them.
func protobuf(body []byte) (found []sample, err error) {
	request := pmetricotlp.NewExportRequest()
	if err := request.UnmarshalProto(body); err != nil {
		return nil, err
	}
	add := func(name string, points pmetric.NumberDataPointSlice) {
		for _, point := range points.All() {
			one := sample{name: name, labels: map[string]string{}, value: point.DoubleValue()}
			if point.ValueType() == pmetric.NumberDataPointValueTypeInt {
				one.value = float64(point.IntValue())
			}
			for key, value := range point.Attributes().All() {
				one.labels[key] = value.AsString()
			}
			found = append(found, one)
		}
	}
	units := map[string]string{"s": "_seconds", "By": "_bytes", "1": "_ratio", "": ""}
	for _, resource := range request.Metrics().ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				name := strings.ReplaceAll(metric.Name(), ".", "_") + units[metric.Unit()]
				switch metric.Type() {
				case pmetric.MetricTypeSum:
					if !metric.Sum().IsMonotonic() || metric.Sum().AggregationTemporality() != pmetric.AggregationTemporalityCumulative {
						return nil, fmt.Errorf("%s is not cumulative", name)
					}
					add(name+"_total", metric.Sum().DataPoints())
				case pmetric.MetricTypeGauge:
					add(name, metric.Gauge().DataPoints())
				case pmetric.MetricTypeHistogram:
					for _, point := range metric.Histogram().DataPoints().All() {
						one := sample{name: name + "_count", labels: map[string]string{}, value: float64(point.Count())}
						if point.BucketCounts().Len() != point.ExplicitBounds().Len()+1 {
							return nil, fmt.Errorf("%s has %d counts", name, point.BucketCounts().Len())
						}
						found = append(found, one)
					}
				}
			}
		}
	}
	return found, nil
}

// The sum of the samples of a metric with these labels.
func sum(found []sample, name string, wanted map[string]string) (total float64, number int) {
	for _, one := range found {
		fits := one.name == name
		for key, value := range wanted {
			fits = fits && one.labels[key] == value
		}
		if fits {
			total, number = total+one.value, number+1
		}
	}
	return total, number
}

func hostile(folder string) {
	names, err := filepath.Glob(filepath.Join(folder, "*.name"))
	check(folder, err)
	if len(names) == 0 {
		check(folder, errors.New("there are no names in it"))
	}
	readers := map[string]func([]byte) ([]sample, error){"om": openMetrics, "txt": olderText, "pb": protobuf}
	for _, path := range names {
		name, err := os.ReadFile(path)
		check(path, err)
		for ending, read := range readers {
			path := strings.TrimSuffix(path, "name") + ending
			bytes, err := os.ReadFile(path)
			check(path, err)
			found, err := read(bytes)
			check(path, err)
			text := string(name)
			wanted := map[string]string{"study": text, "variant": text, "point": text, "stream": text, "outcome": "answered"}
			if total, number := sum(found, "proofload_exchanges_total", wanted); total != 7 || number != 1 {
				check(path, fmt.Errorf("%q: %v of %d samples in %v", text, total, number, found))
			}
		}
	}
	fmt.Printf("%d names read by 3 readers\n", len(names))
}

// A collector of OTLP over HTTP, which keeps the last push.
type collector struct {
	sync.Mutex
	last   []sample
	pushes int
}

func (c *collector) ServeHTTP(to http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	check("a push", err)
	found, err := protobuf(body)
	check("a push", err)
	c.Lock()
	c.last, c.pushes = found, c.pushes+1
	c.Unlock()
	answer, err := pmetricotlp.NewExportResponse().MarshalProto()
	check("an answer", err)
	to.Header().Set("Content-Type", "application/x-protobuf")
	to.Write(answer)
}

func scrape(address, accept string, scraper bool) ([]byte, error) {
	request, err := http.NewRequest("GET", address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	if scraper {
		request.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", "1")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// A measurement of the executable, scraped and collected; the last figures of both must be those of its result.
func measured(executable, folder string) {
	server := exec.Command(executable, "reference-server", "--port", "0")
	out, err := server.StdoutPipe()
	check("reference-server", err)
	start(server)
	defer server.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	check("reference-server", err)
	url := line[strings.Index(line, "http://"):]

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check("collector", err)
	collected := &collector{}
	go http.Serve(listener, collected)

	load := exec.Command(executable, strings.TrimSpace(url), "-d", "4s", "-c", "4", "--dir", folder,
		"--format", "json", "--prometheus", "0", "--otlp", "http://"+listener.Addr().String())
	load.Env = append(os.Environ(), "OTEL_METRIC_EXPORT_INTERVAL=1000")
	var result bytes.Buffer
	load.Stdout = &result
	said, err := load.StderrPipe()
	check("proofload", err)
	start(load)
	lines := bufio.NewReader(said)
	line, err = lines.ReadString('\n')
	check("proofload", err)
	page := strings.TrimSpace(line[strings.Index(line, "http://"):])
	go io.Copy(io.Discard, lines)

	var pages [2][]byte
	for {
		older, err := scrape(page, "text/plain;version=0.0.4", false)
		if err != nil {
			break
		}
		// A scraper's page of the end is the last one: not before the other format had its end, too.
		scraper := pages[0] == nil || bytes.Contains(older, []byte(`state="finished"} 1`))
		open, err := scrape(page, "application/openmetrics-text;version=1.0.0", scraper)
		if err != nil {
			break
		}
		pages = [2][]byte{open, older}
		time.Sleep(200 * time.Millisecond)
	}
	// 12: the generator was not fit on a busy machine, which changes no count.
	var exit *exec.ExitError
	if err := load.Wait(); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 12) {
		check("proofload", err)
	}
	open, err := openMetrics(pages[0])
	check("the last page", err)
	older, err := olderText(pages[1])
	check("the last page", err)
	compare(result.Bytes(), map[string][]sample{"OpenMetrics": open, "text": older, "OTLP": collected.last})
	fmt.Printf("%d pushes; the last figures of all formats are those of the result\n", collected.pushes)
}

// The metrics that samples are of: a histogram has several names.
func names(found []sample) map[string]bool {
	all := map[string]bool{}
	for _, one := range found {
		name := one.name
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, part)
		}
		all[name] = true
	}
	return all
}

func compare(result []byte, formats map[string][]sample) {
	var record struct {
		Points []struct {
			Outcomes map[string]float64
			Sent     float64 `json:"bytes_sent"`
		}
	}
	check("the result", json.Unmarshal(result, &record))
	total := 0.0
	for _, point := range record.Points {
		for _, count := range point.Outcomes {
			total += count
		}
	}
	if total == 0 {
		check("the result", errors.New("it counts nothing"))
	}
	all := names(formats["OpenMetrics"])
	for format, found := range formats {
		if own := names(found); !maps.Equal(own, all) {
			check(format, fmt.Errorf("its metrics are %v, and those of OpenMetrics %v", own, all))
		}
		for outcome, count := range record.Points[0].Outcomes {
			if seen, _ := sum(found, "proofload_exchanges_total", map[string]string{"outcome": outcome}); seen != count {
				check(format, fmt.Errorf("%v %s, and the result says %v", seen, outcome, count))
			}
		}
		if sent, _ := sum(found, "proofload_sent_bytes_total", nil); sent != record.Points[0].Sent {
			check(format, fmt.Errorf("%v bytes sent, and the result says %v", sent, record.Points[0].Sent))
		}
	}
}

// What is started ends with this program, which may leave in the middle of anything.
func start(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	check(command.Path, command.Start())
}

func main() {
	// The kernel sends that signal when the thread ends that started the process.
	runtime.LockOSThread()

	usage := errors.New("scrape figures HOSTILE_FOLDER PROOFLOAD WORK_FOLDER | dashboard FILE | workflow FILE")
	switch args := os.Args[1:]; {
	case len(args) == 4 && args[0] == "figures":
		hostile(args[1])
		measured(args[2], args[3])
	case len(args) == 2 && args[0] == "dashboard":
		dashboardFile(args[1])
	case len(args) == 2 && args[0] == "workflow":
		workflowFile(args[1])
	default:
		check("usage", usage)
	}
}
