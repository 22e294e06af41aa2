//! The command line as its users meet it: what is refused and how, what is left on disk when a run is cut short, and what is printed.

mod bad_input;
mod cut_short;
mod database;
mod explore;
mod impact;
mod input_kinds;
mod out_folder;
mod printed;
mod signature;
#[path = "../tool/mod.rs"]
mod tool;
mod verify;
mod workshop;

use workshop::Workshop;
