//! The heap of the static build. A pass needs a few kilobytes and gives nothing
//! back before it becomes the real program: it takes them one after the other
//! from a piece of the binary's own memory. musl's allocator asks the kernel for
//! a mapping each time, a system call and a page fault each; compiling a policy of
//! ten thousand rules took it ten seconds, so what does not fit goes to dlmalloc.
//!
//! A long line is tens of thousands of small pieces, taken and given back, each of which costs
//! dlmalloc a lock and a search. Those come from lists, one for each size.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, compiler_fence};

use dlmalloc::GlobalDlmalloc;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

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

/// Pieces on the lists are multiples of this, and aligned to it.
const STEP: usize = 16;
/// Sizes that have a list.
const SIZES: usize = 32;
/// How much is taken at once for small pieces: first from dlmalloc, then from the kernel, with
/// its pages there already, for each of them would be a fault, and whoever needs a second block
/// is likely to need many.
const FIRST: usize = 256 << 10;
const BLOCK: usize = 1 << 20;

/// Small pieces that were given back, and the rest of the block that new ones are cut from.
struct Lists {
    free: [*mut u8; SIZES],
    next: *mut u8,
    left: usize,
}

struct Shared(UnsafeCell<Lists>);

// SAFETY: only the thread that `OWNER` names looks inside, and only once at a time, by `IN_USE`.
unsafe impl Sync for Shared {}

static LISTS: Shared = Shared(UnsafeCell::new(Lists {
    free: [ptr::null_mut(); SIZES],
    next: ptr::null_mut(),
    left: 0,
}));
/// The first thread that asked; all others do without the lists. A lock would cost as much as
/// all else that is done for a small piece.
static OWNER: AtomicUsize = AtomicUsize::new(0);
/// The owner is inside: a signal's handler does without them.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Which list pieces of this kind are on; none for what is large or oddly aligned.
fn list(layout: Layout) -> Option<usize> {
    let at = layout.size().checked_sub(1)? / STEP;
    (at < SIZES && layout.align() <= STEP).then_some(at)
}

/// Of its list's whole size, wherever it comes from: so it can go onto the list.
fn whole(at: usize) -> Layout {
    // SAFETY: at most `SIZES * STEP`, and `STEP` is a power of two.
    unsafe { Layout::from_size_align_unchecked((at + 1) * STEP, STEP) }
}

impl Lists {
    fn pop(&mut self, at: usize) -> *mut u8 {
        let Some(head) = self.free.get_mut(at) else { return ptr::null_mut() };
        let piece = *head;
        if !piece.is_null() {
            // SAFETY: what is on a list holds the address of the next, written by `push`.
            *head = unsafe { piece.cast::<*mut u8>().read() };
            return piece;
        }
        let size = whole(at).size();
        if self.left < size {
            // What is left of the old block is small.
            let (block, size) = block(self.next.is_null());
            if block.is_null() {
                return block;
            }
            (self.next, self.left) = (block, size);
        }
        let piece = self.next;
        (self.next, self.left) = (piece.wrapping_add(size), self.left - size);
        piece
    }

    fn push(&mut self, at: usize, piece: *mut u8) {
        let Some(head) = self.free.get_mut(at) else { return };
        // SAFETY: given back, so ours; at least `STEP` bytes, and aligned to it.
        unsafe { piece.cast::<*mut u8>().write(*head) };
        *head = piece;
    }
}

/// Memory to cut small pieces from, and how much; null if there is none.
fn block(is_first: bool) -> (*mut u8, usize) {
    if !is_first {
        let (access, flags) =
            (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::POPULATE);
        // SAFETY: the kernel chooses where, so nothing of ours is there.
        if let Ok(block) = unsafe { mmap_anonymous(ptr::null_mut(), BLOCK, access, flags) } {
            return (block.cast(), BLOCK);
        }
    }
    // SAFETY: neither size nor alignment is zero.
    let first = unsafe { Layout::from_size_align_unchecked(FIRST, STEP) };
    (unsafe { GlobalDlmalloc.alloc(first) }, FIRST)
}

/// With the lists, unless they are another's or in use.
fn with_lists<T>(then: impl FnOnce(&mut Lists) -> T) -> Option<T> {
    // SAFETY: it only tells the calling thread's address, which is not zero.
    let me = unsafe { libc::pthread_self() }.addr();
    let owner = OWNER.load(Ordering::Relaxed);
    let is_mine = owner == me
        || owner == 0
            && OWNER.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if !is_mine || IN_USE.load(Ordering::Relaxed) {
        return None;
    }
    IN_USE.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // SAFETY: this is the owner, and it was not inside.
    let done = then(unsafe { &mut *LISTS.0.get() });
    compiler_fence(Ordering::SeqCst);
    IN_USE.store(false, Ordering::Relaxed);
    Some(done)
}

/// Beyond the arena.
fn more(layout: Layout) -> *mut u8 {
    let Some(at) = list(layout) else {
        // SAFETY: `layout` comes from a caller of the allocator, so its size is not zero.
        return unsafe { GlobalDlmalloc.alloc(layout) };
    };
    // SAFETY: the same.
    with_lists(|lists| lists.pop(at)).unwrap_or_else(|| unsafe { GlobalDlmalloc.alloc(whole(at)) })
}

/// First the arena, then the lists, then dlmalloc.
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
// shrunk by its holder. A small piece from elsewhere has its list's whole size and alignment, and is on
// no list while it is held. All else is dlmalloc's. Which it is, address and layout tell.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout).unwrap_or_else(|| more(layout))
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let piece = match take(layout) {
            Some(piece) => piece,
            // SAFETY: as in `more`; what is large comes zeroed from the kernel.
            None if list(layout).is_none() => {
                return unsafe { GlobalDlmalloc.alloc_zeroed(layout) };
            }
            None => more(layout),
        };
        if !piece.is_null() {
            // SAFETY: a piece of that size; it may have been used and given back before.
            unsafe { piece.write_bytes(0, layout.size()) };
        }
        piece
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if let Some(at) = place(pointer) {
            resize_last(at, layout.size(), 0);
            return;
        }
        match list(layout) {
            // Where the lists are in use it is lost.
            Some(at) => drop(with_lists(|lists| lists.push(at, pointer))),
            // SAFETY: large and not of the arena, so dlmalloc gave it out, with this layout.
            None => unsafe { GlobalDlmalloc.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: `size` is not zero and fits with this alignment by the caller's promise.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let stays = match (place(pointer), list(layout), list(wanted)) {
            (Some(at), ..) => size <= LARGEST && resize_last(at, layout.size(), size),
            // SAFETY: large and not of the arena, so dlmalloc gave it out, with this layout.
            (None, None, None) => return unsafe { GlobalDlmalloc.realloc(pointer, layout, size) },
            (None, old, new) => old == new,
        };
        if stays {
            return pointer;
        }
        // SAFETY: old and new piece are distinct and both hold the bytes that are copied; the old one
        // is the caller's to give back.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
            moved
        }
    }
}
