//! `flat` is the loader, to be copied; `newreno` a controller to try it with.

pub mod flat;
pub mod newreno;
