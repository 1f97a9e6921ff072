//! Laws of physics, and the shipped scenes.

mod motion_laws;
mod changes;
mod energy;
mod jerk;
mod passing;
mod scenes;

use pliant::verify::GROUPS;

/// Tests that the groups of laws are dealt to, so that they run side by side.
const SHARES: usize = 6;

macro_rules! shares {
    ($($name:ident = $share:literal,)+) => {
        /// `pliant verify` measures the same groups; here every law of a share that does not hold is named at once.
        mod every_law_holds {
            $(#[test]
            fn $name() {
                super::holds($share);
            })+
        }

        #[test]
        fn every_share_of_the_laws_has_its_test() {
            assert_eq!([$($share),+], std::array::from_fn::<usize, SHARES, _>(|i| i));
        }
    };
}

shares! { share_0 = 0, share_1 = 1, share_2 = 2, share_3 = 3, share_4 = 4, share_5 = 5, }

fn holds(share: usize) {
    let broken: Vec<String> = GROUPS
        .iter()
        .skip(share)
        .step_by(SHARES)
        .flat_map(|(_, group)| group())
        .filter(|check| !check.holds())
        .map(|c| format!("{}: expected {}, got {}, error {:e} > {:e}", c.law, c.expected, c.got, c.error, c.bound))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
