//! Standard input and output.

use std::io;

use super::Server;
use crate::transport::standard;

impl Server {
    /// Serves the process that started this one, over standard input and output, until standard input ends or the process
    /// is asked to stop (SIGINT, SIGTERM); then what still runs is finished. Nothing else may write to standard output, or read
    /// standard input.
    ///
    /// Pipes and sockets are driven by the runtime on Linux, and stay as others expect them who share them: blocking. For
    /// everything else, and on other systems, a thread reads and a thread writes.
    ///
    /// # Panics
    ///
    /// In a runtime without I/O or without time.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let (input, output) = (standard::input()?, standard::output()?);
        self.serve(input, output)
            .until(crate::shutdown::requested())
            .await
    }
}
