//! The page without a server, as a WebAssembly module. `worker.js` hosts it.
//!
//! To send a request, the host writes it to the addresses that [`message`] and [`body`] return, and calls [`receive`].

use std::cell::RefCell;

use stopdown::web::LocalPage;

#[derive(Default)]
struct Module {
    page: LocalPage,
    message: Vec<u8>,
    body: Vec<u8>,
}

thread_local! {
    // The host can call functions but cannot hold a Rust value, so the state is kept here.
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Sends an answer to the host.
fn send(answer: &str) {
    #[cfg(target_family = "wasm")]
    stopdown::simd::send(answer);
    #[cfg(not(target_family = "wasm"))]
    let _ = answer;
}

/// Returns the address for a message of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn message(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| space(&mut module.message, length))
}

/// Returns the address for a body of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn body(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| space(&mut module.body, length))
}

fn space(bytes: &mut Vec<u8>, length: usize) -> *mut u8 {
    *bytes = vec![0; length];
    bytes.as_mut_ptr()
}

/// Handles the request that the host has written.
#[unsafe(no_mangle)]
pub extern "C" fn receive() {
    MODULE.with_borrow_mut(|Module { page, message, body }| {
        let message = String::from_utf8_lossy(message);
        page.receive(&message, std::mem::take(body), &mut send);
    });
}

/// Ends the event stream that the request with this ID opened.
#[unsafe(no_mangle)]
pub extern "C" fn close(id: u32) {
    MODULE.with_borrow_mut(|module| module.page.close(id));
}

/// Runs the next task. Returns whether there was one.
#[unsafe(no_mangle)]
pub extern "C" fn step() -> bool {
    MODULE.with_borrow_mut(|module| module.page.step(&mut send))
}
