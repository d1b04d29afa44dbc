#[test]
fn exp() {
    let f = homing_ltl::parse("[] ((p0 -> <> p1) && (p2 -> <> p3) && (p4 -> <> p5) && (p6 -> <> p7))").unwrap().formula;
    let start = std::time::Instant::now();
    let a = homing_ltl::translate(&f).unwrap();
    println!("RES tgba {:?} {:?} {}", start.elapsed(), a.states.len(), a.edge_count());
    let start = std::time::Instant::now();
    let b = a.degeneralised();
    println!("RES degen {:?} {:?} {}", start.elapsed(), b.states.len(), b.edge_count());
    let start = std::time::Instant::now();
    let n = homing_ltl::translate(&!f.clone()).unwrap();
    println!("RES neg {:?} {:?} {}", start.elapsed(), n.states.len(), n.edge_count());
    let start = std::time::Instant::now();
    let b = homing_ltl::translate_to_buchi(&f).unwrap();
    println!("RES buchi {:?} {:?} {}", start.elapsed(), b.states.len(), b.edge_count());
}
