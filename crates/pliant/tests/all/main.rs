//! The engine through its public calls, grouped by what is promised.

mod files;
