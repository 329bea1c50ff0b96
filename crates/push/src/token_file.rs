//! Reads the file of access tokens.
//!
//! ```text
//! TOKEN [push:SERVICE,SERVICE…] [LABEL=VALUE …]
//! s3cr3t-of-the-shop push:shop,shop-* region=eu
//! ```
//!
//! A token without the right `push:` can push every service.

use super::access::{Access, PushToken};
use super::services::AllowedServices;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The permissions of users other than the file's owner.
const OTHERS: u32 = 0o077;

/// Why the file of access tokens cannot be used.
#[derive(Debug, Error)]
pub enum TokenFileError {
    /// The system reported an error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Other users can read or change the tokens.
    #[error("{0}: other users have access to the access tokens (mode {mode:03o}); use: chmod 600 {0}", path.display())]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// The permissions of the file.
        mode: u32,
    },
    /// A line is invalid.
    #[error("{}: line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line. The first line has the number 1.
        line: usize,
        /// The problem.
        reason: String,
    },
    /// The file contains no token.
    #[error("{}: the file has no access token; write one access token per line", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the file of access tokens.
///
/// # Errors
/// See [`TokenFileError`]. The file must be for its owner only, as SSH requires it for private keys.
pub fn read_tokens(path: &Path) -> Result<Access, TokenFileError> {
    let failed = |source| TokenFileError::Io { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    // The permissions of the open file are checked, because another file can get this name in the meantime.
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if mode & OTHERS != 0 {
        return Err(TokenFileError::NotPrivate { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(failed)?;
    let tokens = parse(&text);
    let tokens = tokens.map_err(|(line, reason)| TokenFileError::Line { path: path.to_owned(), line, reason })?;
    if tokens.is_empty() {
        return Err(TokenFileError::Empty { path: path.to_owned() });
    }
    Ok(Access::Tokens(tokens))
}

/// The tokens in a text. The error is the number of a line, and the problem.
pub(crate) fn parse(text: &str) -> Result<Vec<PushToken>, (usize, String)> {
    let mut tokens: Vec<PushToken> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let token = token(line).map_err(|reason| (number, reason))?;
        if tokens.iter().any(|known| known.secret == token.secret) {
            return Err((number, "an earlier line has the same access token; write each token once".to_owned()));
        }
        tokens.push(token);
    }
    Ok(tokens)
}

fn token(line: &str) -> Result<PushToken, String> {
    let mut words = line.split_whitespace();
    let secret = words.next().unwrap_or_default().to_owned();
    let mut token = PushToken { secret, labels: BTreeMap::new(), services: AllowedServices::All };
    for word in words {
        if let Some(patterns) = word.strip_prefix("push:") {
            if token.services != AllowedServices::All {
                return Err("push: occurs twice; write push:SERVICE,SERVICE".to_owned());
            }
            token.services = AllowedServices::parse(patterns)?;
            continue;
        }
        match word.split_once('=') {
            Some((name, value)) if !name.is_empty() => token.labels.insert(name.to_owned(), value.to_owned()),
            // The token itself must not be in the message, because messages are often kept in logs.
            _ => return Err(format!("expected TOKEN push:SERVICES NAME=VALUE …; found \"{word}\" after the token")),
        };
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_services_and_labels() {
        let read = token("s3cr3t push:shop,shop-* region=eu").expect("a token");
        assert_eq!((read.secret.as_str(), read.labels["region"].as_str()), ("s3cr3t", "eu"));
        assert!(read.services.includes("shop-2") && !read.services.includes("pay"));
        let plain = token("s3cr3t service=shop").expect("a token");
        assert_eq!((plain.services, plain.labels["service"].as_str()), (AllowedServices::All, "shop"));
        for wrong in ["s3cr3t shop", "s3cr3t push:", "s3cr3t push:a push:b", "s3cr3t read", "s3cr3t =x", "s3cr3t push"]
        {
            let reason = token(wrong).expect_err(wrong);
            assert!(!reason.contains("s3cr3t"), "{reason}");
        }
    }

    #[test]
    fn a_token_occurs_once() {
        let (line, reason) = parse("# comment\none push:a\n\ntwo\none push:b\n").expect_err("the same token twice");
        assert!(line == 5 && reason.contains("the same access token"), "{line}: {reason}");
    }
}
