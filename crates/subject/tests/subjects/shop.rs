//! The catalogue's shop, in which somebody buys.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use proofload_study::SubjectSpec;
use proofload_subject::Keeper;

use crate::Bench;
use crate::tomcat::{ask, body};

/// A user with a session, and the token of the last page.
struct User {
    address: SocketAddr,
    cookie: String,
    token: String,
}

impl User {
    fn ask(&mut self, method: &str, path: &str, fields: &str) -> String {
        let form = format!("_csrf={}&{fields}", self.token);
        let form = if method == "POST" { form.as_str() } else { "" };
        let answer = ask(
            self.address,
            &format!(
                "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: {}\r\nContent-Length: {}\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\n\r\n{form}",
                self.cookie,
                form.len()
            ),
        );
        if let Some((_, cookie)) = answer.split_once("Set-Cookie: ") {
            self.cookie = cookie.split(';').next().unwrap().to_string();
        }
        if let Some((_, token)) = answer.split_once("name=\"_csrf\" value=\"") {
            self.token = token.split('"').next().unwrap().to_string();
        }
        answer
    }

    fn get(&mut self, path: &str) -> String {
        self.ask("GET", path, "")
    }

    fn post(&mut self, path: &str, fields: &str) -> String {
        self.ask("POST", path, fields)
    }

    /// Buys three of one item; every step needs the cookie or the token of the one before.
    fn buy(&mut self) {
        let login = "username=user77&password=user77";
        assert_eq!(status(&self.post("/login", login)), "403", "without a session");
        self.get("/login");
        assert_eq!(location(&self.post("/login", "username=user77&password=user78")), "/login?error");
        assert_eq!(location(&self.post("/login", login)), "/items");
        let cart = "id=1000&quantity=3";
        assert_eq!(status(&self.post("/cart", cart)), "403", "the token of before the login");
        let page = self.get("/items?page=50");
        assert!(page.contains("data-id=\"1000\"") && !page.contains("rel=\"next\""), "{page}");
        assert_eq!(status(&self.post("/cart", "id=1001&quantity=3")), "404");
        assert_eq!(status(&self.post("/cart", "id=1000&quantity=100")), "400");
        assert_eq!(location(&self.post("/cart", cart)), "/cart");
        assert!(self.get("/cart").contains("<td class=\"quantity\">3</td>"));
        assert!(self.post("/checkout", "").contains("data-order=\"1\""));
        assert_eq!(status(&self.post("/checkout", "")), "409", "the cart is empty");
        assert_eq!(location(&self.post("/logout", "")), "/login?logout");
        assert_eq!(location(&self.get("/cart")), "/login");
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

fn location(answer: &str) -> &str {
    let (_, location) = answer.split_once("\r\nLocation: ").unwrap_or(("", answer));
    location.split("\r\n").next().unwrap_or_default()
}

/// Wherever sessions and orders are; the shop's own counts are those of the requests.
pub fn a_shop_sells_to_users_with_a_session_and_counts_each_page() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let mut choices: Vec<&[(&str, &str)]> = vec![&[], &[("sessions", "database")], &[("bcrypt", "4")]];
    if cfg!(target_arch = "x86_64") {
        choices.push(&[("database", "postgresql"), ("sessions", "database")]);
    }
    for (number, choice) in choices.into_iter().enumerate() {
        let with = choice.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let spec = SubjectSpec::Catalogue { folder: "shop".into(), with };
        let temp = keeper.temp().join(number.to_string());
        let running = bench.prepare(&spec).start(&keeper, &[], &bench.log(), &temp).unwrap();
        running.wait_ready(&Default::default()).unwrap();
        let address = running.address().tcp().unwrap();
        let mut user = User { address, cookie: "none=0".into(), token: "none".into() };
        user.buy();
        let counts = user.get("/counts");
        for count in [
            r#""GET /cart":{"200":1,"302 /login":1}"#,
            r#""GET /login":{"200":1}"#,
            r#""POST /cart":{"302 /cart":1,"400":1,"403":1,"404":1}"#,
            r#""POST /checkout":{"200":1,"409":1}"#,
            r#""POST /login":{"302 /items":1,"302 /login?error":1,"403":1}"#,
            r#""POST /logout":{"302 /login?logout":1}"#,
        ] {
            assert!(body(&counts).contains(count), "{choice:?}: {count} is not in {counts}");
        }
        running.stop().unwrap();
    }
}

/// Only a lower bound: the rest of a step has no bound.
pub fn one_step_of_the_shop_costs_what_it_spins() {
    let (bench, keeper) = (Bench::new(), Keeper::start().unwrap());
    let with = [("spin", "500ms"), ("spin_step", "logout")].map(|(name, value)| (name.into(), value.into()));
    let spec = SubjectSpec::Catalogue { folder: "shop".into(), with: with.into() };
    let temp = keeper.temp().join("spin");
    let running = bench.prepare(&spec).start(&keeper, &[], &bench.log(), &temp).unwrap();
    running.wait_ready(&Default::default()).unwrap();
    let address = running.address().tcp().unwrap();
    let mut user = User { address, cookie: "none=0".into(), token: "none".into() };
    user.get("/login");
    let begin = Instant::now();
    assert_eq!(location(&user.post("/logout", "")), "/login?logout");
    assert!(begin.elapsed() >= Duration::from_millis(500), "{:?}", begin.elapsed());
    running.stop().unwrap();
}
