use super::*;
use crate::chart::sample;

/// The chart without the indent of these sources.
fn check(drawn: &str, expected: &str) {
    let mut lines = expected.lines().skip(1).peekable();
    let indent = lines.peek().map_or(0, |first| first.len() - first.trim_start().len());
    let expected: String = lines.map(|line| line.get(indent..).unwrap_or("").to_owned() + "\n").collect();
    assert_eq!(drawn, expected.trim_end_matches(' ').trim_end_matches('\n').to_owned() + "\n", "\n{drawn}");
}

#[test]
fn a_handshake_goes_from_bar_to_bar() {
    check(
        &sample::philosophers().text(150, None),
        "
        phil.pml: deadlock

                        Phil(0)               Fork(1)               Phil(2)               Fork(3)               Phil(4)               Fork(5)
                        │                     │                     │                     │                     │                     │
        1  phil.pml:8   │ hungry = hungry + 1 │                     │                     │                     │                     │
        2  phil.pml:9   ├───fork[0]!take,0───▶┤                     │                     │                     │                     │
        3  phil.pml:16  │                     │                     │ hungry = hungry + 1 │                     │                     │
        4  phil.pml:14  │                     │                     ├───fork[1]!take,1───▶┤                     │                     │
        5  phil.pml:21  │                     │                     │                     │                     ├───fork[2]!take,2───▶┤
        6  phil.pml:22  │                     │                     │                     │                     │ state[id] = has_le… │
                        ■                     ■                     ■                     │                     ■                     │

        blocked: Phil(0)  fork[1]!take,0
                 Phil(2)  fork[2]!take,1
                 Phil(4)  fork[0]!take,2
                 Fork(1)  fork[0]?drop,eval(owner)
        invalid end state: deadlock after 6 statements (shortest)
        ",
    );
}

#[test]
fn the_ends_of_a_message_are_linked_by_its_number() {
    check(
        &sample::echo().text(80, None),
        "
        echo.pml

                        Echo(0)         Other(1)
                        │               │
        1  echo.pml:8   ├──▶ self!1 #1  │               self: [1]
        2  echo.pml:9   ├──▶ self!2 #2  │               self: [1] [2]
        3  echo.pml:13  │               │ skip
        4  echo.pml:8   │ #1 ──▶ self?1 │               self: [2]
        5  echo.pml:9   │ x = x + 1     │
        6  echo.pml:10  │ #2 ──▶ self?2 │               self: []
        7  echo.pml:11  │               ├──▶ self!3 #3  self: [3]
        ",
    );
    check(
        &sample::echo().text(42, None),
        "
        echo.pml

                        Echo(0)      Other(1)
                        │            │
        1  echo.pml:8   ├▶ self!1 #1 │
                        │ self: [1]  │
        2  echo.pml:9   ├▶ self!2 #2 │
                        │ self: [1]… │
        3  echo.pml:13  │            │ skip
        4  echo.pml:8   │ #1 ▶ self… │
                        │ self: [2]  │
        5  echo.pml:9   │ x = x + 1  │
        6  echo.pml:10  │ #2 ▶ self… │
                        │ self: []   │
        7  echo.pml:11  │            ├▶ self!3 #3
                        │            │ self: [3]
        ",
    );
}

#[test]
fn lanes_begin_and_end() {
    check(
        &sample::nursery().text(100, None),
        "
        nursery.pml

                            :init:(0)           Child(1)            Child(2)            Grandchild(3)
                            │
         1  nursery.pml:8   ├╌╌╌run Child(1)╌╌╌▶┐
         2  nursery.pml:9   ├╌╌╌run Child(2)╌╌╌╌┼╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌▶┐
         3  nursery.pml:13  │                   │ printf(\"%d & <%d… │
         4  nursery.pml:14  ├◀──────────────────┼──────done!2───────┤
         5  nursery.pml:15  │                   │                   ╳ -end-
         6  nursery.pml:13  │                   ├╌run Grandchild()╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌▶┐
         7  nursery.pml:17  ├◀──────────────────┼──────────────────────────done!3───────┤
         8  nursery.pml:18  │                   │                                       ╳ -end-
         9  nursery.pml:13  │                   ╳ -end-
        10  nursery.pml:8   │ (_nr_pr == 1)
        11  nursery.pml:9   ╳ -end-
        ",
    );
}

#[test]
fn many_lanes_are_numbered_bars() {
    let drawn = sample::crowd().text(80, None);
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(lines[2], " 1 Station(0)     2 Station(1)     3 Station(2)     4 Station(3)", "{drawn}");
    assert_eq!(lines[6], "                        1  2  3  4  5  6  7  8  9  10 11 12");
    assert_eq!(lines[9], " 2  models/ring.pml:12  │  ├─▶┤  │  │  │  │  │  │  │  │  │  ring!token");
    assert_eq!(lines[19], "12  models/ring.pml:43  ├◀─┼──┼──┼──┼──┼──┼──┼──┼──┼──┼──┤  ring!token");
    assert_eq!(lines[20], "13  models/ring.pml:23  │  │  │  │  │  ●  │  │  │  │  │  │  critical = critical…");
}

#[test]
fn the_middle_is_left_out() {
    let drawn = sample::long().text(100, Some(6));
    let gap = drawn.lines().nth(7).expect("a gap");
    assert_eq!(gap, "    …               ┊ 99,002 steps left out     ┊", "{drawn}");
}

#[test]
fn heads_come_again() {
    let drawn = sample::counting(90).text(80, None);
    assert_eq!(drawn.lines().filter(|line| line.trim() == "P(0)").count(), 3);
}

#[test]
fn lines_fit_and_have_no_blanks_at_the_end() {
    let random = (0..200).map(sample::random);
    for (index, chart) in sample::all().into_iter().chain(random).enumerate() {
        for width in [0, 20, 40, 60, 80, 100, 140, 300] {
            let most = if width % 40 == 0 { Some(30) } else { Some(100) };
            let drawn = chart.text(width, most);
            let columns = Columns::of(&chart, &Rows::of(&chart, most), width);
            let fits = columns.side + columns.side_room <= width && width >= 60;
            for line in drawn.lines() {
                assert_eq!(line, line.trim_end(), "chart {index}, width {width}");
                assert!(!fits || fit::columns(line) <= width, "chart {index}, width {width}: {line}\n{drawn}");
            }
        }
    }
}
