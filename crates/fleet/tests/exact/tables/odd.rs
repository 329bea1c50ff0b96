//! A store with another clock, and with an object that ends every program that reads it.

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
    PutOptions, PutPayload, PutResult, Result,
};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Objects in memory.
#[derive(Debug)]
pub(crate) struct Odd {
    pub(crate) objects: Arc<InMemory>,
    /// How far the store's clock is behind the clock of this machine.
    pub(crate) behind: Duration,
    /// Whoever reads an object with this text in its path ends.
    pub(crate) fatal: Option<String>,
}

impl Odd {
    fn on_own_clock(behind: Duration, object: ObjectMeta) -> ObjectMeta {
        ObjectMeta { last_modified: object.last_modified - behind, ..object }
    }
}

impl fmt::Display for Odd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("odd")
    }
}

#[async_trait]
impl ObjectStore for Odd {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.objects.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let is_fatal = self.fatal.as_ref().is_some_and(|fatal| path.as_ref().contains(fatal));
        assert!(!is_fatal, "the program needs too much memory and is killed");
        let found = self.objects.get_opts(path, options).await?;
        Ok(GetResult { meta: Self::on_own_clock(self.behind, found.meta.clone()), ..found })
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.objects.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let behind = self.behind;
        let listed = self.objects.list(prefix);
        listed.map(move |object| object.map(|object| Self::on_own_clock(behind, object))).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}
