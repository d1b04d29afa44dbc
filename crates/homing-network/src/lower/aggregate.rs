//! Arrays and records: cell by cell.

use homing_ir::Expr;

use super::address::Address;
use super::builder::{Builder, Res, Stop, temporary};
use crate::network::{Operand, Place, Type};
use crate::source::Span;

/// The most cells that are compared in one expression.
const MOST_PLAIN_CELLS: u32 = 64;

impl<'a> Builder<'_, 'a> {
    /// The values of the cells of an operand. Outside of plain expressions they stay the same whatever is executed next.
    pub fn operand(&mut self, operand: &'a Operand) -> Res<Vec<Expr>> {
        match operand {
            Operand::Value(expr) => {
                let value = self.value(expr)?;
                Ok(vec![self.kept_unless_plain(value)?])
            }
            Operand::Cells(place) => {
                if self.is_plain() && place.type_.cells() > MOST_PLAIN_CELLS {
                    return Err(Stop::NotPlain);
                }
                let address = self.address(place)?;
                let mut values = Vec::new();
                for cell in 0..place.type_.cells() {
                    self.charge(1)?;
                    let value = self.read(&address, cell)?;
                    values.push(self.kept_unless_plain(value)?);
                }
                Ok(values)
            }
            Operand::Call(call) => {
                let first = self.call(call)?;
                let cells =
                    self.lowering.network.functions[call.function.index()].result.as_ref().map_or(0, Type::cells);
                Ok((first..first + cells).map(|cell| Expr::Var(temporary(cell))).collect())
            }
        }
    }

    fn kept_unless_plain(&mut self, value: Expr) -> Res<Expr> {
        if self.is_plain() { Ok(value) } else { self.keep(value) }
    }

    /// Copies the cells of an array or record. The values are read before the place of the target is computed.
    pub fn copy(&mut self, target: &'a Place, source: &'a Operand, span: Span) -> Res<()> {
        let direct = match source {
            Operand::Cells(source) => {
                self.plainly(|builder| Ok((builder.address(target)?, builder.address(source)?)))?
            }
            _ => None,
        };
        if let Some((target_cells, source)) = direct
            && target_cells.is_fixed()
            && source.is_fixed()
        {
            return self.copy_directly(target, &target_cells, &source, span);
        }
        let values = self.operand(source)?;
        let address = self.address(target)?;
        let address = self.pinned(address)?;
        self.store_cells(target, &address, values, span)
    }

    /// Copies between cells that are known. They are the same or have none in common, so that the order does not matter.
    fn copy_directly(&mut self, target: &'a Place, address: &Address<'a>, source: &Address<'a>, span: Span) -> Res<()> {
        let mut values = Vec::new();
        for cell in 0..target.type_.cells() {
            self.charge(1)?;
            values.push(self.read(source, cell)?);
        }
        self.store_cells(target, address, values, span)
    }

    fn store_cells(&mut self, target: &'a Place, address: &Address<'a>, values: Vec<Expr>, span: Span) -> Res<()> {
        let name = self.lowering.text(target.span);
        for ((cell, value), type_) in values.into_iter().enumerate().zip(target.type_.cell_types()) {
            let stored = self.stored(type_, value, address, &name);
            let cell = self.cell(address, cell as u32)?;
            self.assign(cell, stored, span)?;
        }
        Ok(())
    }
}
