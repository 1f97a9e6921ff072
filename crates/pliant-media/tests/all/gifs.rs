//! Animated GIFs, read back by the decoder of the gif crate.

use crate::{Folder, ball, movie, paint};
use gif::{ColorOutput, DecodeOptions, Repeat};
use pliant_media::Picture;

/// Pictures and delays as a player shows them.
struct Shown {
    pictures: Vec<Picture>,
    /// 1/100 s.
    delays: Vec<u16>,
}

/// Plays the file: every frame is drawn over the one before, where it is not transparent.
fn play(bytes: &[u8]) -> Shown {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut canvas = vec![[0; 3]; width * height];
    let (mut pictures, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!(frame.dispose, gif::DisposalMethod::Keep);
        let (left, top, across) = (usize::from(frame.left), usize::from(frame.top), usize::from(frame.width));
        for (at, [r, g, b, alpha]) in frame.buffer.as_chunks().0.iter().enumerate() {
            if *alpha > 0 {
                canvas[(top + at / across) * width + left + at % across] = [*r, *g, *b];
            }
        }
        pictures.push(Picture::new(width as u32, height as u32, canvas.concat()).unwrap());
        delays.push(frame.delay);
    }
    assert_eq!(decoder.repeat(), Repeat::Infinite);
    Shown { pictures, delays }
}

fn mean_sq(a: &Picture, b: &Picture) -> f64 {
    let total: f64 = a.rgb().iter().zip(b.rgb()).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
    total / a.rgb().len() as f64
}

#[test]
fn every_frame_is_shown_in_its_colours() {
    let folder = Folder::new("gif-colours");
    let pictures: Vec<Picture> = (0..20).map(|frame| ball(160, 90, frame)).collect();
    let shown = play(&movie(&folder.join("a.gif"), 25.0, &pictures));
    assert_eq!(shown.pictures.len(), 20);
    for (frame, (a, b)) in shown.pictures.iter().zip(&pictures).enumerate() {
        // 255 colours for thousands: 36 dB, or 4 levels, is what a good palette leaves of smooth shading.
        let error = mean_sq(a, b).sqrt();
        assert!(error < 4.0, "frame {frame} is off by {error} levels");
        let mean = |p: &Picture, i| p.pixels().iter().map(|c| f64::from(c[i])).sum::<f64>() / (160.0 * 90.0);
        assert!((0..3).all(|i| (mean(a, i) - mean(b, i)).abs() < 0.5), "frame {frame} has a tint");
    }
}

#[test]
fn few_colours_come_back_exactly_whatever_the_size() {
    let folder = Folder::new("gif-few");
    for (width, height) in [(1, 1), (1, 9), (7, 5), (64, 3)] {
        let frame =
            |n: u32| paint(width, height, |x, y| [[255, 0, 0], [0, 128, 7], [3, 2, 1]][((x + y + n) % 3) as usize]);
        let pictures: Vec<Picture> = (0..5).map(frame).collect();
        assert_eq!(play(&movie(&folder.join("a.gif"), 10.0, &pictures)).pictures, pictures);
    }
}

#[test]
fn what_does_not_move_does_not_flicker() {
    let folder = Folder::new("gif-flicker");
    let pictures: Vec<Picture> = (0..15).map(|frame| ball(160, 90, frame)).collect();
    let shown = play(&movie(&folder.join("a.gif"), 25.0, &pictures)).pictures;
    // To the right of where the ball comes to: 0.2 + 0.02 * 14 of the width and a radius of 27 pixels.
    for picture in &shown[1..] {
        for (at, colour) in picture.pixels().iter().enumerate().filter(|(at, _)| at % 160 > 105) {
            assert_eq!(*colour, shown[0].pixels()[at]);
        }
    }
}

/// A colour that the first frame's palette does not have, as when pressures begin to show.
#[test]
fn new_colours_get_a_palette_of_their_own() {
    let folder = Folder::new("gif-new-colours");
    let spot = |n: usize| {
        let mut picture = ball(160, 90, n);
        for (at, colour) in picture.pixels_mut().iter_mut().enumerate().filter(|_| n > 2) {
            let (x, y) = (at % 160, at / 160);
            if (60..80).contains(&x) && (40..50).contains(&y) {
                *colour = [20, 255 - 4 * (x - 60) as u8, 10 * (y - 40) as u8];
            }
        }
        picture
    };
    let pictures: Vec<Picture> = (0..6).map(spot).collect();
    let shown = play(&movie(&folder.join("a.gif"), 25.0, &pictures)).pictures;
    let off = |at: usize, i: usize| f64::from(shown[5].pixels()[at][i]) - f64::from(pictures[5].pixels()[at][i]);
    let inside = (0..160 * 90).filter(|at| (60..80).contains(&(at % 160)) && (40..50).contains(&(at / 160)));
    let errors: Vec<f64> = inside.map(|at| (0..3).map(|i| off(at, i).powi(2)).sum::<f64>()).collect();
    let error = (errors.iter().sum::<f64>() / errors.len() as f64).sqrt();
    // 200 new colours share what the palette can spare; the nearest of the old ones are 100 levels off.
    assert!(error < 16.0, "off by {error} levels");
}

/// The unit is 1/100 s: frame n is shown at the nearest one to n / rate, so that 48 frames at 24 last 2 s exactly.
#[test]
fn rounding_of_delays_does_not_add_up() {
    let folder = Folder::new("gif-delays");
    let pictures: Vec<Picture> = (0..48).map(|n| paint(4, 4, |x, _| [5 * n, x as u8, 0])).collect();
    let delays = play(&movie(&folder.join("a.gif"), 24.0, &pictures)).delays;
    assert_eq!(delays.len(), 48);
    for frame in 0..=48 {
        let time: u32 = delays[..frame].iter().map(|delay| u32::from(*delay)).sum();
        assert_eq!(time, (frame as f64 * 100.0 / 24.0).round() as u32);
    }
}

/// Browsers slow down frames of less than 1/50 s, so that some of 60 a second are left out; the movie is no longer.
#[test]
fn more_frames_than_browsers_show_keep_their_time() {
    let folder = Folder::new("gif-fast");
    let pictures: Vec<Picture> = (0..120).map(|n| paint(4, 4, |_, _| [16 * (n % 16), 16 * (n / 16), 0])).collect();
    let shown = play(&movie(&folder.join("a.gif"), 60.0, &pictures));
    assert!(shown.delays.iter().all(|delay| *delay >= 2));
    assert_eq!(shown.delays.iter().map(|delay| u32::from(*delay)).sum::<u32>(), 200);
    let mut time = 0;
    for (picture, delay) in shown.pictures.iter().zip(shown.delays) {
        // The frame shown is the one of this time, rounded to 1/100 s.
        let frame = f64::from(picture.rgb()[0]) / 16.0 + f64::from(picture.rgb()[1]);
        assert!((frame / 60.0 - f64::from(time) / 100.0).abs() <= 0.005 + 1e-9);
        time += delay;
    }
}

#[test]
fn a_frame_like_the_one_before_costs_nothing_and_is_still_one() {
    let folder = Folder::new("gif-still");
    let pictures = vec![ball(160, 90, 0); 10];
    let (one, ten) =
        (movie(&folder.join("a.gif"), 10.0, &pictures[..1]), movie(&folder.join("b.gif"), 10.0, &pictures));
    let shown = play(&ten);
    assert_eq!((shown.pictures.len(), shown.delays), (10, vec![10; 10]));
    assert!(shown.pictures.iter().all(|picture| *picture == shown.pictures[0]));
    assert!(ten.len() - one.len() < 9 * 40);
}
