//! Slices of several streams as one, kept while their run is in memory.

use crate::StoreError;
use crate::schema::{Phase, Slice};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Slices that were fused already: every question to a record asks for the same ones, and each takes a while.
#[derive(Clone, Debug, Default)]
pub struct Fused(Arc<Mutex<BTreeMap<Key, Slice>>>);

/// Block, cycle, position, phase, variant and load point.
type Key = (u32, u32, u32, Phase, String, String);

impl Fused {
    /// The slice with this first line, made by `fuse` the first time.
    ///
    /// # Errors
    /// Those of `fuse`.
    pub fn of(
        &self,
        first: &Slice,
        fuse: impl FnOnce() -> Result<Slice, StoreError>,
    ) -> Result<Slice, StoreError> {
        let (variant, point) = (first.measured.variant.clone(), first.measured.point.clone());
        let key = (first.block, first.cycle, first.position, first.phase.clone(), variant, point);
        // No code panics while holding it; if one did, its contents would still be whole.
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slice) = known().get(&key) {
            return Ok(slice.clone());
        }
        let slice = fuse()?;
        known().insert(key, slice.clone());
        Ok(slice)
    }
}
