package com.acme.records;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A Kafka broker and controller (KRaft) in one process. Its data is in a temporary folder that goes when it ends. */
public final class Broker {
    private Broker() {}

    /** {@code [--port N]}. */
    public static void main(String[] words) throws Exception {
        int port = (int) new Arguments(words).number("--port", 0);
        if (port == 0) port = freePort();
        Path folder = Files.createTempDirectory("kafka-shop");
        format(folder);
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(properties(folder, port)), Time.SYSTEM);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.shutdown();
            delete(folder);
        }));
        server.startup();
        createTopics(port);
        System.out.println("port=" + port);
        server.awaitShutdown();
    }

    private static void format(Path folder) throws Exception {
        new Formatter().setPrintStream(System.err).setNodeId(1).setClusterId(Uuid.randomUuid().toString())
                .addDirectory(folder.toString()).setMetadataLogDirectory(folder.toString())
                .setReleaseVersion(MetadataVersion.latestProduction()).setControllerListenerName("CONTROLLER").run();
    }

    private static Properties properties(Path folder, int port) throws IOException {
        int controllerPort = freePort();
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "controller.quorum.voters", "1@127.0.0.1:" + controllerPort,
                "controller.listener.names", "CONTROLLER",
                "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "log.dirs", folder.toString()));
        properties.putAll(Map.of(
                "offsets.topic.replication.factor", "1",
                "offsets.topic.num.partitions", "4",
                "group.initial.rebalance.delay.ms", "0",
                "num.network.threads", "2",
                "num.io.threads", "4"));
        return properties;
    }

    private static void createTopics(int port) throws Exception {
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", "127.0.0.1:" + port))) {
            admin.createTopics(List.of(
                    new NewTopic(Order.TOPIC, 8, (short) 1), new NewTopic(Receipts.TOPIC, 8, (short) 1))).all().get();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
