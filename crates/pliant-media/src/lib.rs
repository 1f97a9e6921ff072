//! Pictures and movies, with nothing to install: PNG, animated GIF and MP4.
//!
//! *The idea*: a movie is pictures of one size at a steady rate. Every file is written beside its place and renamed
//! when it is whole, so that a failure leaves nothing behind; frames that took long to render are kept in a folder
//! ([`Frames`]) until the movie is done, so that a stopped job goes on where it was. The same pictures give the same
//! bytes, whatever the number of threads.
//!
//! *Not promised*: lossless movies (H.264 halves the resolution of colour, a GIF holds 255 colours at a time); sound;
//! the same bytes from another version of this crate.
//!
//! ```
//! use pliant_media::{Movie, Picture};
//!
//! # let path = std::env::temp_dir().join(format!("pliant-media-doc-{}.mp4", std::process::id()));
//! let mut movie = Movie::create(&path, (64, 36), 30.0)?;
//! for frame in 0..30 {
//!     let grey = vec![8 * frame; 64 * 36 * 3];
//!     movie.push(&Picture::new(64, 36, grey)?)?;
//! }
//! movie.finish()?;
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), pliant_media::MediaError>(())
//! ```

#![deny(unsafe_code)]

mod error;
mod picture;
mod still;
mod movie;
mod frames;

pub use error::MediaError;
pub use frames::Frames;
pub use movie::{Format, Movie};
pub use picture::{MOST_SIDE, Picture};
pub use still::{read_png, write_png};
