package java.whittle;

/** What injected code calls around tasks of executors. No method throws. */
public final class Tasks {
    private static final Class<?> CARRIER = carrier();

    /** The token of a worker's task. */
    private static final ThreadLocal<Long> IN_WORKER = new ThreadLocal<>();

    private Tasks() {
    }

    private static Class<?> carrier() {
        try {
            return Class.forName("jdk.internal.misc.CarrierThread", false, null);
        } catch (ClassNotFoundException olderThan21) {
            return null;
        }
    }

    /** Remembers the current item of the thread that makes or starts this task. This happens once per object. */
    public static void submit(Object task) {
        try {
            long item = Items.current();
            if (item != 0 && task != null && !TaskClass.of(task).isQueue) {
                Handed.put(task, item);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The same for a task that a program gives to an executor. It can give the same object again, also without an item. */
    public static void execute(Object task) {
        try {
            if (!Marks.areOn() || task == null) {
                return;
            }
            TaskClass type = TaskClass.of(task);
            if (type.isMadeForOneRun) {
                submit(task);
            } else if (!type.isQueue) {
                Handed.add(task, Items.current());
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** The executor will not run this task. */
    public static void reject(Object task) {
        try {
            if (Marks.areOn() && task != null) {
                Handed.take(task);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** Enters the item of the thread that submitted the task. If that thread had no item, the task itself is one. */
    public static long start(Object task) {
        return start(task, task);
    }

    /** The same, if another object than the task was submitted. */
    static long start(Object submitted, Object task) {
        try {
            if (!Marks.areOn() || task == null) {
                return 0;
            }
            long item = Handed.take(submitted);
            return item == 0 ? begin(task) : enterKnown(item);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** Enters an item that is not 0. It can be unknown: then the time belongs to no item, rather than to a wrong one. */
    private static long enterKnown(long item) {
        return item == Handed.UNKNOWN ? Loss.SHARED_TASK.count() : Items.enter(item);
    }

    /** A worker of a pool starts this task, or ends if the task is null. */
    public static void startInWorker(Object task) {
        endInWorker();
        try {
            long token = start(task);
            if (token != 0) {
                IN_WORKER.set(token);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    /** A worker of a pool has ended its last task, if there was one. */
    public static void endInWorker() {
        try {
            Long token = IN_WORKER.get();
            if (token != null) {
                IN_WORKER.remove();
                Items.undo(token);
            }
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }

    private static long begin(Object task) {
        int kind = TaskClass.of(task).isScheduled ? Marks.SCHEDULED : Marks.TASK;
        if (!Items.wouldBegin(kind)) {
            return 0;
        }
        TaskClass type = TaskClass.ofProgram(task);
        return type.isPlumbing ? 0 : Items.begin(kind, type.name);
    }

    /**
     * Like start, for a task of a ForkJoinPool. A carrier of virtual threads has no tasks of the program. A task that is a
     * part of a computation is no item.
     */
    public static long startForked(Object task) {
        try {
            if (!Marks.areOn()) {
                return 0;
            }
            // A carrier's task is taken out of the table too, or it would stay there.
            long item = Handed.take(task);
            if (Thread.currentThread().getClass() == CARRIER) {
                return 0;
            }
            if (item != 0) {
                return enterKnown(item);
            }
            return TaskClass.of(task).hasInner() ? begin(task) : 0;
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    /** Enters the item of the thread that submitted the task, if that thread had one. */
    public static long enter(Object task) {
        try {
            long item = Marks.areOn() && task != null ? Handed.take(task) : 0;
            return item == 0 ? 0 : enterKnown(item);
        } catch (Throwable failure) {
            return Loss.FAILED_CALL.count();
        }
    }

    public static void end(long token, Object task) {
        try {
            Items.undo(token);
        } catch (Throwable failure) {
            Loss.FAILED_CALL.count();
        }
    }
}
