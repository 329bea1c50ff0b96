package com.acme.faults.kryo;

import com.acme.load.Load;
import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A game server: sends the whole world to a new player once, and then many small updates. */
public final class StateSender {
    /** A thing in the world. */
    public static final class Thing {
        public String name;
        public double x, y;
        public Thing target;
    }

    private StateSender() {}

    public static void main(String[] args) {
        Load.onThreads(2, "game", () -> {
            Kryo kryo = new Kryo();
            kryo.register(Thing.class);
            kryo.register(ArrayList.class);
            kryo.register(HashMap.class);
            Output output = new Output(1 << 16, -1);
            List<Thing> world = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                world.add(thing("thing " + i, i, null));
            }
            Load.kept = send(kryo, output, world).length;
            int[] turn = {0};
            return () -> Load.kept = turn(kryo, output, world, turn[0]++);
        });
    }

    private static Thing thing(String name, int at, Thing target) {
        Thing thing = new Thing();
        thing.name = name;
        thing.x = at % 100;
        thing.y = at / 100;
        thing.target = target;
        return thing;
    }

    private static int turn(Kryo kryo, Output output, List<Thing> world, int turn) {
        Map<String, Thing> update = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            Thing moved = world.get((turn * 31 + i * 7) % 1000);
            update.put(moved.name, thing(moved.name, turn % 10_000, null));
        }
        Map<?, ?> received = kryo.readObject(new Input(send(kryo, output, update)), HashMap.class);
        return received.size();
    }

    private static byte[] send(Kryo kryo, Output output, Object message) {
        output.clear();
        kryo.writeObject(output, message);
        return output.toBytes();
    }
}
