//! Names of programs that a known launcher starts.
//!
//! Servers and build tools have one main class for all their instances and projects, such as
//! `org.codehaus.plexus.classworlds.launcher.Launcher` for every run of Maven. This class says little to the user. The table has
//! a better name for each, and the property that tells instances apart.

/// A launcher: its main class or jar, the name of its program, and the system property with the folder of the instance. If
/// the property has the same value as the other property, there is only one instance, which needs no name of its own.
struct Launcher {
    main: &'static str,
    name: &'static str,
    instance: Option<(&'static str, &'static str)>,
}

const fn launcher(main: &'static str, name: &'static str) -> Launcher {
    Launcher { main, name, instance: None }
}

const fn with_instance(
    main: &'static str,
    name: &'static str,
    (folder, home): (&'static str, &'static str),
) -> Launcher {
    Launcher { main, name, instance: Some((folder, home)) }
}

/// The known launchers. The names are those of the programs' start scripts or packages.
const LAUNCHERS: &[Launcher] = &[
    with_instance(
        "org.codehaus.plexus.classworlds.launcher.Launcher",
        "mvn",
        ("maven.multiModuleProjectDirectory", "maven.home"),
    ),
    launcher("org.apache.maven.surefire.booter.ForkedBooter", "surefire"),
    launcher("org.gradle.launcher.GradleMain", "gradle"),
    launcher("org.gradle.wrapper.GradleWrapperMain", "gradle"),
    launcher("org.gradle.launcher.daemon.bootstrap.GradleDaemon", "gradle-daemon"),
    launcher("worker.org.gradle.process.internal.worker.GradleWorkerMain", "gradle-worker"),
    launcher("org.jetbrains.kotlin.daemon.KotlinCompileDaemon", "kotlin-daemon"),
    with_instance("org.apache.catalina.startup.Bootstrap", "tomcat", ("catalina.base", "catalina.home")),
    with_instance("start.jar", "jetty", ("jetty.base", "jetty.home")),
    launcher("jboss-modules.jar", "wildfly"),
    launcher("kafka.Kafka", "kafka"),
    launcher("org.apache.zookeeper.server.quorum.QuorumPeerMain", "zookeeper"),
    launcher("org.apache.cassandra.service.CassandraDaemon", "cassandra"),
    launcher("org.apache.activemq.artemis.boot.Artemis", "artemis"),
    launcher("org.elasticsearch.bootstrap.Elasticsearch", "elasticsearch"),
    launcher("org.opensearch.bootstrap.OpenSearch", "opensearch"),
    launcher("org.apache.spark.deploy.SparkSubmit", "spark-submit"),
];

/// Surefire's jar has a new name in each run.
const SUREFIRE_JAR: &str = "surefirebooter";

/// The name of the program that `main`, a main class or jar, launches with the `java` command line `command`. `None`: it is no
/// known launcher.
pub(crate) fn program_of_launcher(main: &str, command: &[String]) -> Option<String> {
    if main.starts_with(SUREFIRE_JAR) {
        return Some("surefire".to_owned());
    }
    // `module/class`
    let class = main.rsplit('/').next().unwrap_or(main);
    let launcher = LAUNCHERS.iter().find(|launcher| launcher.main == class)?;
    let instance = launcher.instance.and_then(|(folder, home)| {
        let folder = property(command, folder)?;
        let is_other = property(command, home) != Some(folder);
        folder.trim_end_matches('/').rsplit('/').next().filter(|name| is_other && !name.is_empty())
    });
    Some(match instance {
        Some(instance) => format!("{} {instance}", launcher.name),
        None => launcher.name.to_owned(),
    })
}

/// The value of `-Dname=value` in a command line.
fn property<'a>(command: &'a [String], name: &str) -> Option<&'a str> {
    command.iter().find_map(|word| word.strip_prefix("-D")?.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(main: &str, command: &str) -> Option<String> {
        program_of_launcher(main, &command.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn launchers_have_the_names_of_their_programs() {
        let maven = "org.codehaus.plexus.classworlds.launcher.Launcher";
        let expected = Some("mvn shop".to_owned());
        assert_eq!(
            name(maven, "java -Dmaven.home=/usr/share/maven -Dmaven.multiModuleProjectDirectory=/src/shop x"),
            expected
        );
        assert_eq!(name(maven, "java x"), Some("mvn".to_owned()));
        let tomcat = "org.apache.catalina.startup.Bootstrap";
        assert_eq!(name(tomcat, "java -Dcatalina.base=/srv/t -Dcatalina.home=/srv/t x"), Some("tomcat".to_owned()));
        let instance = "java -Dcatalina.base=/srv/orders/ -Dcatalina.home=/opt/tomcat x";
        assert_eq!(name(tomcat, instance), Some("tomcat orders".to_owned()));
        let module = "org.elasticsearch.server/org.elasticsearch.bootstrap.Elasticsearch";
        assert_eq!(name(module, "java"), Some("elasticsearch".to_owned()));
        assert_eq!(name("surefirebooter-20261127_3.jar", "java"), Some("surefire".to_owned()));
        assert_eq!(name("app.jar", "java -jar app.jar"), None);
    }
}
