package whittle.agent.trial;

/** The calls and constructors whose results later calls can get again. */
final class SharedObjects {
    private SharedObjects() {
    }

    static Remedy addresses() {
        return Remembering.forAll()
            .of("java/net/InetAddress", "getByName", "getAllByName", "getLocalHost")
            .of("java/net/InetSocketAddress", "<init>");
    }

    /** The results depend on the arguments only, and never change. */
    static Remedy results() {
        return Remembering.recent()
            .of("java/net/URI", "create", "<init>")
            .of("java/net/URLDecoder", "decode")
            .of("java/net/URLEncoder", "encode")
            .of("java/text/Normalizer", "normalize")
            .of("java/time/Duration", "parse")
            .of("java/time/Instant", "parse")
            .of("java/time/LocalDate", "parse")
            .of("java/time/LocalDateTime", "parse")
            .of("java/time/LocalTime", "parse")
            .of("java/time/OffsetDateTime", "parse")
            .of("java/time/ZonedDateTime", "parse")
            .of("java/util/Locale", "forLanguageTag")
            .of("java/util/ResourceBundle", "getBundle")
            .of("java/util/UUID", "fromString");
    }

    static Remedy members() {
        return Remembering.forAll().of("java/lang/Class", "forName", "getMethod", "getMethods", "getDeclaredMethod", "getDeclaredMethods",
            "getField", "getFields", "getDeclaredField", "getDeclaredFields", "getConstructor", "getConstructors",
            "getDeclaredConstructor", "getDeclaredConstructors");
    }

    /** Several threads can use these objects at the same time. */
    static Remedy forAll() {
        return Remembering.forAll()
            .of("java/net/http/HttpClient", "newHttpClient")
            .of("org/apache/http/impl/client/HttpClients", "createDefault")
            .of("org/apache/hc/client5/http/impl/classic/HttpClients", "createDefault")
            .of("org/springframework/web/client/RestTemplate", "<init>")
            .of("com/fasterxml/jackson/databind/ObjectMapper", "<init>")
            .of("com/fasterxml/jackson/databind/json/JsonMapper", "<init>")
            .of("tools/jackson/databind/ObjectMapper", "<init>")
            .of("tools/jackson/databind/json/JsonMapper", "<init>")
            .of("com/google/gson/Gson", "<init>")
            .of("org/modelmapper/ModelMapper", "<init>")
            .of("javax/xml/bind/JAXBContext", "newInstance")
            .of("jakarta/xml/bind/JAXBContext", "newInstance")
            .of("java/security/SecureRandom", "<init>", "getInstance", "getInstanceStrong")
            .of("java/security/KeyFactory", "getInstance")
            .of("java/security/cert/CertificateFactory", "getInstance")
            .of("javax/crypto/SecretKeyFactory", "getInstance");
    }

    /** One thread at a time can use these objects, and initialises them before each use. */
    static Remedy perThread() {
        return Remembering.perThread()
            .of("javax/crypto/Cipher", "getInstance")
            .of("javax/crypto/Mac", "getInstance")
            .of("java/security/Signature", "getInstance")
            .of("javax/xml/validation/SchemaFactory", "newInstance")
            .of("javax/xml/stream/XMLInputFactory", "newInstance", "newFactory", "newDefaultFactory")
            .of("javax/xml/stream/XMLOutputFactory", "newInstance", "newFactory", "newDefaultFactory");
    }
}
