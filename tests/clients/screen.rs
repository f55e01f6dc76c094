//! A virtual screen with a keyboard.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::common::needs::{clients, path_with_games};

#[derive(Debug)]
pub struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    /// Starts a screen for these programs if the tests that need them are enabled. Each program
    /// comes with the name of its Debian package.
    pub fn start(programs: &[(&str, &str)]) -> Option<Screen> {
        clients(&[&[("Xvfb", "xvfb"), ("xdotool", "xdotool")], programs].concat())?;
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1200x900x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the screen starts");
        let mut number = String::new();
        let output = server.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut number).expect("the display number is printed");
        Some(Screen { server, display: format!(":{}", number.trim()) })
    }

    /// A command for a program that shows its windows here and keeps its files in a folder.
    pub fn command(&self, program: &str, home: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env("PATH", path_with_games())
            .env("DISPLAY", &self.display)
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_CACHE_HOME", home)
            .env("XDG_DATA_HOME", home)
            .env("LC_ALL", "C.UTF-8")
            .env("GTK_A11Y", "none")
            .env("NO_AT_BRIDGE", "1")
            .current_dir(home);
        command
    }

    fn xdotool(&self, words: &[&str]) -> String {
        let output = Command::new("xdotool")
            .env("DISPLAY", &self.display)
            .args(words)
            .output()
            .expect("xdotool");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Waits for a window of this class and focuses it.
    pub fn focus(&self, class: &str) {
        let found = self.xdotool(&["search", "--sync", "--onlyvisible", "--class", class]);
        let window = found.lines().next().expect("there is a window");
        self.xdotool(&["windowfocus", "--sync", window]);
    }

    pub fn keys(&self, keys: &[&str]) {
        self.xdotool(&[&["key"], keys].concat());
    }

    pub fn write(&self, text: &str) {
        self.xdotool(&["type", text]);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
