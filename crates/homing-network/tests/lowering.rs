//! Networks in the intermediate form have the states, transitions, errors, deadlocks and answers that the explorer finds.

mod lowered;

use homing_network::Format;
use homing_network::explorer::Limits;
use homing_network::generate::{Arbiter, NetworkText, Variant, arbiter, hanoi, philosophers};
use homing_network::random_networks::random_network;
use lowered::compare;

/// `HOMING_NETWORKS` chooses another number of networks.
#[test]
fn random_networks_mean_the_same_in_the_intermediate_form() {
    let networks: u64 = std::env::var("HOMING_NETWORKS").map_or(200, |text| text.parse().expect("a number"));
    let (mut compared, mut states) = (0, 0);
    for seed in 0..networks {
        let text = random_network(seed);
        for format in [Format::Xta, Format::Xml] {
            if let Some(found) = compare(&text.to_input(format), Limits { states: 2_000 }) {
                compared += 1;
                states += found.states;
            }
        }
    }
    println!("{compared} of {} compared, {states} states", 2 * networks);
    assert!(compared > networks, "{compared} of {networks} networks are small enough");
}

#[test]
fn generated_networks_mean_the_same() {
    let texts: Vec<NetworkText> = vec![
        arbiter(Arbiter::new(2)),
        hanoi(3, Variant::A),
        hanoi(4, Variant::B),
        hanoi(3, Variant::C),
        philosophers(4),
    ];
    for text in texts {
        for format in [Format::Xta, Format::Xml] {
            assert!(compare(&text.to_input(format), Limits::default()).is_some());
        }
    }
}
