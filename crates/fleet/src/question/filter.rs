//! Selects the observations of a query by labels, and makes the SQL conditions for these labels.

use crate::engine::sql_text;

/// A condition for a label that has no separate column.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelFilter {
    /// The label.
    pub name: String,
    /// The value that the label must have.
    pub value: String,
}

impl std::str::FromStr for LabelFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self { name: name.to_owned(), value: value.to_owned() }),
            _ => Err(format!("expected NAME=VALUE, for example zone=a; found \"{text}\"")),
        }
    }
}

/// Selects observations. An empty list selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Whose {
    /// Names of services.
    pub services: Vec<String>,
    /// Versions of the program.
    pub versions: Vec<String>,
    /// Machines.
    pub hosts: Vec<String>,
    /// Regions of the machines.
    pub regions: Vec<String>,
    /// Other labels. All of these labels must match.
    pub labels: Vec<LabelFilter>,
}

impl Whose {
    /// Whether the filter can select observations of a service.
    pub fn has_service(&self, service: &str) -> bool {
        self.services.is_empty() || self.services.iter().any(|asked| asked == service)
    }

    /// The SQL condition of a query: a condition on the time, and the conditions on labels.
    pub(super) fn condition(&self, time: &str) -> String {
        let columns = [
            ("service", &self.services),
            ("version", &self.versions),
            ("host", &self.hosts),
            ("region", &self.regions),
        ];
        let columns = columns.into_iter().filter(|(_, values)| !values.is_empty());
        let mut conditions = vec![format!("({time})")];
        conditions.extend(columns.map(|(column, values)| is_one_of(column, values)));
        conditions.extend(self.labels.iter().map(has_label));
        conditions.join(" AND ")
    }

    /// The filter in words: `checkout 1.0, 1.1 on host-3`.
    pub fn words(&self) -> String {
        let list = |values: &[String]| values.join(", ");
        let mut words = if self.services.is_empty() { "all services".to_owned() } else { list(&self.services) };
        let mut add = |before: &str, values: &[String]| {
            if !values.is_empty() {
                words.push_str(&format!("{before}{}", list(values)));
            }
        };
        add(" ", &self.versions);
        add(" on ", &self.hosts);
        add(" in ", &self.regions);
        let labels: Vec<String> = self.labels.iter().map(|label| format!("{}={}", label.name, label.value)).collect();
        add(" with ", &labels);
        words
    }
}

fn is_one_of(column: &str, values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| sql_text(value)).collect();
    match values.as_slice() {
        [one] => format!("{column} = {one}"),
        several => format!("{column} IN ({})", several.join(", ")),
    }
}

/// The SQL condition for one label. The column contains `name=value,name=value`.
fn has_label(label: &LabelFilter) -> String {
    let mut pattern = String::from("%,");
    for character in format!("{}={}", label.name, label.value).chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push_str(",%");
    format!("(',' || labels || ',') LIKE {} ESCAPE '\\'", sql_text(&pattern))
}
