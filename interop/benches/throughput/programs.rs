//! The measured servers, one for each column of the table. To measure another, add its binary to
//! `src/bin/` and a row here.

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Prepared bytes: bare hyper over HTTP, a loop over stdio.
    Bare,
    /// Prepared bytes on axum.
    Axum,
    /// rmcp in its fastest mode.
    Rmcp,
    /// rmcp over stdio, as in its examples.
    RmcpStdio,
    /// This project.
    Plainly,
}

impl Column {
    pub(crate) const ALL: [Self; 5] = [
        Self::Bare,
        Self::Axum,
        Self::Rmcp,
        Self::RmcpStdio,
        Self::Plainly,
    ];

    pub(crate) const fn head(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Axum => "axum",
            Self::Rmcp => "rmcp",
            Self::RmcpStdio => "rmcp `stdio()`",
            Self::Plainly => "plainly",
        }
    }
}

/// A value for each column that has one.
#[derive(Clone, Copy)]
pub(crate) struct Columns<T>([Option<T>; Column::ALL.len()]);

impl<T> Default for Columns<T> {
    fn default() -> Self {
        Self([const { None }; Column::ALL.len()])
    }
}

impl<T> Columns<T> {
    pub(crate) fn get(&self, column: Column) -> Option<&T> {
        self.0[column as usize].as_ref()
    }

    pub(crate) fn slot(&mut self, column: Column) -> &mut Option<T> {
        &mut self.0[column as usize]
    }

    pub(crate) fn map<U>(&self, figure: impl Fn(&T) -> U) -> Columns<U> {
        Columns(Column::ALL.map(|column| self.get(column).map(&figure)))
    }
}

impl<T> FromIterator<(Column, T)> for Columns<T> {
    fn from_iter<I: IntoIterator<Item = (Column, T)>>(items: I) -> Self {
        let mut columns = Self::default();
        for (column, item) in items {
            *columns.slot(column) = Some(item);
        }
        columns
    }
}

/// A server. It is started with the name of the case as its only argument.
pub(crate) struct Program {
    pub(crate) column: Column,
    pub(crate) path: &'static str,
}

/// The servers over HTTP.
pub(crate) const HTTP: &[Program] = &[
    Program {
        column: Column::Bare,
        path: env!("CARGO_BIN_EXE_hyper-floor"),
    },
    Program {
        column: Column::Axum,
        path: env!("CARGO_BIN_EXE_axum-floor"),
    },
    Program {
        column: Column::Rmcp,
        path: env!("CARGO_BIN_EXE_rmcp-http"),
    },
    Program {
        column: Column::Plainly,
        path: env!("CARGO_BIN_EXE_plainly-http"),
    },
];

/// The servers over standard input and output.
pub(crate) const STDIO: &[Program] = &[
    Program {
        column: Column::Bare,
        path: env!("CARGO_BIN_EXE_stdio-floor"),
    },
    Program {
        column: Column::Rmcp,
        path: env!("CARGO_BIN_EXE_rmcp-pipes"),
    },
    Program {
        column: Column::RmcpStdio,
        path: env!("CARGO_BIN_EXE_rmcp-stdio"),
    },
    Program {
        column: Column::Plainly,
        path: env!("CARGO_BIN_EXE_plainly-stdio"),
    },
];
