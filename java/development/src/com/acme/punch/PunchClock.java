package com.acme.punch;

import com.acme.load.Load;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Random;

/** Prints a monthly sheet of working hours, cell by cell, in fixed columns. */
public final class PunchClock {
    /** A sheet of paper, more or less. */
    abstract static class Sheet {
        protected final PrintStream paper;

        Sheet(PrintStream paper) {
            this.paper = paper;
        }

        abstract void cell(int minutes);

        void line() {
            paper.print('\n'); // [call]
        }
    }

    /** Hours and minutes, 01:30. */
    static final class HourSheet extends Sheet {
        HourSheet(String path) throws FileNotFoundException {
            super(new PrintStream(new FileOutputStream(path))); // [edit]
            // [new] super(new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream(path))));
        }

        @Override
        void cell(int minutes) {
            paper.print(minutes / 60); // [call]
            paper.print(':'); // [call]
            paper.print(minutes % 60); // [call]
        }
    }

    private final Random clock = new Random(7);
    private final String path = System.getProperty("java.io.tmpdir") + "/punch.txt";

    private void month() throws FileNotFoundException {
        HourSheet sheet = new HourSheet(path);
        long sum = 0;
        for (int person = 0; person < 40; person++) {
            for (int day = 0; day < 31; day++) {
                int minutes = worked();
                sum += minutes;
                sheet.cell(minutes);
            }
            sheet.line();
        }
        sheet.paper.close();
        Load.kept = sum;
    }

    private int worked() {
        int minutes = 0;
        for (int i = 0; i < 40; i++) minutes += clock.nextInt(25);
        return minutes;
    }

    public static void main(String[] arguments) {
        PunchClock clock = new PunchClock();
        Load.here(clock::month);
    }
}
