mod random;
#[test]
fn exp() {
    let mut rng = fastrand::Rng::with_seed(77);
    let (mut s, mut t, mut g) = (0, 0, 0);
    let start = std::time::Instant::now();
    for _ in 0..1500 {
        let size = rng.usize(8..18);
        let f = random::formula(&mut rng, size, 3);
        let a = homing_ltl::translate_to_buchi(&f).unwrap();
        s += a.states.len();
        t += a.letter_transitions();
        g += homing_ltl::translate(&f).unwrap().states.len();
    }
    println!("RES {s} {t} {g} {:?}", start.elapsed());
}
