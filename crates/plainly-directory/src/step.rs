//! The steps of a change. Each can fail, and the process can end before each. Tests make them. Otherwise a step does nothing.

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
    /// Moving what had the name to the trash, or removing it.
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
    use std::cell::RefCell;
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

    /// The end of each step.
    type Ends = Box<dyn FnMut(ChangeStep) -> io::Result<()>>;

    thread_local! {
        static ENDS: RefCell<Option<Ends>> = const { RefCell::new(None) };
    }

    pub(super) fn strike(step: ChangeStep) -> io::Result<()> {
        ENDS.with_borrow_mut(|ends| ends.as_mut().map_or(Ok(()), |ends| ends(step)))
    }

    /// Does `work` while a step on this thread ends like this, and, with `no_trash`, there is no place in the trash.
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

    /// Does `work`, and `other` before each of its steps on this thread, as another program would.
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
