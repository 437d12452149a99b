//! Random names that can't be guessed.

/// A name that can't be guessed: 128 bits from the system's random source, in hexadecimal.
pub(super) fn random_name() -> Result<String, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bits)))
}
