//! A store that stops answering after some calls. For the store, this is the same as a killed program.

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Objects in memory that answer a limited number of calls.
#[derive(Debug)]
pub(crate) struct Faulty {
    pub(crate) objects: Arc<InMemory>,
    calls_left: AtomicUsize,
}

impl Faulty {
    pub(crate) fn new(objects: Arc<InMemory>, calls: usize) -> Self {
        Self { objects, calls_left: AtomicUsize::new(calls) }
    }

    fn call(&self) -> Result<()> {
        let is_left = |left: usize| left.checked_sub(1);
        let left = self.calls_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_left);
        left.map(drop).map_err(|_| Error::Generic { store: "faulty", source: "the program was killed".into() })
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("faulty")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.call()?;
        self.objects.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.call()?;
        self.objects.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.call()?;
        self.objects.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        match self.call() {
            Ok(()) => self.objects.delete_stream(paths),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.call() {
            Ok(()) => self.objects.list(prefix),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.call()?;
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.call()?;
        self.objects.copy_opts(from, to, options).await
    }
}
