//! One file for each algorithm.

pub mod astar_indfs;
pub mod beam;
pub mod best_first;
pub mod bfs;
pub mod bounded;
pub mod cycle_proviso;
pub mod dfs;
pub mod fewest_switches;
pub mod highway;
pub mod highway_exact;
pub mod ida;
pub mod ndfs;
pub mod random_walk;
pub mod randomised_storing;
pub mod recorded_scc;
pub mod scc;
pub mod shortest_lasso;
pub mod stateless;
