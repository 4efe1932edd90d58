//! Records in, texts out.

mod bars;
mod capacity;
mod charts;
mod chinese;
mod conclusions;
mod condensed;
mod crafted;
mod doctor;
mod export;
mod factors;
mod facts;
mod figures;
mod formats;
mod hostile;
mod lead;
mod made;
mod page;
mod render;
mod requests;
mod scalability;
mod screen;
mod single;
mod soak;
mod streams;
mod wording;
