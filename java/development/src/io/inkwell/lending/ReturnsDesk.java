package io.inkwell.lending;

import com.acme.load.Load;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Clears the trolley of returned books: reads the loans, charges fines, picks the next reader's shelf. */
public final class ReturnsDesk {
    record Loan(int copy, int reader, int daysLate, String title) {
        static Loan parse(String row) {
            String[] columns = row.split("\\|");
            return new Loan(Integer.parseInt(columns[0]), Integer.parseInt(columns[1]), Integer.parseInt(columns[2]), columns[3]);
        }
    }

    /** The branch's loan store: answers "LOANS id id ..." with one row for each id. */
    static final class LoanServer {
        private final ServerSocket door;

        LoanServer() throws IOException {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            for (int n = 1; n <= 4; n++)
                new Thread(this::serve, "loandb-" + n).start();
        }

        private void serve() {
            try (Socket guest = door.accept()) {
                answer(guest);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private void answer(Socket guest) throws IOException {
            guest.setTcpNoDelay(true);
            var in = new BufferedReader(new InputStreamReader(guest.getInputStream()));
            var out = new PrintWriter(guest.getOutputStream());
            for (String line; (line = in.readLine()) != null; out.flush()) {
                LockSupport.parkNanos(120_000); // the disk
                String[] words = line.split(" ");
                for (int i = 1; i < words.length; i++) {
                    int copy = Integer.parseInt(words[i]);
                    out.println(copy + "|" + copy % 811 + "|" + copy * 7 % 40 + "|The " + Integer.toString(copy * 7919, 36) + " Papers");
                }
            }
        }
    }

    /** One connection to the loan store. */
    static final class LoanConnection {
        private final BufferedReader in;
        private final PrintWriter out;

        LoanConnection(LoanServer server) {
            try {
                Socket socket = new Socket(server.door.getInetAddress(), server.door.getLocalPort());
                socket.setTcpNoDelay(true);
                in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                out = new PrintWriter(socket.getOutputStream());
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        List<Loan> loans(List<Integer> copies) throws IOException {
            StringBuilder query = new StringBuilder("LOANS");
            copies.forEach(copy -> query.append(' ').append(copy));
            out.println(query);
            out.flush();
            List<Loan> rows = new ArrayList<>();
            for (int i = 0; i < copies.size(); i++)
                rows.add(Loan.parse(in.readLine())); // [call]
            return rows;
        }
    }

    /** Compares titles by their letter pairs, to shelve a book beside its likes. */
    static int likeness(String one, String other) {
        int same = 0;
        for (int i = 0; i + 1 < one.length(); i++)
            if (other.contains(one.substring(i, i + 2)))
                same++;
        return same;
    }

    private static final AtomicInteger DESKS = new AtomicInteger();

    private static Load.Unit desk(LoanServer server) {
        LoanConnection connection = new LoanConnection(server);
        Random trolley = new Random(DESKS.incrementAndGet());
        String[] shelves = new String[420];
        for (int i = 0; i < shelves.length; i++)
            shelves[i] = "The " + Integer.toString(i * 104729 + 99, 36) + " Shelf";
        return () -> {
            List<Integer> copies = new ArrayList<>();
            for (int i = 0; i < 12; i++)
                copies.add(trolley.nextInt(20000));
            List<Loan> loans = new ArrayList<>();
            for (int copy : copies) // [edit]
                loans.addAll(connection.loans(List.of(copy))); // [edit]
            // [new] loans.addAll(connection.loans(copies));
            long fines = 0, places = 0;
            for (Loan loan : loans) {
                fines += Math.max(0, loan.daysLate() - 14) * 20L;
                int best = 0;
                for (int shelf = 0; shelf < shelves.length; shelf++)
                    if (likeness(loan.title(), shelves[shelf]) > likeness(loan.title(), shelves[best]))
                        best = shelf;
                places = places * 31 + best;
            }
            Load.kept = fines + ":" + places;
        };
    }

    public static void main(String[] args) throws IOException {
        LoanServer server = new LoanServer();
        Load.onThreads(2, "returns", () -> desk(server));
    }
}
