//! Drives a browser through WebDriver, as a user would.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::common::Folder;
use super::common::needs::{browser, client};

/// A generous timeout, which is exceeded only if something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of attempts to start the driver.
const ATTEMPTS: usize = 5;

/// Starts the driver on a free port, and returns the port.
///
/// On a busy machine, the driver once ended without a port, so it is started again. The likely cause is that it looks
/// for a port that is free for IPv4 and then needs the same port for IPv6, which another program may have taken.
fn start_driver(program: &Path, home: &Path) -> (Child, u16) {
    let mut printed = String::new();
    for _ in 0..ATTEMPTS {
        let mut driver = Command::new(program)
            .arg("--port=0")
            .env("HOME", home)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let mut lines = BufReader::new(driver.stdout.take().expect("piped")).lines();
        for line in lines.by_ref().map_while(Result::ok) {
            let port = line
                .split_once("on port ")
                .and_then(|(_, port)| port.trim_end_matches('.').parse().ok());
            if let Some(port) = port.filter(|port| *port > 0) {
                // Read the rest of its output, so that it never blocks.
                std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
                return (driver, port);
            }
            printed += &format!("{line}\n");
        }
        let status = driver.wait().expect("the driver ends");
        printed += &format!("{status}\n");
    }
    panic!("the driver does not print its port:\n{printed}");
}

#[derive(Debug)]
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _folder: Folder,
}

impl Browser {
    /// Starts a browser if the tests that need one are enabled.
    pub fn start() -> Option<Browser> {
        let (program, driver) = (browser()?, client("chromedriver", "chromium-driver")?);
        let folder = Folder::new();
        let (driver, port) = start_driver(&driver, folder.path());
        let mut browser = Browser { driver, port, session: String::new(), _folder: folder };
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"];
        let options = json!({"args": arguments, "binary": program});
        let wanted =
            json!({"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}});
        let made =
            browser.request("POST", "/session", &json!({"capabilities": {"alwaysMatch": wanted}}));
        browser.session = made["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    fn request(&self, method: &str, path: &str, body: &Json) -> Json {
        let body = self.send(method, path, body).expect("the driver answers");
        let answer: Json = serde_json::from_slice(&body).expect("JSON");
        assert!(answer["value"]["error"].is_null(), "{path}: {}", answer["value"]["message"]);
        answer["value"].clone()
    }

    /// Sends a request to the driver and returns the body of its response.
    fn send(&self, method: &str, path: &str, body: &Json) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let (port, length) = (self.port, body.len());
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(text.as_bytes())?;
        // The connection stays open, so the headers give the length of the body.
        let mut reader = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line)? > 2 {
            let header = line.to_lowercase();
            if let Some(number) = header.strip_prefix("content-length:") {
                length = number.trim().parse().expect("a length");
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(body)
    }

    fn command(&self, path: &str, body: &Json) -> Json {
        self.request("POST", &format!("/session/{}{path}", self.session), body)
    }

    pub fn open(&self, address: &str) {
        self.command("/url", &json!({"url": address}));
    }

    pub fn reload(&self) {
        self.command("/refresh", &json!({}));
    }

    /// Runs a script and returns its value.
    pub fn run_script(&self, script: &str) -> Json {
        self.command("/execute/sync", &json!({"script": script, "args": []}))
    }

    pub fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector('{selector}').textContent");
        self.run_script(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Polls until a condition holds.
    pub fn wait(&self, condition: &str) {
        let start = Instant::now();
        while self.run_script(&format!("return Boolean({condition})")) != json!(true) {
            let printed =
                self.run_script("return document.getElementById('announcement')?.textContent");
            assert!(
                start.elapsed() < PATIENCE,
                "timed out waiting for {condition}; the page says {printed}"
            );
        }
    }

    fn element(&self, selector: &str) -> String {
        let found = self.command("/element", &json!({"using": "css selector", "value": selector}));
        let name = found.as_object().and_then(|names| names.values().next()?.as_str());
        name.expect("an element").to_owned()
    }

    pub fn click(&self, selector: &str) {
        self.command(&format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    /// Types into an element, or sets the path of a file input.
    pub fn write(&self, selector: &str, text: &str) {
        self.command(&format!("/element/{}/value", self.element(selector)), &json!({"text": text}));
    }

    /// Presses keys on the focused element.
    pub fn press(&self, keys: &[char]) {
        let actions: Vec<Json> = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key})))
            .collect();
        self.command(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    pub fn drag(&self, from: &str, to: &str) {
        self.drag_with("mouse", 0, from, to);
    }

    /// Drags with a finger.
    pub fn drag_by_touch(&self, from: &str, to: &str) {
        self.drag_with("touch", 0, from, to);
    }

    fn drag_with(&self, pointer: &str, button: u8, from: &str, to: &str) {
        let down = json!({"type": "pointerDown", "button": button});
        let up = json!({"type": "pointerUp", "button": button});
        self.point(pointer, button, &[self.onto(from), down, self.onto(to), up]);
    }

    /// Drags with the mouse, but does not release the button.
    pub fn start_drag(&self, from: &str, to: &str) {
        let down = json!({"type": "pointerDown", "button": 0});
        self.point("mouse", 0, &[self.onto(from), down, self.onto(to)]);
    }

    /// Moves the mouse, which may drag something.
    pub fn move_mouse(&self, to: &str) {
        self.point("mouse", 0, &[self.onto(to)]);
    }

    /// Releases the button after [`Browser::start_drag`].
    pub fn end_drag(&self) {
        self.point("mouse", 0, &[json!({"type": "pointerUp", "button": 0})]);
    }

    fn onto(&self, selector: &str) -> Json {
        let element = json!({"element-6066-11e4-a52e-4f735466cecf": self.element(selector)});
        json!({"type": "pointerMove", "duration": 50, "origin": element, "x": 0, "y": 0})
    }

    fn point(&self, pointer: &str, button: u8, actions: &[Json]) {
        let pointer = json!({
            "type": "pointer", "id": format!("{pointer}{button}"),
            "parameters": {"pointerType": pointer}, "actions": actions,
        });
        self.command("/actions", &json!({"actions": [pointer]}));
    }

    /// Opens the page in another tab. Returns the handle of the previous tab.
    pub fn open_tab(&self) -> Json {
        let before = self.request("GET", &format!("/session/{}/window", self.session), &json!({}));
        let made = self.command("/window/new", &json!({"type": "tab"}));
        self.go_to_tab(&made["handle"]);
        before
    }

    pub fn go_to_tab(&self, name: &Json) {
        self.command("/window", &json!({"handle": name}));
    }

    /// Drags with the right mouse button.
    pub fn drag_right(&self, from: &str, to: &str) {
        self.drag_with("mouse", 2, from, to);
    }

    pub fn resize(&self, width: u32, height: u32) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Runs a script in every page before its own scripts.
    pub fn prepare(&self, script: &str) {
        self.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({"source": script}));
    }

    fn devtools(&self, name: &str, parameters: &Json) {
        self.command("/goog/cdp/execute", &json!({"cmd": name, "params": parameters}));
    }

    /// Errors in the browser's console.
    pub fn console_errors(&self) -> Json {
        self.command("/se/log", &json!({"type": "browser"}))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // This closes the browser, which would otherwise outlive its driver.
        let session = format!("/session/{}", self.session);
        let _ = self.send("DELETE", &session, &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
