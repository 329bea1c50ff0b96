package com.acme.faults.javajwt;

import com.acme.load.Load;
import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.interfaces.DecodedJWT;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** A service that authenticates each request: checks a token's signature and reads its claims. */
public final class TokenReader {
    private TokenReader() {}

    public static void main(String[] args) {
        Algorithm algorithm = Algorithm.HMAC256("a secret of the service".getBytes(StandardCharsets.US_ASCII));
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tokens.add(JWT.create().withIssuer("acme").withSubject("user-" + i).withAudience("shop", "mail")
                    .withClaim("tenant", "t" + i % 3).withArrayClaim("roles", new String[] {"reader", "writer", "r" + i})
                    .withExpiresAt(Instant.now().plusSeconds(3600)).sign(algorithm));
        }
        Load.onThreads(2, "login", () -> () -> {
            TreeSet<String> users = new TreeSet<>();
            for (String token : tokens) {
                users.add(authenticate(algorithm, token));
            }
            Load.kept = users;
        });
    }

    private static String authenticate(Algorithm algorithm, String token) {
        DecodedJWT decoded = JWT.decode(token);
        algorithm.verify(decoded);
        if (decoded.getExpiresAtAsInstant().isBefore(Instant.now())) {
            throw new IllegalStateException("expired");
        }
        return decoded.getClaim("tenant").asString() + '/' + decoded.getSubject();
    }
}
