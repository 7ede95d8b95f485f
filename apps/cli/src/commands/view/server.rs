//! The server behind the page: on this machine only, for whoever knows the token.

use super::page;
use super::room::Room;
use crate::error::Error;
use serde_json::{Value, json};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{Cursor, Read};
use std::sync::Arc;
use tiny_http::{Header, Method, Request, Response, Server};

type Answer = Response<Cursor<Vec<u8>>>;

/// Largest body of a request.
const LARGEST_REQUEST: u64 = 1 << 20;

/// Threads that answer requests.
const THREADS: usize = 3;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A server at work.
pub struct Service {
    /// Address of the page.
    pub address: String,
}

/// 128 random bits: the keys of hash maps come from the operating system.
fn token() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}

/// Starts to serve what is in the room.
///
/// # Errors
/// A port that is not free.
pub fn start(room: Arc<Room>, port: u16) -> Result<Service, Error> {
    let server = Server::http(("127.0.0.1", port)).map_err(|error| {
        Error::Usage(format!(
            "port {port} cannot be used: {error}; choose another one with --port, or leave it out for any free one"
        ))
    })?;
    let port = server
        .server_addr()
        .to_ip()
        .map_or(port, |address| address.port());
    let token = token();
    let address = format!("http://127.0.0.1:{port}/{token}/");
    let door = Arc::new(Door {
        hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
        token,
        room,
    });
    let server = Arc::new(server);
    for number in 0..THREADS {
        let (server, door) = (server.clone(), door.clone());
        let answering = std::thread::Builder::new().name(format!("holonom-view-{number}"));
        let spawned = answering.spawn(move || {
            while let Ok(request) = server.recv() {
                door.answer(request);
            }
        });
        spawned.map_err(|error| Error::Failed(format!("cannot start the server: {error}")))?;
    }
    Ok(Service { address })
}

struct Door {
    hosts: [String; 2],
    token: String,
    room: Arc<Room>,
}

fn header(name: &str, value: &str) -> Option<Header> {
    Header::from_bytes(name.as_bytes(), value.as_bytes()).ok()
}

fn answer(status: u16, kind: &str, bytes: impl Into<Vec<u8>>) -> Answer {
    let mut answer = Response::from_data(bytes.into()).with_status_code(status);
    let headers = [
        ("Content-Type", kind),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ];
    for (name, value) in headers {
        if let Some(header) = header(name, value) {
            answer.add_header(header);
        }
    }
    answer
}

fn refusal(status: u16, text: &str) -> Answer {
    answer(status, "text/plain; charset=utf-8", text)
}

fn bytes(numbers: &[f32]) -> Answer {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    answer(200, "application/octet-stream", bytes)
}

/// The values of a query.
struct Query<'q>(&'q str);

impl Query<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.into_iter().find(|(own, _)| *own == name)?;
        decoded(value)
    }

    fn number(&self, name: &str, default: usize) -> usize {
        self.text(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                out.push(u8::from_str_radix(digits, 16).ok()?);
            }
            b'+' => out.push(b' '),
            byte => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}

impl Door {
    fn answer(&self, mut request: Request) {
        let answer = match self.refused(&request) {
            Some(refusal) => refusal,
            None => self.admitted(&mut request),
        };
        // Who has gone away does not wait for the answer.
        let _ = request.respond(answer);
    }

    /// Requests from elsewhere: another site that knows or guesses the port, also under a name of its own.
    fn refused(&self, request: &Request) -> Option<Answer> {
        let value = |name: &'static str| -> Vec<&str> {
            let headers = request.headers().iter().filter(|header| header.field.equiv(name));
            headers.map(|header| header.value.as_str()).collect()
        };
        let hosts = value("Host");
        if !matches!(hosts[..], [host] if self.hosts.iter().any(|own| own == host)) {
            let text = "This page is served under 127.0.0.1 only: open the address that the command printed.";
            return Some(refusal(403, text));
        }
        let own = |origin: &&str| {
            self.hosts
                .iter()
                .any(|host| origin.strip_prefix("http://") == Some(host))
        };
        if value("Origin").iter().any(|origin| !own(origin)) {
            let text = "Requests from other sites are refused: open the address that the command printed.";
            return Some(refusal(403, text));
        }
        let site = value("Sec-Fetch-Site");
        if site
            .iter()
            .any(|site| *site == "cross-site" || *site == "same-site")
            && !matches!(request.method(), Method::Get)
        {
            return Some(refusal(403, "Requests from other sites are refused."));
        }
        None
    }

    fn admitted(&self, request: &mut Request) -> Answer {
        let url = request.url().to_string();
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        let inside = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let Some((_, name)) = inside.filter(|(token, _)| same(token, &self.token)) else {
            let text = "This address is not right: open the one that the command printed, with its token.";
            return refusal(404, text);
        };
        let query = Query(query);
        let answered = match request.method() {
            Method::Get => self.get(name, &query),
            Method::Post => {
                let mut text = String::new();
                let read = request
                    .as_reader()
                    .take(LARGEST_REQUEST)
                    .read_to_string(&mut text);
                match read.ok().and_then(|_| serde_json::from_str::<Value>(&text).ok()) {
                    Some(value) => self.post(name, &value),
                    None => return refusal(400, "The request is not JSON."),
                }
            }
            _ => return refusal(405, "Only GET and POST are answered."),
        };
        match answered {
            Ok(Some(answer)) => answer,
            Ok(None) => refusal(404, "There is nothing at this address."),
            Err(error) => refusal(422, &error.to_string()),
        }
    }

    fn get(&self, name: &str, query: &Query<'_>) -> Result<Option<Answer>, Error> {
        let shown = || self.room.shown(query.number("run", 0));
        let json = |value: &Value| answer(200, "application/json", value.to_string());
        let points = query.number("points", 1000).clamp(2, 10_000);
        Ok(Some(match name {
            "" => {
                let head = "<link rel=\"stylesheet\" href=\"style.css\">";
                let body = "<script type=\"module\" src=\"viewer.js\"></script>";
                answer(200, "text/html; charset=utf-8", page::page(head, body))
            }
            "style.css" => answer(200, "text/css; charset=utf-8", page::STYLE),
            "viewer.js" => answer(200, "text/javascript; charset=utf-8", page::script()),
            "favicon.ico" => answer(204, "image/x-icon", Vec::new()),
            "status" => json(&self.room.status()),
            "scene" => json(&shown()?.scene()?.0),
            "meshes" => answer(200, "application/octet-stream", shown()?.meshes()),
            "times" => {
                let times = shown()?.times();
                let bytes: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
                answer(200, "application/octet-stream", bytes)
            }
            "frames" => {
                let (first, step) = (query.number("first", 0), query.number("step", 1).max(1));
                let count = query.number("count", 1).clamp(1, 4096);
                bytes(&shown()?.frames(first, count, step)?)
            }
            "channel" => {
                let channel = query.text("name").unwrap_or_default();
                json(&shown()?.channel(&channel, points)?)
            }
            "arrows" => bytes(&shown()?.arrows(query.number("row", 0))?),
            "path" => bytes(&shown()?.path(query.number("body", 0), points)?),
            _ => return Ok(None),
        }))
    }

    fn post(&self, name: &str, value: &Value) -> Result<Option<Answer>, Error> {
        let json = |value: &Value| answer(200, "application/json", value.to_string());
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        Ok(Some(match name {
            "values" => {
                let run = value["run"].as_u64().unwrap_or(0) as usize;
                let row = value["row"].as_u64().unwrap_or(0) as usize;
                let names: Vec<&str> = value["names"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                let values = self.room.shown(run)?.values(row, &names)?;
                json(&Value::Array(
                    values
                        .iter()
                        .map(|x| json!(x.is_finite().then_some(*x)))
                        .collect(),
                ))
            }
            "move" => json(
                &self
                    .room
                    .moved(text("name"), value["value"].as_f64().unwrap_or(f64::NAN))?,
            ),
            "parameter" => {
                let number = value["value"].as_f64().unwrap_or(f64::NAN);
                json(&self.room.with_parameter(text("name"), number)?)
            }
            "run" => json(&self.room.run()?),
            _ => return Ok(None),
        }))
    }
}

/// Compares without ending at the first difference.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        let query = Query("name=a%2Eb%20c+d&row=3");
        assert_eq!(query.text("name").as_deref(), Some("a.b c d"));
        assert_eq!((query.number("row", 0), query.number("run", 7)), (3, 7));
        assert!(decoded("%zz").is_none() && decoded("%e4").is_none());
        assert!(same("ab", "ab") && !same("ab", "ac") && !same("ab", "abc"));
        assert_ne!(token(), token());
    }
}
