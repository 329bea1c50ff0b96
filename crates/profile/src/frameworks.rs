//! Packages that are known by name: launchers, frameworks that call the program, libraries that programs call, and the JDK.

/// Packages of launchers. Their method `main` starts the program, but it is not the program's.
const LAUNCHERS: &str = "
    org/springframework/boot/loader/
    org/eclipse/jetty/start/
    org/apache/catalina/startup/
    io/quarkus/bootstrap/runner/
    io/quarkus/runner/
    io/vertx/core/Launcher
    io/vertx/launcher/
    io/ktor/server/
    org/codehaus/plexus/classworlds/launcher/
    org/codehaus/classworlds/
    org/gradle/launcher/
    org/gradle/wrapper/
    org/jboss/modules/
    com/intellij/rt/
    org/apache/maven/surefire/
";

/// Packages of servers, containers and frameworks.
const FRAMEWORKS: &str = "
    akka/
    cats/effect/
    com/ibm/ws/
    com/linecorp/armeria/
    com/newrelic/
    com/vaadin/
    datadog/
    fish/payara/
    graphql/
    io/dropwizard/
    io/grpc/
    io/helidon/
    io/ktor/
    io/micrometer/
    io/micronaut/
    io/netty/
    io/openliberty/
    io/opentelemetry/
    io/quarkus/
    io/reactivex/
    io/smallrye/
    io/temporal/
    io/undertow/
    io/vertx/
    jakarta/
    net/bytebuddy/
    org/apache/camel/
    org/apache/catalina/
    org/apache/coyote/
    org/apache/cxf/
    org/apache/felix/
    org/apache/jasper/
    org/apache/karaf/
    org/apache/pekko/
    org/apache/tomcat/
    org/eclipse/jetty/
    org/eclipse/microprofile/
    org/glassfish/
    org/jboss/
    org/junit/
    org/jvnet/hk2/
    org/osgi/
    org/reactivestreams/
    org/springframework/
    org/wildfly/
    org/xnio/
    play/
    reactor/
    rx/
    weblogic/
    zio/
";

/// Packages of libraries that many programs call. They are no program's own.
const LIBRARIES: &str = "
    ch/qos/logback/
    com/fasterxml/
    com/google/common/
    com/google/protobuf/
    com/mysql/
    com/zaxxer/
    io/prometheus/
    javassist/
    org/apache/commons/
    org/apache/hc/
    org/apache/http/
    org/apache/kafka/
    org/apache/logging/
    org/bouncycastle/
    org/hibernate/
    org/infinispan/
    org/objectweb/asm/
    org/postgresql/
    org/slf4j/
";

/// The libraries of languages other than Java. Many programs contain them in their own jar.
const LANGUAGE_LIBRARIES: &str = "
    kotlin/
    kotlinx/coroutines/
    scala/
    groovy/lang/
    org/codehaus/groovy/
    clojure/
";

/// Packages of the JDK. `javax` also contains the servlet interfaces of old servers.
const JDK: &str = "
    java/
    javax/
    jdk/
    sun/
    com/sun/
    netscape/javascript/
    org/ietf/jgss/
    org/jcp/xml/
    org/w3c/dom/
    org/xml/sax/
";

/// True for a class or method of a launcher, by its internal name such as `org/apache/catalina/startup/Bootstrap`.
pub fn is_launcher(internal_name: &str) -> bool {
    starts_with(internal_name, LAUNCHERS)
}

/// True for a class or method of a framework that calls the program.
pub fn is_framework(internal_name: &str) -> bool {
    starts_with(internal_name, FRAMEWORKS) || is_launcher(internal_name)
}

/// True for a class or method of the JDK.
pub fn is_jdk(internal_name: &str) -> bool {
    starts_with(internal_name, JDK)
}

/// True for a class or method in the library of a language other than Java.
pub fn is_of_language(internal_name: &str) -> bool {
    starts_with(internal_name, LANGUAGE_LIBRARIES)
}

/// True for a class or method of a widespread library, or of the library of a language.
pub fn is_library(internal_name: &str) -> bool {
    starts_with(internal_name, LIBRARIES) || is_of_language(internal_name)
}

/// True if the name begins with one of the packages. Imported files can have names with dots. In a text, the lists take less
/// space in report files than as arrays.
fn starts_with(internal_name: &str, packages: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || (a == b'/' && b == b'.');
    let begins_with =
        |package: &str| internal_name.len() > package.len() && package.bytes().zip(internal_name.bytes()).all(same);
    packages.split_ascii_whitespace().any(begins_with)
}
