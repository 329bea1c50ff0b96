package com.acme.shop;

import java.util.Properties;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.context.WebServerApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The shop: starts everything in one process and prints {@code port=NNNN} when it takes requests. */
@SpringBootApplication
@EnableScheduling
public class Shop {
    /** Takes Spring Boot's arguments, for example {@code --server.port=0}. */
    public static void main(String[] arguments) {
        // Without this, each answer of the JDK's HTTP server waits 40 ms for an acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // The JDK's HTTP server closes idle connections after 30 s; the client must be earlier.
        System.setProperty("jdk.httpclient.keepalive.timeout", "20");
        // HttpURLConnection keeps only 5 idle connections by default.
        System.setProperty("http.maxConnections", "64");
        SpringApplication application = new SpringApplication(Shop.class);
        Properties defaults = new Properties();
        defaults.setProperty("server.tomcat.threads.max", Integer.toString(Options.threads()));
        defaults.setProperty("server.tomcat.threads.min-spare", Integer.toString(Options.threads()));
        application.setDefaultProperties(defaults);
        WebServerApplicationContext context = (WebServerApplicationContext) application.run(arguments);
        System.out.println("port=" + context.getWebServer().getPort());
    }
}
