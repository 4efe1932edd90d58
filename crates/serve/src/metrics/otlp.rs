//! Figures as a request of OTLP, in protobuf: `ExportMetricsServiceRequest` of opentelemetry-proto 1.x. The numbers of its
//! fields are those of `metrics.proto`, `common.proto` and `resource.proto` there.

use crate::metrics::protobuf::{Message, Read, fields};
use crate::metrics::sheet::{Family, Figures, Sample, Times, Value};
use crate::metrics::{About, Kind};

/// Counts are since the beginning of the run, not since the last push.
const CUMULATIVE: u64 = 2;

/// Of when the figures are, nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub began_unix_ns: u64,
    /// Time of the figures.
    pub unix_ns: u64,
}

/// The figures as a request of OTLP. Attributes in `resource` take precedence over those that Proofload sets itself.
pub fn otlp(figures: &Figures, resource: &[(String, String)], moment: Moment) -> Vec<u8> {
    request(figures, resource, moment, env!("CARGO_PKG_VERSION"))
}

fn request(figures: &Figures, resource: &[(String, String)], moment: Moment, version: &str) -> Vec<u8> {
    let instance = format!("{}-{}", std::process::id(), moment.began_unix_ns);
    let own =
        [("service.name", "proofload"), ("service.version", version), ("service.instance.id", &instance)];
    let own = own.into_iter().filter(|(key, _)| !resource.iter().any(|(known, _)| known == key));
    let given = resource.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let mut request = Message::default();
    request.message(1, |resource_metrics| {
        resource_metrics.message(1, |resource| {
            given.chain(own).for_each(|(key, value)| attribute(resource, 1, key, value));
        });
        resource_metrics.message(2, |scope_metrics| {
            scope_metrics.message(1, |scope| {
                scope.text(1, "proofload");
                scope.text(2, version);
            });
            for family in &figures.families {
                scope_metrics.message(2, |metric| write_family(metric, family, &figures.study, moment));
            }
        });
    });
    request.into_bytes()
}

fn attribute(message: &mut Message, field: u64, key: &str, value: &str) {
    message.message(field, |pair| {
        pair.text(1, key);
        pair.message(2, |any| any.present_text(1, value));
    });
}

fn write_family(metric: &mut Message, family: &Family, study: &str, moment: Moment) {
    let about = family.about;
    metric.text(1, &about.in_opentelemetry());
    metric.text(2, &format!("{}.", about.help));
    metric.text(3, about.unit.ucum());
    let (gauge, sum, histogram) = (5, 7, 9);
    match about.kind {
        Kind::Counter => metric.message(sum, |sum| {
            let since = moment.began_unix_ns;
            family.samples.iter().for_each(|sample| number(sum, about, study, sample, since, moment));
            sum.varint(2, CUMULATIVE);
            // It only grows.
            sum.varint(3, 1);
        }),
        Kind::Gauge | Kind::Info => metric.message(gauge, |gauge| {
            family.samples.iter().for_each(|sample| number(gauge, about, study, sample, 0, moment));
        }),
        Kind::Histogram => metric.message(histogram, |histogram| {
            family.samples.iter().for_each(|sample| durations(histogram, about, study, sample, moment));
            histogram.varint(2, CUMULATIVE);
        }),
    }
}

/// As Prometheus has them: an empty one is left out.
fn labels(point: &mut Message, field: u64, about: &About, study: &str, values: &[String]) {
    let own = about.labels.iter().copied().zip(values.iter().map(String::as_str));
    let all = [("study", study)].into_iter().chain(own);
    all.filter(|(_, value)| !value.is_empty()).for_each(|(key, value)| attribute(point, field, key, value));
}

fn number(data: &mut Message, about: &About, study: &str, sample: &Sample, since: u64, moment: Moment) {
    let (as_double, as_int) = (4, 6);
    data.message(1, |point| {
        point.fixed(2, since);
        point.fixed(3, moment.unix_ns);
        match &sample.value {
            Value::Number(number) => point.present_fixed(as_double, number.to_bits()),
            Value::Times(times) => point.present_fixed(as_double, times.sum_s().to_bits()),
            Value::Count(count) => point.present_fixed(as_int, (*count).min(i64::MAX as u64)),
        }
        labels(point, 7, about, study, &sample.labels);
    });
}

fn durations(data: &mut Message, about: &About, study: &str, sample: &Sample, moment: Moment) {
    let none = Times::default();
    let times = if let Value::Times(times) = &sample.value { times } else { &none };
    data.message(1, |point| {
        point.fixed(2, moment.began_unix_ns);
        point.fixed(3, moment.unix_ns);
        point.fixed(4, times.count());
        point.present_fixed(5, times.sum_s().to_bits());
        point.list(6, times.counts.iter().copied());
        point.list(7, Times::bounds_s().map(f64::to_bits));
        labels(point, 9, about, study, &sample.labels);
    });
}

/// A collector's answer to a request that it accepted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub rejected: u64,
    pub why: String,
}

/// An answer to a request, `ExportMetricsServiceResponse`; `None` if it is not one.
pub(crate) fn answer(bytes: &[u8]) -> Option<Taken> {
    let mut taken = Taken::default();
    for (field, value) in fields(bytes)? {
        match (field, value) {
            (1, Read::Bytes(partial)) => taken = partial_success(partial)?,
            (1, _) => return None,
            _ => {}
        }
    }
    Some(taken)
}

fn partial_success(bytes: &[u8]) -> Option<Taken> {
    let mut taken = Taken::default();
    for (field, value) in fields(bytes)? {
        match (field, value) {
            // Of a number below 0 nothing is known.
            (1, Read::Varint(rejected)) => {
                taken.rejected = if rejected > i64::MAX as u64 { 0 } else { rejected }
            }
            (2, Read::Bytes(why)) => taken.why = std::str::from_utf8(why).ok()?.to_string(),
            (1 | 2, _) => return None,
            _ => {}
        }
    }
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Unit;

    const fn about(kind: Kind, unit: Unit, labels: &'static [&'static str]) -> About {
        About { name: "it", kind, unit, labels, help: "What it is" }
    }

    static COUNTER: About = about(Kind::Counter, Unit::Count, &["variant", "point"]);
    static GAUGE: About = about(Kind::Gauge, Unit::Bytes, &[]);
    static INFO: About = about(Kind::Info, Unit::Ratio, &["state"]);
    static HISTOGRAM: About = about(Kind::Histogram, Unit::Seconds, &["variant"]);

    fn family(about: &'static About, samples: &[(&[&str], Value)]) -> Family {
        let sample = |(labels, value): &(&[&str], Value)| Sample {
            labels: labels.iter().map(ToString::to_string).collect(),
            value: value.clone(),
        };
        Family { about, samples: samples.iter().map(sample).collect() }
    }

    /// Every kind of metric and of value, at its limits.
    fn figures() -> Figures {
        let mut times = Times { sum_ns: 1_500_000_000, ..Times::default() };
        (times.counts[0], times.counts[3], times.counts[21]) = (1, 300, 70_000);
        let families = vec![
            family(
                &COUNTER,
                &[
                    (&["nio", "64c"], Value::Count(0)),
                    (&["", "連"], Value::Count(u64::MAX)),
                    (&["a", ""], Value::Number(0.25)),
                    (&["b", "c"], Value::Times(times.clone())),
                ],
            ),
            family(
                &GAUGE,
                &[(&[], Value::Number(-0.0)), (&[], Value::Number(f64::MAX)), (&[], Value::Count(7))],
            ),
            family(&INFO, &[(&["finished"], Value::Count(1))]),
            family(
                &HISTOGRAM,
                &[
                    (&["nio"], Value::Times(times)),
                    (&[""], Value::Times(Times::default())),
                    (&["x"], Value::Count(9)),
                ],
            ),
            family(&GAUGE, &[]),
        ];
        Figures { study: "quick".to_string(), families }
    }

    /// `request.pb` was made by `opentelemetry-proto` 0.33 and `prost` 0.14, the types of OpenTelemetry.
    #[test]
    fn a_request_has_the_bytes_that_the_types_of_opentelemetry_make() {
        let resource = [("service.instance.id", "7"), ("", ""), ("long", &*"x".repeat(200))]
            .map(|(key, value)| (key.to_string(), value.to_string()));
        let moment = Moment { began_unix_ns: 1, unix_ns: 1_700_000_000_000_000_000 };
        let made = request(&figures(), &resource, moment, "1.2.3");
        assert_eq!(made, include_bytes!("../../testdata/request.pb"));
    }

    #[test]
    fn an_answer_is_read_and_what_is_none_is_told() {
        let rejected = |rejected, why: &str| Some(Taken { rejected, why: why.to_string() });
        assert_eq!(answer(b""), rejected(0, ""));
        assert_eq!(answer(b"\x0a\x00"), rejected(0, ""));
        assert_eq!(answer(b"\x0a\x06\x08\xac\x02\x12\x01x"), rejected(300, "x"));
        assert_eq!(answer(b"\x12\x01x\x0a\x02\x08\x03"), rejected(3, ""), "a field of a later version");
        let below = b"\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(answer(below), rejected(0, ""));
        for bad in [b"OK".as_slice(), b"\x0a\x7f", b"\x08\x01", b"\x0a\x02\x10\x01", b"\x0a\x03\x12\x01\xff"]
        {
            assert_eq!(answer(bad), None, "{bad:x?}");
        }
    }
}
