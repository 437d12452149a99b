//! Standard input and output that other processes share, or that are no proper ends of a pipe.
//! (Linux)

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::process::Child;

use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_getfl, mknodat};

use super::{CALL, KINDS, command, end, start};

/// Returns the number of threads that move bytes. There are none if the reactor does that.
fn threads(child: &Child) -> usize {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
    names.filter(|name| name.starts_with("plainly")).count()
}

#[test]
fn what_the_reactor_drives_stays_blocking_for_those_who_share_it() {
    for kind in KINDS {
        let (input, output) = (kind(), kind());
        let shared = [&input.0, &output.1].map(|end| end.try_clone().unwrap());
        let flags = || shared.each_ref().map(|end| fcntl_getfl(end).unwrap());
        let before = flags();
        assert!(before.iter().all(|flags| !flags.contains(OFlags::NONBLOCK)));

        let (child, mut peer) = start(input, output);
        peer.call();
        assert!(peer.has_reply());
        assert_eq!((threads(&child), flags()), (0, before));
        drop(peer.to);
        assert_eq!((end(child), flags()), (Some(0), before));
    }
}

#[test]
fn input_whose_writer_has_gone_before_is_answered_and_ends() {
    let nameless = || {
        let (from, to) = io::pipe().unwrap();
        (from.into(), to.into())
    };
    let named = || {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        // Opened for both reading and writing, the pipe does not wait for the other end.
        let to = File::options().read(true).write(true).open(&path).unwrap();
        (File::open(&path).unwrap().into(), to.into())
    };
    for pair in [nameless as fn() -> (OwnedFd, OwnedFd), named] {
        let (from, to) = pair();
        writeln!(File::from(to), "{CALL}").unwrap();
        let mut output = tempfile::tempfile().unwrap();
        let own = output.try_clone().unwrap();
        let child = command().stdin(from).stdout(own).spawn().unwrap();
        assert_eq!(end(child), Some(0));
        output.rewind().unwrap();
        assert!(io::read_to_string(output).unwrap().contains("xxx"));
    }
}

#[test]
fn the_wrong_end_of_a_pipe_is_not_taken_for_the_right_one() {
    let (from, to) = io::pipe().unwrap();
    let own = to.try_clone().unwrap();
    // This end of the pipe can't be read.
    let child = command().stdin(own).stdout(to).spawn().unwrap();
    assert_eq!(end(child), Some(0));
    drop(from);
}
