package io.trellis.gardens;

import com.acme.load.Load;
import java.io.*;
import java.util.*;

/** Tries planting plans for a kitchen garden: each attempt changes a draft of the plan and keeps it if it is better. */
public final class BedPlanner {
    enum Crop { LEEK, BEAN, KALE, ONION, SQUASH, BEET, FENNEL }

    static final class Row implements Serializable {
        private static final long serialVersionUID = 1;
        Crop crop;
        int plants;
        double spacing;

        Row(Crop crop, int plants, double spacing) {
            this.crop = crop;
            this.plants = plants;
            this.spacing = spacing;
        }

        Row copy() {
            return new Row(crop, plants, spacing);
        }
    }

    static final class Plan implements Serializable {
        private static final long serialVersionUID = 1;
        final List<Row> rows = new ArrayList<>();
        String note = "first draft";

        Plan copy() {
            Plan twin = new Plan();
            twin.note = note;
            rows.forEach(row -> twin.rows.add(row.copy()));
            return twin;
        }
    }

    /** Makes drafts that may be changed while the plan itself stays as it is. */
    static final class Drafts {
        Plan of(Plan plan) throws Exception {
            return thaw(freeze(plan)); // [edit]
            // [new] return plan.copy();
        }

        private Plan thaw(byte[] frozen) throws Exception { // [old]
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(frozen))) { // [old]
                return (Plan) in.readObject(); // [call] [old]
            } // [old]
        } // [old]

        private byte[] freeze(Plan plan) throws Exception { // [old]
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // [old]
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { // [old]
                out.writeObject(plan); // [call] [old]
            } // [old]
            return bytes.toByteArray(); // [old]
        } // [old]
    }

    /** One way to change a plan. */
    abstract static class Move {
        final Plan apply(Plan draft, Random random) {
            int first = random.nextInt(draft.rows.size()), second = random.nextInt(draft.rows.size());
            change(draft, first, second, random);
            draft.note = getClass().getSimpleName() + " " + first + "," + second;
            return draft;
        }

        abstract void change(Plan draft, int first, int second, Random random);
    }

    static final class Swap extends Move {
        @Override
        void change(Plan draft, int first, int second, Random random) {
            Row row = draft.rows.get(first);
            draft.rows.set(first, draft.rows.get(second));
            draft.rows.set(second, row);
        }
    }

    static final class Thin extends Move {
        @Override
        void change(Plan draft, int first, int second, Random random) {
            Row row = draft.rows.get(first);
            row.spacing = Math.max(0.1, Math.min(0.9, row.spacing + (random.nextDouble() - 0.5) * 0.1));
            row.plants = (int) (6 / row.spacing);
        }
    }

    /** Harvest of a season, day by day, with shade from the neighbours and water shared along the bed. */
    static double harvest(Plan plan) {
        double total = 0;
        int size = plan.rows.size();
        double[] height = new double[size];
        for (int day = 0; day < 180; day++) {
            double sun = 0.6 + 0.4 * Math.sin(day * Math.PI / 180);
            for (int i = 0; i < size; i++) {
                Row row = plan.rows.get(i);
                double shade = (i > 0 ? height[i - 1] : 0) + (i + 1 < size ? height[i + 1] : 0);
                double likes = 0.5 + (row.crop.ordinal() * 13 + i) % 7 * 0.1;
                height[i] += sun * likes * Math.exp(-shade * 0.15) * row.spacing / (1 + height[i]);
                total += height[i] * row.plants * 0.001 * (row.crop.ordinal() == (i + 1) % 7 ? 1.2 : 1);
            }
        }
        return total;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "planner", () -> {
            Random random = new Random(4);
            Drafts drafts = new Drafts();
            List<Move> moves = List.of(new Swap(), new Thin());
            Plan[] best = {new Plan()};
            for (int i = 0; i < 14; i++)
                best[0].rows.add(new Row(Crop.values()[i * 5 % 7], 12, 0.4));
            return () -> {
                for (int i = 0; i < 10; i++) {
                    Plan draft = moves.get(random.nextInt(moves.size())).apply(drafts.of(best[0]), random);
                    if (harvest(draft) * (1 + random.nextDouble() * 0.02) > harvest(best[0]))
                        best[0] = draft;
                }
                Load.kept = best[0].note + harvest(best[0]);
            };
        });
    }
}
