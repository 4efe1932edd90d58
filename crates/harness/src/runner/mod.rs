//! Blocks of cycles: start every variant, warm, take turns, stop; look; go on or end.
