//! A driver over another driver that puts tunnels and TLS between sockets and exchanges.
//!
//! To the worker it is a driver like any other: a connection is established when everything on the way to the server is,
//! bytes are those of the exchange. Connections whose target asks for nothing are passed through.

use super::above::Above;
use super::layer::Layer;
use super::net::SecuredNet;
use crate::driver::{Driver, Handler, Polled, Wake};
use std::io;
use std::ptr::NonNull;

#[derive(Debug)]
pub struct Secured<D: Driver> {
    below: D,
    net: SecuredNet<D::Net>,
}

impl<D: Driver> Secured<D> {
    /// The layer over that driver, for as many connections.
    pub fn new(below: D, layer: Layer) -> Self {
        Secured { below, net: SecuredNet { below: None, layer } }
    }
}

impl<D: Driver> Driver for Secured<D> {
    type Net = SecuredNet<D::Net>;

    fn name(&self) -> &'static str {
        self.below.name()
    }

    fn net(&mut self) -> &mut SecuredNet<D::Net> {
        self.net.below = Some(NonNull::from(self.below.net()));
        &mut self.net
    }

    fn poll<H: Handler<SecuredNet<D::Net>>>(&mut self, wake: Wake, handler: &mut H) -> io::Result<Polled> {
        self.net.below = None;
        self.below.poll(wake, &mut Above { net: &mut self.net, handler })
    }
}
