package com.saltmarsh.pilotage;

import com.acme.load.Load;
import java.io.BufferedInputStream;
// [new] import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.SplittableRandom;

/** A pilot boat works out which ships come close to each other, and reports them to the shore station. */
public final class PilotFeed {
    sealed interface Report permits Position, Encounter, Round {
        void send(DataOutputStream out) throws IOException;
    }

    record Position(int ship, double north, double east) implements Report {
        @Override
        public void send(DataOutputStream out) throws IOException {
            out.writeByte('P'); // [call]
            out.writeInt(ship); // [call]
            out.writeDouble(north); // [call]
            out.writeDouble(east); // [call]
        }
    }

    record Encounter(int ship, int other, double metres) implements Report {
        @Override
        public void send(DataOutputStream out) throws IOException {
            out.writeByte('E');
            out.writeInt(ship);
            out.writeInt(other);
            out.writeDouble(metres);
        }
    }

    record Round() implements Report {
        @Override
        public void send(DataOutputStream out) throws IOException {
            out.writeByte('R');
        }
    }

    /** The shore station adds up what it hears, and answers each round with its sum. */
    static void listen(Socket boat) {
        try (boat) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(boat.getInputStream()));
            DataOutputStream answer = new DataOutputStream(boat.getOutputStream());
            for (long sum = 0;;) {
                Report report = switch (in.readByte()) {
                    case 'P' -> new Position(in.readInt(), in.readDouble(), in.readDouble());
                    case 'E' -> new Encounter(in.readInt(), in.readInt(), in.readDouble());
                    default -> new Round();
                };
                if (report instanceof Round) {
                    answer.writeLong(sum);
                    sum = 0;
                } else {
                    sum = sum * 31 + report.hashCode();
                }
            }
        } catch (IOException gone) {
            System.err.println("boat left: " + gone);
        }
    }

    static final class Boat implements Load.Unit {
        private final double[] north, east, course, knots;
        private final DataOutputStream out;
        private final DataInputStream in;
        private int round;

        Boat(Socket shore, int ships, long seed) throws IOException {
            SplittableRandom random = new SplittableRandom(seed);
            north = random.doubles(ships, 53.2, 53.9).toArray();
            east = random.doubles(ships, 6.1, 7.4).toArray();
            course = random.doubles(ships, 0, 2 * Math.PI).toArray();
            knots = random.doubles(ships, 2, 19).toArray();
            shore.setTcpNoDelay(true);
            OutputStream raw = shore.getOutputStream();
            out = new DataOutputStream(raw); // [edit]
            // [new] out = new DataOutputStream(new BufferedOutputStream(raw));
            in = new DataInputStream(shore.getInputStream());
        }

        @Override
        public void run() throws IOException {
            for (int ship = 0; ship < north.length; ship++) {
                north[ship] += Math.cos(course[ship]) * knots[ship] / 216_000;
                east[ship] += Math.sin(course[ship]) * knots[ship] / 216_000 / Math.cos(Math.toRadians(north[ship]));
                if (ship % 12 == round % 12)
                    new Position(ship, north[ship], east[ship]).send(out);
                for (int other = 0; other < ship; other++) {
                    double metres = distance(ship, other);
                    if (metres < 260)
                        new Encounter(ship, other, metres).send(out);
                }
            }
            round++;
            new Round().send(out);
            // [new] out.flush();
            Load.kept = in.readLong();
        }

        private double distance(int a, int b) {
            double high = Math.sin(Math.toRadians(north[b] - north[a]) / 2), wide = Math.sin(Math.toRadians(east[b] - east[a]) / 2);
            double part = high * high + Math.cos(Math.toRadians(north[a])) * Math.cos(Math.toRadians(north[b])) * wide * wide;
            return 2 * 6_371_000 * Math.asin(Math.sqrt(part));
        }
    }

    public static void main(String[] args) throws IOException {
        ServerSocket station = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Load.onThreads(1, "pilot", () -> {
            try {
                Socket shore = new Socket(station.getInetAddress(), station.getLocalPort());
                Socket boat = station.accept();
                new Thread(() -> listen(boat), "pilot-shore").start();
                return new Boat(shore, 320, 5);
            } catch (IOException noStation) {
                throw new java.io.UncheckedIOException(noStation);
            }
        });
    }
}
