//! Standard input and output.

use std::io;

use super::Server;
use crate::transport::thread::{Reader, Writer};

impl Server {
    /// Serves the process that started this one, over standard input and output, until standard input ends or the process
    /// is asked to stop (SIGINT, SIGTERM); then what still runs is finished. Nothing else may write to standard output.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let reader = Reader::new(io::stdin())?;
        let writer = Writer::new(io::stdout())?;
        self.serve_until(reader, writer, crate::shutdown::requested())
            .await
    }
}
