package com.acme.old;

import java.util.ArrayList;
import java.util.List;

/** Allocates arrays and boxed numbers, so that the garbage collector runs. */
public final class Allocations {
    private Allocations() {}

    public static void main(String[] arguments) {
        while (Run.goesOn()) {
            List<Object> list = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                list.add(new byte[512]);
                list.add(Long.valueOf(i * 1000L));
            }
            Run.kept = list;
        }
    }
}
