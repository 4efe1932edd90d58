//! The memory of this process.

/// Size from which a block of memory is apart from others: a histogram is larger.
#[cfg(target_env = "gnu")]
const APART_BYTES: libc::c_int = 128 * 1024;

/// Keeps large blocks apart from others. A zeroed one takes no memory before it is used then; glibc would place those of a
/// second load where the first one's were, and write them whole.
pub fn keep_large_apart() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt(3) takes two numbers, and no other thread runs yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, APART_BYTES)
    };
}
