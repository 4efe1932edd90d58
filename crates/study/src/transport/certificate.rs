//! Checks of a certificate itself.

use proofload_facts::Mistake;
use std::path::Path;
use time::OffsetDateTime;
use yasna::tags::TAG_UTCTIME;
use yasna::{ASN1Result, BERReader, BERReaderSeq, Tag};

/// True if it can be parsed.
pub(super) fn is_readable(der: &[u8]) -> bool {
    validity(der).is_ok()
}

/// Checks that it is valid at this time, in seconds since 1970.
///
/// # Errors
/// The mistake, and what to do.
pub(super) fn check_dates(path: &Path, der: &[u8], now_s: u64) -> Result<(), Mistake> {
    let (from, to) = validity(der).map_err(|error| super::not_pem(path, Some(error.to_string())))?;
    let file = path.display().to_string();
    let now_s = i64::try_from(now_s).unwrap_or(i64::MAX);
    if now_s > to.unix_timestamp() {
        return Err(Mistake::Expired { file, at: shown(to) });
    }
    if now_s < from.unix_timestamp() {
        return Err(Mistake::NotYetValid { file, at: shown(from) });
    }
    Ok(())
}

/// As RFC 3339 has it.
fn shown(at: OffsetDateTime) -> String {
    let (hour, minute, second) = at.to_hms();
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", at.date())
}

/// Start and end of validity: the fifth part of what is signed, or the fourth without a version (RFC 5280, 4.1).
fn validity(der: &[u8]) -> ASN1Result<(OffsetDateTime, OffsetDateTime)> {
    yasna::parse_der(der, |certificate| {
        certificate.read_sequence(|parts| {
            let validity = parts.next().read_sequence(|signed| {
                signed.read_optional(|version| version.read_tagged(Tag::context(0), |it| it.read_i64()))?;
                for _number_algorithm_issuer in 0..3 {
                    signed.next().read_der()?;
                }
                let dates = |dates: &mut BERReaderSeq<'_, '_>| Ok((time(dates.next())?, time(dates.next())?));
                let validity = signed.next().read_sequence(dates)?;
                rest(signed)?;
                Ok(validity)
            })?;
            rest(parts)?;
            Ok(validity)
        })
    })
}

fn time(time: BERReader<'_, '_>) -> ASN1Result<OffsetDateTime> {
    match time.lookahead_tag()? {
        TAG_UTCTIME => Ok(*time.read_utctime()?.datetime()),
        _ => Ok(*time.read_generalized_time()?.datetime()),
    }
}

fn rest(parts: &mut BERReaderSeq<'_, '_>) -> ASN1Result<()> {
    while parts.read_optional(|it| it.read_der())?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    fn certificate(from: i32, to: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["a.test".to_string()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(from, 1, 2), date_time_ymd(to, 3, 4));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    /// Years before 2050 are written in one way and later ones in another.
    #[test]
    fn dates_are_those_that_it_was_made_with() {
        let in_2024 = 1_718_000_000;
        let said = |from, to| check_dates(Path::new("c.pem"), &certificate(from, to), in_2024);
        assert_eq!(said(1990, 2049), Ok(()));
        assert_eq!(said(1949, 2050), Ok(()));
        let (file, at) = ("c.pem".to_string(), "2001-03-04T00:00:00Z".to_string());
        assert_eq!(said(1990, 2001), Err(Mistake::Expired { file: file.clone(), at }));
        let at = "2999-01-02T00:00:00Z".to_string();
        assert_eq!(said(2999, 4000), Err(Mistake::NotYetValid { file, at }));
    }

    #[test]
    fn what_is_cut_short_or_something_else_is_not_readable() {
        let whole = certificate(1990, 4000);
        assert!(is_readable(&whole));
        assert!((0..whole.len()).all(|length| !is_readable(&whole[..length])));
        assert!(!is_readable(&[whole.as_slice(), &[0]].concat()), "more behind it");
        let key = KeyPair::generate().unwrap().serialize_der();
        assert!(!is_readable(&key));
    }
}
