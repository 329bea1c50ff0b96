package com.mossbridge.vet;

import com.acme.load.Load;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.Deflater;

/** Writes the records of a veterinary practice as compressed tables, which the insurer collects at night. */
public class PatientExport {
    /** Subclasses say which columns a table has, in which order the beans come, and how a cell is written. */
    abstract static class Table<T> {
        private final StringBuilder text = new StringBuilder();
        private final byte[] packed = new byte[1 << 16];
        // [new] private final Method[] getters;

        Table() { // [old]
        // [new] Table(Class<T> kind) throws ReflectiveOperationException {
            // [new] List<Method> found = new ArrayList<>();
            // [new] for (String column : columns()) found.add(kind.getMethod("get" + column));
            // [new] getters = found.toArray(Method[]::new);
        }

        abstract String[] columns();
        abstract String title();
        abstract Comparator<T> order();

        void cell(StringBuilder out, String column, Object value) {
            String plain = String.valueOf(value), quote = plain.indexOf(',') >= 0 ? "\"" : "";
            out.append(quote).append(plain).append(quote);
        }

        final long export(List<T> beans) throws ReflectiveOperationException {
            text.setLength(0);
            text.append("# ").append(title()).append('\n').append(String.join(",", columns())).append('\n');
            String[] columns = columns();
            List<T> sorted = new ArrayList<>(beans);
            sorted.sort(order());
            for (T bean : sorted) {
                for (int i = 0; i < columns.length; i++) {
                    Method getter = bean.getClass().getMethod("get" + columns[i]); // [call] [edit]
                    // [new] Method getter = getters[i];
                    if (i > 0)
                        text.append(',');
                    cell(text, columns[i], getter.invoke(bean));
                }
                text.append('\n');
            }
            return pack();
        }

        private long pack() {
            Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION);
            try {
                deflater.setInput(text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
                deflater.finish();
                int length = deflater.deflate(packed);
                return (long) length << 32 | deflater.getAdler() & 0xffffffffL;
            } finally {
                deflater.end();
            }
        }
    }

    public static class Patient {
        private final String name, species;
        private final int grams, born;
        Patient(String name, String species, int grams, int born) {
            this.name = name;
            this.species = species;
            this.grams = grams;
            this.born = born;
        }
        public String getName() { return name; }
        public String getSpecies() { return species; }
        public int getGrams() { return grams; }
        public int getBorn() { return born; }
    }

    static class PatientTable extends Table<Patient> {
        PatientTable() throws ReflectiveOperationException { // [old]
            super(); // [old]
        // [new] PatientTable() throws ReflectiveOperationException {
            // [new] super(Patient.class);
        }

        @Override
        String[] columns() {
            return new String[] {"Name", "Species", "Born", "Grams"};
        }

        @Override
        String title() {
            return "patients";
        }

        @Override
        Comparator<Patient> order() {
            return Comparator.comparing(Patient::getSpecies).thenComparing(Patient::getName);
        }

        @Override
        void cell(StringBuilder out, String column, Object value) {
            if (column.equals("Grams"))
                out.append((Integer) value / 1000).append('.').append((Integer) value % 1000 / 100).append(" kg");
            else
                super.cell(out, column, value);
        }
    }

    public static void main(String[] args) {
        Random random = new Random(311);
        String[] species = {"dog", "cat", "horse, cob", "ferret", "tortoise", "rabbit, dwarf"};
        Load.onThreads(2, "export", () -> {
            List<Patient> patients = new ArrayList<>();
            for (int i = 0; i < 500; i++)
                patients.add(new Patient(Integer.toString(random.nextInt(1 << 24), 36).toUpperCase(Locale.ROOT),
                        species[random.nextInt(species.length)], 200 + random.nextInt(60_000), 2008 + random.nextInt(18)));
            try {
                PatientTable table = new PatientTable();
                return () -> Load.kept = table.export(patients);
            } catch (ReflectiveOperationException missing) {
                throw new IllegalStateException(missing);
            }
        });
    }
}
