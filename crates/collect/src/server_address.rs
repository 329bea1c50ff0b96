//! The address where a server answers when it is ready.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

/// A server that does not answer within this time is not ready.
const PATIENCE: Duration = Duration::from_secs(2);
/// From this number on, a server says that it cannot answer yet.
const FIRST_SERVER_ERROR: u32 = 500;

/// `http://HOST:PORT/PATH` or `tcp://HOST:PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// The path of a request. `None`: a connection is sufficient.
    path: Option<String>,
    /// Host and port.
    place: String,
}

impl ServerAddress {
    /// Whether the server answers now. A response of HTTP must not be an error of the server.
    pub fn answers(&self) -> bool {
        let addresses = self.place.to_socket_addrs().into_iter().flatten();
        addresses.into_iter().any(|address| {
            let connected = TcpStream::connect_timeout(&address, PATIENCE);
            connected.is_ok_and(|stream| self.path.as_deref().is_none_or(|path| self.responds(stream, path)))
        })
    }

    fn responds(&self, mut stream: TcpStream, path: &str) -> bool {
        let mut ask = || -> std::io::Result<String> {
            stream.set_read_timeout(Some(PATIENCE))?;
            let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.place);
            stream.write_all(request.as_bytes())?;
            // "HTTP/1.1 200"
            let mut start = [0; 12];
            stream.read_exact(&mut start)?;
            Ok(String::from_utf8_lossy(&start).into_owned())
        };
        let status = ask().ok().and_then(|start| start.strip_prefix("HTTP/1.")?.get(2..)?.parse::<u32>().ok());
        status.is_some_and(|status| status < FIRST_SERVER_ERROR)
    }
}

impl FromStr for ServerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || format!("wanted http://HOST:PORT/PATH or tcp://HOST:PORT; found \"{text}\"");
        let (scheme, rest) = text.split_once("://").ok_or_else(wanted)?;
        let (place, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let has_port =
            place.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        match scheme {
            "http" if is_plain => {
                let place = if has_port { place.to_owned() } else { format!("{place}:80") };
                Ok(Self { path: Some(path.to_owned()), place })
            }
            "tcp" if has_port && is_plain && path == "/" => Ok(Self { path: None, place: place.to_owned() }),
            _ => Err(wanted()),
        }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(formatter, "http://{}{path}", self.place),
            None => write!(formatter, "tcp://{}", self.place),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    #[test]
    fn addresses_are_read_and_shown() {
        for text in ["http://127.0.0.1:8080/health", "tcp://localhost:9092", "http://[::1]:80/"] {
            assert_eq!(text.parse::<ServerAddress>().unwrap().to_string(), text);
        }
        assert_eq!("http://localhost".parse::<ServerAddress>().unwrap().to_string(), "http://localhost:80/");
        for wrong in
            ["", "localhost:80", "https://localhost/", "tcp://localhost", "tcp://h:1/x", "http://a\r\nb:1/", "tcp://:1"]
        {
            assert!(wrong.parse::<ServerAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_server_error_is_no_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address: ServerAddress = format!("http://{}/x", listener.local_addr().unwrap()).parse().unwrap();
        let server = std::thread::spawn(move || {
            for status in ["503", "404", "200", "x"] {
                let (mut stream, _) = listener.accept().unwrap();
                // All of the request. The kernel resets a connection that is closed before everything is read, and
                // a reset can overtake the response.
                let request: Vec<String> =
                    BufReader::new(&stream).lines().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
                assert_eq!(request[0], "GET /x HTTP/1.1");
                write!(stream, "HTTP/1.1 {status} word\r\n\r\n").unwrap();
            }
        });
        let answers: Vec<bool> = (0..4).map(|_| address.answers()).collect();
        server.join().unwrap();
        assert_eq!(answers, [false, true, true, false]);
        assert!(!address.answers(), "nobody listens");
    }
}
