package com.acme.faults.jjwt;

import com.acme.load.Load;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Keys;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.zip.CRC32;
import javax.crypto.SecretKey;

/** A login page: hands out a signed session token, and puts it into a cookie. */
public final class SessionTokens {
    private SessionTokens() {}

    public static void main(String[] args) {
        SecretKey key = Keys.hmacShaKeyFor("0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        Load.onThreads(2, "session", () -> {
            int[] user = {0};
            return () -> {
                String token = issue(key, "user-" + user[0]++ % 1000);
                Load.kept = cookie(token);
            };
        });
    }

    private static String issue(SecretKey key, String user) {
        Date now = new Date();
        return Jwts.builder()
                .setSubject(user)
                .setIssuer("acme")
                .setIssuedAt(now)
                .setExpiration(new Date(now.getTime() + 3_600_000))
                .claim("tenant", "shop")
                .signWith(key)
                .compact();
    }

    private static String cookie(String token) {
        CRC32 sum = new CRC32();
        sum.update(token.getBytes(StandardCharsets.US_ASCII));
        return "session=" + token + "; Path=/; HttpOnly; Tag=" + Long.toHexString(sum.getValue());
    }
}
