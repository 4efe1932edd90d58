//! What a certificate itself says.

use x509_cert::Certificate;
use x509_cert::der::Decode;

/// Whether it can be read at all.
pub(super) fn is_readable(der: &[u8]) -> bool {
    Certificate::from_der(der).is_ok()
}

/// Whether it is valid at this time, in seconds since 1970.
///
/// # Errors
/// What is wrong and what to do.
pub(super) fn check_dates(der: &[u8], now_s: u64) -> Result<(), String> {
    let certificate = Certificate::from_der(der)
        .map_err(|error| format!("its first certificate cannot be read ({error}); write X.509 in PEM"))?;
    let validity = certificate.tbs_certificate().validity();
    let (from, to) = (validity.not_before, validity.not_after);
    if now_s > to.to_unix_duration().as_secs() {
        return Err(format!("the certificate has expired, on {to}; get a new one"));
    }
    if now_s < from.to_unix_duration().as_secs() {
        return Err(format!("the certificate is not valid before {from}; check the clock of this machine"));
    }
    Ok(())
}
