package java.whittle;

import java.lang.reflect.Field;
import java.util.TimerTask;

/** What is known about the class of a task: its name as an item, and where it keeps the program's own task. */
final class TaskClass {
    private static final ClassValue<TaskClass> CLASSES = new ClassValue<TaskClass>() {
        @Override
        protected TaskClass computeValue(Class<?> type) {
            return new TaskClass(type);
        }
    };

    /** Tasks that are a part of how servers read their sockets, not work of the program. */
    private static final String[] PLUMBING = {
        "sun.net.httpserver.", "jdk.internal.",
        "org.apache.tomcat.util.net.", "org.apache.coyote.", "org.eclipse.jetty.", "io.netty.", "io.undertow.",
        "org.xnio.", "org.jboss.threads.", "io.vertx.core.impl.", "io.vertx.core.net.impl.",
        "io.grpc.internal.", "com.sun.jmx.", "sun.rmi.", "org.glassfish.grizzly.",
    };

    /**
     * Tasks that run other tasks, also those of other threads: queues, and the mailboxes of actors. They belong to no item,
     * and are none.
     */
    private static final String[] QUEUES = {
        "java.lang.VirtualThread$", "io.vertx.core.impl.TaskQueue",
        "com.google.common.util.concurrent.SequentialExecutor$",
        "akka.dispatch.Mailbox", "akka.dispatch.ForkJoinExecutorConfigurator$AkkaForkJoinTask",
        "org.apache.pekko.dispatch.Mailbox", "org.apache.pekko.dispatch.ForkJoinExecutorConfigurator$PekkoForkJoinTask",
    };

    /** Classes of the JDK that contain the program's task, and the field with the task. */
    private static final String[][] WRAPPERS = {
        {"java.util.concurrent.FutureTask", "callable"},
        {"java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask", "callable"},
        {"java.util.concurrent.Executors$RunnableAdapter", "task"},
        {"java.util.concurrent.CompletableFuture$AsyncSupply", "fn"},
        {"java.util.concurrent.CompletableFuture$AsyncRun", "fn"},
        {"java.util.concurrent.CompletableFuture$UniApply", "fn"},
        {"java.util.concurrent.CompletableFuture$UniAccept", "fn"},
        {"java.util.concurrent.CompletableFuture$UniRun", "fn"},
        {"java.util.concurrent.CompletableFuture$UniHandle", "fn"},
        {"java.util.concurrent.CompletableFuture$UniCompose", "fn"},
        {"java.util.concurrent.CompletableFuture$UniWhenComplete", "fn"},
        {"java.util.concurrent.ForkJoinTask$RunnableExecuteAction", "runnable"},
        {"java.util.concurrent.ForkJoinTask$AdaptedRunnableAction", "runnable"},
        {"java.util.concurrent.ForkJoinTask$AdaptedRunnable", "runnable"},
        {"java.util.concurrent.ForkJoinTask$AdaptedCallable", "callable"},
        {"java.util.concurrent.ForkJoinTask$AdaptedInterruptibleCallable", "callable"},
        {"java.util.concurrent.ForkJoinTask$AdaptedInterruptibleRunnable", "runnable"},
        {"java.util.concurrent.ForkJoinTask$CallableExecuteAction", "callable"},
        {"java.util.concurrent.ThreadPerTaskExecutor$ThreadBoundFuture", "callable"},
    };
    private static final int DEEPEST = 5;

    final byte[] name;
    final boolean isPlumbing;
    final boolean isQueue;
    final boolean isScheduled;
    /** Whether the JDK makes a new object for each submission. */
    final boolean isMadeForOneRun;
    private final Field inner;

    private TaskClass(Class<?> type) {
        name = Names.ofClass(type);
        isQueue = begins(type.getName(), QUEUES);
        isPlumbing = isQueue || begins(type.getName(), PLUMBING);
        isMadeForOneRun = type.getName().startsWith("java.util.concurrent.");
        isScheduled = isScheduled(type);
        inner = inner(type);
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isScheduled(Class<?> type) {
        return TimerTask.class.isAssignableFrom(type)
            || type.getName().equals("java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask");
    }

    /** Whether the JDK's class contains a task of the program. */
    boolean hasInner() {
        return inner != null;
    }

    /** The class of the object itself. */
    static TaskClass of(Object task) {
        return CLASSES.get(task.getClass());
    }

    /** The class of the program's task inside the JDK's tasks. */
    static TaskClass ofProgram(Object task) {
        Object current = task;
        TaskClass type = of(current);
        for (int depth = 0; depth < DEEPEST && type.inner != null; depth++) {
            Object next = type.read(current);
            if (next == null) {
                break;
            }
            current = next;
            type = of(current);
        }
        return type;
    }

    private Object read(Object task) {
        try {
            return inner.get(task);
        } catch (IllegalAccessException closed) {
            return null;
        }
    }

    /** The field, which the agent has made accessible by opening the package. */
    private static Field inner(Class<?> type) {
        for (Class<?> current = type; current != null; current = current.getSuperclass()) {
            for (String[] wrapper : WRAPPERS) {
                if (current.getName().equals(wrapper[0])) {
                    Field field = field(current, wrapper[1]);
                    if (field != null) {
                        return field;
                    }
                }
            }
        }
        return null;
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException | RuntimeException closed) {
            return null;
        }
    }
}
