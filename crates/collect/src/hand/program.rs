//! How a hand is started: whittle executes a copy of itself in sealed memory.
//!
//! The copy protects the host. A process in a container can open the program file of a process that enters the
//! container (`/proc/PID/exe`), and root in the container could overwrite it (CVE-2019-5736). Nobody can write to the
//! sealed copy.
//!
//! The copy recognises its task by its name, before `main` begins. So every program that contains this crate can start
//! hands, including the tests. A hand has only one thread, because the kernel requires this for entering namespaces.

use super::memory::sealed_memory;
use super::serve::serve;
use super::socket;
use std::ffi::{CStr, c_char, c_int};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// The name under which the program is a hand.
const NAME: &CStr = c"whittle-hand";

/// The connection of a hand is its standard input.
const CONNECTION: c_int = 0;

/// Starts a hand. Returns its process and the connection to it.
pub(super) fn start() -> io::Result<(Child, OwnedFd)> {
    let (connection, connection_of_hand) = socket::pair()?;
    // The hand gets no variables of whittle's environment, because another user might read them in the hand.
    let mut command = Command::new(format!("/proc/self/fd/{}", copy()?.as_raw_fd()));
    command.arg0(NAME.to_str().unwrap_or_default()).env_clear().current_dir("/");
    command.stdin(connection_of_hand).stdout(Stdio::null()).stderr(Stdio::null());
    // A signal of the terminal must not end a hand.
    command.process_group(0);
    Ok((command.spawn()?, connection))
}

/// The sealed copy of this program. It is created once.
fn copy() -> io::Result<&'static OwnedFd> {
    static COPY: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(copy) = COPY.get() {
        return Ok(copy);
    }
    let made = make_copy()?;
    Ok(COPY.get_or_init(|| made))
}

fn make_copy() -> io::Result<OwnedFd> {
    let mut program = Vec::new();
    File::open("/proc/self/exe")?.read_to_end(&mut program)?;
    Ok(sealed_memory(NAME, &program)?)
}

/// The first descriptor after standard input and output.
const FIRST_INHERITED: libc::c_int = 3;

/// Closes descriptors that whittle's parent process has passed on. The program's user must not get these descriptors
/// through a hand.
fn close_inherited() {
    // SAFETY: this program has just begun, so nothing uses these descriptors.
    let result = unsafe { libc::syscall(libc::SYS_close_range, FIRST_INHERITED, libc::c_uint::MAX, 0) };
    if result != 0 {
        // Kernels before 5.9 do not have this system call.
        close_one_by_one();
    }
}

fn close_one_by_one() {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers: Vec<libc::c_int> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number >= FIRST_INHERITED) {
        // SAFETY: as above. The descriptor of the folder itself is closed already, and closing it again does nothing.
        unsafe { libc::close(number) };
    }
}

unsafe extern "C" {
    /// The program's first argument, its name. glibc and musl set it before functions of `.init_array` run. Only glibc also
    /// passes the arguments to these functions. Source: program_invocation_name(3), musl's `__libc_start_main.c`.
    static program_invocation_name: *const c_char;
}

#[used]
#[unsafe(link_section = ".init_array")]
static SERVE_IF_HAND: extern "C" fn() = serve_if_hand;

/// Runs before `main`. If the program was started as a hand, it serves and ends here.
extern "C" fn serve_if_hand() {
    // SAFETY: nothing changes the pointer. It is null, or refers to a text that ends with a zero byte.
    let name = unsafe {
        if program_invocation_name.is_null() {
            return;
        }
        CStr::from_ptr(program_invocation_name)
    };
    // SAFETY: `getauxval` has no preconditions.
    let has_gained_rights = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    if name != NAME {
        return;
    }
    // A user can start an installed whittle with file capabilities under this name. Such a process must not serve as a
    // hand, because its rights are not for this user.
    if !has_gained_rights {
        std::panic::set_hook(Box::new(|_| ()));
        // The program file has only a number as its name.
        let _ = rustix::thread::set_name(NAME);
        // SAFETY: these settings of signals have no memory effects. Writing to a closed socket must not end the hand, and
        // an alarm must end it.
        unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_IGN);
            libc::signal(libc::SIGALRM, libc::SIG_DFL);
        }
        close_inherited();
        // SAFETY: this program has just begun, and nothing else uses its standard input.
        let connection = unsafe { OwnedFd::from_raw_fd(CONNECTION) };
        // The connection stays open until the end. If it were closed, another file could get the descriptor 0, and
        // would be used by mistake.
        serve(&connection);
    }
    // SAFETY: ends the process at once. Nothing must be cleaned up.
    unsafe { libc::_exit(0) }
}
