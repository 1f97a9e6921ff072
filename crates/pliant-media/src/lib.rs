//! Pictures and movies, with nothing to install: PNG, animated GIF and MP4.
//!
//! *The idea*: a movie is pictures of one size at a constant rate. Every file is written under a temporary name and
//! renamed when it is complete, so that a failure leaves nothing behind; rendered frames are kept in a [`FrameFolder`]
//! until the movie is done, so that an interrupted job resumes. The same pictures give the same bytes, for any number of
//! threads.
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
mod frame_folder;

pub use error::MediaError;
pub use frame_folder::FrameFolder;
pub use movie::{Movie, MovieFormat};
pub use picture::{MAX_SIDE, Picture};
pub use still::{read_png, write_png};
