//! Tools for tests: experiments drawn as text, known-truth programs.
