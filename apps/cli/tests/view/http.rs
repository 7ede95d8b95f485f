//! HTTP by hand, for the server of the page and for the driver of the browser.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// An answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}: {}", self.status, self.text()))
    }
}

/// Sends one request with these lines after the first, and reads the whole answer.
pub fn request(port: u16, method: &str, path: &str, lines: &[&str], body: &str) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream
        .set_read_timeout(Some(Duration::from_secs(120)))
        .expect("a timeout");
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for line in lines {
        text += &format!("{line}\r\n");
    }
    text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).expect("a request");
    let mut bytes = Vec::new();
    // The length says where the answer ends, should the connection stay open.
    let mut chunk = [0; 65536];
    loop {
        if let Some(answer) = parsed(&bytes) {
            return answer;
        }
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => bytes.extend(&chunk[..count]),
            Err(error) => panic!("{method} {path}: {error}"),
        }
    }
    whole(&bytes)
}

fn split(bytes: &[u8]) -> Option<(String, &[u8])> {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((
        String::from_utf8_lossy(&bytes[..at]).into_owned(),
        &bytes[at + 4..],
    ))
}

fn field(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim().to_string())
    })
}

fn parsed(bytes: &[u8]) -> Option<Answer> {
    let (head, body) = split(bytes)?;
    let length: usize = field(&head, "Content-Length")?.parse().ok()?;
    (body.len() >= length).then(|| Answer {
        status: status(&head),
        body: body[..length].to_vec(),
        head,
    })
}

fn status(head: &str) -> u16 {
    head.split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0)
}

/// An answer that ends with the connection, in chunks or not.
fn whole(bytes: &[u8]) -> Answer {
    let (head, rest) = split(bytes).unwrap_or_default();
    let mut body = rest.to_vec();
    if field(&head, "Transfer-Encoding").is_some_and(|kind| kind == "chunked") {
        body.clear();
        let mut rest = rest;
        while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
            let size = usize::from_str_radix(String::from_utf8_lossy(&rest[..end]).trim(), 16).unwrap_or(0);
            if size == 0 {
                break;
            }
            body.extend(&rest[end + 2..end + 2 + size]);
            rest = &rest[end + 4 + size..];
        }
    }
    Answer {
        status: status(&head),
        head,
        body,
    }
}
