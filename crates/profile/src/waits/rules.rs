//! The table of stacks and what they wait for.
//!
//! The rules are tried in this order, and the first one that matches decides. So a rule for a purpose (a pool of
//! connections) comes before the rules for the ways to wait (a lock, a queue). A rule without a
//! `thread` was written from the library's source, and no program has shown it yet.

use crate::waits::WaitMeaning::{self, *};

/// A rule: stacks with a frame of `frames` have this meaning.
pub struct Rule {
    /// The meaning.
    pub meaning: WaitMeaning,
    /// The library that the frames belong to. Only tests read it, and in report files it would take space.
    #[cfg(not(target_arch = "wasm32"))]
    pub library: &'static str,
    /// One of these functions is on the stack. See [`NamePatterns`](crate::name_patterns::NamePatterns) for wildcards.
    pub frames: &'static [&'static str],
    /// One of these functions is nearer to the leaf. Empty: this does not matter.
    pub below: &'static [&'static str],
    /// None of these functions is on the stack.
    pub except: &'static [&'static str],
    /// The thread that shows the rule, in the programs `Meanings` and `Blocked` of `java/workloads`. Empty: no program shows
    /// the rule. Report files do not contain it, either.
    #[cfg(not(target_arch = "wasm32"))]
    pub thread: &'static str,
}

#[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "report files do not contain these names"))]
const fn of(
    meaning: WaitMeaning,
    (library, thread): (&'static str, &'static str),
    frames: &'static [&'static str],
    below: &'static [&'static str],
) -> Rule {
    Rule {
        meaning,
        #[cfg(not(target_arch = "wasm32"))]
        library,
        frames,
        below,
        except: &[],
        #[cfg(not(target_arch = "wasm32"))]
        thread,
    }
}

const fn rule(meaning: WaitMeaning, library: &'static str, frames: &'static [&'static str]) -> Rule {
    of(meaning, (library, ""), frames, &[])
}

const fn shown(
    meaning: WaitMeaning,
    thread: &'static str,
    frames: &'static [&'static str],
    below: &'static [&'static str],
) -> Rule {
    of(meaning, ("JDK", thread), frames, below)
}

/// Ways to wait for another thread.
const PARK: &[&str] =
    &["java/util/concurrent/locks/LockSupport.park*", "jdk/internal/misc/Unsafe.park", "sun/misc/Unsafe.park"];

/// Waiting for any of several channels.
const SELECT: &[&str] = &["sun/nio/ch/SelectorImpl.*"];

/// All rules.
pub const RULES: &[Rule] = &[
    // The JVM itself. It can stop a thread in any other wait, so these rules come first.
    rule(HeapMemory, "HotSpot", &["jvm:MemAllocator::*"]),
    rule(
        Safepoint,
        "HotSpot",
        &[
            "jvm:SafepointSynchronize::block",
            "jvm:SafepointMechanism::*",
            "jvm:VMThread::execute",
            "jvm:Handshake::execute",
        ],
    ),
    // Threads without work.
    shown(Idle, "idle-pool", &["java/util/concurrent/ThreadPoolExecutor.getTask"], &[]),
    shown(Idle, "idle-fork-join", &["java/util/concurrent/ForkJoinPool.awaitWork"], &[]),
    shown(Idle, "idle-timer", &["java/util/TimerThread.mainLoop"], &["java/lang/Object.wait*"]),
    rule(
        Idle,
        "JDK",
        &[
            "java/lang/ref/Reference.waitForReferencePendingList",
            "java/lang/ref/Finalizer$FinalizerThread.run",
            "jdk/internal/ref/CleanerImpl.run",
            "java/lang/ref/ReferenceQueue.remove*",
            "jdk/internal/misc/InnocuousThread.run",
            "jdk/internal/net/http/HttpClientImpl$SelectorManager.run",
            "sun/nio/ch/Poller.pollerLoop",
            "sun/nio/ch/EPollPort$EventHandlerTask.poll",
            // The thread that started the JVM waits for its end.
            "native:CallJavaMainInNewThread",
        ],
    ),
    // A main thread that has returned waits for the other threads, and then executes the shutdown hooks.
    Rule { except: &["java/lang/Shutdown.*"], ..rule(Idle, "JDK", &["jvm:Threads::destroy_vm"]) },
    rule(
        Idle,
        "Tomcat",
        &[
            "org/apache/tomcat/util/threads/TaskQueue.take",
            "org/apache/tomcat/util/threads/TaskQueue.poll",
            "org/apache/tomcat/util/threads/ThreadPoolExecutor.getTask",
            "org/apache/tomcat/util/net/NioEndpoint$Poller.run",
            "org/apache/tomcat/util/net/Acceptor.run",
            "org/apache/catalina/core/StandardServer.await",
        ],
    ),
    rule(
        Idle,
        "Jetty",
        &[
            "org/eclipse/jetty/util/thread/QueuedThreadPool.idleJobPoll",
            "org/eclipse/jetty/util/thread/ReservedThreadExecutor$ReservedThread.reservedWait",
            "org/eclipse/jetty/io/ManagedSelector$SelectorProducer.select",
            "org/eclipse/jetty/server/AbstractConnector$Acceptor.run",
        ],
    ),
    rule(
        Idle,
        "Netty",
        &[
            "io/netty/channel/nio/NioEventLoop.select",
            "io/netty/channel/nio/NioIoHandler.select",
            "io/netty/channel/epoll/EpollEventLoop.epollWait*",
            "io/netty/channel/epoll/EpollIoHandler.epollWait*",
            "io/netty/util/concurrent/SingleThreadEventExecutor.takeTask",
            "io/netty/util/concurrent/GlobalEventExecutor.takeTask",
            "io/netty/util/HashedWheelTimer$Worker.waitForNextTick",
        ],
    ),
    // By default, this thread also executes the handlers.
    Rule { below: SELECT, ..rule(Idle, "JDK", &["sun/net/httpserver/ServerImpl$Dispatcher.run"]) },
    Rule { below: SELECT, ..rule(Idle, "Undertow", &["org/xnio/nio/WorkerThread.run"]) },
    Rule {
        below: PARK,
        except: &[
            "org/jboss/threads/EnhancedQueueExecutor$Task.run",
            "org/jboss/threads/EnhancedQueueExecutor$ThreadBody.doRunTask",
            "org/jboss/threads/EnhancedQueueExecutor.safeRun",
        ],
        ..rule(Idle, "Undertow", &["org/jboss/threads/EnhancedQueueExecutor$ThreadBody.run"])
    },
    rule(Idle, "OkHttp", &["okhttp3/internal/concurrent/TaskRunner.awaitTaskToRun", "okio/AsyncTimeout$Watchdog.run"]),
    rule(
        Idle,
        "Kafka",
        &[
            "kafka/network/Processor.poll",
            "kafka/network/RequestChannel.receiveRequest",
            "org/apache/kafka/clients/producer/internals/Sender.run",
            "org/apache/kafka/clients/consumer/KafkaConsumer.poll",
            "org/apache/kafka/clients/consumer/internals/AbstractCoordinator$HeartbeatThread.run",
            "org/apache/kafka/clients/consumer/internals/ConsumerNetworkThread.run",
        ],
    ),
    rule(
        Idle,
        "Kotlin coroutines",
        &["kotlinx/coroutines/scheduling/CoroutineScheduler$Worker.park", "kotlinx/coroutines/DefaultExecutor.run"],
    ),
    rule(
        Idle,
        "Pekko",
        &[
            "org/apache/pekko/dispatch/forkjoin/ForkJoinPool.awaitWork",
            "org/apache/pekko/actor/LightArrayRevolverScheduler.waitNanos",
            "akka/dispatch/forkjoin/ForkJoinPool.awaitWork",
        ],
    ),
    // The thread of a connection waits for the next command.
    Rule { below: &["org/h2/value/Transfer.readInt"], ..rule(Idle, "H2", &["org/h2/server/TcpServerThread.run"]) },
    Rule {
        below: &["java/util/concurrent/ArrayBlockingQueue.*"],
        ..rule(Idle, "Logback", &["ch/qos/logback/core/AsyncAppenderBase$Worker.run"])
    },
    Rule {
        below: &["com/lmax/disruptor/ProcessingSequenceBarrier.waitFor"],
        ..rule(Idle, "Disruptor", &["com/lmax/disruptor/BatchEventProcessor.run"])
    },
    // Purposes.
    rule(ConnectionPool, "HikariCP", &["com/zaxxer/hikari/util/ConcurrentBag.borrow"]),
    Rule {
        below: PARK,
        ..rule(
            ConnectionPool,
            "Commons Pool (DBCP, Jedis)",
            &[
                "org/apache/commons/pool2/impl/GenericObjectPool.borrowObject",
                "org/apache/commons/pool2/impl/GenericKeyedObjectPool.borrowObject",
            ],
        )
    },
    Rule { below: PARK, ..rule(ConnectionPool, "Agroal", &["io/agroal/pool/ConnectionPool.getConnection"]) },
    rule(ConnectionPool, "c3p0", &["com/mchange/v2/resourcepool/BasicResourcePool.awaitAvailable"]),
    rule(ConnectionPool, "Tomcat JDBC", &["org/apache/tomcat/jdbc/pool/FairBlockingQueue.poll"]),
    Rule {
        below: PARK,
        ..rule(
            ConnectionPool,
            "Apache HttpClient",
            &[
                "org/apache/http/pool/AbstractConnPool.getPoolEntryBlocking",
                "org/apache/http/impl/conn/PoolingHttpClientConnectionManager.leaseConnection",
                "org/apache/hc/client5/http/impl/io/PoolingHttpClientConnectionManager*",
            ],
        )
    },
    rule(
        Permit,
        "rate limiters",
        &[
            "com/google/common/util/concurrent/RateLimiter.acquire*",
            "io/github/resilience4j/ratelimiter/*",
            "io/github/bucket4j/*",
        ],
    ),
    shown(
        Permit,
        "semaphore",
        &["java/util/concurrent/Semaphore.acquire*", "java/util/concurrent/Semaphore.tryAcquire"],
        &[],
    ),
    rule(ClassLoading, "JDK", &["java/lang/ClassLoader.loadClass"]),
    rule(
        Dns,
        "JDK",
        &[
            "java/net/Inet6AddressImpl.lookupAllHostAddr",
            "java/net/Inet4AddressImpl.lookupAllHostAddr",
            "java/net/Inet6AddressImpl.getHostByAddr",
            "native:getaddrinfo",
            "native:getnameinfo",
        ],
    ),
    shown(
        Process,
        "process",
        &["java/lang/ProcessImpl.waitFor*", "java/lang/UNIXProcess.waitFor*", "java/lang/ProcessHandleImpl*"],
        &[],
    ),
    // The caller waits for the thread of the client that reads the answer.
    Rule { below: PARK, ..rule(SocketRead, "JDK HttpClient", &["jdk/internal/net/http/HttpClientImpl.send"]) },
    Rule {
        below: PARK,
        ..rule(SocketRead, "Spring", &["org/springframework/http/client/JdkClientHttpRequest.executeInternal"])
    },
    shown(
        Result,
        "future",
        &[
            "java/util/concurrent/FutureTask.get",
            "java/util/concurrent/FutureTask.awaitDone",
            "java/util/concurrent/CompletableFuture.get",
            "java/util/concurrent/CompletableFuture.join",
            "java/util/concurrent/CompletableFuture.waitingGet",
            "java/util/concurrent/CompletableFuture.timedGet",
            "java/util/concurrent/CompletableFuture$Signaller.block",
        ],
        PARK,
    ),
    shown(
        Result,
        "latch",
        &[
            "java/util/concurrent/CountDownLatch.await",
            "java/util/concurrent/CyclicBarrier.await",
            "java/util/concurrent/Phaser.await*",
            "java/util/concurrent/Exchanger.exchange",
        ],
        PARK,
    ),
    shown(Result, "join", &["java/lang/Thread.join*"], &[]),
    rule(
        Result,
        "JDK",
        &[
            "java/util/concurrent/ForkJoinTask.awaitDone",
            "java/util/concurrent/ForkJoinTask.externalAwaitDone",
            "java/util/concurrent/ForkJoinTask.join",
            "java/util/concurrent/StructuredTaskScope*",
        ],
    ),
    rule(Result, "Kotlin coroutines", &["kotlinx/coroutines/BlockingCoroutine.joinBlocking"]),
    rule(Result, "Reactor", &["reactor/core/publisher/BlockingSingleSubscriber.blockingGet"]),
    rule(Result, "Scala", &["scala/concurrent/Await$.*"]),
    rule(
        Result,
        "gRPC",
        &["io/grpc/stub/ClientCalls.blockingUnaryCall", "io/grpc/stub/ClientCalls$ThreadlessExecutor.*"],
    ),
    rule(Result, "Lettuce", &["io/lettuce/core/LettuceFutures.await*", "io/lettuce/core/internal/Futures.await*"]),
    // Ways to wait.
    shown(
        Sleep,
        "sleep",
        &["java/lang/Thread.sleep*", "native:nanosleep", "native:clock_nanosleep", "native:usleep", "native:sleep"],
        &[],
    ),
    shown(
        Monitor,
        "blocked-monitor",
        &["jvm:ObjectMonitor::enter*", "jvm:ObjectMonitor::EnterI", "jvm:SharedRuntime::complete_monitor_locking_C"],
        &[],
    ),
    shown(
        Queue,
        "queue",
        &[
            "java/util/concurrent/LinkedBlockingQueue.*",
            "java/util/concurrent/ArrayBlockingQueue.*",
            "java/util/concurrent/LinkedBlockingDeque.*",
            "java/util/concurrent/LinkedTransferQueue.*",
            "java/util/concurrent/SynchronousQueue.*",
            "java/util/concurrent/PriorityBlockingQueue.*",
            "java/util/concurrent/DelayQueue.*",
        ],
        PARK,
    ),
    shown(
        Condition,
        "condition",
        &[
            "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject.await*",
            "java/util/concurrent/locks/AbstractQueuedLongSynchronizer$ConditionObject.await*",
        ],
        &[],
    ),
    shown(
        Lock,
        "blocked-lock",
        &[
            "java/util/concurrent/locks/ReentrantLock.lock*",
            "java/util/concurrent/locks/ReentrantLock.tryLock",
            "java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.*",
            "java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock.*",
            "java/util/concurrent/locks/StampedLock.*",
            "java/util/concurrent/locks/AbstractQueuedSynchronizer.acquire*",
        ],
        &[],
    ),
    shown(ObjectWait, "object-wait", &["java/lang/Object.wait*"], &[]),
    shown(
        Accept,
        "accept",
        &[
            "java/net/ServerSocket.accept",
            "java/net/ServerSocket.implAccept",
            "sun/nio/ch/ServerSocketChannelImpl.accept*",
            "native:accept",
            "native:accept4",
        ],
        &[],
    ),
    rule(
        Connect,
        "JDK",
        &[
            "java/net/Socket.connect",
            "sun/nio/ch/NioSocketImpl.connect",
            "sun/nio/ch/SocketChannelImpl.connect",
            "java/net/AbstractPlainSocketImpl.connect*",
            "native:connect",
        ],
    ),
    shown(
        SocketRead,
        "blocked-socket",
        &[
            "sun/nio/ch/NioSocketImpl.implRead",
            "sun/nio/ch/NioSocketImpl.read",
            "java/net/SocketInputStream.*",
            "java/net/Socket$SocketInputStream.read",
            "sun/nio/ch/SocketChannelImpl.read",
            "sun/nio/ch/DatagramChannelImpl.receive",
            "native:recv",
            "native:recvfrom",
            "native:recvmsg",
        ],
        &[],
    ),
    rule(
        SocketWrite,
        "JDK",
        &[
            "sun/nio/ch/NioSocketImpl.implWrite",
            "sun/nio/ch/NioSocketImpl.write",
            "java/net/SocketOutputStream.*",
            "java/net/Socket$SocketOutputStream.write",
            "sun/nio/ch/SocketChannelImpl.write",
            "native:send",
            "native:sendto",
            "native:sendmsg",
        ],
    ),
    shown(
        Selector,
        "blocked-selector",
        &["sun/nio/ch/SelectorImpl.*", "sun/nio/ch/EPoll.wait", "native:epoll_wait"],
        &[],
    ),
    shown(Pipe, "blocked-pipe", &["sun/nio/ch/SourceChannelImpl.read", "sun/nio/ch/SinkChannelImpl.write"], &[]),
    shown(
        FileSync,
        "blocked-fsync",
        &[
            "sun/nio/ch/FileDispatcherImpl.force*",
            "sun/nio/ch/UnixFileDispatcherImpl.force*",
            "java/io/FileDescriptor.sync*",
            "native:fsync",
            "native:fdatasync",
        ],
        &[],
    ),
    shown(
        File,
        "blocked-direct-read",
        &[
            "sun/nio/ch/FileChannelImpl.*",
            "java/io/FileInputStream.*",
            "java/io/FileOutputStream.*",
            "java/io/RandomAccessFile.*",
        ],
        &[],
    ),
    shown(
        TimedPark,
        "timed-park",
        &["java/util/concurrent/locks/LockSupport.parkNanos", "java/util/concurrent/locks/LockSupport.parkUntil"],
        &[],
    ),
    shown(Park, "park", &["java/util/concurrent/locks/LockSupport.park"], &[]),
];
