//! A receiver on the loopback interface, and its clients. They use HTTP/1.1 and HTTP/2 without encryption.

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use whittle_experiment::{Segment, Store, read_segment};
use whittle_push::{PushOptions, Receiver, listen};

/// A receiver that listens, with its store in a folder.
pub(crate) struct Loopback {
    pub(crate) receiver: Arc<Receiver>,
    pub(crate) address: SocketAddr,
    runtime: tokio::runtime::Runtime,
}

/// An answer of the receiver.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: HeaderMap,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The status of gRPC, from the header or the trailers.
    pub(crate) fn grpc_status(&self) -> &str {
        let value = self.trailers.get("grpc-status").or_else(|| self.headers.get("grpc-status"));
        value.map_or("", |value| value.to_str().unwrap())
    }
}

impl Loopback {
    pub(crate) fn start(folder: &Path, options: PushOptions) -> Self {
        let store = Arc::new(Store::open(folder.to_str().unwrap()).unwrap());
        let receiver = Arc::new(Receiver::new(store, options));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_io().enable_time().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(listen(listener, Arc::clone(&receiver)));
        Self { receiver, address, runtime }
    }

    /// Posts a body over HTTP/1.1.
    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.send(("POST", path), headers, body)
    }

    /// Sends a request over HTTP/1.1.
    pub(crate) fn send(&self, target: (&str, &str), headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let request = request(target, headers, Full::new(Bytes::copy_from_slice(body)));
        self.runtime.block_on(async {
            let stream = TcpStream::connect(self.address).await.unwrap();
            let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
            tokio::spawn(connection);
            received(sender.send_request(request).await.unwrap()).await
        })
    }

    /// Posts a body over HTTP/2, as gRPC does.
    pub(crate) fn post_http2(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.send_http2(path, headers, Full::new(Bytes::copy_from_slice(body)))
    }

    fn send_http2<B>(&self, path: &str, headers: &[(&str, &str)], body: B) -> Answer
    where
        B: Body<Data = Bytes, Error = Infallible> + Send + Unpin + 'static,
    {
        let uri = format!("http://{}{path}", self.address);
        let request = request(("POST", &uri), headers, body);
        self.runtime.block_on(async {
            let stream = TcpStream::connect(self.address).await.unwrap();
            let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
            let (mut sender, connection) = handshake.unwrap();
            tokio::spawn(connection);
            received(sender.send_request(request).await.unwrap()).await
        })
    }

    /// A gRPC call with any body.
    pub(crate) fn call_with<B>(&self, path: &str, headers: &[(&str, &str)], body: B) -> Answer
    where
        B: Body<Data = Bytes, Error = Infallible> + Send + Unpin + 'static,
    {
        let headers = [&[("content-type", "application/grpc"), ("te", "trailers")][..], headers].concat();
        self.send_http2(path, &headers, body)
    }

    /// A gRPC call with one message.
    pub(crate) fn call(&self, path: &str, headers: &[(&str, &str)], message: &[u8]) -> Answer {
        let is_packed = headers.iter().any(|(name, _)| *name == "grpc-encoding");
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        let body = [&[u8::from(is_packed)][..], &length, message].concat();
        let headers = [&[("content-type", "application/grpc"), ("te", "trailers")][..], headers].concat();
        self.post_http2(path, &headers, &body)
    }
}

/// A receiver with its own store, and the folder of the store.
pub(crate) fn start(options: PushOptions) -> (TempDir, Loopback) {
    let folder = tempfile::tempdir().unwrap();
    let loopback = Loopback::start(folder.path(), options);
    (folder, loopback)
}

fn request<B>((method, uri): (&str, &str), headers: &[(&str, &str)], body: B) -> Request<B> {
    let request = Request::builder().method(method).uri(uri).header("host", "127.0.0.1");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.body(body).unwrap()
}

async fn received(response: hyper::Response<Incoming>) -> Answer {
    let (head, body) = response.into_parts();
    let collected = body.collect().await.unwrap();
    let trailers = collected.trailers().cloned().unwrap_or_default();
    Answer { status: head.status, headers: head.headers, body: collected.to_bytes().to_vec(), trailers }
}

/// The segments in the landing of a store, by path. Each file contains a whole segment.
pub(crate) fn landed(folder: &Path) -> Vec<(String, Segment)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join("segments")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let segment = read_segment(&std::fs::read(&path).unwrap().into()).unwrap();
            found.push((path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(), segment));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
