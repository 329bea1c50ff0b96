//! Makes the commands for views from the definitions of the views.

use crate::failure::Failure;
use crate::table_arguments::TableArguments;
use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::{Map, Value};
use std::fmt;
use std::marker::PhantomData;
use whittle_engine::VIEWS;
use whittle_profile::{Profile, Query};
use whittle_views::definition::{Answered, Asking, Parameter, ViewDefinition, ViewError};
use whittle_views::source::CodeSource;

/// The views that a program or a command offers, and the arguments that it adds to each view.
pub trait Offer {
    /// The subject of a view: the experiments, or the selected part of the fleet.
    type Subject: Args;

    /// Whether the program offers the view.
    fn has(view: &ViewDefinition) -> bool;

    /// Adds arguments and help that only this program has.
    fn extend(_view: &ViewDefinition, command: Command) -> Command {
        command
    }
}

/// A view on the command line.
pub struct ViewCommand<O: Offer> {
    /// The view.
    pub view: &'static ViewDefinition,
    /// The subject.
    pub subject: O::Subject,
    /// Columns, rows and format.
    pub table: TableArguments,
    /// The keys of the view, as in a request.
    pub keys: Map<String, Value>,
    /// The values of the arguments that [`Offer::extend`] added.
    pub matches: ArgMatches,
    offer: PhantomData<O>,
}

impl<O: Offer> ViewCommand<O> {
    /// A view without keys. All other settings come from the parsed arguments of another command.
    ///
    /// # Errors
    /// The parsed arguments lack the arguments of views.
    pub fn of(view: &'static ViewDefinition, matches: &mut ArgMatches) -> Result<Self, Error> {
        Ok(Self {
            view,
            subject: O::Subject::from_arg_matches_mut(matches)?,
            table: TableArguments::from_arg_matches_mut(matches)?,
            keys: Map::new(),
            matches: matches.clone(),
            offer: PhantomData,
        })
    }

    /// The query of the view.
    pub fn query(&self) -> Query {
        query(self.view, &self.table)
    }

    /// Computes the view and prints it.
    ///
    /// # Errors
    /// See [`print_view`].
    pub fn print(&self, profile: &Profile, code: &dyn CodeSource) -> Result<(), Failure> {
        print_view(self.view, (&self.table, self.keys.clone()), profile, code)
    }
}

/// The query of a view with these options.
fn query(view: &ViewDefinition, table: &TableArguments) -> Query {
    table.query(view.command.and_then(|command| command.rows))
}

/// Computes a view with options and keys, and prints it.
///
/// # Errors
/// The view has no answer for these options and keys, or the output cannot be written.
pub fn print_view(
    view: &ViewDefinition,
    (table, keys): (&TableArguments, Map<String, Value>),
    profile: &Profile,
    code: &dyn CodeSource,
) -> Result<(), Failure> {
    let query = query(view, table);
    let answered = whittle_engine::answer_view(&Asking { profile, query: &query, code }, view, keys);
    match answered.map_err(failure)? {
        Answered::View(view) | Answered::Binary(_, Some(view)) => table.format.view_format().print(&*view),
        Answered::Json(_) | Answered::Binary(_, None) => Err(Failure::usage("only the analyzer shows this view")),
    }
}

/// Makes a failure with the hint for the inner error.
fn failure(error: ViewError) -> Failure {
    match error {
        ViewError::Analysis(error) => error.into(),
        other => other.into(),
    }
}

impl<O: Offer> fmt::Debug for ViewCommand<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewCommand").field("view", &self.view.name()).field("keys", &self.keys).finish_non_exhaustive()
    }
}

/// The views that a program or a command offers.
fn offered<O: Offer>() -> impl Iterator<Item = &'static ViewDefinition> {
    VIEWS.iter().filter(|view| view.command.is_some() && O::has(view))
}

impl<O: Offer> Subcommand for ViewCommand<O> {
    fn augment_subcommands(command: Command) -> Command {
        offered::<O>().fold(command, |command, view| command.subcommand(command_of::<O>(view)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        offered::<O>().any(|view| view.name() == name)
    }
}

/// The command of a view.
fn command_of<O: Offer>(view: &'static ViewDefinition) -> Command {
    let Some(offered) = &view.command else { return Command::new(view.name()) };
    let (arguments, options): (Vec<_>, Vec<_>) = offered.parameters.iter().partition(|parameter| parameter.is_required);
    let command = Command::new(view.name()).args(options.into_iter().map(argument));
    // The experiment comes before the arguments of the view.
    let command = TableArguments::augment_args(O::Subject::augment_args(command));
    let command = command.args(arguments.into_iter().map(argument));
    // The help text is set last. Otherwise clap takes the text from the documentation of the arguments.
    let command = command.about(offered.about).long_about(None);
    with_orders(O::extend(view, command), offered.orders)
}

/// Adds the words to sort by to the help. The first word is the default.
fn with_orders(command: Command, orders: &[&str]) -> Command {
    let [first, .., last] = orders else { return command };
    let all_but_last = orders[..orders.len() - 1].join(", ");
    let sentence = format!("Rows are sorted by {first}; --sort takes {all_but_last} or {last}.");
    let help = command.get_after_help().map_or_else(String::new, |help| format!("{help}\n\n"));
    command.after_help(help + &sentence)
}

/// Makes an option from a request's key. A key that every command line needs becomes an argument without a name.
fn argument(parameter: &'static Parameter) -> Arg {
    let read = parameter.read;
    let argument = Arg::new(parameter.key).help(parameter.help).value_parser(move |text: &str| read(text));
    let argument = match parameter.value_name {
        "" => argument.value_name(parameter.key.to_uppercase()),
        name => argument.value_name(name),
    };
    let argument = match parameter.default {
        Some(default) => argument.default_value(default),
        None => argument,
    };
    if parameter.is_required { argument.required(true) } else { argument.long(parameter.key.replace('_', "-")) }
}

impl<O: Offer> FromArgMatches for ViewCommand<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        let missing = || Error::raw(ErrorKind::MissingSubcommand, "the name of a view is missing");
        let (name, mut matches) = matches.remove_subcommand().ok_or_else(missing)?;
        let view = offered::<O>().find(|view| view.name() == name).ok_or_else(missing)?;
        let mut command = Self::of(view, &mut matches)?;
        for parameter in view.command.iter().flat_map(|command| command.parameters) {
            if let Some(value) = command.matches.get_one::<Value>(parameter.key) {
                command.keys.insert(parameter.key.to_owned(), value.clone());
            }
        }
        Ok(command)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An offer of all views.
    struct All;

    #[derive(Args)]
    struct Experiment {
        experiment: String,
    }

    impl Offer for All {
        type Subject = Experiment;

        fn has(_view: &ViewDefinition) -> bool {
            true
        }
    }

    #[test]
    fn each_view_is_a_command_with_its_own_help_and_options() {
        let command = ViewCommand::<All>::augment_subcommands(Command::new("whittle"));
        command.clone().debug_assert();
        for view in VIEWS.iter().filter(|view| view.command.is_some()) {
            let found = command.find_subcommand(view.name()).expect("a command for each view");
            let (about, definition) = (found.get_about().map(ToString::to_string), view.command.expect("a command"));
            assert_eq!(about.as_deref(), Some(definition.about));
            assert!(found.get_long_about().is_none());
            for parameter in definition.parameters {
                assert!(found.get_arguments().any(|argument| argument.get_id() == parameter.key), "{}", parameter.key);
            }
        }
    }

    #[test]
    fn options_become_keys_of_requests() {
        let command = ViewCommand::<All>::augment_subcommands(Command::new("whittle"));
        let matches =
            |words: &str| command.clone().try_get_matches_from(words.split(' ')).map_err(|error| error.to_string());
        let mut tree =
            matches("whittle call-tree a.whittle --min-percent 5 --percent-of parent").expect("known options");
        let tree = ViewCommand::<All>::from_arg_matches_mut(&mut tree).expect("a view");
        assert_eq!(
            Value::from(tree.keys).to_string(),
            r#"{"frameworks":"folded","min_percent":5.0,"percent_of":"parent"}"#
        );
        assert!(matches("whittle call-tree a.whittle --percent-of leaf").expect_err("no base").contains("leaf"));
        let mut function = matches("whittle function a.whittle App.run").expect("two arguments");
        let function = ViewCommand::<All>::from_arg_matches_mut(&mut function).expect("a view");
        assert_eq!(
            (function.subject.experiment.as_str(), &function.keys["name"]),
            ("a.whittle", &Value::from("App.run"))
        );
        assert!(matches("whittle function a.whittle").expect_err("no name").contains("<NAME>"));
    }
}
