//! Tests of the tree of locks on experiments drawn as text.

use crate::support::{profile, text};
use whittle_profile::Query;
use whittle_views::locks::locks;

/// `loader` holds a lock while it waits for a database; who held it when `web 2` waited is unknown. `web 1` waits for the monitor of
/// a table of the JDK, and a timer interrupts this wait. Two readers wait for a writer, and the first reader wakes the second. A
/// semaphore is no lock.
const LOCKS: &str = "
    @thread  web 1                                          loader                                           loader             loader             web 2                                          web 1                    web 1          web 1                    web 2                    web 1                                                            loader                                                              web 2                                                            web 1                                                                      web 2
    @wakes   -                                              web 1                                            -                  -                  -                                              -                        web 1          -                        web 1                    -                                                                web 1                                                               -                                                                web 2                                                                      -
    @kind    -                                              -                                                -                  -                  -                                              -                        timer          -                        -                        -                                                                -                                                                   -                                                                -                                                                          -
    @event   off_cpu:futex                                  off_cpu:futex                                    off_cpu:socket     cpu                off_cpu:futex                                  off_cpu:futex            off_cpu:futex  off_cpu:futex            off_cpu:futex            off_cpu:futex                                                    off_cpu:futex                                                       off_cpu:futex                                                    off_cpu:futex                                                              off_cpu:futex
    @time    10                                             10                                               9                  10                 12                                             20                       20             28                       28                       34                                                               34                                                                  34.0001                                                          34.0001                                                                    40
    @weight  6                                              6                                                5                  1                  2                                              1                        1              8                        8                        4                                                                4                                                                   3                                                                3                                                                          1
    @file    -                                              -                                                tcp 10.0.0.7:5432  -                  -                                              -                        -              -                        -                        -                                                                -                                                                   -                                                                -                                                                          -
             app.Shop.order():57                            app.Cache.refresh()                              app.Dao.load()     app.Cache.parse()  app.Shop.order():57                            app.Shop.names():9                      app.Shop.names():9       app.Shop.rename()        app.Shop.read():3                                                app.Shop.write()                                                    app.Shop.read():3                                                app.Shop.read():3                                                          app.Shop.take():5
             java/util/concurrent/locks/ReentrantLock.lock  java/util/concurrent/locks/ReentrantLock.unlock                                        java/util/concurrent/locks/ReentrantLock.lock  java/util/Hashtable.get                 java/util/Hashtable.get  java/util/Hashtable.put  java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.lock  java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock.unlock  java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.lock  java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock.lock            java/util/concurrent/Semaphore.acquire
             java/util/concurrent/locks/LockSupport.park                                                                                           java/util/concurrent/locks/LockSupport.park    ObjectMonitor::enter[j]                 ObjectMonitor::enter[j]                           java/util/concurrent/locks/LockSupport.park                                                                                          java/util/concurrent/locks/LockSupport.park                      java/util/concurrent/locks/AbstractQueuedSynchronizer.setHeadAndPropagate  java/util/concurrent/locks/LockSupport.park
";

#[test]
fn locks_have_their_holders_and_what_these_did_meanwhile() {
    assert_eq!(text(&locks(&profile(LOCKS), &Query::default()).expect("locks")), "
Waits for locks, and who held them

▼ wait s       %  samples  longest ms  lock, who held it, and what the holder did meanwhile
  24.000  100.00        6     8,000.0  <Total>
   9.000   37.50        2     8,000.0  monitor of java/util/Hashtable.get in app.Shop.names:9
   9.000   37.50        2     8,000.0    held by web # in app.Shop.rename
   8.000   33.33        2     6,000.0  ReentrantLock in app.Shop.order:57
   6.000   25.00        1     6,000.0    held by loader in app.Cache.refresh
   5.000   20.83        1           -      which waited for a socket (tcp 10.0.0.7:5432) in app.Dao.load
   1.000    4.17        1           -      which executed app.Cache.parse
   2.000    8.33        1           -    the holder is not known
   7.000   29.17        2     4,000.0  ReentrantReadWriteLock.ReadLock in app.Shop.read:3
   7.000   29.17        2     4,000.0    held by loader in app.Shop.write

Note: all values are estimates from the sampled waits. The holder is known for 91 % of this time
Note: what a thread did meanwhile is told by the waits in which it was sampled (column samples), for all waits of the row above
Note: holders are threads that gave the lock back and woke a waiter. If several held it during a wait, each has the part in which samples show it in the method that gave the lock back. Spinning threads do not sleep, so they are not seen. Semaphores have no holder, and a tryLock that fails is no wait
");
}

/// `c` waits for 9 s. In the first 2 s of them, `b` has no work. Then `b` waits for the same monitor, which it gets at the sixth second.
const QUEUE: &str = "
    @thread  c                        b                        b                        b                        b
    @wakes   -                        -                        -                        -                        c
    @event   off_cpu:futex            off_cpu:futex            off_cpu:futex            off_cpu:socket           off_cpu:futex
    @time    10                       3                        6                        9                        10
    @weight  9                        2                        3                        3                        9
             app.Shop.pay():7         app.Pool.take()          app.Shop.pay():7         app.Shop.pay()           app.Shop.pay()
             ObjectMonitor::enter[j]                           ObjectMonitor::enter[j]  app.Bank.call()
";

#[test]
fn what_the_holder_did_before_it_got_the_lock_does_not_count() {
    let text = text(&locks(&profile(QUEUE), &Query::default()).expect("locks"));
    let (_, rows) = text.split_once("<Total>\n").expect("a total");
    let (rows, _) = rows.split_once("\n\n").expect("notes");
    let expected = "
  12.000  100.00        2     9,000.0  monitor in app.Shop.pay:7
   9.000   75.00        1     9,000.0    held by b in app.Shop.pay
   9.000   75.00        1           -      which waited for a socket in app.Bank.call
   3.000   25.00        1           -    the holder is not known";
    assert_eq!(rows, expected.trim_start_matches('\n'));
}

/// `keeper` has the monitor from the first to the ninth second, then `b` has it for a second, and wakes `a`. `b` spins for it before.
const CONVOY: &str = "
    @thread  a                        b                        keeper             keeper             b                        b                  b                 b
    @wakes   -                        -                        -                  b                  -                        -                  -                 a
    @event   off_cpu:futex            off_cpu:futex            cpu                off_cpu:futex      cpu                      cpu                cpu               off_cpu:futex
    @time    10                       9                        8                  9                  3                        2                  10                10
    @weight  9                        5                        4                  5                  1                        1                  1                 9
             app.Stock.take():7       app.Stock.take():7       app.Stock.audit()  app.Stock.audit()  app.Stock.take():7       app.Orders.next()  app.Stock.take()  app.Stock.take()
             ObjectMonitor::enter[j]  ObjectMonitor::enter[j]  app.Log.write()                       ObjectMonitor::enter[j]
";

#[test]
fn each_thread_that_had_the_lock_during_a_wait_has_its_part() {
    let text = text(&locks(&profile(CONVOY), &Query::default()).expect("locks"));
    let (_, rows) = text.split_once("<Total>\n").expect("a total");
    let (rows, _) = rows.split_once("\n\n").expect("notes");
    let expected = "
  14.000  100.00        2     9,000.0  monitor in app.Stock.take:7
  12.200   87.14        2     9,000.0    held by keeper in app.Stock.audit
  12.200   87.14        2           -      which executed app.Log.write
   1.800   12.86        1     9,000.0    held by b in app.Stock.take
   1.800   12.86        1           -      which executed app.Stock.take";
    assert_eq!(rows, expected.trim_start_matches('\n'));
}

/// `b` and `c` wait for a monitor until the collection ends. `a` has it, and calls a bank meanwhile.
const UNTIL_THE_END: &str = "
    @thread  b                        a               c                        a               a
    @wakes   -                        b               -                        c               -
    @kind    -                        holder          -                        holder          -
    @event   off_cpu:futex            off_cpu:futex   off_cpu:futex            off_cpu:futex   off_cpu:socket
    @time    10                       10              10                       10              10
    @weight  9                        9               8                        8               10
             app.Shop.pay():7         app.Shop.pay()  app.Shop.pay():7         app.Shop.pay()  app.Shop.pay()
             ObjectMonitor::enter[j]                  ObjectMonitor::enter[j]                  app.Bank.call()
";

#[test]
fn a_monitor_that_is_held_until_the_end_has_a_holder() {
    let text = text(&locks(&profile(UNTIL_THE_END), &Query::default()).expect("locks"));
    let (_, rows) = text.split_once("<Total>\n").expect("a total");
    let (rows, _) = rows.split_once("\n\n").expect("notes");
    let expected = "
  17.000  100.00        2     9,000.0  monitor in app.Shop.pay:7
  17.000  100.00        2     9,000.0    held until the end by a in app.Shop.pay
  17.000  100.00        2           -      which waited for a socket in app.Bank.call";
    assert_eq!(rows, expected.trim_start_matches('\n'));
}

#[test]
fn experiments_without_waits_for_locks_say_so() {
    let notes = |drawing: &str| locks(&profile(drawing), &Query::default()).expect("locks").preamble.notes;
    assert!(notes("main()")[0].starts_with("this experiment has no waits"));
    let asleep = "
    @thread  a
    @event   off_cpu:sleep
             run()";
    assert_eq!(notes(asleep), ["no thread waited for a monitor or a lock in the sampled waits"]);
}
