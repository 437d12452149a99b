//! The steps of a change. Each can fail, and the process can end before each: tests have it so. Otherwise there is nothing
//! here.

use std::io;

/// A call of the operating system that a change consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeStep {
    /// Making a place in the trash.
    PrepareTrash,
    /// Creating the temporary file.
    Create,
    /// Writing the first half of the content.
    Write,
    /// Writing the rest of it.
    WriteRest,
    /// Writing the content to the disk.
    Sync,
    /// Giving the content its name, or taking the name away.
    Publish,
    /// Looking at what had the name.
    Verify,
    /// Moving what had the name to the trash.
    Trash,
    /// Writing the names to the disk.
    SyncDirectory,
}

impl ChangeStep {
    /// Fails if a test asked for that.
    #[inline(always)]
    pub(super) fn begin(self) -> io::Result<()> {
        #[cfg(all(test, unix))]
        faults::strike(self)?;
        Ok(())
    }
}

/// The faults that replace a step.
#[cfg(all(test, unix))]
pub(super) mod faults {
    use std::cell::Cell;
    use std::io;

    use rustix::process::{Signal, getpid, kill_process};

    use super::ChangeStep;

    /// All steps, in their order.
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

    /// The end of a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The error of this number.
        Fails(i32),
        /// The process is killed.
        Killed,
    }

    thread_local! {
        static FAULT: Cell<Option<(ChangeStep, Fault)>> = const { Cell::new(None) };
    }

    pub(super) fn strike(step: ChangeStep) -> io::Result<()> {
        match FAULT.get() {
            Some((at, Fault::Fails(number))) if at == step => {
                Err(io::Error::from_raw_os_error(number))
            }
            Some((at, Fault::Killed)) if at == step => {
                kill_process(getpid(), Signal::KILL)?;
                unreachable!("the process was killed");
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Does `work` while a step on this thread ends like this.
    pub(crate) fn during<T>(step: ChangeStep, fault: Fault, work: impl FnOnce() -> T) -> T {
        FAULT.set(Some((step, fault)));
        let done = work();
        FAULT.set(None);
        done
    }
}
