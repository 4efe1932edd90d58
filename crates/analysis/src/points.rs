//! Trials over blocks: the points of a result.

use crate::checks::{concerns_tails_only, finding};
use crate::fitness::{checks, counting_blocks};
use crate::merge::merge;
use crate::streams::fused;
use proofload_store::schema::{FitnessCheck, Generator, LoadPoint, Model, Point, Slice, Variant};
use proofload_store::{Run, StoreError};

/// For each load point and variant, in the plan's order: the measured slices of all complete blocks,
/// merged. Histograms are merged before quantiles are taken. Combinations without a slice are left out.
/// With streams first comes the point of all of them together, then one for each.
///
/// # Errors
/// Fails if a stored histogram cannot be read.
pub fn points(run: &Run) -> Result<Vec<Point>, StoreError> {
    let mut points = Vec::new();
    for load in &run.plan().points {
        for variant in &run.plan().variants {
            points.extend(point(run, variant, load)?);
        }
    }
    Ok(points)
}

fn point(run: &Run, variant: &Variant, load: &LoadPoint) -> Result<Vec<Point>, StoreError> {
    let mut blocks = counting_blocks(run);
    if blocks.is_empty() {
        // Measured values are shown, though nothing is judged on them.
        blocks = run.blocks().iter().collect();
    }
    let lines: Vec<&Slice> = blocks
        .iter()
        .flat_map(|block| &block.slices)
        .filter(|slice| slice.is_measured() && slice.is_of(&variant.name, &load.label))
        .collect();
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let named = |stream: &str, model: &Model, connections: u32, merged: Point| Point {
        variant: variant.name.clone(),
        point: load.label.clone(),
        stream: stream.to_string(),
        model: model.clone(),
        connections,
        ..merged
    };
    let slices = match load.streams.is_empty() {
        true => lines.iter().map(|line| (*line).clone()).collect(),
        false => fused(&lines, run.path(), run.fused())?,
    };
    let mut all = merge(&slices.iter().collect::<Vec<_>>(), run.path())?;
    let trials: Vec<&[Slice]> = slices.chunk_by(|a, b| a.block == b.block).collect();
    let checks = checks(run, &blocks, (&variant.name, &load.label), &trials)?;
    enter_checks(&mut all.generator, checks);
    if load.streams.is_empty() {
        return Ok(vec![named("", &load.model, load.connections, all)]);
    }
    // One generator carried all streams: what it was unfit for it was unfit for in each.
    let Generator { fit, findings, checks, .. } = all.generator.clone();
    let mut points = vec![named("", &load.model, load.connections, all)];
    for stream in &load.streams {
        let own: Vec<&Slice> =
            lines.iter().copied().filter(|line| line.measured.stream == stream.stream).collect();
        let own = merge(&own, run.path())?;
        let (findings, checks) = (findings.clone(), checks.clone());
        let generator = Generator { fit, findings, checks, ..own.generator };
        let merged = Point { subject: None, generator, ..own };
        points.push(named(&stream.stream, &stream.model, stream.connections, merged));
    }
    Ok(points)
}

/// A variant, one of its streams, and a load point: `nio @ 64c`, `nio [fast] @ 64c`.
pub fn place_of(variant: &str, stream: &str, point: &str) -> String {
    match stream {
        "" => format!("{variant} @ {point}"),
        stream => format!("{variant} [{stream}] @ {point}"),
    }
}

/// Enters checks that only the record can make. What forbids claims about the tail alone leaves it fit for others.
pub fn enter_checks(generator: &mut Generator, checks: Vec<FitnessCheck>) {
    for check in checks {
        if let Some(finding) = finding(&check).filter(|_| !concerns_tails_only(&check.check)) {
            generator.fit = false;
            generator.findings.push(finding);
        }
        // The check over the record replaces the slices' own.
        generator.checks.retain(|own| own.check != check.check);
        generator.checks.push(check);
    }
}
