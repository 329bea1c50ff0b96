//! All facts about one function, or about all overloads of a name.

mod class_facts;
mod text;

use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys};
use crate::function::class_facts::ClassFacts;
use serde::{Deserialize, Serialize};
use whittle_model::{BinaryKind, FunctionKind, Table};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::attribution::Pattern;
use whittle_profile::function_name::FunctionGroup;
use whittle_profile::metrics::{Column, ColumnKind, Flavour};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::reduction::EntityKey;
use whittle_profile::value_shape::ValueShape;

/// The definition of this view. Its answer is [`FunctionDetailsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "function",
        answer: |on, asked| {
            let Keys { name } = keys(asked)?;
            Ok(Answered::view(function_details(on.profile, on.query, &name)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[Parameter::FUNCTION],
        in_fleet: false,
        ..Command::table("All facts about one function")
    }),
};

/// The keys of a request for a function.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: String,
}

/// The answer of [`function_details`](function_details()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionDetailsView {
    /// Mode, filter and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `values`.
    pub columns: Vec<Column>,
    /// The name, without the signature if overloads are merged.
    pub function: String,
    /// Exclusive and inclusive values, as numbers and as shares of the total.
    pub values: Values,
    /// The functions with this name.
    pub functions: Vec<FunctionFields>,
}

/// Facts about a function.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionFields {
    /// The name as shown.
    pub function: String,
    /// The internal name from the JVM, or the mangled name from the linker.
    pub internal_name: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Source file name. Missing if unknown.
    pub source_file: Option<String>,
    /// First source line. Missing if unknown.
    pub first_line: Option<u32>,
    /// The class file or object file that contains the compiled code. Missing if unknown.
    pub object_file: Option<String>,
    /// The file from which the code was loaded: shared library, jar, module. Missing if unknown.
    pub load_object: Option<String>,
    /// GNU build id of an ELF load object. Missing if unknown.
    pub build_id: Option<String>,
    /// Address of the machine code. Missing if unknown, or if the code can move.
    pub address: Option<u64>,
    /// Size of the machine code. Missing if unknown.
    pub size_bytes: Option<u64>,
    /// Size of the method's bytecode, on which the JVM's limits for inlining and compilation depend. Missing if unknown, and for
    /// functions that are not Java.
    pub bytecode_bytes: Option<u64>,
    /// Other functions at the same address.
    pub aliases: Vec<String>,
    /// Other functions with the same name and another signature.
    pub overloads: Vec<String>,
}

/// Returns all facts about a function.
///
/// # Errors
/// The function is unknown or hidden, the metric is unknown, or the filter contains an unknown name.
pub fn function_details(profile: &Profile, query: &Query, name: &str) -> Result<FunctionDetailsView, AnalysisError> {
    let group = profile.shown_group(name, query)?;
    let weights = profile.weights(query)?;
    let mut columns = profile.columns(ColumnKind::Table, query, &weights)?;
    if query.metrics.is_none() {
        columns = columns.with_all(&profile.manifest().metrics);
    }
    columns.sort = None;
    let reduction = profile.shown(query, EntityKey::Function)?;
    let pattern = Pattern::new(std::slice::from_ref(&group), reduction.places.len());
    // Metrics are processed one after the other and are not kept, because many metrics together need much memory.
    let own_and_inclusive = |metric: usize| {
        let node_weights = reduction.node_weights(&weights.by_stack.one_of_many(metric));
        let attributions = pattern.attribute(&reduction.tree, &[node_weights]);
        attributions.first().map_or((0.0, 0.0), |attribution| (attribution.own, attribution.inclusive))
    };
    let mut found: Vec<Option<(f64, f64)>> = profile.manifest().metrics.iter().map(|_| None).collect();
    for column in columns.shown.iter().flat_map(Column::sums) {
        let metric = column.metric_index;
        found[metric] = found[metric].or_else(|| Some(own_and_inclusive(metric)));
    }
    let totals = whittle_profile::totals(&weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let values = shape.values(|column| match (column.flavour, found[column.metric_index].unwrap_or_default()) {
        (Flavour::Exclusive, (own, _)) => own,
        (_, (_, inclusive)) => inclusive,
    });
    let mut preamble = profile.preamble("function", query, (&columns, &weights));
    preamble.notes.extend(group.note(profile.names()));
    let functions: Vec<FunctionFields> =
        group.functions.iter().map(|function| fields(profile, *function, &group)).collect();
    if functions.iter().any(FunctionFields::has_no_machine_code) {
        preamble.notes.push(NO_MACHINE_CODE.to_owned());
    }
    Ok(FunctionDetailsView { preamble, columns: columns.shown, values, functions, function: group.name })
}

/// Why Java methods have no address and no size.
const NO_MACHINE_CODE: &str = "Java methods have no address and no size of machine code: the JVM compiles a method several \
                               times, inlines it into its callers, and can remove the code";

fn fields(profile: &Profile, function: u32, group: &FunctionGroup) -> FunctionFields {
    let (functions, binaries) = (&profile.tables().functions, &profile.tables().binaries);
    let Some(row) = profile.names().row(function) else {
        return FunctionFields::pseudo(profile.names().display_name(function));
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
    let of_class = Some(kind).filter(|kind| *kind == FunctionKind::Java);
    let of_class = of_class.and_then(|_| ClassFacts::of(&profile.tables().archive, &internal_name)).unwrap_or_default();
    let binary_path = Some(binaries.path[binary].clone()).filter(|_| binaries.kind[binary] != BinaryKind::None);
    FunctionFields {
        function: shown.clone(),
        object_file: class_file(&internal_name).filter(|_| kind == FunctionKind::Java),
        internal_name,
        kind,
        source_file: functions.source_file[row].clone().or(of_class.source_file),
        first_line: functions.first_line[row].or(of_class.first_line),
        load_object: binary_path.or(of_class.origin),
        bytecode_bytes: of_class.bytecode_bytes,
        build_id: binaries.build_id[binary].clone(),
        address: functions.address[row],
        size_bytes: functions.size_bytes[row],
        aliases: names(same_address.collect()),
        overloads: names(same_name.collect()),
    }
}

impl FunctionFields {
    /// True for a Java method without facts about its machine code.
    fn has_no_machine_code(&self) -> bool {
        self.kind == FunctionKind::Java && self.address.is_none() && self.size_bytes.is_none()
    }

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
            bytecode_bytes: None,
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
