//! Packages that are known by name: launchers, frameworks, and libraries of languages.

/// Packages of launchers. Their method `main` starts the program, but it is not the program's.
const LAUNCHERS: &[&str] = &[
    "org/springframework/boot/loader/",
    "org/eclipse/jetty/start/",
    "org/apache/catalina/startup/",
    "io/quarkus/bootstrap/runner/",
    "io/quarkus/runner/",
    "io/vertx/core/Launcher",
    "io/vertx/launcher/",
    "io/ktor/server/",
    "org/codehaus/plexus/classworlds/launcher/",
    "org/codehaus/classworlds/",
    "org/gradle/launcher/",
    "org/gradle/wrapper/",
    "org/jboss/modules/",
    "com/intellij/rt/",
    "org/apache/maven/surefire/",
];

/// True for a class or method of a launcher.
pub(crate) fn is_launcher(internal_name: &str) -> bool {
    LAUNCHERS.iter().any(|package| internal_name.starts_with(package))
}

/// The libraries of languages other than Java. Many programs contain them in their own jar.
const LANGUAGE_LIBRARIES: &[&str] =
    &["kotlin/", "kotlinx/coroutines/", "scala/", "groovy/lang/", "org/codehaus/groovy/", "clojure/"];

/// True for a class in the library of a language.
pub(crate) fn is_of_language(class: &str) -> bool {
    LANGUAGE_LIBRARIES.iter().any(|package| class.starts_with(package))
}

/// Packages of servers, frameworks and libraries. Many programs contain them, and they are no program's own.
const FRAMEWORKS: &[&str] = &[
    "akka/",
    "cats/effect/",
    "ch/qos/logback/",
    "com/fasterxml/",
    "com/google/common/",
    "com/google/protobuf/",
    "com/ibm/ws/",
    "com/linecorp/armeria/",
    "com/mysql/",
    "com/newrelic/",
    "com/vaadin/",
    "com/zaxxer/",
    "datadog/",
    "fish/payara/",
    "graphql/",
    "io/dropwizard/",
    "io/grpc/",
    "io/helidon/",
    "io/ktor/",
    "io/micrometer/",
    "io/micronaut/",
    "io/netty/",
    "io/openliberty/",
    "io/opentelemetry/",
    "io/prometheus/",
    "io/quarkus/",
    "io/reactivex/",
    "io/smallrye/",
    "io/temporal/",
    "io/undertow/",
    "io/vertx/",
    "jakarta/",
    "javassist/",
    "net/bytebuddy/",
    "org/apache/camel/",
    "org/apache/catalina/",
    "org/apache/commons/",
    "org/apache/coyote/",
    "org/apache/cxf/",
    "org/apache/felix/",
    "org/apache/hc/",
    "org/apache/http/",
    "org/apache/jasper/",
    "org/apache/kafka/",
    "org/apache/karaf/",
    "org/apache/logging/",
    "org/apache/pekko/",
    "org/apache/tomcat/",
    "org/bouncycastle/",
    "org/eclipse/jetty/",
    "org/eclipse/microprofile/",
    "org/glassfish/",
    "org/hibernate/",
    "org/infinispan/",
    "org/jboss/",
    "org/junit/",
    "org/jvnet/hk2/",
    "org/objectweb/asm/",
    "org/osgi/",
    "org/postgresql/",
    "org/reactivestreams/",
    "org/slf4j/",
    "org/springframework/",
    "org/wildfly/",
    "org/xnio/",
    "play/",
    "reactor/",
    "rx/",
    "weblogic/",
    "zio/",
];

/// True for a class of a framework.
pub(crate) fn is_framework(class: &str) -> bool {
    FRAMEWORKS.iter().any(|framework| class.starts_with(framework))
}

/// Packages that many organisations share. Three components name a program in them, and two components in others.
const SHARED: &[&str] =
    &["org/apache/", "org/eclipse/", "com/google/", "com/github/", "io/github/", "uk/co/", "br/com/", "au/com/"];

/// The package that names a program or an organisation: `com/acme/` for `com/acme/shop/Main`, `org/apache/kafka/` for
/// `org/apache/kafka/clients/A`. `None`: the class's package has fewer components.
pub(crate) fn of_program(class: &str) -> Option<&str> {
    let components = if SHARED.iter().any(|shared| class.starts_with(shared)) { 3 } else { 2 };
    let end = class.match_indices('/').nth(components - 1)?.0;
    Some(&class[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_organisations_share_need_three_components() {
        assert_eq!(of_program("com/acme/shop/A"), Some("com/acme/"));
        assert_eq!(of_program("org/apache/activemq/artemis/A"), Some("org/apache/activemq/"));
        assert_eq!((of_program("Main"), of_program("shop/A")), (None, None));
    }
}
