//! Where segments and the fleet's files lie: a directory, or a bucket of an S3-compatible store.

use crate::{LANDING, SegmentError, segment_path, write_segment};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;
use whittle_model::{Manifest, Tables};

/// A directory or a bucket.
#[derive(Debug, Clone)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
    location: String,
    /// Missing: it is no directory.
    directory: Option<PathBuf>,
}

/// Why the store could not be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The place is not one that we understand.
    #[error("{place}: {reason}; give a directory or s3://BUCKET/PREFIX")]
    Place {
        /// As the user gave it.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The store refused, or is away.
    #[error("{location}: {source}")]
    Refused {
        /// The store.
        location: String,
        /// Its answer.
        source: object_store::Error,
    },
    /// The segment could not be made.
    #[error(transparent)]
    Segment(#[from] SegmentError),
}

impl Store {
    /// Opens `place`: a directory, which is created, or `s3://BUCKET/PREFIX` with the address and the key in the
    /// environment, as other programs have them (`AWS_ENDPOINT`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_ALLOW_HTTP`).
    ///
    /// # Errors
    /// The place cannot be.
    pub fn open(place: &str) -> Result<Self, StoreError> {
        let wrong = |reason: String| StoreError::Place { place: place.to_owned(), reason };
        if let Some(rest) = place.strip_prefix("s3://") {
            let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
            let bucket = AmazonS3Builder::from_env().with_bucket_name(bucket).build();
            let bucket = bucket.map_err(|error| wrong(error.to_string()))?;
            let prefix = Path::parse(prefix).map_err(|error| wrong(error.to_string()))?;
            return Ok(Self::over(Arc::new(PrefixStore::new(bucket, prefix)), place));
        }
        if place.contains("://") {
            return Err(wrong("unknown kind of store".to_owned()));
        }
        let make = || {
            std::fs::create_dir_all(place)?;
            std::fs::canonicalize(place)
        };
        let directory = make().map_err(|error| wrong(error.to_string()))?;
        let location = directory.display().to_string();
        let objects = LocalFileSystem::new_with_prefix(&directory).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { objects: Arc::new(objects), location, directory: Some(directory) })
    }

    /// A store over any objects.
    pub fn over(objects: Arc<dyn ObjectStore>, location: &str) -> Self {
        Self { objects, location: location.to_owned(), directory: None }
    }

    /// Its objects; paths are relative to the place.
    pub fn objects(&self) -> &Arc<dyn ObjectStore> {
        &self.objects
    }

    /// The place: an absolute directory or `s3://BUCKET/PREFIX`.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Puts a segment into the landing; gives its path. Putting the same segment again changes nothing.
    ///
    /// # Errors
    /// The segment cannot be made, or the store refuses.
    pub async fn land(&self, manifest: &Manifest, tables: &Tables) -> Result<String, StoreError> {
        let bytes = write_segment(manifest, tables)?;
        let path = segment_path(manifest, &bytes)?;
        self.land_bytes(&path, bytes).await?;
        Ok(path)
    }

    /// Puts the bytes of a segment at its path in the landing.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn land_bytes(&self, path: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        debug_assert!(path.starts_with(LANDING));
        let path = Path::parse(path).map_err(|source| self.refused(source.into()))?;
        self.objects.put(&path, PutPayload::from(bytes)).await.map_err(|source| self.refused(source))?;
        self.make_durable(&path)
    }

    /// Creates an object that must not be there yet; false: it is there.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn create(&self, path: &Path, bytes: Vec<u8>) -> Result<bool, StoreError> {
        let options = PutOptions::from(PutMode::Create);
        match self.objects.put_opts(path, PutPayload::from(bytes), options).await {
            Ok(_) => self.make_durable(path).map(|()| true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(source) => Err(self.refused(source)),
        }
    }

    /// All objects below `folder`.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn list(&self, folder: &str) -> Result<Vec<ObjectMeta>, StoreError> {
        let listed = self.objects.list(Some(&Path::from(folder)));
        listed.try_collect().await.map_err(|source| self.refused(source))
    }

    /// Removes objects; how many. Of those that are gone already nothing is said.
    ///
    /// # Errors
    /// The store refuses. What comes behind is not removed then.
    pub async fn remove(&self, paths: Vec<Path>) -> Result<u64, StoreError> {
        let mut removed = self.objects.delete_stream(stream::iter(paths.into_iter().map(Ok)).boxed());
        let mut count = 0;
        while let Some(one) = removed.next().await {
            match one {
                Ok(_) => count += 1,
                Err(object_store::Error::NotFound { .. }) => {}
                Err(source) => return Err(self.refused(source)),
            }
        }
        Ok(count)
    }

    /// Waits until an object that was put is on disk, where the store is a directory: a machine that loses its power then
    /// still has it. Others have it when they say so.
    ///
    /// # Errors
    /// The system refuses.
    pub fn make_durable(&self, path: &Path) -> Result<(), StoreError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let file = directory.join(path.as_ref());
        let synced = File::open(&file)
            .and_then(|opened| opened.sync_all())
            .and_then(|()| file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()));
        synced.map_err(|source| {
            let source = object_store::Error::Generic { store: "directory", source: Box::new(source) };
            self.refused(source)
        })
    }

    /// Wraps the store's answer.
    pub fn refused(&self, source: object_store::Error) -> StoreError {
        StoreError::Refused { location: self.location.clone(), source }
    }
}
