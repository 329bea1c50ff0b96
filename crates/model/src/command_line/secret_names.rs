//! Names of values that look like secrets: `db.password`, `--api-key`, `ACCESS_TOKEN`.

/// A name that contains one of these texts names a secret, also without a separator (`dbpassword`).
const PARTS: [&str; 5] = ["password", "passwd", "passphrase", "secret", "credential"];

/// A name with one of these words names a secret.
const WORDS: [&str; 7] = ["pass", "pwd", "passcode", "bearer", "jwt", "cookie", "creds"];

/// A name that ends with one of these words names a secret. (`java.security.auth.login.config` names a file.)
const LAST_WORDS: [&str; 5] = ["key", "keys", "auth", "authorization", "sig"];

/// A key after one of these words is a secret wherever it is in the name, and also in one word (`apikey`).
const KEYS: [&str; 13] = [
    "access",
    "account",
    "api",
    "auth",
    "client",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "shared",
    "signing",
    "storage",
];

/// Words that end like a secret word but are not secrets.
const HARMLESS_ENDINGS: [&str; 4] = ["bypass", "compass", "overpass", "underpass"];

/// With one of these words at its end, a name describes a secret, for example where the secret is stored. The value is
/// not the secret itself: `keyStorePasswordFile`, `token.ttl`.
const DESCRIPTIONS: [&str; 30] = [
    "algorithm",
    "class",
    "count",
    "dir",
    "directory",
    "enabled",
    "encoder",
    "endpoint",
    "expiration",
    "expiry",
    "factory",
    "file",
    "files",
    "format",
    "header",
    "length",
    "lifetime",
    "limit",
    "location",
    "name",
    "path",
    "paths",
    "policy",
    "provider",
    "size",
    "timeout",
    "ttl",
    "type",
    "uri",
    "url",
];

/// True if the value of an option, property or variable with this name looks like a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let words = words(without_prefix(name));
    let Some(last) = words.iter().rev().find(|word| !word.bytes().all(|byte| byte.is_ascii_digit())) else {
        return false;
    };
    if DESCRIPTIONS.contains(&last.as_str()) {
        return false;
    }
    let is_public = words.iter().any(|word| word == "public");
    words.iter().any(|word| is_secret_word(word))
        || (LAST_WORDS.contains(&last.as_str()) && !is_public)
        || words.windows(2).any(|pair| KEYS.contains(&pair[0].as_str()) && pair[1] == "key")
}

fn is_secret_word(word: &str) -> bool {
    let is_key = word.strip_suffix("key").is_some_and(|kind| KEYS.contains(&kind));
    let ends = |ending: &str| word.ends_with(ending) && !HARMLESS_ENDINGS.contains(&word);
    PARTS.iter().any(|part| word.contains(part))
        || WORDS.contains(&word)
        || is_key
        || ends("pass")
        || ends("pwd")
        || (word.contains("token") && !word.contains("tokeniz"))
}

/// A name without the start of an option: `--name`, `-Dname` (a JVM's property), `-Pname` (Maven, Gradle), `-J-Dname`
/// (tools of the JDK).
fn without_prefix(name: &str) -> &str {
    let name = name.strip_prefix("-J").unwrap_or(name);
    let property = ["-D", "-P"].iter().find_map(|prefix| name.strip_prefix(prefix));
    property.unwrap_or(name.trim_start_matches('-'))
}

/// The words of a name in lower case. Separators and capital letters start a word: `keyStore.API_key` has the words
/// `key`, `store`, `api` and `key`.
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (position, &character) in characters.iter().enumerate() {
        let before = position.checked_sub(1).map(|before| characters[before]);
        let follows_lower = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
        let precedes_lower = characters.get(position + 1).is_some_and(|next| next.is_lowercase());
        if !character.is_alphanumeric() || (character.is_uppercase() && (follows_lower || precedes_lower)) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
