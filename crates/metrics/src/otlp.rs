//! Figures as a request of OTLP, in protobuf.

use crate::family::{Figures, Times, Value};
use crate::{About, Kind};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
    ScopeMetrics, Sum, metric::Data,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;

/// Of when the figures are, nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When counting began.
    pub began_unix_ns: u64,
    /// When the figures were taken.
    pub unix_ns: u64,
}

/// The figures as a request of OTLP. What `resource` says goes before what Proofload says of itself.
pub fn otlp(figures: &Figures, resource: &[(String, String)], moment: Moment) -> Vec<u8> {
    let instance = format!("{}-{}", std::process::id(), moment.began_unix_ns);
    let own = [
        ("service.name", "proofload"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", &instance),
    ];
    let own = own.into_iter().filter(|(key, _)| !resource.iter().any(|(known, _)| known == key));
    let given = resource.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let attributes = given.chain(own).map(|(key, value)| pair(key, value)).collect();
    let scope = InstrumentationScope {
        name: "proofload".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        ..InstrumentationScope::default()
    };
    let metrics = figures.families.iter().map(|family| {
        let points = family.samples.iter();
        let labels = |values: &[String]| labels(family.about, &figures.study, values);
        let about = family.about;
        Metric {
            name: about.in_opentelemetry(),
            description: format!("{}.", about.help),
            unit: about.unit.ucum().to_string(),
            data: Some(data(about.kind, moment, points.map(|s| (labels(&s.labels), &s.value)))),
            ..Metric::default()
        }
    });
    let request = ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(Resource { attributes, ..Resource::default() }),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(scope),
                metrics: metrics.collect(),
                ..ScopeMetrics::default()
            }],
            ..ResourceMetrics::default()
        }],
    };
    request.encode_to_vec()
}

fn pair(key: &str, value: &str) -> KeyValue {
    let value = Some(any_value::Value::StringValue(value.to_string()));
    KeyValue { key: key.to_string(), value: Some(AnyValue { value }), ..KeyValue::default() }
}

/// As Prometheus has them: an empty one is left out.
fn labels(about: &About, study: &str, values: &[String]) -> Vec<KeyValue> {
    let own = about.labels.iter().copied().zip(values.iter().map(String::as_str));
    let all = [("study", study)].into_iter().chain(own);
    all.filter(|(_, value)| !value.is_empty()).map(|(key, value)| pair(key, value)).collect()
}

fn data<'a>(kind: Kind, moment: Moment, points: impl Iterator<Item = (Vec<KeyValue>, &'a Value)>) -> Data {
    let temporality = AggregationTemporality::Cumulative as i32;
    let number = |(attributes, value): (Vec<KeyValue>, &Value), since| NumberDataPoint {
        attributes,
        start_time_unix_nano: since,
        time_unix_nano: moment.unix_ns,
        value: Some(match value {
            Value::Count(count) => Number::AsInt(i64::try_from(*count).unwrap_or(i64::MAX)),
            Value::Number(number) => Number::AsDouble(*number),
            Value::Times(times) => Number::AsDouble(times.sum_s()),
        }),
        ..NumberDataPoint::default()
    };
    match kind {
        Kind::Counter => Data::Sum(Sum {
            data_points: points.map(|point| number(point, moment.began_unix_ns)).collect(),
            aggregation_temporality: temporality,
            is_monotonic: true,
        }),
        Kind::Gauge | Kind::Info => {
            Data::Gauge(Gauge { data_points: points.map(|point| number(point, 0)).collect() })
        }
        Kind::Histogram => Data::Histogram(Histogram {
            data_points: points.map(|(attributes, value)| durations(attributes, value, moment)).collect(),
            aggregation_temporality: temporality,
        }),
    }
}

fn durations(attributes: Vec<KeyValue>, value: &Value, moment: Moment) -> HistogramDataPoint {
    let none = Times::default();
    let times = if let Value::Times(times) = value { times } else { &none };
    HistogramDataPoint {
        attributes,
        start_time_unix_nano: moment.began_unix_ns,
        time_unix_nano: moment.unix_ns,
        count: times.count(),
        sum: Some(times.sum_s()),
        bucket_counts: times.counts.clone(),
        explicit_bounds: Times::bounds_s().collect(),
        ..HistogramDataPoint::default()
    }
}
