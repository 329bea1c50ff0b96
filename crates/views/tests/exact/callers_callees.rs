//! Tests of callers and callees, on experiments drawn as text: single functions, recursion, fragments, overloads, view
//! modes.

use crate::support::{profile, query, text};
use whittle_profile::{Fragment, Profile, Query, ViewMode};
use whittle_views::callers_callees::CallersCalleesView;

fn view(profile: &Profile, fragment: &str, mode: ViewMode) -> CallersCalleesView {
    let fragment: Fragment = fragment.parse().expect("a fragment");
    let query = Query { mode, ..query("a.cpu") };
    whittle_views::callers_callees::callers_callees(profile, &query, &fragment).expect("callers-callees")
}

/// Callers, the fragment's exclusive value and callees in one line, in seconds.
fn around(profile: &Profile, fragment: &str, mode: ViewMode) -> String {
    let view = view(profile, fragment, mode);
    let side = |rows: &[whittle_views::functions::FunctionRow]| {
        let rows = rows.iter().map(|row| format!("{} {}", row.values.numbers[0] / 1e9, row.function));
        rows.collect::<Vec<_>>().join(", ")
    };
    format!("{} | {} | {}", side(&view.callers), view.own.numbers[0] / 1e9, side(&view.callees))
}

#[test]
fn callers_stand_above_the_centre_and_callees_below() {
    let profile = profile(
        "
        main        main      main      main
        crc         crc       print     print
        write()     write()   write()   flush
        write0()    check()
        __write[n]
        ",
    );
    let view =
        whittle_views::callers_callees::callers_callees(&profile, &query("a.cpu,a.cpu%"), &Fragment::center("write()"))
            .expect("callers-callees");
    assert_eq!(
        text(&view),
        "
Callers and callees of write(), user mode
Percent of 3.000 s CPU inclusive in the centre

attributed  attributed
   ▼ CPU s       CPU %   function
     2.000       66.67   crc
     1.000       33.33   print
     1.000       33.33  *write()
     1.000       33.33   check()
     1.000       33.33   write0()
"
    );
}

#[test]
fn recursion_is_attributed_at_the_deepest_occurrence() {
    let profile = profile(
        "
        main  main  main  main
        fib   fib   fib   add
              fib   fib
                    add
        ",
    );
    assert_eq!(around(&profile, "fib", ViewMode::User), "2 fib, 1 main | 2 | 1 add");
    assert_eq!(around(&profile, "fib > fib", ViewMode::User), "2 main | 1 | 1 add");
    assert_eq!(around(&profile, "main > fib", ViewMode::User), "3 <Total> | 1 | 2 fib");
}

#[test]
fn mutual_recursion_is_attributed_at_the_deepest_occurrence() {
    let profile = profile(
        "
        main  main  main
        ping  ping  ping
        pong  pong  pong
        ping  ping
        pong
        ",
    );
    assert_eq!(around(&profile, "ping", ViewMode::User), "2 pong, 1 main | 1 | 2 pong");
    assert_eq!(around(&profile, "pong", ViewMode::User), "3 ping | 2 | 1 ping");
    assert_eq!(around(&profile, "ping > pong", ViewMode::User), "2 main, 1 pong | 2 | 1 ping");
}

#[test]
fn a_fragment_grows_and_shrinks_at_both_ends() {
    let profile = profile(
        "
        main  main  main
        a     b     b
        mid   mid   mid
        leaf  leaf  other
        ",
    );
    let centre = Fragment::center("mid");
    let longer = centre.clone().prepend("b").append("leaf");
    assert_eq!(longer.to_string(), "b > mid > leaf");
    assert_eq!(longer.clone().remove_first().to_string(), "mid > leaf");
    assert_eq!(longer.remove_last().remove_first(), centre);
    assert_eq!(around(&profile, "mid", ViewMode::User), "2 b, 1 a | 0 | 2 leaf, 1 other");
    assert_eq!(around(&profile, "b > mid", ViewMode::User), "2 main | 0 | 1 leaf, 1 other");
    assert_eq!(around(&profile, "b > mid > leaf", ViewMode::User), "1 main | 1 | ");
}

#[test]
fn the_root_has_callees_only() {
    let profile = profile("a  b  b");
    assert_eq!(around(&profile, "<Total>", ViewMode::User), " | 0 | 2 b, 1 a");
    assert_eq!(around(&profile, "<Total> > b", ViewMode::User), " | 2 | ");
}

#[test]
fn overloads_are_merged_and_their_real_caller_appears() {
    let profile = profile(
        "
        crc               crc         print
        write(int)        write(int)  write(byte)
        write(int, long)  check
        ",
    );
    let merged = view(&profile, "write", ViewMode::User);
    assert_eq!(around(&profile, "write", ViewMode::User), "2 crc, 1 print | 2 | 1 check");
    assert_eq!(
        merged.preamble.notes,
        ["write represents 3 merged functions: write(int), write(int, long), write(byte)"]
    );
    assert_eq!(around(&profile, "write(int)", ViewMode::User), "2 crc | 0 | 1 check, 1 write(int, long)");
    assert_eq!(around(&profile, "write(int,long)", ViewMode::User), "1 write(int) | 1 | ");
    assert_eq!(around(&profile, "crc > write", ViewMode::User), "2 <Total> | 1 | 1 check");
}

#[test]
fn native_frames_appear_in_expert_and_kernel_frames_in_machine_mode() {
    let profile = profile(
        "
        start_thread[n]
        JavaThread::run[j]
        main()
        write0()
        Java_write0[n:/opt/jdk/lib/libjava.so]
        __write[n]
        vfs_write[k]
        ",
    );
    assert_eq!(around(&profile, "main()", ViewMode::User), "1 <Total> | 0 | 1 write0()");
    assert_eq!(around(&profile, "write0()", ViewMode::User), "1 main() | 1 | ");
    assert_eq!(around(&profile, "main()", ViewMode::Expert), "1 <Total> | 0 | 1 write0()");
    assert_eq!(around(&profile, "__write", ViewMode::Expert), "1 Java_write0 | 1 | ");
    assert_eq!(around(&profile, "main()", ViewMode::Machine), "1 JavaThread::run | 0 | 1 write0()");
    assert_eq!(around(&profile, "__write", ViewMode::Machine), "1 Java_write0 | 0 | 1 vfs_write");
}

#[test]
fn a_name_that_is_not_there_is_an_error_with_names_that_are_near() {
    let profile = profile(
        "
        Log.write(int)
        Log.writeAll()
        __write[n]
        ",
    );
    let problem = |name: &str| {
        let answer =
            whittle_views::callers_callees::callers_callees(&profile, &Query::default(), &Fragment::center(name));
        answer.expect_err("no such function").to_string()
    };
    assert_eq!(
        problem("Log.writ"),
        "no function \"Log.writ\" in this experiment; did you mean Log.write(int) or Log.writeAll()?"
    );
    assert_eq!(
        problem("org.Log.writeAll()"),
        "no function \"org.Log.writeAll()\" in this experiment; did you mean Log.writeAll()?"
    );
    assert_eq!(problem("flush"), "no function \"flush\" in this experiment");
    assert_eq!(problem("__write"), "\"__write\" is hidden in user mode and shown in expert mode");
    assert!("a >  > b".parse::<Fragment>().is_err());
}
