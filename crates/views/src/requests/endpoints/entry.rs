//! The endpoint of a stack: the outermost method of the program below a method of a server or a framework that calls handlers.
//!
//! ```text
//! Thread.run > ApplicationFilterChain.doFilter > app.AuthFilter.doFilter > InvocableHandlerMethod.doInvoke > app.Orders.get > app.Dao.find
//!              level 1                           entry of level 1          level 3                           entry of level 3
//! ```
//!
//! The highest level with an entry counts. A method of the program that calls `KafkaConsumer.poll` is a poll loop, and itself the entry.

use whittle_bytecode::class_file::is_jdk_method;
use whittle_model::{FunctionIndex, FunctionKind, Table, Tables};
use whittle_profile::frameworks::{is_framework, is_jdk, is_library};

/// The known methods that call handlers.
const DISPATCHERS: &str = include_str!("dispatchers.tsv");

/// Number of levels.
const LEVELS: usize = 3;

const KAFKA_POLL: &str = "org/apache/kafka/clients/consumer/KafkaConsumer.poll";
const KAFKA: Dispatcher = Dispatcher { level: 1, framework: "Kafka poll loop", method: "" };

/// Generated classes have this in their names: proxies and lambdas.
const GENERATED: &str = "$$";

/// A method of a framework that calls handlers.
#[derive(Debug, Clone, Copy)]
struct Dispatcher {
    /// From 0.
    level: usize,
    framework: &'static str,
    /// The beginning of the internal name.
    method: &'static str,
}

/// Where a stack entered the program's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Endpoint {
    /// The name of the framework.
    pub(super) framework: &'static str,
    /// The method of the program. Missing: the stack has none below the framework.
    pub(super) entry: Option<FunctionIndex>,
}

/// What a stack has at each level: the framework, and the entry below it.
#[derive(Debug, Clone, Copy, Default)]
struct Entered([Option<Endpoint>; LEVELS]);

/// What a function is for the search.
#[derive(Clone, Copy)]
enum Role {
    Dispatches(Dispatcher),
    /// The program's own method.
    Own,
    Other,
}

/// The endpoint of each row of stacks. Missing: the stack has no known framework.
pub(super) fn endpoints(tables: &Tables) -> Vec<Option<Endpoint>> {
    let dispatchers = dispatchers();
    let (functions, stacks) = (&tables.functions, &tables.stacks);
    let mut roles: Vec<Role> = (0..functions.len()).map(|row| role(tables, row, &dispatchers)).collect();
    let function = |row: usize| tables.frames.function[stacks.frame[row].row()];
    for row in 1..stacks.len() {
        let caller = function(stacks.parent[row].row()).row();
        let polls = functions.internal_name[function(row).row()].starts_with(KAFKA_POLL);
        if polls && matches!(roles[caller], Role::Own) {
            roles[caller] = Role::Dispatches(KAFKA);
        }
    }
    let mut entered = vec![Entered::default(); stacks.len()];
    // Parents come before their children.
    for row in 1..stacks.len() {
        let function = function(row);
        let mut own = entered[stacks.parent[row].row()];
        match roles[function.row()] {
            Role::Dispatches(dispatcher) => {
                own.dispatched(dispatcher);
                if dispatcher.framework == KAFKA.framework {
                    own.entered(function);
                }
            }
            Role::Own => own.entered(function),
            Role::Other => {}
        }
        entered[row] = own;
    }
    entered.iter().map(Entered::endpoint).collect()
}

impl Entered {
    fn dispatched(&mut self, dispatcher: Dispatcher) {
        let framework = dispatcher.framework;
        self.0[dispatcher.level].get_or_insert(Endpoint { framework, entry: None });
    }

    fn entered(&mut self, function: FunctionIndex) {
        for endpoint in self.0.iter_mut().flatten() {
            endpoint.entry.get_or_insert(function);
        }
    }

    fn endpoint(&self) -> Option<Endpoint> {
        let highest_first = || self.0.iter().rev().flatten().copied();
        highest_first().find(|endpoint| endpoint.entry.is_some()).or_else(|| highest_first().next())
    }
}

fn role(tables: &Tables, row: usize, dispatchers: &[Dispatcher]) -> Role {
    let name = tables.functions.internal_name[row].as_str();
    if tables.functions.kind[row] != FunctionKind::Java {
        return Role::Other;
    }
    if let Some(dispatcher) = dispatchers.iter().find(|dispatcher| name.starts_with(dispatcher.method)) {
        return Role::Dispatches(*dispatcher);
    }
    let is_known = is_jdk(name) || is_jdk_method(name) || is_framework(name) || is_library(name);
    if is_known || name.contains(GENERATED) { Role::Other } else { Role::Own }
}

fn dispatchers() -> Vec<Dispatcher> {
    let lines = DISPATCHERS.lines().filter(|line| !line.starts_with('#'));
    let dispatcher = |line: &'static str| {
        let mut words = line.split('\t');
        let (level, framework, method) = (words.next()?.parse::<usize>().ok()?, words.next()?, words.next()?);
        Some(Dispatcher { level: level.checked_sub(1)?, framework, method })
    };
    lines.filter_map(dispatcher).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::experiment_from_text;

    fn endpoint(drawn_frames: &str) -> String {
        let (_, tables) = experiment_from_text(drawn_frames);
        let Some(endpoint) = endpoints(&tables)[tables.samples.stack[0].row()] else { return "none".to_owned() };
        let entry = endpoint.entry.map_or("-", |entry| tables.functions.display_name[entry.row()].as_str());
        format!("{}: {entry}", endpoint.framework)
    }

    #[test]
    fn each_line_of_the_registry_is_a_dispatcher() {
        let lines = DISPATCHERS.lines().filter(|line| !line.starts_with('#')).count();
        let dispatchers = dispatchers();
        assert_eq!(dispatchers.len(), lines);
        assert!(dispatchers.iter().all(|it| it.level < LEVELS && it.method.contains('/') && !it.framework.is_empty()));
    }

    #[test]
    fn the_endpoint_is_the_outermost_method_below_the_highest_level() {
        let tomcat = "java/lang/Thread.run\norg/apache/catalina/core/ApplicationFilterChain.doFilter";
        let spring = "org/springframework/web/method/support/InvocableHandlerMethod.doInvoke";
        for (frames, expected) in [
            (
                format!("{tomcat}\napp/Filter.doFilter\n{spring}\napp/Orders.get\napp/Dao.find"),
                "Spring MVC: app/Orders.get",
            ),
            (
                format!("{tomcat}\n{spring}\napp/Orders$$SpringCGLIB$$0.get\napp/Orders.get"),
                "Spring MVC: app/Orders.get",
            ),
            (format!("{tomcat}\napp/Filter.doFilter\njava/lang/Object.wait"), "Tomcat: app/Filter.doFilter"),
            (format!("{tomcat}\n{spring}\ncom/fasterxml/jackson/Json.write"), "Spring MVC: -"),
            ("java/lang/Thread.run\napp/Worker.run".to_owned(), "none"),
        ] {
            assert_eq!(endpoint(&frames), expected, "{frames}");
        }
    }

    #[test]
    fn a_poll_loop_is_its_own_endpoint() {
        let drawn = "
            app/Consumer.run                                      app/Consumer.run
            app/Consumer.loop                                     app/Consumer.loop
            org/apache/kafka/clients/consumer/KafkaConsumer.poll  app/Consumer.handle
        ";
        let (_, tables) = experiment_from_text(drawn);
        let endpoints = endpoints(&tables);
        let name = |endpoint: Endpoint| tables.functions.display_name[endpoint.entry.expect("an entry").row()].clone();
        let names: Vec<String> =
            tables.samples.stack.iter().filter_map(|stack| endpoints[stack.row()].map(name)).collect();
        assert_eq!(names, ["app/Consumer.loop", "app/Consumer.loop"]);
    }
}
