//! Makes small tables in the background, so that a player has them soon and never waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::build::{BuildError, BuildWatcher, Job, build_one, plan, prepare};
use super::material::Material;
use super::outcome::Metric;
use super::solve::Watcher;
use super::tables::Tables;

/// A thread that makes the tables it is asked for, one after the other. Dropping it stops it.
#[derive(Debug)]
pub struct Workshop {
    orders: Option<Sender<Material>>,
    flag: Arc<StopFlag>,
    complaints: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct StopFlag(AtomicBool);

impl Watcher for StopFlag {
    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl BuildWatcher for StopFlag {}

/// The endings that every player should know.
const COMMON: [&str; 3] = ["KQK", "KRK", "KPK"];

impl Workshop {
    /// Opens a workshop and orders the most common small tables.
    pub fn open(tables: Arc<Tables>) -> Workshop {
        let (orders, received) = channel();
        let flag = Arc::new(StopFlag::default());
        let complaints = Arc::new(Mutex::default());
        let (stop, heard) = (flag.clone(), Arc::clone(&complaints));
        let thread = std::thread::Builder::new()
            .name("endgame tables".to_owned())
            .spawn(move || work(&tables, &received, &stop, &heard))
            .ok();
        let workshop = Workshop { orders: Some(orders), flag, complaints, thread };
        for name in COMMON {
            workshop.order(name.parse().expect("the names above are materials"));
        }
        workshop
    }

    /// Asks for a material's tables; at once if they are there already.
    pub fn order(&self, material: Material) {
        if let Some(orders) = &self.orders {
            // Without a thread there is nobody to hear it, and nothing is made.
            let _ = orders.send(material);
        }
    }

    /// What went wrong since this was last asked.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.complaints.lock().expect("no thread panics while it complains"))
    }

    /// Waits until everything ordered so far is made. No more can be ordered.
    pub fn finish(mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.flag.0.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(
    tables: &Tables,
    orders: &Receiver<Material>,
    stop: &StopFlag,
    complaints: &Mutex<Vec<String>>,
) {
    let complain = |error: BuildError| {
        let mut complaints = complaints.lock().expect("no thread panics while it complains");
        let complaint = format!("endgame tables: {error}");
        if !complaints.contains(&complaint) {
            complaints.push(complaint);
        }
    };
    if let Some(Err(error)) = tables.directory().map(prepare) {
        complain(error.into());
    }
    for material in orders {
        let jobs: Vec<Job> = plan(tables, [material], &Metric::ALL);
        for job in jobs {
            match build_one(tables, job, 1, stop) {
                Ok(_) => {}
                Err(BuildError::Stopped(_)) => return,
                // The table is made, only not saved.
                Err(error @ BuildError::File(_)) => complain(error),
                Err(error) => {
                    complain(error);
                    break;
                }
            }
        }
    }
}
