//! Figures as text, in the two formats that Prometheus and its relatives read.

use crate::metrics::sheet::{Family, Figures, Times, Value};
use crate::metrics::{Kind, Unit};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, prometheus_text, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{self, Registry};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The older one, 0.0.4, which everything reads.
    Text,
}

impl Format {
    /// Format for a reader that sends this `Accept`.
    pub fn accepted(accept: &str) -> Format {
        match accept.contains("application/openmetrics-text") {
            true => Format::OpenMetrics,
            false => Format::Text,
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Format::Text => prometheus_text::CONTENT_TYPE,
        }
    }
}

impl Figures {
    pub fn text(self, format: Format) -> String {
        let study = (!self.study.is_empty()).then(|| ("study".into(), self.study.clone().into()));
        let mut registry = Registry::with_prefix_and_labels("proofload", study.into_iter());
        registry.register_collector(Box::new(self));
        let mut out = String::new();
        let written = match format {
            Format::OpenMetrics => text::encode(&mut out, &registry),
            Format::Text => prometheus_text::encode(&mut out, &registry),
        };
        written.expect("writing to memory does not fail");
        out
    }
}

impl Collector for Figures {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        self.families.iter().try_for_each(|family| encode(family, &mut encoder))
    }
}

fn encode(family: &Family, encoder: &mut DescriptorEncoder) -> fmt::Result {
    let about = family.about;
    let unit = match about.unit {
        Unit::Count => None,
        Unit::Seconds => Some(registry::Unit::Seconds),
        Unit::Bytes => Some(registry::Unit::Bytes),
        Unit::Ratio => Some(registry::Unit::Other("ratio".to_string())),
    };
    let kind = match about.kind {
        Kind::Counter => MetricType::Counter,
        Kind::Gauge => MetricType::Gauge,
        Kind::Histogram => MetricType::Histogram,
        Kind::Info => MetricType::Info,
    };
    let help = format!("{}.", about.help);
    let mut metric = encoder.encode_descriptor(about.name, &help, unit.as_ref(), kind)?;
    for sample in &family.samples {
        // A label without a value is the same as none.
        let named = about.labels.iter().zip(&sample.labels).filter(|(_, value)| !value.is_empty());
        let labels: Vec<(&str, &str)> = named.map(|(name, value)| (*name, value.as_str())).collect();
        match about.kind {
            Kind::Info => metric.encode_info(&labels)?,
            kind => value(kind, &sample.value, &mut metric.encode_family(&labels)?)?,
        }
    }
    Ok(())
}

fn value(kind: Kind, value: &Value, to: &mut MetricEncoder) -> fmt::Result {
    match (kind, value) {
        (Kind::Counter, Value::Count(count)) => to.encode_counter::<NoLabelSet, _, u64>(count, None),
        (Kind::Counter, Value::Number(number)) => to.encode_counter::<NoLabelSet, _, u64>(number, None),
        (_, Value::Count(count)) => to.encode_gauge(count),
        (_, Value::Number(number)) => to.encode_gauge(number),
        (_, Value::Times(times)) => {
            let ends = Times::bounds_s().chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = ends.zip(times.counts.iter().copied()).collect();
            to.encode_histogram::<NoLabelSet>(times.sum_s(), times.count(), &buckets, None)
        }
    }
}
