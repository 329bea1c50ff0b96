//! Everything that is known about one function, or about all overloads of a name.

use crate::attribution::Pattern;
use crate::function_name::FunctionGroup;
use crate::functions::ValueShape;
use crate::metrics::{Column, ColumnKind, Flavour};
use crate::query::{Preamble, Query, Values};
use crate::reduction::EntityKey;
use crate::{AnalysisError, Profile};
use serde::Serialize;
use whittle_model::{BinaryKind, FunctionKind, Table};

/// The answer of [`Profile::function_details`].
#[derive(Debug, Clone, Serialize)]
pub struct FunctionDetailsView {
    /// Mode, filter and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `values`.
    pub columns: Vec<Column>,
    /// The name, without signature if overloads are merged.
    pub function: String,
    /// Exclusive and inclusive values, as numbers and as shares of the total.
    pub values: Values,
    /// The functions of the name.
    pub functions: Vec<FunctionFields>,
}

/// What is known about a function.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionFields {
    /// The name as shown.
    pub function: String,
    /// The name as the JVM or the linker (mangled) has it.
    pub internal_name: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Source file name. Missing: not known.
    pub source_file: Option<String>,
    /// First source line. Missing: not known.
    pub first_line: Option<u32>,
    /// The class file or object file that the code was compiled to. Missing: not known.
    pub object_file: Option<String>,
    /// Where it was loaded from: shared library, jar, module. Missing: not known.
    pub load_object: Option<String>,
    /// GNU build id of an ELF load object. Missing: not known.
    pub build_id: Option<String>,
    /// Address of the machine code. Missing: not known, or code that moves.
    pub address: Option<u64>,
    /// Size of the code. Missing: not known.
    pub size_bytes: Option<u64>,
    /// Other functions at the same address.
    pub aliases: Vec<String>,
    /// Other functions with the same name and another signature.
    pub overloads: Vec<String>,
}

impl Profile {
    /// Everything that is known about a function.
    ///
    /// # Errors
    /// An unknown or hidden function, an unknown metric, or a filter that names what is not there.
    pub fn function_details(&self, query: &Query, name: &str) -> Result<FunctionDetailsView, AnalysisError> {
        let group = self.shown_group(name, query)?;
        let weights = self.weights(query)?;
        let mut columns = self.columns(ColumnKind::Table, query, &weights)?;
        if query.metrics.is_none() {
            columns = columns.with_all(&self.manifest().metrics);
        }
        columns.sort = None;
        let reduction = self.shown(query, EntityKey::Function)?;
        let pattern = Pattern::new(std::slice::from_ref(&group), reduction.places.len());
        // One metric after the other, and nothing kept: with many metrics all together take much memory.
        let own_and_inclusive = |metric: usize| {
            let node_weights = reduction.node_weights(&weights.by_stack.one_of_many(metric));
            let attributions = pattern.attribute(&reduction.tree, &[node_weights]);
            attributions.first().map_or((0.0, 0.0), |attribution| (attribution.own, attribution.inclusive))
        };
        let mut found: Vec<Option<(f64, f64)>> = self.manifest().metrics.iter().map(|_| None).collect();
        for column in columns.shown.iter().flat_map(Column::sums) {
            let metric = column.metric_index;
            found[metric] = found[metric].or_else(|| Some(own_and_inclusive(metric)));
        }
        let totals = crate::profile::totals(&weights);
        let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
        let values = shape.values(|column| match (column.flavour, found[column.metric_index].unwrap_or_default()) {
            (Flavour::Exclusive, (own, _)) => own,
            (_, (_, inclusive)) => inclusive,
        });
        let mut preamble = self.preamble("function", query, (&columns, &weights));
        preamble.notes.extend(group.note(self.names()));
        Ok(FunctionDetailsView {
            preamble,
            columns: columns.shown,
            values,
            functions: group.functions.iter().map(|function| self.fields(*function, &group)).collect(),
            function: group.name,
        })
    }

    fn fields(&self, function: u32, group: &FunctionGroup) -> FunctionFields {
        let (functions, binaries) = (&self.tables().functions, &self.tables().binaries);
        let Some(row) = self.names().row(function) else {
            return FunctionFields::pseudo(self.names().display_name(function));
        };
        let (binary, shown) = (functions.binary[row].row(), &functions.display_name[row]);
        let other = |row: usize| !group.functions.contains(&(row as u32));
        let names = |rows: Vec<usize>| rows.into_iter().map(|row| functions.display_name[row].clone()).collect();
        let same_address = (0..functions.len()).filter(|candidate| {
            *candidate != row
                && functions.address[row].is_some()
                && functions.address[*candidate] == functions.address[row]
                && functions.binary[*candidate] == functions.binary[row]
        });
        let stem = shown.split_once('(').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
        let same_name = (0..functions.len()).filter(|candidate| {
            let signature = stem.and_then(|stem| functions.display_name[*candidate].strip_prefix(stem));
            other(*candidate) && signature.is_some_and(|signature| signature.starts_with('('))
        });
        let kind = functions.kind[row];
        let internal_name = functions.internal_name[row].clone();
        FunctionFields {
            function: shown.clone(),
            object_file: class_file(&internal_name).filter(|_| kind == FunctionKind::Java),
            internal_name,
            kind,
            source_file: functions.source_file[row].clone(),
            first_line: functions.first_line[row],
            load_object: Some(binaries.path[binary].clone()).filter(|_| binaries.kind[binary] != BinaryKind::None),
            build_id: binaries.build_id[binary].clone(),
            address: functions.address[row],
            size_bytes: functions.size_bytes[row],
            aliases: names(same_address.collect()),
            overloads: names(same_name.collect()),
        }
    }
}

impl FunctionFields {
    fn pseudo(name: &str) -> Self {
        Self {
            function: name.to_owned(),
            internal_name: name.to_owned(),
            kind: FunctionKind::Pseudo,
            source_file: None,
            first_line: None,
            object_file: None,
            load_object: None,
            build_id: None,
            address: None,
            size_bytes: None,
            aliases: Vec::new(),
            overloads: Vec::new(),
        }
    }
}

/// The class file of a method such as `java/util/HashMap.put(Ljava/lang/Object;)V`.
fn class_file(internal_name: &str) -> Option<String> {
    let method = internal_name.split('(').next()?;
    let (class, _) = method.rsplit_once('.')?;
    Some(format!("{}.class", class.replace('.', "/")))
}
