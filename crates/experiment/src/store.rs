//! Storage for segments and the fleet's files: a directory, or a bucket of an S3-compatible store.

use crate::private_files::make_private;
use crate::{LANDING, SegmentError, create_private_folders, segment_path, write_segment};
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
    /// Path of the directory. Missing: the store is not a directory.
    directory: Option<PathBuf>,
}

/// Why the store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The place is not a valid store.
    #[error("{place}: {reason}; use a directory or s3://BUCKET/PREFIX")]
    Place {
        /// The place as the user wrote it.
        place: String,
        /// The problem.
        reason: String,
    },
    /// The store reported an error or is unreachable.
    #[error("{location}: {source}")]
    Refused {
        /// The store.
        location: String,
        /// The store's error.
        source: object_store::Error,
    },
    /// The segment could not be created.
    #[error(transparent)]
    Segment(#[from] SegmentError),
}

impl Store {
    /// Opens `place`, which is a directory or `s3://BUCKET/PREFIX`. A missing directory is created for its owner only,
    /// because profiles contain names of code, hosts and command lines. For S3, the address and the key are read from the usual environment variables (`AWS_ENDPOINT`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_ALLOW_HTTP`).
    ///
    /// # Errors
    /// The place is not a valid store.
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
            create_private_folders(std::path::Path::new(place))?;
            std::fs::canonicalize(place)
        };
        let directory = make().map_err(|error| wrong(error.to_string()))?;
        let location = directory.display().to_string();
        let objects = LocalFileSystem::new_with_prefix(&directory).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { objects: Arc::new(objects), location, directory: Some(directory) })
    }

    /// Makes a store from any object store.
    pub fn over(objects: Arc<dyn ObjectStore>, location: &str) -> Self {
        Self { objects, location: location.to_owned(), directory: None }
    }

    /// The objects of the store. Paths are relative to the store's place.
    pub fn objects(&self) -> &Arc<dyn ObjectStore> {
        &self.objects
    }

    /// The store's place: an absolute directory or `s3://BUCKET/PREFIX`.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Writes a segment to the landing and returns its path. Writing the same segment again changes nothing.
    ///
    /// # Errors
    /// The segment cannot be created, or the store reports an error.
    pub async fn land(&self, manifest: &Manifest, tables: &Tables) -> Result<String, StoreError> {
        let bytes = write_segment(manifest, tables)?;
        let path = segment_path(manifest, &bytes)?;
        self.land_bytes(&path, bytes).await?;
        Ok(path)
    }

    /// Writes the bytes of a segment to its path in the landing.
    ///
    /// # Errors
    /// The store reports an error.
    pub async fn land_bytes(&self, path: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        debug_assert!(path.starts_with(LANDING));
        let path = Path::parse(path).map_err(|source| self.refused(source.into()))?;
        self.create_folders(&path)?;
        self.objects.put(&path, PutPayload::from(bytes)).await.map_err(|source| self.refused(source))?;
        self.make_durable(&path)
    }

    /// Creates an object. Returns false, and writes nothing, if the object already exists.
    ///
    /// # Errors
    /// The store reports an error.
    pub async fn create(&self, path: &Path, bytes: Vec<u8>) -> Result<bool, StoreError> {
        self.create_folders(path)?;
        let options = PutOptions::from(PutMode::Create);
        match self.objects.put_opts(path, PutPayload::from(bytes), options).await {
            Ok(_) => self.make_durable(path).map(|()| true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(source) => Err(self.refused(source)),
        }
    }

    /// Lists all objects below `folder`.
    ///
    /// # Errors
    /// The store reports an error.
    pub async fn list(&self, folder: &str) -> Result<Vec<ObjectMeta>, StoreError> {
        let listed = self.objects.list(Some(&Path::from(folder)));
        listed.try_collect().await.map_err(|source| self.refused(source))
    }

    /// Removes objects and returns the number of removed objects. Missing objects are ignored.
    ///
    /// # Errors
    /// The store reports an error. The remaining objects are not removed.
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

    /// In a directory, creates the folders of an object. The object store would create them with the umask of the
    /// process, but only the owner must be able to read them.
    fn create_folders(&self, path: &Path) -> Result<(), StoreError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let file = directory.join(path.as_ref());
        let created = file.parent().map_or(Ok(()), create_private_folders);
        created.map_err(|source| self.failed(source))
    }

    /// Ensures that a written object survives a power failure. In a directory, this call waits until the object is on
    /// disk, and makes the file readable only for its owner. Other stores have already stored the object when they
    /// confirm the write.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn make_durable(&self, path: &Path) -> Result<(), StoreError> {
        let Some(directory) = &self.directory else { return Ok(()) };
        let file = directory.join(path.as_ref());
        let synced = File::open(&file)
            .and_then(|opened| make_private(&opened).and_then(|()| opened.sync_all()))
            .and_then(|()| file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()));
        synced.map_err(|source| self.failed(source))
    }

    /// An error of the system in a directory.
    fn failed(&self, source: std::io::Error) -> StoreError {
        self.refused(object_store::Error::Generic { store: "directory", source: Box::new(source) })
    }

    /// Adds the store's location to an error of the object store.
    pub fn refused(&self, source: object_store::Error) -> StoreError {
        StoreError::Refused { location: self.location.clone(), source }
    }
}
