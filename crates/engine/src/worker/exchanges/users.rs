//! Users whose exchanges these are: their memory, and their connections when they leave.

use super::Exchanges;
use crate::driver::Net;
use crate::http::Jar;
use crate::memory::UserMemory;

impl Exchanges<'_> {
    /// The memory of a seat's user.
    pub fn memory(&self, seat: u32) -> &UserMemory {
        &self.memories[seat as usize]
    }

    /// The user of a seat begins: he knows nothing but his rows.
    pub fn welcome(&mut self, seat: u32, arrival_ns: u64) {
        let memory = &mut self.memories[seat as usize];
        memory.clear();
        self.feeding.number_user(arrival_ns, &mut memory.numbers);
        if let Some(jar) = self.jars.get_mut(seat as usize) {
            *jar = Jar::default();
        }
    }

    /// The user of a seat has left, and his connections are closed.
    pub fn farewell<N: Net>(&mut self, net: &mut N, seat: u32, now: u64) {
        for lane in self.places.of(seat) {
            self.part(net, lane, now);
        }
    }
}
