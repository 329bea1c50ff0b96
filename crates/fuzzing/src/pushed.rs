//! What the fleet's receiver reads: requests of agents, and the file of access tokens.

use whittle_push::fuzzing;

/// Reads a request with a pushed profile.
pub(crate) fn push(bytes: &[u8]) {
    fuzzing::read_push(bytes);
}

/// Reads a header with an access token, and the file of tokens.
pub(crate) fn push_tokens(bytes: &[u8]) {
    fuzzing::read_tokens(bytes);
}
