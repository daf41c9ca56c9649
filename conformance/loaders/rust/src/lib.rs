//! `flat` is the loader, to be copied; `newreno` is a controller for trying it.

pub mod flat;
pub mod newreno;
