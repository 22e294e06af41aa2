//! Running a program as a child: in an empty folder of its own, with nothing on stdin, for a limited time.
//!
//! Output goes to files, so a child can neither block on a full pipe nor make this process hold on to one that a grandchild
//! keeps open. The child leads a process group, which is killed as a whole when the child has ended or its time is up; until then
//! the child is only looked at, not reaped, so that its number cannot belong to anybody else yet.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::ReplayError;

/// What a child left behind.
#[derive(Debug)]
pub(super) struct Finished {
    /// `None`: its time was up.
    pub(super) status: Option<Status>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Exited(i32),
    Signal(i32),
}

/// What to run, and on what.
pub(super) struct Job<'a> {
    pub(super) program: &'a Path,
    /// The name it goes by first.
    pub(super) arguments: &'a [String],
    pub(super) environment: &'a [(&'a str, &'a Path)],
    pub(super) stdin: Option<&'a [u8]>,
    /// An empty folder, for the child's files and ours.
    pub(super) folder: &'a Path,
    pub(super) time: Duration,
}

pub(super) fn run(job: &Job<'_>) -> Result<Finished, ReplayError> {
    let path = |name: &str| job.folder.join(name);
    let create = |name: &str| File::create(path(name)).map_err(|e| ReplayError::io("create", &path(name), e));
    let stdin = match job.stdin {
        None => Stdio::null(),
        Some(bytes) => {
            fs::write(path("stdin"), bytes).map_err(|e| ReplayError::io("write", &path("stdin"), e))?;
            File::open(path("stdin")).map_err(|e| ReplayError::io("open", &path("stdin"), e))?.into()
        }
    };
    fs::create_dir(path("work")).map_err(|e| ReplayError::io("create", &path("work"), e))?;
    let mut command = Command::new(job.program);
    command.env_clear().env("PATH", "/usr/bin:/bin").envs(job.environment.iter().copied());
    command.arg0(job.arguments.first().map_or("program", String::as_str)).args(job.arguments.iter().skip(1));
    command.current_dir(path("work")).process_group(0);
    command.stdin(stdin).stdout(create("stdout")?).stderr(create("stderr")?);
    let mut child = command.spawn().map_err(|e| ReplayError::io("run", job.program, e))?;
    let in_time = wait(&child, job.time);
    // Whatever is left of the group: the child itself when its time is up, or what it left running.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait().map_err(|e| ReplayError::io("wait for", job.program, e))?;
    let read = |name: &str| fs::read(path(name)).map_err(|e| ReplayError::io("read", &path(name), e));
    Ok(Finished { status: in_time.then(|| describe(status)), stdout: read("stdout")?, stderr: read("stderr")? })
}

/// Waits until the child has ended, without reaping it; false if that took too long.
fn wait(child: &Child, time: Duration) -> bool {
    let deadline = Instant::now() + time;
    let mut pause = Duration::from_micros(100);
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match waitid(WaitId::Pid(Pid::from_child(child)), options) {
            Ok(None) => {}
            Err(error) if error == rustix::io::Errno::INTR => {}
            Ok(Some(_)) | Err(_) => return true,
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(pause.min(left));
        // Most children end within a millisecond or two; for the rest, looking often costs more than it gains.
        pause = (pause * 3 / 2).min(Duration::from_millis(5));
    }
}

fn describe(status: ExitStatus) -> Status {
    match (status.code(), status.signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, signal) => Status::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, time: Duration, stdin: Option<&[u8]>) -> Finished {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["sh", "-c", script].map(String::from);
        let job = Job {
            program: Path::new("/bin/sh"),
            arguments: &arguments,
            environment: &[],
            stdin,
            folder: folder.path(),
            time,
        };
        run(&job).unwrap()
    }

    #[test]
    fn output_and_status_are_kept() {
        let ended = shell("echo out; echo err >&2; exit 3", Duration::from_secs(10), None);
        assert_eq!(ended.status, Some(Status::Exited(3)));
        assert_eq!((&*ended.stdout, &*ended.stderr), (&b"out\n"[..], &b"err\n"[..]));
        assert_eq!(shell("kill -9 $$", Duration::from_secs(10), None).status, Some(Status::Signal(9)));
        assert_eq!(shell("cat; pwd | grep -c work", Duration::from_secs(10), Some(b"in\n")).stdout, b"in\n1\n");
        assert_eq!(shell("cat; env | grep -c UPSHOT", Duration::from_secs(10), None).stdout, b"0\n");
    }

    #[test]
    fn the_whole_group_goes_when_time_is_up() {
        let ended = shell("sleep 1000 & sleep 1000; echo never", Duration::from_millis(50), None);
        assert_eq!((ended.status, &*ended.stdout), (None, &b""[..]));
        // A grandchild that outlives the child is killed too: reading its output would otherwise not end.
        let ended = shell("sleep 1000 & echo done", Duration::from_secs(10), None);
        assert_eq!((ended.status, &*ended.stdout), (Some(Status::Exited(0)), &b"done\n"[..]));
    }
}
