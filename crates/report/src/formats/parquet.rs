//! Parquet: every value of every slice, one a row.

use super::error::ExportError;
use super::series::{One, each};
use ::parquet::basic::Compression;
use ::parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;
use proofload_store::schema::{RunResult, Slice};
use std::io::Write;
use std::sync::Arc;

/// Columns, in the order in which [`Rows::write`] writes them.
const SCHEMA: &str = "message proofload {
    required int32 block;
    required binary phase (STRING);
    required int32 cycle;
    required int32 position;
    required binary variant (STRING);
    required binary stream (STRING);
    required binary point (STRING);
    required boolean in_figures;
    required int64 window_start (TIMESTAMP(NANOS,true));
    required binary grain (STRING);
    required int64 at_ns;
    required binary series (STRING);
    optional double value;
    required boolean at_least;
}";

/// Rows that are kept in memory before they are written together.
const ROWS: usize = 131_072;

/// Writes every value of every slice as a row, and a description of the run as metadata of the file.
///
/// # Errors
/// If it cannot be written.
pub fn parquet(result: &RunResult, slices: &[&Slice], to: impl Write + Send) -> Result<(), ExportError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(metadata(result)))
        .build();
    let mut file = SerializedFileWriter::new(to, schema, Arc::new(properties))?;
    let mut rows = Rows::default();
    for slice in slices {
        let of = Of::new(slice, result.counts(slice));
        each(slice, &mut |one| {
            rows.add(&of, &one);
            match rows.block.len() < ROWS {
                true => Ok(()),
                false => std::mem::take(&mut rows).write(file.next_row_group()?),
            }
        })?;
    }
    if !rows.block.is_empty() {
        rows.write(file.next_row_group()?)?;
    }
    file.close()?;
    Ok(())
}

fn small(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

fn long(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// The columns in the order of [`SCHEMA`], each with its type and its value: of a slice, and of one of its values.
macro_rules! columns {
    (
        |$slice:ident, $counts:ident| { $($of:ident: $of_type:ident = $of_value:expr;)+ }
        |$one:ident| { $($name:ident: $type:ident = $value:expr;)+ }
    ) => {
        /// Columns that are the same for all values of a slice.
        struct Of {
            $($of: <$of_type as DataType>::T,)+
        }

        impl Of {
            fn new($slice: &Slice, $counts: bool) -> Of {
                Of { $($of: $of_value,)+ }
            }
        }

        #[derive(Default)]
        struct Rows {
            $($of: Vec<<$of_type as DataType>::T>,)+
            $($name: Vec<<$type as DataType>::T>,)+
            value: Vec<f64>,
            /// 1 for each row with a value, 0 for others.
            has_value: Vec<i16>,
            at_least: Vec<bool>,
        }

        impl Rows {
            fn add(&mut self, of: &Of, $one: &One<'_>) {
                $(self.$of.push(of.$of.clone());)+
                $(self.$name.push($value);)+
                self.value.extend($one.value);
                self.has_value.push($one.value.is_some().into());
                self.at_least.push($one.at_least);
            }

            fn write<W: Write + Send>(self, mut group: SerializedRowGroupWriter<'_, W>) -> Result<(), ExportError> {
                let to = &mut group;
                $(column::<$of_type, W>(to, &self.$of, None)?;)+
                $(column::<$type, W>(to, &self.$name, None)?;)+
                column::<DoubleType, W>(to, &self.value, Some(&self.has_value))?;
                column::<BoolType, W>(to, &self.at_least, None)?;
                group.close()?;
                Ok(())
            }
        }
    };
}

columns! {
    |slice, counts| {
        block: Int32Type = small(slice.block);
        phase: ByteArrayType = slice.phase.name().into();
        cycle: Int32Type = small(slice.cycle);
        position: Int32Type = small(slice.position);
        variant: ByteArrayType = slice.measured.variant.as_str().into();
        stream: ByteArrayType = slice.measured.stream.as_str().into();
        point: ByteArrayType = slice.measured.point.as_str().into();
        in_figures: BoolType = counts;
        window_start: Int64Type = long(slice.started_unix_ns);
    }
    |one| {
        grain: ByteArrayType = one.grain.into();
        at_ns: Int64Type = long(one.at_ns);
        series: ByteArrayType = one.series.into();
    }
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    has_value: Option<&[i16]>,
) -> Result<(), ExportError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(values, has_value, None)?;
    column.close()?;
    Ok(())
}

/// Description of the run: text under keys that begin with `proofload.`; variants with the levels of their factors as
/// JSON.
fn metadata(result: &RunResult) -> Vec<KeyValue> {
    let plan = result.plan.as_ref();
    let seed = plan.map(|plan| plan.seed).or(result.load.as_ref().map(|load| load.seed));
    let began = result.status.sittings.first().map(|sitting| sitting.began_unix_ns.to_string());
    let environment = &result.environment;
    let pairs = [
        ("version", environment.proofload.clone()),
        ("study", result.study.clone()),
        ("question", result.question.clone()),
        ("run", result.run.clone()),
        ("state", result.status.state.name().to_string()),
        ("began_unix_ns", began.unwrap_or_default()),
        ("preset", plan.map(|plan| plan.preset.name().to_string()).unwrap_or_default()),
        ("replication", result.replication.name().to_string()),
        ("seed", seed.map(|seed| seed.to_string()).unwrap_or_default()),
        ("variants", serde_json::to_string(&result.variants).unwrap_or_default()),
        ("machine", environment.machine.clone()),
        ("cpu_model", environment.cpu_model.clone()),
        ("kernel", environment.kernel.clone()),
    ];
    let known = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(key, value)| KeyValue::new(format!("proofload.{key}"), value)).collect()
}
