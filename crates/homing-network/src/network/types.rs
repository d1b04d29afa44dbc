//! Types of variables: what cells they have and which values these can take.

use std::fmt;

use crate::ast::Name;

/// The type of a variable.
#[derive(Clone, PartialEq, Eq)]
pub enum Type {
    /// Integers with both bounds.
    Int {
        /// The smallest value.
        low: i32,
        /// The largest value.
        high: i32,
    },
    /// 0 or 1; every other number is stored as 1.
    Bool,
    /// One of `size` values that can be compared only, numbered from 0. Each declaration is a set of its own.
    Scalar {
        /// Which declaration.
        set: u32,
        /// The number of values.
        size: i32,
    },
    /// An array with `length` elements.
    Array {
        /// The index of the first element.
        low: i32,
        /// The number of elements.
        length: u32,
        /// What they are.
        element: Box<Type>,
    },
    /// Named fields in their order.
    Record(Vec<(Name, Type)>),
}

impl Type {
    /// `int` without bounds.
    pub const INT: Type = Type::Int { low: -32768, high: 32767 };
    /// `const int` without bounds.
    pub const WIDE: Type = Type::Int { low: i32::MIN, high: i32::MAX };

    /// The number of cells; `None` if there are more than [`Type::MOST_CELLS`].
    pub fn checked_cells(&self) -> Option<u32> {
        let cells = match self {
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } => 1,
            Type::Array { length, element, .. } => {
                let element = element.checked_cells()?;
                // An array of nothing has a limited length, too: its elements are enumerated.
                let most = element.max(1).checked_mul(*length)?;
                if most > Self::MOST_CELLS {
                    return None;
                }
                element * length
            }
            Type::Record(fields) => {
                fields.iter().try_fold(0u32, |sum, (_, field)| sum.checked_add(field.checked_cells()?))?
            }
        };
        (cells <= Self::MOST_CELLS).then_some(cells)
    }

    /// The largest number of cells of a variable.
    pub const MOST_CELLS: u32 = 1 << 20;

    /// The number of cells.
    pub fn cells(&self) -> u32 {
        self.checked_cells().unwrap_or(0)
    }

    /// The bounds of a single cell; `None` for arrays and records.
    pub fn range(&self) -> Option<(i32, i32)> {
        match *self {
            Type::Int { low, high } => Some((low, high)),
            Type::Bool => Some((0, 1)),
            Type::Scalar { size, .. } => Some((0, size - 1)),
            Type::Array { .. } | Type::Record(_) => None,
        }
    }

    /// The type of each cell, in order.
    pub fn cell_types(&self) -> Vec<&Type> {
        match self {
            Type::Int { .. } | Type::Bool | Type::Scalar { .. } => vec![self],
            Type::Array { length, element, .. } => {
                let element = element.cell_types();
                (0..*length).flat_map(|_| element.iter().copied()).collect()
            }
            Type::Record(fields) => fields.iter().flat_map(|(_, field)| field.cell_types()).collect(),
        }
    }

    /// Whether values of the other type can be stored: the same cells, whatever the ranges of their integers.
    pub fn is_like(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Int { .. } | Type::Bool, Type::Int { .. } | Type::Bool) => true,
            (Type::Scalar { set, .. }, Type::Scalar { set: other, .. }) => set == other,
            (Type::Array { length, element, .. }, Type::Array { length: other_length, element: other, .. }) => {
                length == other_length && element.is_like(other)
            }
            (Type::Record(fields), Type::Record(others)) => {
                let are_like =
                    |(one, other): (&(Name, Type), &(Name, Type))| one.0 == other.0 && one.1.is_like(&other.1);
                fields.len() == others.len() && fields.iter().zip(others).all(are_like)
            }
            _ => false,
        }
    }

    /// The values of cells without an initialiser: 0, or the lower bound if 0 is out of range.
    pub fn default_cells(&self) -> Vec<i32> {
        let value = |cell: &Type| match cell.range() {
            Some((low, high)) if low > 0 || high < 0 => low,
            _ => 0,
        };
        self.cell_types().into_iter().map(value).collect()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            t if *t == Type::INT => f.write_str("int"),
            t if *t == Type::WIDE => f.write_str("const int"),
            Type::Int { low, high } => write!(f, "int[{low},{high}]"),
            Type::Bool => f.write_str("bool"),
            Type::Scalar { size, .. } => write!(f, "scalar[{size}]"),
            Type::Array { low: 0, length, element } => write!(f, "{element}[{length}]"),
            Type::Array { low, length, element } => {
                write!(f, "{element}[int[{low},{}]]", i64::from(*low) + i64::from(*length) - 1)
            }
            Type::Record(fields) => {
                f.write_str("struct {")?;
                fields.iter().try_for_each(|(name, field)| write!(f, " {field} {name};"))?;
                f.write_str(" }")
            }
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of consecutive integers, from `low` to `high`. It can be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest.
    pub low: i32,
    /// The largest.
    pub high: i32,
}

impl Range {
    /// The number of integers.
    pub fn len(self) -> u32 {
        u32::try_from(i64::from(self.high) - i64::from(self.low) + 1).unwrap_or(if self.high < self.low {
            0
        } else {
            u32::MAX
        })
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.high < self.low
    }
}
