//! The collected data: the tables that all sources write to, and the exact accounts of the process.

use crate::accounts::Accounts;
use whittle_model::TableBuilder;

/// What a collection has gathered so far.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) builder: TableBuilder,
    pub(crate) accounts: Accounts,
}

impl Gathered {
    /// Starts with the opened accounts and without rows.
    pub(crate) fn new(accounts: Accounts) -> Self {
        Self { builder: TableBuilder::new(), accounts }
    }
}
