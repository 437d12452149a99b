//! The cost of a page of a listing: with 200,000 files in one directory, and with as many in 2,000.
//! Measures the first page, one in the middle, and all pages.

use std::fs::{self, File};
use std::hint::black_box;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use divan::Bencher;
use plainly::store::{ListQuery, Page, Store};
use plainly_directory::DirectoryStore;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

const FILES: usize = 200_000;
const DIRECTORIES: usize = 2_000;
const PAGE: usize = 1_000;

/// The layout of a tree of files.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Flat,
    Deep,
}

const SHAPES: [Shape; 2] = [Shape::Flat, Shape::Deep];

struct Tree {
    _around: TempDir,
    root: std::path::PathBuf,
    /// The position in the middle of the listing.
    middle: String,
}

static FLAT: LazyLock<Tree> = LazyLock::new(|| Tree::new(1));
static DEEP: LazyLock<Tree> = LazyLock::new(|| Tree::new(DIRECTORIES));

impl Tree {
    fn of(shape: Shape) -> &'static Self {
        match shape {
            Shape::Flat => &FLAT,
            Shape::Deep => &DEEP,
        }
    }

    fn new(directories: usize) -> Self {
        let around = tempfile::tempdir().expect("a temporary directory");
        let root = around.path().join("files");
        let name = |directory: usize| format!("directory-{directory:06}");
        let each = FILES / directories;
        for directory in 0..directories {
            let path = root.join(name(directory));
            fs::create_dir_all(&path).expect("a directory");
            for number in 0..each {
                File::create(path.join(format!("file-{number:06}.txt"))).expect("a file");
            }
        }
        // Only directories that haven't changed for two seconds are cached.
        thread::sleep(Duration::from_secs(3));
        let (directory, number) = (directories / 2, each / 2);
        let middle = format!("file:///files/{}/file-{number:06}.txt", name(directory));
        Self {
            _around: around,
            root,
            middle,
        }
    }

    fn store(&self) -> DirectoryStore {
        DirectoryStore::new(&self.root).expect("a store")
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

fn page(runtime: &Runtime, store: &DirectoryStore, after: Option<&str>) -> Page {
    let mut query = ListQuery::new(PAGE);
    query.after = after;
    runtime.block_on(store.list(query)).expect("a page")
}

fn main() {
    divan::main();
}

#[divan::bench(args = SHAPES, sample_count = 20, sample_size = 1)]
fn first_page(bencher: Bencher<'_, '_>, shape: Shape) {
    let (runtime, store) = (runtime(), Tree::of(shape).store());
    bencher.bench_local(|| black_box(page(&runtime, &store, None)));
}

/// A page of a listing that was started recently.
#[divan::bench(args = SHAPES, sample_count = 20, sample_size = 1)]
fn middle_page(bencher: Bencher<'_, '_>, shape: Shape) {
    let tree = Tree::of(shape);
    let (runtime, store) = (runtime(), tree.store());
    bencher.bench_local(|| black_box(page(&runtime, &store, Some(&tree.middle))));
}

/// A page from a process that has never read the directory.
#[divan::bench(args = SHAPES, sample_count = 20, sample_size = 1)]
fn middle_page_of_a_replica(bencher: Bencher<'_, '_>, shape: Shape) {
    let tree = Tree::of(shape);
    let runtime = runtime();
    bencher
        .with_inputs(|| tree.store())
        .bench_local_values(|store| black_box(page(&runtime, &store, Some(&tree.middle))));
}

#[divan::bench(args = SHAPES, sample_count = 3, sample_size = 1)]
fn all_pages(bencher: Bencher<'_, '_>, shape: Shape) {
    let (runtime, tree) = (runtime(), Tree::of(shape));
    bencher
        .with_inputs(|| tree.store())
        .bench_local_values(|store| {
            let mut listed = 0;
            let mut after = None;
            loop {
                let page = page(&runtime, &store, after.as_deref());
                listed += page.resources.len();
                after = page.next;
                if after.is_none() {
                    return black_box(listed);
                }
            }
        });
}
