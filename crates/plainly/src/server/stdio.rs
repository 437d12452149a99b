//! Standard input and output.

use std::io;

use super::Server;
use crate::transport::standard;

impl Server {
    /// Serves the process that started this one, over standard input and output, until standard input ends or the process
    /// is asked to stop (SIGINT, SIGTERM); running requests are then finished. Nothing else may write to standard output
    /// or read standard input.
    ///
    /// On Linux, the runtime drives pipes and sockets, which stay blocking for other processes that share them. For
    /// everything else, and on other systems, one thread reads and one writes.
    ///
    /// # Panics
    ///
    /// Panics in a runtime without I/O or without time.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let (input, output) = (standard::input()?, standard::output()?);
        self.serve(input, output)
            .until(crate::shutdown::requested())
            .await
    }
}
