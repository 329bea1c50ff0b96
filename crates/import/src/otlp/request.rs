//! The outer messages: resources, scopes and the positions of their profiles.

use super::attributes::Attribute;
use super::tables::{Dictionary, text_of};
use crate::protobuf::{Fields, Value};
use std::collections::BTreeMap;
use whittle_model::LossReason;

/// Maximum number of resources and of profiles. A collector of a busy host sends some hundred. Entries above the limit
/// count as unreadable. The limit is needed because an entry can be as short as two bytes, but needs far more memory.
const MAX_RESOURCES: usize = 10_000;
const MAX_PROFILES: usize = 100_000;
/// Maximum number of attributes of a resource. Further attributes are left out.
const MAX_LABELS: usize = 64;
/// Maximum length of keys and values of labels, in characters.
const MAX_LABEL_LENGTH: usize = 256;

/// Labels with different names in OpenTelemetry and whittle.
const LABELS: [(&str, &str); 4] =
    [("service.name", "service"), ("service.version", "version"), ("host.name", "host"), ("cloud.region", "region")];

/// The outline of a request.
#[derive(Debug, Default)]
pub(super) struct Request<'a> {
    pub(super) resources: Vec<OtlpResource<'a>>,
    /// The tables of all profiles. Missing: each profile has its own tables.
    pub(super) dictionary: Option<Dictionary<'a>>,
    /// Total length of the dictionary's messages.
    pub(super) dictionary_bytes: usize,
    /// Number of bytes that are not a message, or that are above the limits.
    pub(super) unread_bytes: u64,
    profile_count: usize,
}

/// The profiled resource, from its attributes.
#[derive(Debug, Default)]
pub struct OtlpResource<'a> {
    /// Attributes by name. whittle's names `service`, `version`, `host` and `region` replace OpenTelemetry's names.
    pub labels: BTreeMap<String, String>,
    /// The attribute `process.pid`. Missing: unknown, or there are several processes.
    pub process_id: Option<u32>,
    /// Name and version of the library that took the measurements; empty: unknown.
    pub(super) scope: String,
    pub(super) profiles: Vec<&'a [u8]>,
}

impl OtlpResource<'_> {
    /// Number of profiles.
    pub fn profile_count(&self) -> usize {
        self.profiles.len()
    }
}

impl<'a> Request<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Self {
        let mut request = Self::default();
        let mut resources = Vec::new();
        let mut fields = Fields::new(bytes);
        for (field, value) in fields.by_ref() {
            match (field, value) {
                (1, Value::Bytes(message)) => resources.push(message),
                (2, Value::Bytes(message)) => {
                    request.dictionary_bytes += message.len();
                    request.unread_bytes += request.dictionary.get_or_insert_default().add_shared(message);
                }
                _ => {}
            }
        }
        request.unread_bytes += fields.rest.len() as u64;
        // Texts of attributes can be in the dictionary, which is usually last.
        let beyond = resources.iter().skip(MAX_RESOURCES).map(|message| message.len() as u64);
        request.unread_bytes += beyond.sum::<u64>();
        for message in resources.into_iter().take(MAX_RESOURCES) {
            let resource = request.resource(message);
            request.resources.push(resource);
        }
        request
    }

    /// True if all fields are resources or a dictionary.
    pub(super) fn has_fields(bytes: &'a [u8]) -> bool {
        !bytes.is_empty() && Fields::new(bytes).all(|field| matches!(field, (1 | 2, Value::Bytes(_))))
    }

    pub(super) fn has_outline(bytes: &'a [u8]) -> bool {
        let request = || Self::parse(bytes);
        let has_texts = |request: &Self| match &request.dictionary {
            Some(dictionary) => dictionary.texts.first().is_some_and(|text| text.is_empty()),
            None => request
                .profiles()
                .any(|profile| Dictionary::of_profile(profile).texts.first().is_some_and(|text| text.is_empty())),
        };
        Self::has_fields(bytes) && {
            let request = request();
            request.profile_count() > 0 && has_texts(&request)
        }
    }

    pub(super) fn profiles(&self) -> impl Iterator<Item = &'a [u8]> {
        self.resources.iter().flat_map(|resource| resource.profiles.iter().copied())
    }

    pub(super) fn profile_count(&self) -> usize {
        self.profile_count
    }

    fn resource(&mut self, message: &'a [u8]) -> OtlpResource<'a> {
        let mut resource = OtlpResource::default();
        let mut fields = Fields::new(message);
        for (field, value) in fields.by_ref() {
            match field {
                1 => self.add_attributes(&mut resource, value.bytes()),
                2 => self.add_scope(&mut resource, value.bytes()),
                _ => {}
            }
        }
        self.unread_bytes += fields.rest.len() as u64;
        resource
    }

    fn add_attributes(&self, resource: &mut OtlpResource<'a>, message: &'a [u8]) {
        let texts = self.dictionary.as_ref();
        let attributes = Fields::new(message).filter(|(field, _)| *field == 1);
        for attribute in attributes.map(|(_, value)| Attribute::parse(value.bytes())).take(MAX_LABELS) {
            let (key, value) = (attribute.key(texts), attribute.value_text(texts));
            let Some(value) = value.filter(|value| !key.is_empty() && !value.is_empty()) else { continue };
            if key == "process.pid" {
                resource.process_id = value.parse().ok();
            }
            let known = LABELS.iter().find(|(name, _)| *name == key).map_or(&*key, |(_, label)| label);
            resource.labels.insert(cut(known), cut(&value));
        }
    }

    fn add_scope(&mut self, resource: &mut OtlpResource<'a>, message: &'a [u8]) {
        let mut fields = Fields::new(message);
        for (field, value) in fields.by_ref() {
            match field {
                1 if resource.scope.is_empty() => resource.scope = scope_title(value.bytes()),
                2 if self.profile_count < MAX_PROFILES => {
                    self.profile_count += 1;
                    resource.profiles.push(value.bytes());
                }
                2 => self.unread_bytes += value.bytes().len() as u64,
                _ => {}
            }
        }
        self.unread_bytes += fields.rest.len() as u64;
    }

    /// Counts the unreadable data.
    pub(super) fn count_damage(&self, losses: &mut whittle_model::Losses) {
        if self.unread_bytes > 0 {
            losses.add_input_bytes(LossReason::DamagedInput, self.unread_bytes);
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_LABEL_LENGTH).collect()
}

/// Name and version of an instrumentation scope.
fn scope_title(message: &[u8]) -> String {
    let of_field = |wanted| {
        let found = Fields::new(message).find(|(field, _)| *field == wanted);
        found.map(|(_, value)| cut(&text_of(value.bytes()))).unwrap_or_default()
    };
    [of_field(1), of_field(2)].join(" ").trim().to_owned()
}
