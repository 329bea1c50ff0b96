use super::*;
use proptest::prelude::*;

fn redacted(words: &str) -> String {
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    redact_command(&words).join(" ")
}

/// Command lines (words separated by a space), and what is stored.
const EXAMPLES: [(&str, &str); 26] = [
    // Options, properties and variables.
    ("java -Ddb.password=hunter2 -jar shop.jar", "java -Ddb.password=<redacted> -jar shop.jar"),
    ("app --api-key k7 --verbose", "app --api-key <redacted> --verbose"),
    ("app --apikey=k7=7 -v", "app --apikey=<redacted> -v"),
    ("app -accessKey k7", "app -accessKey <redacted>"),
    ("env AWS_SECRET_ACCESS_KEY=x/y+z= app", "env AWS_SECRET_ACCESS_KEY=<redacted> app"),
    (
        "keytool -storepass p1 -keypass p2 -keystore k.jks",
        "keytool -storepass <redacted> -keypass <redacted> -keystore k.jks",
    ),
    ("java -Djavax.net.ssl.keyStorePassword=p A", "java -Djavax.net.ssl.keyStorePassword=<redacted> A"),
    ("mvn -Pdeploy.token=t -J-Dpwd=p", "mvn -Pdeploy.token=<redacted> -J-Dpwd=<redacted>"),
    ("app --auth user:p --proxy-auth=user:p", "app --auth <redacted> --proxy-auth=<redacted>"),
    ("app --token --verbose", "app --token --verbose"),
    ("java -Dpassword Main", "java -Dpassword Main"),
    // Addresses.
    ("app postgres://shop:p@db/shop", "app postgres://shop:<redacted>@db/shop"),
    ("app redis://:p/w?@db:6379", "app redis://:<redacted>@db:6379"),
    ("git clone https://ghp_x@host/r ssh://git@host/r", "git clone https://<redacted>@host/r ssh://git@host/r"),
    (
        "app jdbc:mysql://db/shop?user=u&password=p;1&ssl=true",
        "app jdbc:mysql://db/shop?user=u&password=<redacted>&ssl=true",
    ),
    ("app jdbc:sqlserver://db;user=u;password=p&1;x=y", "app jdbc:sqlserver://db;user=u;password=<redacted>;x=y"),
    ("app -Durl=jdbc:oracle:thin:u/p@db:1521/x", "app -Durl=jdbc:oracle:thin:u/<redacted>@db:1521/x"),
    ("app https://store/blob?sv=1&sig=a%2Fb", "app https://store/blob?sv=1&sig=<redacted>"),
    ("java -javaagent:a.jar=token=t,host=h A", "java -javaagent:a.jar=token=<redacted>,host=h A"),
    ("app {\"db\":{\"password\":\"p\",\"user\":\"u\"}}", "app {\"db\":{\"password\":\"<redacted>\",\"user\":\"u\"}}"),
    // Names that do not have secrets as values.
    ("app --keyspace k --monkey m --keystore /k.jks", "app --keyspace k --monkey m --keystore /k.jks"),
    ("app -Djava.security.auth.login.config=/j", "app -Djava.security.auth.login.config=/j"),
    ("app --token-file /run/t --tokenizer bpe --author me", "app --token-file /run/t --tokenizer bpe --author me"),
    ("app --password-length=12 --public-key=AA", "app --password-length=12 --public-key=AA"),
    ("java -cp /srv/token:/srv/secret/a.jar Main", "java -cp /srv/token:/srv/secret/a.jar Main"),
    ("java -Xmx2g -XX:+UseG1GC http://host:8080/a@b", "java -Xmx2g -XX:+UseG1GC http://host:8080/a@b"),
];

#[test]
fn examples() {
    for (words, stored) in EXAMPLES {
        assert_eq!(redacted(words), stored);
    }
}

/// Single words that contain spaces, for example a script for a shell.
#[test]
fn words_with_spaces() {
    let cases = [
        ("Authorization: Bearer abc", "Authorization:<redacted>"),
        ("mysql --password p --host h", "mysql --password <redacted> --host h"),
        ("java -Ddb.password=p -jar a.jar", "java -Ddb.password=<redacted> -jar a.jar"),
        (
            "sasl.jaas.config=PlainLoginModule required username=\"u\" password=\"a \\\" b\";",
            "sasl.jaas.config=PlainLoginModule required username=\"u\" password=\"<redacted>\";",
        ),
        ("-Dconfig={\\\"password\\\": \\\"p\\\"}", "-Dconfig={\\\"password\\\": \\\"<redacted>\\\"}"),
    ];
    for (word, stored) in cases {
        assert_eq!(redact_word(word), stored);
    }
}

#[test]
fn jvm_arguments_with_spaces_in_a_secret() {
    let arguments = CommandLineDetail::default().jvm_arguments("-Xmx1g -Dpassword=a b  c -Dx=y z");
    assert_eq!(arguments, "-Xmx1g -Dpassword=<redacted> -Dx=y z");
}

#[test]
fn the_detail_decides() {
    let words = ["app".to_owned(), "--token=t".to_owned()];
    let stored = |text: &str| text.parse::<CommandLineDetail>().map(|detail| detail.command(&words).join(" "));
    assert_eq!(stored("redacted"), Ok("app --token=<redacted>".to_owned()));
    assert_eq!(stored("full"), Ok("app --token=t".to_owned()));
    assert_eq!(stored("none"), Ok(String::new()));
    assert!(stored("some").is_err());
}

fn secret_name() -> impl Strategy<Value = String> {
    let names = [
        "password",
        "dbPassword",
        "DB_PASSWD",
        "user.pwd",
        "passphrase",
        "token",
        "access_token",
        "apikey",
        "api-key",
        "accessKey",
        "aws.secret-key",
        "secret",
        "clientSecret",
        "credentials",
        "proxy-auth",
        "key",
    ];
    prop::sample::select(names.to_vec()).prop_map(str::to_owned)
}

/// Words without secrets, also with names that are similar to the names of secrets.
fn harmless_word() -> impl Strategy<Value = String> {
    let words = [
        "java",
        "-jar",
        "-cp",
        "/srv/lib/*:/srv/app.jar",
        "-Xmx2g",
        "-XX:+UseG1GC",
        "com.example.Main",
        "--keyspace",
        "--monkey=7",
        "--keystore",
        "-Djavax.net.ssl.keyStore=/k.jks",
        "--author",
        "me",
        "--compass=north",
        "-Dx=a,b;c",
        "http://host:8080/path?query=1&page=2",
        "ssh://git@host/path",
        "jdbc:postgresql://db:5432/shop?user=u",
        "--bypass",
        "--tokenizer=bpe",
        "{\"a\": [1, 2]}",
        "größe=3",
        "a@b.example",
        "",
        "=",
        "--",
        "-",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

proptest! {
    /// The value of an option, property or variable can have any characters.
    #[test]
    fn no_value_of_a_secret_name_survives(name in secret_name(), value in "[^-].{0,30}", before in harmless_word()) {
        for prefix in ["--", "-D", "-", "-P", ""] {
            let stored = redact_command(&[before.clone(), format!("{prefix}{name}={value}")]);
            prop_assert_eq!(&stored[1], &format!("{prefix}{name}=<redacted>"));
        }
        let stored = redact_command(&[before, format!("--{name}"), value]);
        prop_assert_eq!(&stored[1..], &[format!("--{name}"), REDACTED.to_owned()]);
    }

    /// Inside a longer word, a secret ends at the next separator of its list.
    #[test]
    fn no_secret_in_a_list_survives(name in secret_name(), value in "[A-Za-z0-9!$%*+.~_/@-]{1,30}") {
        let stored = |word: String| redact_command(&[word]).remove(0);
        prop_assert_eq!(stored(format!("-Du=jdbc:x:a?{name}={value}&b=c")), format!("-Du=jdbc:x:a?{name}=<redacted>&b=c"));
        prop_assert_eq!(stored(format!("jdbc:x:a;{name}={value};b=c")), format!("jdbc:x:a;{name}=<redacted>;b=c"));
        prop_assert_eq!(stored(format!("-javaagent:a={name}={value},b")), format!("-javaagent:a={name}=<redacted>,b"));
        prop_assert_eq!(stored(format!("{{\"{name}\": \"{value}\"}}")), format!("{{\"{name}\": \"<redacted>\"}}"));
    }

    #[test]
    fn no_password_in_an_address_survives(user in "[a-z]{0,8}", password in "[A-Za-z0-9!$%*+.~_-]{1,30}") {
        let stored = redact_command(&[format!("--db=x://{user}:{password}@host:1/a")]);
        prop_assert_eq!(&stored[0], &format!("--db=x://{user}:<redacted>@host:1/a"));
    }

    #[test]
    fn words_without_secrets_are_unchanged(words in prop::collection::vec(harmless_word(), 0..8)) {
        prop_assert_eq!(redact_command(&words), words.clone());
        let text = words.join(" ");
        prop_assert_eq!(redact_jvm_arguments(&text), text);
    }

    #[test]
    fn redaction_is_stable(words in prop::collection::vec(".{0,40}", 0..6), name in secret_name()) {
        let mut words = words;
        words.push(format!("{name}=x;{name}: y \"{name}\":\"z\""));
        let once = redact_command(&words);
        prop_assert_eq!(redact_command(&once), once);
    }
}
