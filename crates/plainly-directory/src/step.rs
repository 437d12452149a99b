//! The steps of a change. Tests make a step fail, or end the process before it. Otherwise a step
//! does nothing.

use std::io;

/// A call of the operating system during a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeStep {
    /// Prepares a place in the trash.
    PrepareTrash,
    /// Creates the temporary file.
    Create,
    /// Writes the first half of the content.
    Write,
    /// Writes the rest of the content.
    WriteRest,
    /// Syncs the content to disk.
    Sync,
    /// Gives the content its name, or removes the name.
    Publish,
    /// Checks the entry that had the name before.
    Verify,
    /// Moves the entry that had the name to the trash, or removes it.
    Trash,
    /// Syncs the names to disk.
    SyncDirectory,
}

impl ChangeStep {
    /// Fails if a test set a fault for this step.
    #[inline(always)]
    pub(super) fn begin(self) -> io::Result<()> {
        #[cfg(all(test, unix))]
        faults::strike(self)?;
        Ok(())
    }
}

/// The faults that tests set for steps.
#[cfg(all(test, unix))]
pub(super) mod faults {
    use std::cell::RefCell;
    use std::io;

    use rustix::process::{Signal, getpid, kill_process};

    use super::ChangeStep;

    /// All steps, in order.
    pub(crate) const STEPS: [ChangeStep; 9] = [
        ChangeStep::PrepareTrash,
        ChangeStep::Create,
        ChangeStep::Write,
        ChangeStep::WriteRest,
        ChangeStep::Sync,
        ChangeStep::Publish,
        ChangeStep::Verify,
        ChangeStep::Trash,
        ChangeStep::SyncDirectory,
    ];

    /// The way in which a step fails.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// An error with this number.
        Fails(i32),
        /// The process is killed.
        Killed,
    }

    /// Determines the result of each step.
    type Ends = Box<dyn FnMut(ChangeStep) -> io::Result<()>>;

    thread_local! {
        static ENDS: RefCell<Option<Ends>> = const { RefCell::new(None) };
    }

    pub(super) fn strike(step: ChangeStep) -> io::Result<()> {
        ENDS.with_borrow_mut(|ends| ends.as_mut().map_or(Ok(()), |ends| ends(step)))
    }

    /// Runs `work` with this fault at `step` on this thread. With `no_trash`, preparing a place in
    /// the trash fails too.
    pub(crate) fn during<T>(
        step: ChangeStep,
        fault: Fault,
        no_trash: bool,
        work: impl FnOnce() -> T,
    ) -> T {
        let strike = move |at| match fault {
            _ if no_trash && at == ChangeStep::PrepareTrash && at != step => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            Fault::Fails(number) if at == step => Err(io::Error::from_raw_os_error(number)),
            Fault::Killed if at == step => {
                kill_process(getpid(), Signal::KILL)?;
                unreachable!("the process was killed");
            }
            Fault::Fails(_) | Fault::Killed => Ok(()),
        };
        meanwhile(strike, work)
    }

    /// Runs `work`, and runs `other` before each of its steps on this thread, like a concurrent
    /// program.
    pub(crate) fn meanwhile<T>(
        other: impl FnMut(ChangeStep) -> io::Result<()> + 'static,
        work: impl FnOnce() -> T,
    ) -> T {
        ENDS.set(Some(Box::new(other)));
        let done = work();
        ENDS.take();
        done
    }
}
