//! Asks the kubelet of this node for its pods. The answer has limits for its time and its size.

use super::list::{PodList, parse_pods, shortened};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, StatusCode, Url};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::Runtime;
use whittle_terminal::Failure;

/// Time for the whole answer. A kubelet has its list in memory.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// Maximum size of the answer. A node has at most some hundred pods, and each has some 10 KB.
const MAX_ANSWER_BYTES: usize = 32 << 20;
/// Maximum size of the files with the token and the certificates.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Where Kubernetes puts the files of a pod's service account.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Where the kubelet is, and how whittle identifies itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct KubeletOptions {
    /// `https://NODE:10250` or `http://NODE:10255`.
    pub(crate) address: String,
    /// The file with the token. `None`: the one of the service account.
    pub(crate) token: Option<PathBuf>,
    /// The file with the certificates that the kubelet's certificate must come from. `None`: the one of the service account.
    pub(crate) authority: Option<PathBuf>,
}

/// The kubelet of this node.
#[derive(Debug)]
pub(crate) struct Kubelet {
    address: Url,
    /// The file with the token. `None`: whittle sends no token.
    token: Option<PathBuf>,
    authority: Option<PathBuf>,
    runtime: Runtime,
}

impl Kubelet {
    /// Checks the options. Does not connect yet.
    pub(crate) fn new(options: KubeletOptions) -> Result<Self, Failure> {
        // A URL can contain a password, and messages must not show it.
        let shown = options.address.rsplit('@').next().unwrap_or_default();
        let wrong = |what: &str| Failure::usage(format!("--kubelet {shown}: {what}"));
        let mut address = Url::parse(&options.address).map_err(|error| wrong(&error.to_string()))?;
        let is_secure = match address.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(wrong("wanted https://NODE:10250 or http://NODE:10255")),
        };
        let has_user = !address.username().is_empty() || address.password().is_some();
        if has_user || !matches!(address.path(), "" | "/") || address.query().is_some() {
            return Err(wrong("wanted only a host and a port, for example https://NODE:10250"));
        }
        if !is_secure && options.token.is_some() {
            return Err(wrong("whittle does not send the token without encryption; use https"));
        }
        address.set_path("/pods");
        let of_account = |name: &str| is_secure.then(|| Path::new(SERVICE_ACCOUNT).join(name));
        Ok(Self {
            address,
            token: options.token.or_else(|| of_account("token")),
            authority: options.authority.or_else(|| of_account("ca.crt")).filter(|_| is_secure),
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
        })
    }

    /// The pods of the node. An error is a part of a sentence.
    pub(crate) fn pods(&self) -> Result<PodList, String> {
        parse_pods(&self.answer()?)
    }

    /// Token and certificates change while the agent runs, so whittle reads the files each time.
    fn answer(&self) -> Result<Vec<u8>, String> {
        let token = self.token.as_deref().map(token_in).transpose()?;
        let client = self.client()?;
        let mut request = client.get(self.address.clone());
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, token);
        }
        let answer = async { body_of(request.send().await.map_err(in_words)?).await };
        let in_time = self.runtime.block_on(async { tokio::time::timeout(ANSWER_TIME, answer).await });
        in_time.unwrap_or_else(|_| Err(format!("it does not answer within {} s", ANSWER_TIME.as_secs())))
    }

    fn client(&self) -> Result<Client, String> {
        // The token must reach only the kubelet: no proxy, no other address.
        let mut client = Client::builder().no_proxy().redirect(Policy::none());
        if let Some(file) = &self.authority {
            let wrong = |error: &dyn std::fmt::Display| format!("the certificates in {}: {error}", file.display());
            let certificates = Certificate::from_pem_bundle(&read(file)?).map_err(|error| wrong(&error))?;
            if certificates.is_empty() {
                return Err(wrong(&"the file has no certificate"));
            }
            client = certificates.into_iter().fold(client, |client, one| client.add_root_certificate(one));
            client = client.tls_built_in_root_certs(false);
        }
        client.build().map_err(in_words)
    }
}

fn token_in(file: &Path) -> Result<HeaderValue, String> {
    let token = String::from_utf8_lossy(&read(file)?).trim().to_owned();
    let header = HeaderValue::from_str(&format!("Bearer {token}"));
    let mut header = header.map_err(|_| format!("{} contains no token", file.display()))?;
    header.set_sensitive(true);
    Ok(header)
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(MAX_FILE_BYTES).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

async fn body_of(mut response: Response) -> Result<Vec<u8>, String> {
    match response.status() {
        status if status.is_success() => {}
        StatusCode::UNAUTHORIZED => return Err("it does not accept the token (401)".to_owned()),
        StatusCode::FORBIDDEN => {
            return Err("the token has no right to get nodes/pods (403); Kubernetes before 1.33 checks nodes/proxy \
                        instead"
                .to_owned());
        }
        status => return Err(format!("it answers with the status {}", status.as_u16())),
    }
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(in_words)? {
        if body.len() + part.len() > MAX_ANSWER_BYTES {
            return Err(format!("its answer has more than {} MiB", MAX_ANSWER_BYTES >> 20));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// The error with its causes.
fn in_words(error: reqwest::Error) -> String {
    let error = shortened(&Failure::from(error.without_url()).message);
    if error.contains("certificate") {
        return format!(
            "its certificate is not accepted ({error}); --kubelet-ca names the file that it must come from"
        );
    }
    error
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::Instant;

    const EMPTY: &str = r#"{"kind":"PodList","items":[]}"#;

    fn options(address: &str, token: Option<&Path>) -> KubeletOptions {
        KubeletOptions { address: address.to_owned(), token: token.map(Path::to_owned), authority: None }
    }

    /// What whittle says about a kubelet that does this with each connection. `write` gets the request.
    fn result_of(token: Option<&str>, write: impl Fn(TcpStream, String) + Send + 'static) -> Result<usize, String> {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", server.local_addr().unwrap());
        thread::spawn(move || {
            for mut connection in server.incoming().map_while(Result::ok) {
                let mut request = [0; 4096];
                let count = connection.read(&mut request).unwrap_or(0);
                write(connection, String::from_utf8_lossy(&request[..count]).into_owned());
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, token.unwrap_or_default()).unwrap();
        let mut kubelet = Kubelet::new(options(&address, None)).unwrap();
        // Whittle itself sends no token without encryption.
        kubelet.token = token.map(|_| file.clone());
        kubelet.pods().map(|list| list.pods.len())
    }

    fn respond(mut connection: TcpStream, status: &str, body: &str) {
        let length = body.len();
        let _ = write!(connection, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    }

    #[test]
    fn the_token_is_sent_and_a_denial_is_named() {
        let answer = |connection: TcpStream, request: String| {
            let request = request.to_ascii_lowercase();
            assert!(request.starts_with("get /pods http/1.1\r\n"), "{request}");
            match request.contains("authorization: bearer right\r\n") {
                true => respond(connection, "200 OK", EMPTY),
                false if request.contains("authorization: bearer poor") => respond(connection, "403 Forbidden", "no"),
                false => respond(connection, "401 Unauthorized", "Unauthorized"),
            }
        };
        assert_eq!(result_of(Some("right\n"), answer), Ok(0));
        assert!(result_of(Some("poor"), answer).unwrap_err().contains("no right to get nodes/pods (403)"));
        for token in [Some("wrong"), None] {
            assert_eq!(result_of(token, answer).unwrap_err(), "it does not accept the token (401)");
        }
        assert!(result_of(Some("a\nb"), answer).unwrap_err().ends_with("contains no token"));
    }

    #[test]
    fn whittle_follows_no_redirection_with_its_token() {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        other.set_nonblocking(true).unwrap();
        let location = format!("302 Found\r\nLocation: http://{}/pods", other.local_addr().unwrap());
        let error = result_of(Some("t"), move |connection, _| respond(connection, &location, "")).unwrap_err();
        assert_eq!(error, "it answers with the status 302");
        assert!(other.accept().is_err(), "nothing connects to the other address");
    }

    #[test]
    fn a_huge_answer_ends_early() {
        let error = result_of(None, |mut connection, _| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            let block = vec![b' '; 1 << 20];
            while connection.write_all(&block).is_ok() {}
        });
        assert_eq!(error.unwrap_err(), "its answer has more than 32 MiB");
    }

    /// Each byte comes soon after the one before, so a limit for each read would never be reached.
    #[test]
    fn a_slow_answer_ends() {
        let began = Instant::now();
        let error = result_of(None, |mut connection, _| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while connection.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
        });
        assert_eq!(error.unwrap_err(), "it does not answer within 5 s");
        assert!(began.elapsed() < ANSWER_TIME * 10, "{:?}", began.elapsed());
    }

    #[test]
    fn broken_answers_are_errors() {
        assert!(
            result_of(None, |connection, _| respond(connection, "200 OK", "{]"))
                .unwrap_err()
                .contains("no list of pods")
        );
        assert!(result_of(None, |connection, _| drop(connection)).is_err());
        let half = |mut connection: TcpStream, _| {
            drop(write!(connection, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{EMPTY}"))
        };
        assert!(result_of(None, half).is_err());
    }

    #[test]
    fn wrong_addresses_are_named() {
        let token = Path::new("/token");
        let refused = |address: &str, token| Kubelet::new(options(address, token)).err().map(|failure| failure.message);
        for (address, part) in [
            ("node:10250", "wanted https://"),
            ("ftp://node", "wanted https://"),
            ("https://node:10250/pods", "only a host and a port"),
            ("https://me@node:10250", "only a host and a port"),
            ("https://:secret@node:10250", "--kubelet node:10250: wanted only a host and a port"),
            ("https://me:secret@no de", "--kubelet no de: "),
            ("https://fd00::1:10250", "--kubelet https://fd00::1:10250: "),
            ("http://10.0.0.1:10255", "without encryption"),
            ("http://127.0.0.1:10255", "without encryption"),
            ("http://[::1]:10255", "without encryption"),
            ("http://localhost:10255", "without encryption"),
        ] {
            let error = refused(address, Some(token)).unwrap();
            assert!(error.contains(part) && !error.contains("secret"), "{address}: {error}");
        }
        for address in ["https://10.0.0.1:10250", "https://[fd00::1]:10250/"] {
            assert_eq!(refused(address, Some(token)), None, "{address}");
        }
        assert_eq!(refused("http://10.0.0.1:10255", None), None);
    }
}
