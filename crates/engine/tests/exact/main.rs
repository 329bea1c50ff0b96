//! Requests and answers of the engine.

mod engine;
