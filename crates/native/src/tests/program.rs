//! Programs for tests. They are compiled when a test needs them, started, and stopped to copy a stack.

use crate::process_id::ProcessId;
use crate::registers::Registers;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, io, mem};
use whittle_testkit::not_run;

/// Maximum number of copied pages, in addition to the rest of the stack pointer's page.
const STACK_PAGES: usize = 8;
const PAGE_BYTES: u64 = 4096;
/// Copied bytes below the stack pointer.
const BELOW_BYTES: u64 = 128;

/// Source texts by file name.
const SOURCES: &[(&str, &str)] = &[
    ("callers.c", include_str!("programs/callers.c")),
    ("inlined.c", include_str!("programs/inlined.c")),
    ("names.cpp", include_str!("programs/names.cpp")),
    ("nested.s", include_str!("programs/nested.s")),
    ("odd_frames.c", include_str!("programs/odd_frames.c")),
    ("library.c", include_str!("programs/library.c")),
];

/// A folder in which programs are compiled.
pub(super) struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles a source with optimisation and without frame pointers. If the compiler is missing, the test is reported
    /// as not run.
    pub(super) fn compile(&self, source: &str, options: &[&str]) -> Option<PathBuf> {
        let compiler = if source.ends_with(".cpp") { "c++" } else { "cc" };
        let text = SOURCES.iter().find(|(name, _)| *name == source).unwrap().1;
        fs::write(self.path(source), text).unwrap();
        let program = self.path(&format!("{}-{}", source.split('.').next().unwrap(), options.concat()));
        let mut command = Command::new(compiler);
        command.args(["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-w"]).args(options);
        self.run(command.arg("-o").arg(&program).arg(source).args(["-lpthread", "-ldl"]))?;
        Some(program)
    }

    /// Runs a compiler tool in the folder. If the tool is missing, the test is reported as not run.
    pub(super) fn run(&self, command: &mut Command) -> Option<()> {
        let output = match command.current_dir(self.folder.path()).output() {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                not_run(&format!("needs {}", command.get_program().display()));
                return None;
            }
            Err(error) => panic!("{error}"),
        };
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        Some(())
    }

    /// The line of a source that ends with the comment `here: mark`.
    pub(super) fn line(source: &str, mark: &str) -> u32 {
        let text = SOURCES.iter().find(|(name, _)| *name == source).unwrap().1;
        let marks = [format!("/* here: {mark} */"), format!("// here: {mark}")];
        let line = text.lines().position(|line| marks.iter().any(|mark| line.ends_with(mark)));
        u32::try_from(line.unwrap_or_else(|| panic!("no {mark} in {source}"))).unwrap() + 1
    }
}

/// A running program, traced by this thread.
pub(super) struct Program {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

/// A stopped thread's registers and copied stack.
#[derive(Clone)]
pub(super) struct Stopped {
    pub(super) registers: Registers,
    pub(super) start: u64,
    pub(super) stack: Vec<u8>,
}

impl Program {
    pub(super) fn start(program: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        Self::spawn(command.args(arguments))
    }

    pub(super) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    pub(super) fn process(&self) -> ProcessId {
        ProcessId(self.child.id())
    }

    /// Waits for the next line that the program prints.
    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits until the program reports that it is ready. Its work begins a moment later.
    pub(super) fn wait_until_ready(&mut self) {
        assert_eq!(self.line(), "ready");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }

    /// Sends a line to the program.
    pub(super) fn answer(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// The ids of the threads. The id of the first thread comes first.
    pub(super) fn threads(&self) -> Vec<u32> {
        let tasks = fs::read_dir(self.process().path("task")).unwrap();
        let id = |task: fs::DirEntry| task.file_name().to_str()?.parse().ok();
        let mut threads: Vec<u32> = tasks.flatten().filter_map(id).collect();
        threads.sort_unstable();
        threads
    }

    pub(super) fn read(&self, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        fs::File::open(self.process().path("mem"))?.read_exact_at(buffer, address)
    }

    /// Stops the first thread while `look` runs.
    pub(super) fn stopped<T>(&self, look: impl FnOnce(&Stopped) -> T) -> T {
        self.thread_stopped(self.child.id(), look)
    }

    /// Stops a thread while `look` runs.
    pub(super) fn thread_stopped<T>(&self, thread: u32, look: impl FnOnce(&Stopped) -> T) -> T {
        let tracee = Tracee::stop(thread);
        let registers = tracee.registers();
        let start = registers.stack_pointer() - BELOW_BYTES;
        let stack = self.copy_stack(start);
        look(&Stopped { registers, start, stack })
    }

    /// Copies the stack as the kernel side does.
    fn copy_stack(&self, start: u64) -> Vec<u8> {
        let mut stack = vec![0; (PAGE_BYTES - start % PAGE_BYTES) as usize];
        self.read(start, &mut stack).unwrap();
        for _ in 0..STACK_PAGES {
            let mut page = [0; PAGE_BYTES as usize];
            if self.read(start + stack.len() as u64, &mut page).is_err() {
                break;
            }
            stack.extend(page);
        }
        stack
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A thread that is stopped.
struct Tracee(libc::pid_t);

impl Tracee {
    fn stop(thread: u32) -> Self {
        let thread = libc::pid_t::try_from(thread).unwrap();
        let null = std::ptr::null_mut::<libc::c_void>();
        // SAFETY: neither request touches our memory.
        let results = unsafe {
            [
                libc::ptrace(libc::PTRACE_SEIZE, thread, null, null),
                libc::ptrace(libc::PTRACE_INTERRUPT, thread, null, null),
            ]
        };
        assert_eq!(results, [0, 0], "{}", io::Error::last_os_error());
        // SAFETY: a null status is allowed.
        let waited = unsafe { libc::waitpid(thread, std::ptr::null_mut(), libc::__WALL) };
        assert_eq!(waited, thread, "{}", io::Error::last_os_error());
        Self(thread)
    }

    fn registers(&self) -> Registers {
        const GENERAL_REGISTERS: *mut libc::c_void = std::ptr::without_provenance_mut(1);
        // The array is larger than the kernel's structure on any processor.
        let mut words = [0_u64; 64];
        let mut place = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: mem::size_of_val(&words) };
        // SAFETY: `place` describes `words`, which is valid to write to.
        let result = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, self.0, GENERAL_REGISTERS, &raw mut place) };
        assert_eq!(result, 0, "{}", io::Error::last_os_error());
        Registers::from_pt_regs(&words).unwrap()
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        let null = std::ptr::null_mut::<libc::c_void>();
        // SAFETY: the request does not touch our memory.
        unsafe { libc::ptrace(libc::PTRACE_DETACH, self.0, null, null) };
    }
}
