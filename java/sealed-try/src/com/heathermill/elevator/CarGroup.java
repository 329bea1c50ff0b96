package com.heathermill.elevator;

import com.acme.load.Load;
import java.util.Arrays;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Simulates a group of lift cars, and chooses the car for each call. */
public final class CarGroup {
    private static final Logger LOG = Logger.getLogger(CarGroup.class.getName());
    private static final int FLOORS = 40;

    abstract static class Car {
        final int id;
        protected int floor;
        protected final boolean[] stops = new boolean[FLOORS];
        protected long travelled;

        Car(int id) {
            this.id = id;
        }

        abstract int cost(int from, int to);

        void accept(int from, int to) {
            stops[from] = true;
            stops[to] = true;
            LOG.fine("car " + id + " at " + floor + " stops at " + Arrays.toString(stops)); // [call] [edit]
            // [new] if (LOG.isLoggable(Level.FINE))
            // [new]     LOG.fine("car " + id + " at " + floor + " stops at " + Arrays.toString(stops));
        }

        /** Goes to the next stop above, else to the next below. */
        void move() {
            int target = floor;
            for (int next = 1; next < FLOORS && target == floor; next++)
                if (floor + next < FLOORS && stops[floor + next])
                    target = floor + next;
                else if (floor - next >= 0 && stops[floor - next])
                    target = floor - next;
            travelled += Math.abs(target - floor);
            floor = target;
            stops[floor] = false;
        }
    }

    static final class SlowCar extends Car {
        SlowCar(int id) {
            super(id);
        }

        @Override
        int cost(int from, int to) {
            int cost = 3 * Math.abs(floor - from) + 3 * Math.abs(from - to);
            for (boolean stop : stops)
                cost += stop ? 9 : 0;
            return cost;
        }
    }

    static final class ExpressCar extends Car {
        ExpressCar(int id) {
            super(id);
        }

        @Override
        int cost(int from, int to) {
            int cost = Math.abs(floor - from) + Math.abs(from - to) + 12;
            for (int at = 0; at < FLOORS; at++)
                cost += stops[at] ? 4 + at % 3 : 0;
            return cost;
        }
    }

    private final Car[] cars = new Car[16];
    private final int[] calls = new Random(40).ints(1_600, 0, FLOORS).toArray();

    CarGroup() {
        for (int id = 0; id < cars.length; id++)
            cars[id] = id % 4 == 0 ? new ExpressCar(id) : new SlowCar(id);
    }

    void hour() {
        long travelled = 0;
        for (int at = 0; at < calls.length; at += 2) {
            Car best = cars[0];
            for (Car car : cars)
                if (car.cost(calls[at], calls[at + 1]) < best.cost(calls[at], calls[at + 1]))
                    best = car;
            best.accept(calls[at], calls[at + 1]);
            for (Car car : cars)
                car.move();
        }
        for (Car car : cars)
            travelled = travelled * 31 + car.travelled;
        Load.kept = travelled;
    }

    public static void main(String[] args) {
        Load.onThreads(2, "lift", () -> new CarGroup()::hour);
    }
}
