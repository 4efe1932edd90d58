//! Many exchanges at once: each answer goes to its exchange, in any order and any pieces.

use super::laws::{self, Driven};
use super::{hex, numbered, reply, request};
use crate::dubbo::{Limits, Serialization};
use crate::{Close, Event, ExchangeId, Outbox, Session};
use proptest::prelude::*;

const EXCHANGES: u32 = 12;

fn body(id: u32) -> String {
    format!("1\n\"{}\"\n", "y".repeat(id as usize))
}

fn answered(id: u32) -> Event {
    Event::Answered { id: ExchangeId(id), code: 20, body_bytes: body(id).len() as u64, body: None }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn answers_in_any_order_go_to_their_exchanges(
        order in Just((0..EXCHANGES).collect::<Vec<_>>()).prop_shuffle(),
        beats in prop::collection::vec(any::<bool>(), EXCHANGES as usize),
        cancelled in prop::collection::vec(any::<bool>(), EXCHANGES as usize),
        pieces in prop::collection::vec(1_usize..40, 1..40),
    ) {
        let mut driven = Driven::new(Session::dubbo(Limits::default(), EXCHANGES));
        (0..EXCHANGES).for_each(|id| driven.start(&request(), ExchangeId(id)));
        for id in (0..EXCHANGES).filter(|id| cancelled[*id as usize]) {
            driven.session.cancel(ExchangeId(id), &mut Outbox::new(1024));
        }
        let (mut bytes, mut expected) = (Vec::new(), Vec::new());
        for (&id, &beat) in order.iter().zip(&beats) {
            if beat {
                bytes.extend(hex("dabb e2 00 0000000000000001 00000001 4e"));
                expected.push(Event::Control);
            }
            let number = u64::from(id) << 32 | u64::from(id);
            bytes.extend(numbered(&reply(Serialization::FastJson, 20, body(id).as_bytes()), number));
            if cancelled[id as usize] {
                expected.push(Event::Late { id: ExchangeId(id) });
            } else {
                expected.extend([Event::FirstByte { id: ExchangeId(id) }, answered(id)]);
            }
        }
        let mut rest = bytes.as_slice();
        for length in pieces.iter().cycle() {
            let (piece, after) = rest.split_at((*length).min(rest.len()));
            driven.receive(piece);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(&driven.events, &expected);
        let carried: Vec<_> = (0..EXCHANGES).filter(|id| !cancelled[*id as usize]).map(ExchangeId).collect();
        driven.close(Close::Fin);
        laws::ends_exactly_once(&driven.events, &carried);
    }
}
