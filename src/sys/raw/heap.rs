//! The heap of the static build. A pass needs a few kilobytes and gives nothing
//! back before it becomes the real program: it takes them one after the other
//! from a piece of the binary's own memory. musl's allocator asks the kernel for
//! a mapping each time, a system call and a page fault each; compiling a policy of
//! ten thousand rules took it ten seconds, so what does not fit goes to dlmalloc.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use dlmalloc::GlobalDlmalloc;

/// Enough for a pass with a long environment; untouched pages of it cost nothing.
const SIZE: usize = 128 << 10;
/// What is larger would leave no room for the small.
const LARGEST: usize = 16 << 10;

/// Of the arena itself; more is dlmalloc's.
const ALIGNMENT: usize = 16;

#[repr(align(16))]
struct Arena(UnsafeCell<[u8; SIZE]>);

// SAFETY: the bytes are handed out once each, by the atomic counter below.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; SIZE]));
/// Bytes handed out.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// First the arena, then dlmalloc.
struct Heap;

#[global_allocator]
static HEAP: Heap = Heap;

/// The place of a pointer in the arena.
fn place(pointer: *mut u8) -> Option<usize> {
    let at = pointer.addr().wrapping_sub(ARENA.0.get().addr());
    (at < SIZE).then_some(at)
}

fn take(layout: Layout) -> Option<*mut u8> {
    if layout.size() > LARGEST || layout.align() > ALIGNMENT {
        return None;
    }
    let mut taken = TAKEN.load(Ordering::Relaxed);
    loop {
        let start = taken.checked_next_multiple_of(layout.align())?;
        let end = start.checked_add(layout.size()).filter(|end| *end <= SIZE)?;
        match TAKEN.compare_exchange_weak(taken, end, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return Some(ARENA.0.get().cast::<u8>().wrapping_add(start)),
            Err(now) => taken = now,
        }
    }
}

/// The last piece handed out may shrink, grow or go back; others stay where they are.
fn resize_last(at: usize, old: usize, new: usize) -> bool {
    let (end, wanted) = (at + old, at + new);
    wanted <= SIZE
        && TAKEN.compare_exchange(end, wanted, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

// SAFETY: a piece of the arena is aligned (the arena is to `ALIGNMENT`), large enough, and never handed
// out again while it is held: `TAKEN` goes back only over the last piece, when that is given back or
// shrunk by its holder. All else is dlmalloc's, which is told apart by address.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is handed on.
        take(layout).unwrap_or_else(|| unsafe { GlobalDlmalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match take(layout) {
            // SAFETY: a fresh piece of that size; it may have been used and given back before.
            Some(piece) => unsafe {
                piece.write_bytes(0, layout.size());
                piece
            },
            // SAFETY: as in `alloc`.
            None => unsafe { GlobalDlmalloc.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match place(pointer) {
            Some(at) => {
                resize_last(at, layout.size(), 0);
            }
            // SAFETY: not of the arena, so dlmalloc gave it out, with this layout.
            None => unsafe { GlobalDlmalloc.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(at) = place(pointer) else {
            // SAFETY: not of the arena, so dlmalloc gave it out, with this layout.
            return unsafe { GlobalDlmalloc.realloc(pointer, layout, size) };
        };
        if size <= LARGEST && resize_last(at, layout.size(), size) {
            return pointer;
        }
        // SAFETY: `size` is not zero and fits with this alignment by the caller's promise; old and new
        // piece are distinct and both hold the bytes that are copied.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(size));
            }
            moved
        }
    }
}
