//! One file for each algorithm.

pub mod astar_indfs;
pub mod best_first;
pub mod bfs;
pub mod bounded;
pub mod dfs;
pub mod fewest_switches;
pub mod ida;
pub mod ndfs;
pub mod randomised_storing;
pub mod recorded_scc;
pub mod scc;
pub mod shortest_lasso;
pub mod stateless;
